"use strict";
// Questions that explain each answer, by click or key; nothing is stored or sent.
for (const quiz of document.querySelectorAll(".quiz")) {
  const asked = [...quiz.querySelectorAll(".question")], tally = quiz.querySelector(".tally");
  const first = new Map();
  for (const question of asked) {
    const buttons = [...question.querySelectorAll("button")], why = question.querySelector(".why");
    for (const button of buttons) {
      button.setAttribute("aria-pressed", "false");
      button.addEventListener("click", () => {
        const right = button.dataset.right === "1";
        for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
        button.classList.add(right ? "right" : "wrong");
        question.classList.toggle("solved", right);
        why.textContent = `${right ? "Right." : "Not so."} ${button.dataset.why}`;
        if (!first.has(question)) first.set(question, right);
        const hits = [...first.values()].filter(Boolean).length;
        tally.textContent = `${hits} of ${first.size} right at the first try, ${asked.length - first.size} to go.`;
      });
    }
  }
}
