// Results of executions in words.

import { h } from "./dom.js";
import { count } from "./words.js";

const OUTCOMES = { refused: "the accessory refused the value", "not-sent": "not sent", unknown: "sent, but the accessory did not answer" };

/** "done", or what failed and why, as elements. `paths` maps characteristics to their paths. */
export function resultOf(result, paths) {
  const failed = result.actions.filter((entry) => entry.outcome !== "done");
  const skipped = result.skipped ?? [];
  if (failed.length === 0 && skipped.length === 0) {
    return result.error ? [h("p", { class: "refused" }, `✕ ${result.error.message}`)] : [h("p", { class: "done" }, result.actions.length > 0 ? `✓ Done: ${count(result.actions.length, "action")}` : "✓ Done")];
  }
  const lines = failed.map(({ action, outcome, status, error }) => {
    const path = paths.get(action.characteristic) ?? "An action";
    return `${path}: ${OUTCOMES[outcome] ?? outcome}${status === undefined ? "" : ` (status ${status})`}${error ? `: ${error.message}` : ""}`;
  });
  return [
    h("p", { class: "refused" }, `✕ ${result.actions.length - failed.length} of ${count(result.actions.length, "action")} done`),
    h("ul", { class: "refused" }, [...lines, ...skipped.map(({ error }) => `Not executed: ${error.message}`)].map((line) => h("li", null, line))),
  ];
}
