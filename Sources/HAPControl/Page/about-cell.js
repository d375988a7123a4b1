// Facts about a characteristic other than its value, and a switch that stalls its reads.

import * as api from "./api.js";
import { h, identifier } from "./dom.js";
import { tried } from "./notices.js";
import { unitOf } from "./words.js";

const PERMS = {
  pr: "can be read", pw: "can be written", ev: "sends events", aa: "additional authorization", tw: "timed writes only", hd: "hidden", wr: "write response",
};

/** The address, as a button that opens the facts. The store keeps which reads are stalled, because the API doesn't report it. */
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
  }, h("span", { class: "unseen" }, `About ${name}: `), `${cell.id} · ${cell.perms.join(" ")}`);
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
    cell.perms.includes("pr") ? stallSwitch(cell, context) : null,
  ].filter(Boolean);
}

function stallSwitch(cell, { number, store, scope }) {
  const key = `${number}/${cell.id}`;
  const node = h("button", {
    type: "button", role: "switch", class: "switch labelled",
    on: { click: async () => {
      const wanted = !store.stalled.has(key);
      if ((await tried(() => api.stall(number, cell, wanted))) === null) return;
      if (wanted) store.stalled.add(key);
      else store.stalled.delete(key);
      update();
    } },
  }, "Stall reads");
  const update = () => node.setAttribute("aria-checked", String(store.stalled.has(key)));
  update();
  scope.onEnd(store.on("head", update));
  return node;
}
