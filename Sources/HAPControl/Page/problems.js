// Why a text was refused, with links to its places.

import { h } from "./dom.js";
import { offsetOf } from "./json-text.js";

/** Shows an error below a textarea. Each place in the text is a button that selects it. */
export function showProblems(box, error, area) {
  if (!error) return box.replaceChildren();
  const problems = error.problems?.length ? error.problems : [{ message: error.message }];
  box.replaceChildren(h("ul", { class: "refused" }, problems.slice(0, 20).map((problem) => h("li", null,
    problem.line && area ? h("button", { type: "button", class: "link", on: { click: () => goTo(area, problem) } }, `line ${problem.line}, column ${problem.column}`) : null,
    problem.line && area ? ": " : "", problem.path ? `${problem.path}: ` : "", problem.message))));
}

function goTo(area, { line, column }) {
  const at = offsetOf(area.value, line, column);
  area.focus();
  area.setSelectionRange(at, at + 1);
  area.scrollTop = (line - 4) * parseFloat(getComputedStyle(area).lineHeight);
}
