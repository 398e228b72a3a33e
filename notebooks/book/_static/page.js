"use strict";
// Large pictures by a click or Enter (Escape or a click closes them), and names for what the theme leaves unnamed.
addEventListener("DOMContentLoaded", () => {
  for (const summary of document.querySelectorAll(".bd-sidebar-primary summary")) {
    const about = summary.closest("li")?.querySelector("a")?.textContent.trim();
    summary.setAttribute("aria-label", `pages below ${about || "this one"}`);
  }
  document.querySelector(".navbar-brand")?.parentElement.setAttribute("role", "banner");

  // Tables of claims hold sentences, which need wider columns on a phone than numbers do.
  for (const table of document.querySelectorAll("table.dataframe")) {
    const names = [...table.rows[0].cells].map((cell) => cell.textContent);
    if (!names.includes("verdict") && !names.includes("why")) continue;
    table.classList.add("told");
    for (const row of table.tBodies[0].rows)
      names.forEach((name, place) => /^(ours|why)/.test(name) && row.cells[place]?.classList.add("long"));
  }

  // Numbers stand with their digits below one another. Columns are counted from the right: labels span rows.
  const number = (text) => /^([+−-]?(\d{1,3}(,\d{3})+|\d*)(\.\d+)?( ?%)?|–)$/.test(text);
  for (const table of document.querySelectorAll("table.dataframe")) {
    const rows = [...(table.tBodies[0]?.rows || [])];
    if (!rows.length || table.querySelector("td:is([colspan], [rowspan])")) continue;
    const whole = [...table.rows].filter((row) => !row.querySelector("[colspan]"));
    for (let place = 1; [...rows[0].cells].at(-place)?.tagName === "TD"; place++) {
      const cell = (row) => [...row.cells].at(-place);
      const texts = rows.map((row) => cell(row)?.textContent.trim());
      if (texts.join("") && texts.every(number)) whole.forEach((row) => cell(row)?.classList.add("number"));
    }
  }

  // A short word of code in a sentence stays whole: a browser may break a line after a hyphen, as in --lam.
  for (const word of document.querySelectorAll(":is(p, li):not(td *) code .pre"))
    if (word.textContent.length <= 24) word.classList.add("whole");

  const dialog = document.createElement("dialog"), large = new Image();
  dialog.className = "large";
  dialog.setAttribute("aria-label", "large picture; Escape closes it");
  dialog.append(large);
  document.body.append(dialog);
  dialog.addEventListener("click", () => dialog.close());
  // Before the theme, which takes Escape for its own dialog of search.
  addEventListener("keydown", (event) => event.key === "Escape" && dialog.close(), true);
  // A notebook's picture is shown as the gallery's drawing, which stays sharp.
  function drawing(picture) {
    const link = picture.closest(".cell")?.querySelector('a[href*="#figure-"]');
    const name = link?.hash.replace("#figure-", "").replaceAll("-", "_");
    const top = new URL(document.documentElement.dataset.content_root || "./", location.href);
    return name ? new URL(`_images/${name}.svg`, top).href : picture.src;
  }
  function show(picture) {
    large.src = drawing(picture);
    large.alt = picture.alt;
    dialog.showModal();
  }
  for (const picture of document.querySelectorAll("article img")) {
    // Sphinx links a picture that it shrinks to its file; other links lead to another page.
    const link = picture.closest("a"), button = link || picture;
    if (link && !link.classList.contains("image-reference")) continue;
    picture.classList.add("zooms");
    if (!link) button.tabIndex = 0;
    button.setAttribute("role", "button");
    button.setAttribute("aria-label", `enlarge: ${picture.alt}`);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      show(picture);
    });
    button.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      show(picture);
    });
  }
});
