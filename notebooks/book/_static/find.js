"use strict";
// Finds numbers and words in the ledger: a box on the ledger's page, and the first results of the search page.
(() => {
  const NUMBER = /(?<![\w.])(?:(?<!\d)-)?\d+(?:\.\d+)?(?:e[+-]?\d+)?/g;
  const box = document.querySelector(".ledger-search"), results = document.querySelector("#search-results");
  if (!box && !results) return;
  const base = new URL(document.documentElement.dataset.content_root || "./", location.href);

  const same = (a, b) => Math.abs(a - b) <= 1e-12 * Math.max(1, Math.abs(a));
  // 85.77% is .8577 as well, and 85.77 also finds what a document prints as .8577 (and the other way round).
  function wanted(text) {
    const plain = text.replaceAll(",", "").replace(/[\s%]+$/, "");
    if (!plain || Number.isNaN(Number(plain))) return null;
    const value = Number(plain);
    return [value, value / 100, value * 100];
  }
  function mentions(row, text) {
    const values = wanted(text), words = text.toLowerCase().split(/\s+/).filter(Boolean);
    const said = `${row.q} ${row.p} ${row.t}`.replaceAll(",", "");
    if (values && (said.match(NUMBER) || []).some((n) => values.some((v) => same(Number(n), v)))) return true;
    const all = `${row.id} ${row.w} ${row.q} ${row.p} ${row.o} ${row.v} ${row.r} ${row.t}`.toLowerCase();
    return words.every((word) => all.includes(word));
  }
  const find = (text, document_ = "", verdict = "") => CLAIMS.filter((row) =>
    (!document_ || row.d === Number(document_)) && (!verdict || row.v === verdict) && (!text.trim() || mentions(row, text.trim())));
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
