"use strict";
// The perfect 3x3 player looks everything up. perfect_table.js, made with the book, holds PERFECT[board] =
// [value for X, plies to the end, X wins, draws], the last two of (empty cells)! ways to go on at random.
const LINES = ["012", "345", "678", "036", "147", "258", "048", "246"];
const drawing = (shape) => `<svg viewBox="0 0 10 10">${shape}</svg>`;
const SHAPES = { ".": "", x: drawing('<path d="M2 2 8 8M8 2 2 8"/>'), o: drawing('<circle cx="5" cy="5" r="3.2"/>') };
const factorial = (n) => (n < 2 ? 1 : n * factorial(n - 1));
const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const empties = (board) => [...board].filter((c) => c === ".").length;
const side = (board) => (empties(board) % 2 ? "x" : "o");
const put = (board, cell) => board.slice(0, cell) + side(board) + board.slice(cell + 1);
const line = (board) =>
  LINES.find(([a, b, c]) => board[a] !== "." && board[a] === board[b] && board[b] === board[c]);
const over = (board) => Boolean(line(board)) || !board.includes(".");
const legal = (board) => (over(board) ? [] : [...Array(9).keys()].filter((i) => board[i] === "."));

// Wins soonest, loses latest; among equally good moves one at random.
function worth(board, cell) {
  const [value, distance] = PERFECT[put(board, cell)];
  const own = side(board) === "x" ? value : -value;
  return own * (10 - distance);
}
function best(board) {
  const top = Math.max(...legal(board).map((cell) => worth(board, cell)));
  return legal(board).filter((cell) => worth(board, cell) === top);
}
const verdict = (score) => (score > 0 ? "wins" : score < 0 ? "loses" : "draws");
function fraction(count, all) {
  const d = gcd(count, all);
  const text = all === d ? `${count / d}` : `${count / d}/${all / d}`;
  return `${text} (${((100 * count) / all).toFixed(1)} %)`;
}

function start(root) {
  const find = (name) => root.querySelector(`[data-part="${name}"]`);
  const cells = [...Array(9).keys()].map((cell) => {
    const button = document.createElement("button");
    button.addEventListener("click", () => human(cell));
    find("board").append(button);
    return button;
  });
  let [person, past] = ["x", ["........."]];
  const now = () => past[past.length - 1];

  function human(cell) {
    if (!legal(now()).includes(cell)) return;
    past.push(put(now(), cell));
    answer();
  }
  function answer() {
    const moves = side(now()) === person ? [] : best(now());
    if (moves.length) past.push(put(now(), moves[Math.floor(Math.random() * moves.length)]));
    show();
  }
  function begin(as) {
    [person, past] = [as, ["........."]];
    answer();
  }
  function undo() {
    do past.pop(); while (past.length && side(now()) !== person);
    if (past.length) show();
    else begin(person);
  }
  function show() {
    const board = now();
    const three = line(board) || "";
    cells.forEach((button, cell) => {
      const free = legal(board).includes(cell);
      const hint = free && find("hints").checked ? verdict(worth(board, cell)) : "";
      const name = board[cell] === "." ? "empty" : board[cell].toUpperCase();
      button.innerHTML = SHAPES[board[cell]] + `<small>${hint}</small>`;
      button.className = `${board[cell] === "." ? "" : board[cell]} ${three.includes(cell) ? "line" : ""}`;
      button.setAttribute("aria-disabled", String(!free));
      button.setAttribute("aria-label", `row ${Math.floor(cell / 3) + 1} column ${(cell % 3) + 1}, ${name}${hint && `, ${hint}`}`);
    });
    const [value, distance, wins, draws] = PERFECT[board];
    const all = factorial(empties(board));
    const winner = three ? board[three[0]].toUpperCase() : "";
    const ends = value ? `${value > 0 ? "X" : "O"} wins in ${distance} plies` : "a draw";
    find("status").textContent = winner ? `${winner} has won.` : over(board) ? "A draw." : `Your move, ${person.toUpperCase()}.`;
    find("truth").textContent = over(board) ? "" : `With perfect play from here: ${ends}. If both went on at random: X wins ${fraction(wins, all)}, draw ${fraction(draws, all)}, O wins ${fraction(all - wins - draws, all)}.`;
    root.dataset.board = board;
  }
  find("board").addEventListener("keydown", (event) => {
    const step = { ArrowUp: 6, ArrowDown: 3, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const at = cells.indexOf(document.activeElement);
    if (step === undefined && !/^[1-9]$/.test(event.key)) return;
    event.preventDefault();
    if (step === undefined) human(Number(event.key) - 1);
    else cells[Math.abs(step) === 1 ? 3 * Math.floor(at / 3) + ((at + step + 3) % 3) : (at + step) % 9].focus();
  });
  find("x").addEventListener("click", () => begin("x"));
  find("o").addEventListener("click", () => begin("o"));
  find("undo").addEventListener("click", undo);
  find("hints").addEventListener("change", show);
  begin("x");
}
document.querySelectorAll(".perfect").forEach(start);
