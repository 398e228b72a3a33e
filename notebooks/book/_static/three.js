"use strict";
// 3x3 without a server: every state, every player of players.js as whole weights, exact matches by one
// pass from the last ply to the first, and a page to find each player's traps on.
// Weights of a state add up to a divisor of 2520, so a chance p plies before the end is a whole number
// of 2520^-p: BigInts in numerators, no rounding anywhere.
const TTT = (() => {
  const LINES = [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];
  const UNIT = 2520n, POWERS = [1n];
  for (let p = 1; p <= 9; p++) POWERS.push(POWERS[p - 1] * UNIT);

  const winnerOf = (board) => {
    for (const [a, b, c] of LINES) if (board[a] && board[a] === board[b] && board[a] === board[c]) return board[a];
    return 0;
  };
  const codeOf = (board) => board.reduce((code, v) => 3 * code + (v + 3) % 3, 0);

  // All states in the library's order: by ply, then by code.
  function enumerate() {
    const boards = [], rowOf = new Map(), layers = [0];
    let layer = [new Array(9).fill(0)];
    for (let ply = 0; layer.length; ply++) {
      layer.sort((a, b) => codeOf(a) - codeOf(b));
      for (const board of layer) { rowOf.set(codeOf(board), boards.length); boards.push(board); }
      const next = new Map(), side = ply % 2 ? -1 : 1;
      for (const board of layer) {
        if (winnerOf(board)) continue;
        for (let cell = 0; cell < 9; cell++) {
          if (board[cell]) continue;
          const after = board.slice(); after[cell] = side;
          next.set(codeOf(after), after);
        }
      }
      layers.push(boards.length);
      layer = [...next.values()];
    }
    const size = boards.length, children = new Int16Array(9 * size).fill(-1);
    const ply = new Uint8Array(size), winner = new Int8Array(size), running = [];
    boards.forEach((board, row) => {
      ply[row] = board.filter(Boolean).length;
      winner[row] = winnerOf(board);
      if (winner[row] || ply[row] === 9) return;
      running.push(row);
      for (let cell = 0; cell < 9; cell++) if (!board[cell]) {
        const after = board.slice(); after[cell] = ply[row] % 2 ? -1 : 1;
        children[9 * row + cell] = rowOf.get(codeOf(after));
      }
    });
    return { boards, children, ply, winner, running, size, rowOf };
  }
  const TREE = enumerate();

  const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  // The weights of a family's setting, nine for each state.
  function table(family, setting) {
    const bits = new Uint16Array(TREE.running.length), found = new Uint8Array(9 * TREE.size);
    let first = setting;
    while (family.settings[first][1] === "more") first--;
    for (let k = first; k <= setting; k++) {
      const [, kind, text] = family.settings[k], raw = bytes(text);
      if (kind === "sums") {
        TREE.running.forEach((row, i) => { for (let c = 0; c < 9; c++) found[9 * row + c] = raw[9 * i + c]; });
        return found;
      }
      const words = new Uint16Array(raw.buffer);
      if (kind === "bits") bits.set(words);
      else for (let i = 0; i < words.length; i += 2) bits[words[i]] = words[i + 1];
    }
    TREE.running.forEach((row, i) => { for (let c = 0; c < 9; c++) found[9 * row + c] = bits[i] >> c & 1; });
    return found;
  }
  function uniform() {
    const found = new Uint8Array(9 * TREE.size);
    for (let i = 0; i < found.length; i++) found[i] = TREE.children[i] >= 0 ? 1 : 0;
    return found;
  }

  // X's win and draw at every state, in units of 2520^-(plies to the ninth). A side is a table of
  // weights, or "best": it knows the other and takes what earns most points, all such moves alike.
  function solve(x, o) {
    const win = new Array(TREE.size), draw = new Array(TREE.size), best = new Uint8Array(9 * TREE.size);
    for (let row = TREE.size - 1; row >= 0; row--) {
      const left = 9 - TREE.ply[row], side = TREE.ply[row] % 2 ? -1 : 1, mine = side === 1 ? x : o;
      if (TREE.winner[row] || left === 0) {
        win[row] = TREE.winner[row] === 1 ? POWERS[left] : 0n;
        draw[row] = TREE.winner[row] ? 0n : POWERS[left];
        continue;
      }
      let weights = mine, top = null, total = 0;
      if (mine === "best") {
        weights = best;
        for (let c = 0; c < 9; c++) {
          const child = TREE.children[9 * row + c];
          if (child < 0) continue;
          const points = (2n * win[child] + draw[child]) * BigInt(side);
          if (top === null || points > top) { top = points; best.fill(0, 9 * row, 9 * row + 9); }
          if (points === top) best[9 * row + c] = 1;
        }
      }
      for (let c = 0; c < 9; c++) total += weights[9 * row + c];
      const share = UNIT / BigInt(total);
      let w = 0n, d = 0n;
      for (let c = 0; c < 9; c++) {
        const weight = weights[9 * row + c];
        if (!weight) continue;
        const child = TREE.children[9 * row + c], times = share * BigInt(weight);
        w += times * win[child]; d += times * draw[child];
      }
      win[row] = w; draw[row] = d;
    }
    return { win, draw, best };
  }

  const gcd = (a, b) => { while (b) [a, b] = [b, a % b]; return a; };
  const fraction = (n, d) => {
    const g = gcd(n < 0n ? -n : n, d) || 1n;
    return { n: n / g, d: d / g, toString() { return this.d === 1n ? `${this.n}` : `${this.n}/${this.d}`; },
             valueOf() { return Number(this.n * 10n ** 15n / this.d) / 1e15; } };
  };
  // Win, draw and loss at a state as fractions, from a side.
  function outcome(solved, row, side) {
    const all = POWERS[9 - TREE.ply[row]], w = solved.win[row], d = solved.draw[row], l = all - w - d;
    return [side === 1 ? w : l, d, side === 1 ? l : w].map((part) => fraction(part, all));
  }
  // Points (win 1, draw 0, loss -1) at a state, from a side.
  const points = (solved, row, side) => {
    const all = POWERS[9 - TREE.ply[row]];
    return fraction(BigInt(side) * (2n * solved.win[row] + solved.draw[row] - all), all);
  };
  const minus = (a, b) => fraction(a.n * b.d - b.n * a.d, a.d * b.d);

  // Exact results of two settings, X's first, for tests and for the curious.
  function match(x, o) {
    const at = ([name, k]) => table(PLAYERS.find((f) => f.name === name), k);
    return outcome(solve(at(x), at(o)), 0, 1).map(String);
  }
  const SHAPES = { 0: "", 1: '<svg viewBox="0 0 10 10" aria-hidden="true"><path d="M2 2 8 8M8 2 2 8"/></svg>',
    "-1": '<svg viewBox="0 0 10 10" aria-hidden="true"><circle cx="5" cy="5" r="3.1"/></svg>' };
  return { TREE, table, uniform, solve, outcome, points, minus, match, codeOf, winnerOf, SHAPES };
})();

// ---------------------------------------------------------------------------- the page
function startThree(root) {
  const { TREE, SHAPES, table, uniform, solve, outcome, points, minus } = TTT;
  const find = (name) => root.querySelector(`[data-part="${name}"]`);
  const NAMES = { 1: "X", "-1": "O" }, CHANCE = uniform(), PERFECT = solve("best", "best");
  const state = { family: 0, setting: 0, side: 1, moves: [], shown: 0, hint: -1, score: [0, 0, 0], counted: false };
  let known = {};

  // Everything that follows from the opponent and the side, computed once for each.
  function study() {
    const its = table(PLAYERS[state.family], state.setting), mine = (own) => (state.side === 1 ? solve(own, its) : solve(its, own));
    known = { its, best: mine("best"), chance: mine(CHANCE), asX: solve(its, CHANCE), asO: solve(CHANCE, its),
      perfectX: solve(its, table(PLAYERS.find((f) => f.name === "minimax"), 1)),
      perfectO: solve(table(PLAYERS.find((f) => f.name === "minimax"), 1), its) };
  }
  const rows = () => state.moves.reduce((path, move) => [...path, TREE.children[9 * path[path.length - 1] + move]], [0]);
  const here = () => rows()[state.shown];
  const over = (row) => TREE.winner[row] !== 0 || TREE.ply[row] === 9;
  const toMove = (row) => (TREE.ply[row] % 2 ? -1 : 1);
  const live = () => state.shown === state.moves.length;
  const yours = () => live() && !over(here()) && toMove(here()) === state.side;
  const text = (f) => `${f}${f.d === 1n ? "" : ` (${(100 * f).toFixed(1)} %)`}`;
  const percent = (f) => `${(100 * f).toFixed(Number.isInteger(100 * f) ? 0 : 1)} %`;

  function answer() {
    let row = here();
    while (live() && !over(row) && toMove(row) !== state.side) {
      const weights = [...known.its.slice(9 * row, 9 * row + 9)];
      let draw = Math.random() * weights.reduce((a, b) => a + b, 0), cell = -1;
      while (draw >= 0) draw -= weights[++cell];
      state.moves.push(cell); state.shown++;
      row = here();
    }
  }
  function begin() {
    Object.assign(state, { moves: [], shown: 0, hint: -1, counted: false });
    answer(); show();
  }
  function human(cell) {
    if (!yours() || TREE.children[9 * here() + cell] < 0) return;
    state.moves.push(cell); state.shown++; state.hint = -1;
    answer(); show();
  }
  function undo() {
    const own = state.moves.map((_, ply) => ply).filter((ply) => (ply % 2 ? -1 : 1) === state.side).pop();
    if (own === undefined) return;
    state.moves.length = state.shown = own;
    state.hint = -1;
    show();
  }
  function hint() {
    if (!yours()) return;
    const row = here();
    state.hint = [...known.best.best.slice(9 * row, 9 * row + 9)].indexOf(1);
    show();
  }

  // What stands on a free cell: a label, a shade from 0 to 5, and words for those who don't see it.
  function marks(row) {
    const wish = find("layer").value, found = new Array(9).fill(null), moves = [];
    for (let c = 0; c < 9; c++) if (TREE.children[9 * row + c] >= 0) moves.push(c);
    if (over(row) || wish === "nothing") return found;
    if (wish === "trap" || wish === "perfect") {
      const solved = wish === "trap" ? known.best : PERFECT;
      for (const c of moves) {
        const [w, d, l] = outcome(solved, TREE.children[9 * row + c], state.side), value = w - l;
        const label = w.d === 1n && d.d === 1n ? (w == 1 ? "win" : d == 1 ? "draw" : "loss") : percent(w);
        found[c] = { label, value, words: `you win ${w}, draw ${d}, lose ${l}` };
      }
    } else {
      const weights = known.its.slice(9 * row, 9 * row + 9), all = weights.reduce((a, b) => a + b, 0);
      for (const c of moves) found[c] = { label: percent(weights[c] / all), value: weights[c] / all, words: "chance that it would play here" };
    }
    const values = moves.map((c) => found[c].value), low = Math.min(...values), spread = Math.max(...values) - low;
    const good = toMove(row) === state.side || wish === "its";
    for (const c of moves) found[c].shade = spread ? Math.round(5 * (good ? found[c].value - low : low + spread - found[c].value) / spread) : 0;
    return found;
  }

  const cells = [...Array(9).keys()].map((cell) => {
    const button = document.createElement("button");
    button.type = "button";
    button.addEventListener("click", () => human(cell));
    find("board").append(button);
    return button;
  });
  function drawBoard(row) {
    const board = TREE.boards[row], labels = marks(row), last = state.moves[state.shown - 1];
    const focus = cells.findIndex((c) => c.tabIndex === 0);
    cells.forEach((button, cell) => {
      const mark = labels[cell], free = yours() && TREE.children[9 * row + cell] >= 0;
      button.innerHTML = board[cell] ? SHAPES[board[cell]] : `<span class="number">${cell}</span> <span class="label">${mark ? mark.label : ""}</span>`;
      button.className = [{ 1: "x", "-1": "o" }[board[cell]] || "", cell === last ? "last" : "", cell === state.hint ? "hint" : "", mark ? `s${mark.shade}` : ""].join(" ");
      button.setAttribute("aria-disabled", String(!free));
      button.setAttribute("aria-label", `${cell}${mark ? ` ${mark.label}` : ""}, row ${Math.floor(cell / 3) + 1} column ${cell % 3 + 1}, ${board[cell] ? NAMES[board[cell]] : "empty"}${mark ? `, ${mark.words}` : ""}`);
      button.tabIndex = cell === (focus < 0 ? 0 : focus) ? 0 : -1;
    });
  }
  const bar = ([w, d, l]) => `<span class="bar" aria-hidden="true"><i class="win" style="width:${100 * w}%"></i><i class="draw" style="width:${100 * d}%"></i><i class="loss" style="width:${100 * l}%"></i></span>`;
  const line = (name, three) => `<tr><th scope="row">${name}${bar(three)}</th>${three.map((f) => `<td>${f.toString().length < 16 ? f : `<span title="${f}">…</span>`}<small>${percent(f)}</small></td>`).join("")}</tr>`;
  const grid = (caption, body) => `<table><caption>${caption}</caption><thead><tr><td></td><th scope="col">win</th><th scope="col">draw</th><th scope="col">loss</th></tr></thead><tbody>${body}</tbody></table>`;

  function drawChances(row) {
    const its = PLAYERS[state.family].title;
    find("chances").innerHTML = over(row) ? "" : grid("Exactly, from your side, from here on",
      line("you play your best against it", outcome(known.best, row, state.side)) +
      line("you move at random", outcome(known.chance, row, state.side)) +
      line("both play perfectly", outcome(PERFECT, row, state.side)));
    find("matches").innerHTML = grid(`Whole games of this player, from its side`,
      line("as X against random play", outcome(known.asX, 0, 1)) + line("as O against random play", outcome(known.asO, 0, -1)) +
      line("as X against perfect play", outcome(known.perfectX, 0, 1)) + line("as O against perfect play", outcome(known.perfectO, 0, -1)));
    find("matches").dataset.about = its;
  }

  // Each of your moves with what it cost in points against this very opponent.
  function review() {
    const path = rows(), found = [];
    state.moves.forEach((move, ply) => {
      if ((ply % 2 ? -1 : 1) !== state.side) return;
      const cost = minus(points(known.best, path[ply], state.side), points(known.best, path[ply + 1], state.side));
      found.push({ ply, move, cost, before: outcome(known.best, path[ply], state.side), after: outcome(known.best, path[ply + 1], state.side) });
    });
    const worst = found.reduce((a, b) => (b.cost > (a ? a.cost : 0) ? b : a), null);
    const body = found.map((m) => `<tr class="${m === worst ? "turn" : ""}"><td><button type="button" data-ply="${m.ply + 1}">${m.ply + 1}. ${NAMES[state.side]} at ${m.move}</button></td><td>${percent(m.before[0])}</td><td>${percent(m.after[0])}</td><td>${m.cost.n ? `${m.cost}${m === worst ? " (the turning point)" : ""}` : "nothing"}</td></tr>`).join("");
    find("review").innerHTML = `<table><caption>Your moves, and what each cost in points (win 1, draw 0, loss &minus;1)</caption><thead><tr><th scope="col">move</th><th scope="col">chance to win before</th><th scope="col">after</th><th scope="col">cost</th></tr></thead><tbody>${body}</tbody></table><p>Arrow keys left and right play the game again.</p>`;
    find("review").querySelectorAll("button").forEach((b) => b.addEventListener("click", () => { state.shown = Number(b.dataset.ply); show(); }));
  }
  function message(row) {
    if (state.wrong && state.moves.length <= (state.side === 1 ? 0 : 1)) return `⚠ The link can't be opened (${state.wrong}); this is a new game.`;
    if (!live()) return `Move ${state.shown} of ${state.moves.length}; arrow right goes on.`;
    if (!over(row)) {
      const path = rows(), last = state.moves[state.shown - 1], before = path[state.shown - 1];
      const weights = last === undefined ? [] : [...known.its.slice(9 * before, 9 * before + 9)];
      const alike = weights.reduce((a, b) => a + b, 0);
      const sure = last === undefined ? "" : ` It played ${last}${weights[last] === alike ? ", as it always does there." : `, with chance ${percent(weights[last] / alike)}.`}`;
      const tip = state.hint >= 0 ? ` Hint: ${state.hint} gives you ${text(points(known.best, TREE.children[9 * row + state.hint], state.side))} points of 1.` : "";
      return `Your move, ${NAMES[state.side]}.${sure}${tip}`;
    }
    const result = TREE.winner[row] * state.side;
    return { 1: "You win.", 0: "A draw.", "-1": "It wins." }[result];
  }
  function show() {
    const row = here(), family = PLAYERS[state.family];
    find("setting").textContent = family.parameter ? `${family.parameter}: ${family.settings[state.setting][0].replace(/^b = /, "")}` : "";
    find("about").textContent = `${family.about} Difficulty: ${family.level}.`;
    find("parameter").hidden = family.settings.length < 2;
    find("slider").setAttribute("aria-valuetext", family.settings[state.setting][0]);
    if (live() && over(row)) {
      if (!state.counted) { state.score[1 - TREE.winner[row] * state.side]++; state.counted = true; }
      review();
    } else if (live()) find("review").innerHTML = "";
    drawBoard(row); drawChances(row);
    find("status").textContent = message(row);
    find("score").textContent = `Score: ${state.score[0]} won, ${state.score[1]} drawn, ${state.score[2]} lost`;
    Object.assign(root.dataset, { board: TREE.boards[row].map((v) => ({ 0: ".", 1: "x", "-1": "o" }[v])).join(""), moves: state.moves.join(" ") });
    history.replaceState(null, "", `#p=${family.name}&k=${state.setting}&s=${state.side === 1 ? "x" : "o"}&m=${state.moves.join(",")}`);
  }

  const choose = find("player");
  PLAYERS.forEach((family, k) => choose.append(new Option(`${family.title} – ${family.level}`, k)));
  function pick(k, setting) {
    state.family = k;
    const slider = find("slider");
    slider.max = PLAYERS[k].settings.length - 1;
    slider.value = state.setting = Math.min(setting ?? PLAYERS[k].start, PLAYERS[k].settings.length - 1);
    choose.value = k;
    study();
  }
  choose.addEventListener("change", () => { state.score = [0, 0, 0]; pick(Number(choose.value)); begin(); });
  find("slider").addEventListener("input", () => { state.setting = Number(find("slider").value); study(); show(); });
  find("side").addEventListener("change", () => { state.side = find("side").value === "x" ? 1 : -1; study(); begin(); });
  find("layer").addEventListener("change", show);
  find("new").addEventListener("click", begin);
  find("undo").addEventListener("click", undo);
  find("hint").addEventListener("click", hint);

  const STEPS = { ArrowUp: -3, ArrowDown: 3, ArrowLeft: -1, ArrowRight: 1 };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest("input, select, textarea, .ultimate")) return;
    const at = cells.indexOf(document.activeElement), keys = { n: begin, u: undo, h: hint };
    const replaying = over(rows()[state.moves.length]) && (event.key === "ArrowLeft" || event.key === "ArrowRight");
    if (replaying) state.shown = Math.max(0, Math.min(state.moves.length, state.shown + STEPS[event.key])), show();
    else if (event.key in STEPS && at >= 0) {
      const to = Math.abs(STEPS[event.key]) === 1 ? 3 * Math.floor(at / 3) + (at % 3 + STEPS[event.key] + 3) % 3 : (at + STEPS[event.key] + 9) % 9;
      cells[at].tabIndex = -1; cells[to].tabIndex = 0; cells[to].focus();
    } else if (/^[0-8]$/.test(event.key)) human(Number(event.key));
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });

  // A position can be sent: #p=ising&k=31&s=x&m=4,0
  const asked = new URLSearchParams(location.hash.slice(1)), which = PLAYERS.findIndex((f) => f.name === asked.get("p"));
  const settings = PLAYERS[Math.max(which, 0)].settings.length, parts = asked.get("m") ? asked.get("m").split(",") : [];
  const moved = parts.findIndex((part, k) => !/^[0-8]$/.test(part) || !reaches(parts.slice(0, k), part));
  function reaches(before, part) {
    const row = before.reduce((at, one) => TREE.children[9 * at + Number(one)], 0);
    return TREE.children[9 * row + Number(part)] >= 0;
  }
  const wrong = [
    [asked.has("p") && which < 0, `there is no player ${(asked.get("p") || "").slice(0, 20)}`],
    [asked.has("k") && !(/^\d{1,4}$/.test(asked.get("k")) && Number(asked.get("k")) < settings), `a setting is a number in 0..${settings - 1}`],
    [!/^[xo]?$/.test(asked.get("s") || ""), "a side is x or o"],
    [moved >= 0, `move ${moved + 1}, ${(parts[moved] || "nothing").slice(0, 20)}, is not legal there`],
  ].find(([fault]) => fault);
  state.wrong = wrong ? wrong[1] : "";
  state.side = asked.get("s") === "o" ? -1 : 1;
  find("side").value = state.side === 1 ? "x" : "o";
  pick(Math.max(which, 0), asked.has("k") && !wrong ? Number(asked.get("k")) : undefined);
  if (!wrong) state.moves.push(...parts.map(Number));
  state.shown = state.moves.length;
  answer(); show();
}
document.querySelectorAll(".three").forEach(startThree);
if (document.querySelector(".three")) addEventListener("hashchange", () => location.reload());  // a pasted link
