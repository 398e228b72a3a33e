// What ipywidgets can't do for the board of play_widget.py: arrow keys, names for screen readers,
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

  document.addEventListener("keydown", (event) => {
    const cell = event.target.closest?.(".ttt-cell");
    if (!cell || !(event.key in directions) || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    neighbour(cell, directions[event.key])?.focus();
  }, true);

  function set(element, name, value) {
    if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  }

  function name() {
    for (const status of document.querySelectorAll(".ttt-status")) set(status, "role", "status");
    for (const cell of document.querySelectorAll(".ttt-cell")) {
      set(cell, "aria-label", cell.title);
      set(cell, "aria-disabled", String(!cell.classList.contains("ttt-open")));
    }
  }

  new MutationObserver(name).observe(document.body,
    { subtree: true, childList: true, attributes: true, attributeFilter: ["title", "class"] });
  name();
})();
