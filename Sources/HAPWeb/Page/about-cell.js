// Facts about a characteristic other than its value.

import { h, identifier } from "./dom.js";
import { unitOf } from "./words.js";

const PERMS = {
  pr: "can be read", pw: "can be written", ev: "sends events", aa: "additional authorization", tw: "timed writes only", hd: "hidden", wr: "write response",
};

/** The address, as a button that opens the facts. `context.aboutControl(cell, context)` returns a control below them, or null. */
export function aboutCell(cell, name, context) {
  const id = identifier("about");
  const node = h("div", { class: "about", id, hidden: true });
  const button = h("button", {
    type: "button", class: "link address", "aria-expanded": "false", "aria-controls": id,
    on: { click: () => {
      node.hidden = !node.hidden;
      button.setAttribute("aria-expanded", String(!node.hidden));
      if (!node.hasChildNodes()) node.append(...about(cell, context));
    } },
  }, h("span", { class: "unseen" }, `About ${name}: `), `${cell.address} · ${cell.perms.join(" ")}`);
  return [button, node];
}

function about(cell, context) {
  const facts = [
    ["Type", cell.type], ["Format", cell.format], ["Permissions", cell.perms.map((perm) => PERMS[perm] ?? perm).join(", ")],
    ["Minimum", cell.minValue], ["Maximum", cell.maxValue], ["Step", cell.minStep], ["Unit", unitOf(cell).trim() || null],
    ["Valid values", cell["valid-values"]?.join(", ")], ["Length limit", cell.maxLen === undefined ? null : `${cell.maxLen} bytes`],
  ].filter(([, fact]) => fact !== null && fact !== undefined);
  return [
    h("dl", { class: "known" }, facts.map(([what, fact]) => h("div", null, h("dt", null, what), h("dd", null, fact)))),
    context.aboutControl(cell, context),
  ].filter(Boolean);
}
