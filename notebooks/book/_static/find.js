"use strict";
// Finds numbers and words in the ledger: a box on the ledger's page, and the first results of the search page.
(() => {
  const NUMBER = /(?<![\p{L}\p{N}_.])(?:(?<!\d)-)?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d+)?/gu, UNITS = { M: 1e6, k: 1e3 };
  const box = document.querySelector(".ledger-search"), results = document.querySelector("#search-results");
  if (!box && !results) return;
  const base = new URL(document.documentElement.dataset.content_root || "./", location.href);

  // Numbers and fractions are found as by `ttt claims --find` (find in ttt_lib/evidence/scorecard.py, which tells the
  // rule; tests hold both to the same examples), words wherever a row has all of them.
  const shown = (row) => [row.q, row.p, row.t, row.o, row.x, row.r].join("\n");
  const plain = (text) => text.replace(/,/g, "").replace(/−/g, "-").replace(/[ %]+$/, "");
  const known = new Map();
  function numbers(row) {
    if (known.has(row)) return known.get(row);
    const said = shown(row).replace(/(?<=\d),(?=\d{3})/g, "").replace(/−/g, "-"), found = new Set();
    for (const match of said.matchAll(NUMBER)) {
      const value = Number(match[0]), unit = UNITS[said[match.index + match[0].length]] || 1;
      found.add(value).add(value * unit);
    }
    known.set(row, found);
    return found;
  }
  function wanted(text) {  // whether a number is one that the text asks for; null: the text is no number
    const parts = plain(text).match(/^[+-]?(?:\d+(?:\.(\d*))?|\.(\d+))(?:e([+-]?\d+))?$/i);
    if (!parts) return null;
    const value = Number(parts[0]), values = [value];
    if (text.endsWith("%")) values.push(Number((value / 100).toFixed(12)));
    const places = (parts[1] || parts[2] || "").length - Number(parts[3] || 0), half = 0.5 * 10 ** -places;
    const long = parts[0].includes(".") && parts[0].replace(/\D/g, "").replace(/^0+/, "").length >= 4;
    const rounds = (number) => Math.abs(number - value) <= half * (1 + 1e-9);  // a tie is seldom one in binary
    return (number) => values.includes(number) || (long && (rounds(number) || (number && Math.abs(number) < 1 && rounds(100 * number))));
  }
  function asks(text) {  // whether a row mentions what somebody typed
    const number = wanted(text), words = text.toLowerCase().split(/\s+/);
    if (number) return (row) => [...numbers(row)].some(number);
    if (/^\d+\/\d+$/.test(text)) return (row) => new RegExp(`(?<![\\d/.])${text}(?![\\d/])`).test(shown(row));
    return (row) => {
      const all = `${shown(row)} ${row.id} ${row.w} ${row.v}`.toLowerCase();
      return words.every((word) => all.includes(word));
    };
  }
  function find(text, document_ = "", verdict = "") {
    const mentions = asks(text.trim());  // of an empty text, all rows do
    return CLAIMS.filter((row) => (!document_ || row.d === Number(document_)) && (!verdict || row.v === verdict) && mentions(row));
  }
  function element(name, text, more = {}) {
    const made = Object.assign(document.createElement(name), more);
    made.textContent = text;
    return made;
  }
  function item(row) {
    const line = document.createElement("li"), link = element("a", `${row.q} (${row.w})`, { href: new URL(`claims/document_${row.d}.html#${row.id}`, base).href });
    line.append(link, element("span", ` document ${row.d}: published ${row.p}, ours ${row.o}: `), element("span", row.v, { className: `verdict ${row.v.replaceAll(" ", "-")}` }), element("p", row.r));
    return line;
  }
  function list(target, found) {
    target.replaceChildren(...found.slice(0, 200).map(item));
    if (found.length > 200) target.append(element("li", `and ${found.length - 200} more`));
  }
  function choice(name, label, values) {
    const select = element("select", "", { name }), holder = element("label", label);
    select.append(new Option("all", ""), ...values.map((v) => new Option(v, v)));
    holder.append(select);
    return [holder, select];
  }
  function onLedger() {
    const input = element("input", "", { type: "search", placeholder: "85.77, or words" }), holder = element("label", "Find a number, or words");
    const [documents, which] = choice("document", "Document", [...new Set(CLAIMS.map((row) => row.d))]);
    const [verdicts, what] = choice("verdict", "Verdict", [...new Set(CLAIMS.map((row) => row.v))]);
    const count = element("p", "", { className: "count" }), target = document.createElement("ul");
    count.setAttribute("role", "status");
    holder.append(input);
    box.append(holder, documents, verdicts, count, target);
    function update() {
      const asked = input.value || which.value || what.value, found = asked ? find(input.value, which.value, what.value) : [];
      count.textContent = asked ? `${found.length} of ${CLAIMS.length}` : `${CLAIMS.length} claims`;
      list(target, found);
      history.replaceState(null, "", asked ? `?${new URLSearchParams({ find: input.value, document: which.value, verdict: what.value })}` : location.pathname);
    }
    const before = new URLSearchParams(location.search);
    [input.value, which.value, what.value] = ["find", "document", "verdict"].map((key) => before.get(key) || "");
    for (const one of [input, which, what]) one.addEventListener("input", update);
    update();
  }
  function onSearch() {
    const asked = new URLSearchParams(location.search).get("q") || "", found = asked.trim() ? find(asked) : [];
    if (!found.length) return;
    const part = document.createElement("section"), target = document.createElement("ul");
    part.className = "ledger-found";
    part.append(element("h2", `In the ledger: ${found.length}`), target);
    list(target, found);
    results.before(part);
  }
  const script = document.createElement("script");
  script.src = new URL("_static/claims.js", base).href;
  script.onload = () => (box ? onLedger() : onSearch());
  document.head.append(script);
})();
