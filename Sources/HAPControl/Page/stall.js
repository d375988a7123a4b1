// A switch that stalls the reads of a characteristic.

import * as api from "./api.js";
import { h } from "./dom.js";
import { tried } from "./notices.js";

/** null for a characteristic that can't be read. The store keeps which reads are stalled, because the API doesn't report it. */
export function stallSwitch(cell, { store, scope }) {
  if (!cell.perms.includes("pr")) return null;
  const key = `${cell.owner}/${cell.address}`;
  const node = h("button", {
    type: "button", role: "switch", class: "switch labelled",
    on: { click: async () => {
      const wanted = !store.stalled.has(key);
      if ((await tried(() => api.stall(cell, wanted))) === null) return;
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
