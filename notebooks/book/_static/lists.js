"use strict";
// A player that takes the first free cell of a list, against a threat: move one cell through the list
// and see which lines it stops. Boards and exact results are those of three.js.
const LISTS = (() => {
  const { TREE, solve, uniform, outcome } = TTT, CELLS = [...Array(9).keys()];
  const toMove = (row) => (TREE.ply[row] % 2 ? -1 : 1);
  const free = (row) => CELLS.filter((cell) => TREE.children[9 * row + cell] >= 0);
  // Cells where a side would complete a line if it moved there now.
  function wins(row, side) {
    const board = TREE.boards[row];
    return free(row).filter((cell) => {
      const after = board.slice();
      after[cell] = side;
      return TTT.winnerOf(after) === side;
    });
  }
  // The move of a list, after the safety rule if it wears one: win, else block, lowest cell first.
  function move(row, order, rule) {
    const side = toMove(row), urgent = rule ? [...wins(row, side).slice(0, 1), ...wins(row, -side).slice(0, 1)] : [];
    return urgent.length ? urgent[0] : order.find((cell) => TREE.children[9 * row + cell] >= 0);
  }
  // Positions where the side can't win at once and the other threatens exactly one cell.
  const known = new Map();
  function threats(side) {
    if (!known.has(side)) known.set(side, TREE.running.filter((row) => toMove(row) === side && !wins(row, side).length)
      .map((row) => [row, wins(row, -side)]).filter(([, cells]) => cells.length === 1).map(([row, [cell]]) => ({ row, cell })));
    return known.get(side);
  }
  // Win, draw and loss of whole games against chance and against the best reply, and the threats it stops.
  function result(order, side, rule) {
    const table = new Uint8Array(9 * TREE.size), all = threats(side);
    for (const row of TREE.running) if (toMove(row) === side) table[9 * row + move(row, order, rule)] = 1;
    const against = (other) => outcome(side === 1 ? solve(table, other) : solve(other, table), 0, side);
    return { chance: against(uniform()), best: against("best"), threats: all.length,
      stopped: all.filter(({ row, cell }) => move(row, order, rule) === cell).length };
  }
  // A position with a threat at a cell, with few stones, if it can be one that the list itself leads to.
  function example(order, side, cell) {
    const reached = new Set([0]);
    for (const row of TREE.running) if (reached.has(row)) {
      const next = toMove(row) === side ? [move(row, order, false)] : free(row);
      for (const to of next) reached.add(TREE.children[9 * row + to]);
    }
    const fit = threats(side).filter((one) => one.cell === cell).map(({ row }) => row);
    return fit.find((row) => reached.has(row) && TREE.ply[row] < 7) ?? fit[0];
  }
  const withPlace = (order, cell, place) => {
    const rest = order.filter((one) => one !== cell);
    return [...rest.slice(0, place - 1), cell, ...rest.slice(place - 1)];
  };
  return { move, threats, result, example, withPlace };
})();

function startLists(root) {
  const find = (name) => root.querySelector(`[data-part="${name}"]`), NAMES = { 1: "X", "-1": "O" };
  const percent = (f) => `${(100 * f).toFixed(1)} %`;
  CELL_LISTS.forEach(({ title }) => find("list").add(new Option(title)));
  const cells = [...Array(9).keys()].map(() => find("board").appendChild(document.createElement("div")));

  const chosen = () => CELL_LISTS[find("list").selectedIndex];
  const threat = () => Number(find("threat").value);
  function settle() {  // the place that the cell has in the list as it was found
    find("place").value = chosen().order.indexOf(threat()) + 1;
    show();
  }
  function show() {
    const { order, side } = chosen(), cell = threat(), place = Number(find("place").value), rule = find("rule").value === "yes";
    const moved = LISTS.withPlace(order, cell, place), row = LISTS.example(order, side, cell);
    const board = TTT.TREE.boards[row], taken = LISTS.move(row, moved, rule), found = LISTS.result(moved, side, rule);
    const natural = order.indexOf(cell) + 1 === place, own = NAMES[side], other = NAMES[-side];
    find("threat").setAttribute("aria-valuetext", `cell ${cell}`);
    find("place").setAttribute("aria-valuetext", `place ${place}${natural ? ", as found" : ""}`);
    find("threat-told").textContent = `Cell that ${other} threatens: ${cell}`;
    find("place-told").textContent = `Its place in the list: ${place}${natural ? " (as found)" : ""}`;
    cells.forEach((box, k) => {
      box.className = `cell ${{ 1: "x", "-1": "o" }[board[k]] || ""} ${k === taken ? "last" : ""} ${k === cell ? "hint" : ""}`;
      box.innerHTML = board[k] ? TTT.SHAPES[board[k]] : `<span class="number">${k}</span> <span class="label">${moved.indexOf(k) + 1}</span>`;
    });
    const words = { 1: "X", "-1": "O", 0: "free" };
    find("board").setAttribute("aria-label", `board: ${board.map((stone, k) => `${k} ${words[stone]}`).join(", ")}; ${own} takes ${taken}`);
    root.dataset.board = board.map((stone) => ({ 1: "x", "-1": "o", 0: "." })[stone]).join("");
    root.dataset.taken = taken;
    find("told").textContent = taken === cell ? `${own} takes cell ${taken} and stops the line.` :
      `${own} takes cell ${taken}, the first free one of the list, and ${other} can win at ${cell}.`;
    find("order").textContent = `The list: ${moved.join(", ")}. With it, ${own} stops ${found.stopped} of the ${found.threats} threats on 3x3 (positions in which ${own} can't win at once and must take one certain cell).`;
    const line = (name, three) => `<tr><th scope="row">${name}</th>${three.map((f) => `<td>${f}<small>${percent(f)}</small></td>`).join("")}</tr>`;
    find("results").innerHTML = `<table><caption>Whole games of this list as ${own}, exactly</caption><thead><tr><td></td><th scope="col">win</th><th scope="col">draw</th><th scope="col">loss</th></tr></thead><tbody>${line("against random play", found.chance)}${line("against the best reply", found.best)}</tbody></table>`;
  }
  for (const name of ["list", "threat"]) find(name).addEventListener("input", settle);
  for (const name of ["place", "rule"]) find(name).addEventListener("input", show);
  settle();
}
document.querySelectorAll(".lists").forEach(startLists);
