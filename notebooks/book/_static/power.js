"use strict";
// What so many games can show: the counts of wins that an exact test passes, and which other
// probability it finds four times in five.
const POWER = (() => {
  // The probabilities of 0..n wins, through logarithms, which don't underflow on the way.
  function pmf(n, p) {
    if (p <= 0 || p >= 1) return Array.from({ length: n + 1 }, (_, k) => Number(k === (p <= 0 ? 0 : n)));
    let log = n * Math.log1p(-p);
    const found = [Math.exp(log)], odds = p / (1 - p);
    for (let k = 1; k <= n; k++) {
      log += Math.log((n - k + 1) / k * odds);
      found.push(Math.exp(log));
    }
    return found;
  }
  // The least and the most wins whose p-value, the probability of all counts at most as likely, is not below the level.
  function accepts(n, p, level) {
    const chance = pmf(n, p), rising = [...chance.keys()].sort((a, b) => chance[a] - chance[b]);
    let sum = 0, low = n, high = 0, next = 0;
    for (const k of rising) {
      while (next <= n && chance[rising[next]] <= chance[k] * (1 + 1e-9)) sum += chance[rising[next++]];
      if (sum >= level) { low = Math.min(low, k); high = Math.max(high, k); }
    }
    return [low, high];
  }
  function rejected(n, p, level, other) {
    const [low, high] = accepts(n, p, level);
    return 1 - pmf(n, other).slice(low, high + 1).reduce((a, b) => a + b, 0);
  }
  // The least probability above p, in hundredths, that is found four times in five; null if none is.
  function foundFrom(n, p, level) {
    for (let c = Math.ceil(100 * p - 1e-9); c <= 100; c++) if (rejected(n, p, level, c / 100) >= 0.8) return c / 100;
    return null;
  }
  return { accepts, rejected, foundFrom };
})();

function startPower(root) {
  const find = (name) => root.querySelector(`[data-part="${name}"]`), SIZES = [10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000];
  function show() {
    const n = SIZES[find("games").value], p = find("chance").value / 100, level = Number(find("level").value);
    const [low, high] = POWER.accepts(n, p, level), from = POWER.foundFrom(n, p, level);
    find("games").setAttribute("aria-valuetext", `${n} games`);
    find("chance").setAttribute("aria-valuetext", p.toFixed(2));
    find("told").textContent = `Of ${n.toLocaleString("en")} games at a probability of ${p.toFixed(2)}, ${low} to ${high} wins would pass. ` +
      (from === null ? "No higher probability is found four times in five." : `A higher probability is found four times in five if it is at least ${from.toFixed(2)}.`);
  }
  for (const name of ["games", "chance", "level"]) find(name).addEventListener("input", show);
  show();
}
document.querySelectorAll(".power").forEach(startPower);
