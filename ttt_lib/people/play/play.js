// What ipywidgets can't do for the board of widget.py: keys, one tab stop, names for screen readers,
// and a status line that is read out.  Without this script the board still works by mouse and Tab.
(() => {
  if (window.tttKeys) return;
  window.tttKeys = true;
  const directions = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

  function middle(cell) {
    const box = cell.getBoundingClientRect();
    return [box.x + box.width / 2, box.y + box.height / 2];
  }

  // The nearest cell in that direction; cells off the straight line count as farther.
  function neighbour(cell, [right, down]) {
    const [x, y] = middle(cell);
    let best = null, least = Infinity;
    for (const other of cell.closest(".ttt-board").querySelectorAll(".ttt-cell")) {
      const [dx, dy] = middle(other).map((value, axis) => value - [x, y][axis]);
      const ahead = dx * right + dy * down, aside = Math.abs(dx * down) + Math.abs(dy * right);
      if (ahead > 1 && ahead + 4 * aside < least) [best, least] = [other, ahead + 4 * aside];
    }
    return best;
  }

  const cells = (inside) => [...inside.querySelectorAll(".ttt-cell")];

  // What a key does on a cell: the cell to go to, if there is one.
  function next(cell, key) {
    if (key in directions) return neighbour(cell, directions[key]);
    const all = cells(cell.closest(".ttt-board"));
    return { Home: all[0], End: all[all.length - 1] }[key];
  }

  // A digit plays the cell, or begins its number where there are more than ten; N, U, H and the
  // arrows left and right press their buttons.  In JupyterLab this holds only inside the board.
  function pressed(event, table) {
    const key = event.key.toLowerCase(), board = table.querySelector(".ttt-board");
    if (!/^([0-9nuh]|arrowleft|arrowright)$/.test(key) || event.target.closest("input:not([type=checkbox]), select, textarea")) return;
    const button = table.querySelector(`.ttt-key-${key}`);
    if (/[a-z]/.test(key) && !button?.offsetParent) return;
    if (button) button.click();
    else if (cells(board).length > 10) return table.querySelector(".ttt-go input")?.focus();
    else cells(board).find((one) => one.title.match(/\d+/)?.[0] === key)?.click();
    event.preventDefault();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const cell = event.target.closest?.(".ttt-cell"), other = cell && next(cell, event.key);
    if (other || (cell && event.key in directions)) {
      event.preventDefault();
      event.stopPropagation();
      return other?.focus();
    }
    const table = event.target.closest?.(".ttt") ?? (document.body.dataset.voila && document.querySelector(".ttt"));
    if (table) pressed(event, table);
  }, true);

  // A row of the review shows the game as it was then; the address follows the game.
  document.addEventListener("click", (event) => {
    const row = event.target.closest?.(".ttt-ply"), box = row?.closest(".ttt").querySelector(".ttt-row input");
    if (!box) return;
    box.value = row.dataset.ply;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  });
  function address() {
    const link = document.body.dataset.voila && document.querySelector(".ttt-link")?.search;
    if (link && link !== location.search) history.replaceState(null, "", link);
  }

  // Tab comes to one cell of a board: the last that had the focus.
  document.addEventListener("focusin", (event) => {
    const cell = event.target.closest?.(".ttt-cell");
    if (!cell) return;
    const board = cell.closest(".ttt-board");
    board.dataset.stop = cells(board).indexOf(cell);
    rove(board);
  });

  function rove(board) {
    const all = cells(board), stop = all[board.dataset.stop] ?? all[0];
    for (const cell of all) set(cell, "tabindex", cell === stop ? "0" : "-1");
  }

  function set(element, name, value) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }

  function name() {
    address();
    for (const status of document.querySelectorAll(".ttt-status")) set(status, "role", "status");
    for (const cell of document.querySelectorAll(".ttt-cell")) {
      set(cell, "aria-label", cell.title);
      set(cell, "aria-disabled", String(!cell.classList.contains("ttt-open")));
    }
    document.querySelectorAll(".ttt-board").forEach(rove);
    // JupyterLab leaves the keys to the board.
    for (const table of document.querySelectorAll(".ttt")) set(table, "data-lm-suppress-shortcuts", "true");
    if (document.body.dataset.voila) set(document.getElementById("rendered_cells") ?? document.body, "role", "main");
  }

  // A kernel that is gone answers nothing: say so, once, and offer the way out.
  const kernel = window.tttKernel, every = 5000;
  async function alive() {
    const found = await fetch(`${document.baseURI.replace(/[^/]*$/, "")}api/kernels/${kernel}`).catch(() => null);
    if (found && found.status !== 404) return setTimeout(alive, every);
    const line = document.createElement("p"), again = document.createElement("button");
    line.className = "ttt-lost";
    line.setAttribute("role", "alert");
    line.textContent = "The connection is lost, or the game was idle for too long. ";
    again.textContent = "Reload";
    again.addEventListener("click", () => location.reload());
    line.append(again);
    document.querySelector(".ttt")?.before(line);
  }
  if (kernel && document.body.dataset.voila) setTimeout(alive, every);

  new MutationObserver(name).observe(document.body,
    { subtree: true, childList: true, attributes: true, attributeFilter: ["title", "class"] });
  name();
})();
