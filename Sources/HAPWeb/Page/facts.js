// A list of facts, which can change.

import { h, say } from "./dom.js";

/** `set({ name: value })` shows the values; a missing one is a dash. */
export function factList(names) {
  const values = new Map(names.map((name) => [name, h("dd")]));
  const node = h("dl", { class: "facts" }, [...values].map(([name, value]) => h("div", null, h("dt", null, name), value)));
  return {
    node,
    set(now) { for (const [name, value] of values) say(value, now[name] === undefined || now[name] === null ? "–" : String(now[name])); },
  };
}
