// Who is paired, who is connected, and to what they subscribed.

import * as api from "./api.js";
import { confirmed } from "./dialog.js";
import { h } from "./dom.js";
import { tried } from "./notices.js";
import { nameOf } from "./control.js";
import { count } from "./words.js";

export function controllersPanel(store, { number, scope }) {
  const pairings = h("div");
  const connections = h("div");
  const reset = h("button", {
    type: "button", class: "danger",
    on: {
      click: async () => {
        if (await confirmed("Remove every pairing? Controllers lose their connections and have to pair anew.", "Reset pairings")) {
          await tried(() => api.removePairings(number), "All pairings are removed.");
        }
      },
    },
  }, "Reset pairings");
  const closeAll = h("button", { type: "button", on: { click: () => tried(() => api.closeConnections(number)) } }, "Close all");
  let shown = "";
  const open = new Set();
  const update = () => {
    const detail = store.model?.detail;
    if (!detail || detail.number !== number) return;
    const now = JSON.stringify([detail.pairings, detail.connections]);
    if (now === shown) return;
    shown = now;
    reset.disabled = detail.pairings.length === 0;
    closeAll.disabled = detail.connections.length === 0;
    pairings.replaceChildren(detail.pairings.length === 0 ? h("p", { class: "empty" }, "Not paired. Pair with the setup code above.") : pairingTable(detail.pairings));
    connections.replaceChildren(detail.connections.length === 0 ? h("p", { class: "empty" }, "Nobody is connected.") : h("ul", { class: "connections" }, detail.connections.map(connection)));
  };

  const pairingTable = (list) => h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Controller"), h("th", { scope: "col" }, "Rights"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Remove")))),
    h("tbody", null, list.map((pairing) => h("tr", null, h("td", { class: "mono" }, pairing.controller), h("td", null, pairing.admin ? "Admin" : "User"),
      h("td", { class: "end" }, h("button", {
        type: "button", class: "small", "aria-label": `Remove ${pairing.controller}`,
        on: { click: async () => (await confirmed(`Remove the pairing of ${pairing.controller}?`, "Remove")) && tried(() => api.removePairing(number, pairing.controller)) },
      }, "Remove"))))));

  const connection = (one) => {
    const names = one.subscriptions.map((id) => {
      const cell = store.model.cells.get(id);
      const behind = store.model.isBridge && cell ? `${store.model.accessory(cell.aid)?.name}: ` : "";
      return `${behind}${cell ? nameOf(cell) : "?"} (${id})`;
    });
    const box = h("details", { open: open.has(one.id) }, h("summary", null, `subscribed to ${count(names.length, "characteristic")}`), h("ul", { class: "fine" }, names.map((name) => h("li", null, name))));
    box.addEventListener("toggle", () => (box.open ? open.add(one.id) : open.delete(one.id)));
    return h("li", null,
      h("div", null, h("strong", { class: "mono" }, one.controller ?? "not verified"), h("span", { class: "fine" }, ` connection ${one.id} from ${one.peer}`),
        names.length === 0 ? h("p", { class: "fine" }, "no subscriptions") : box),
      h("button", { type: "button", class: "small", "aria-label": `Close connection ${one.id}`, on: { click: () => tried(() => api.closeConnection(number, one.id)) } }, "Close"));
  };

  update();
  scope.onEnd(store.on("controllers", update));
  return h("div", { class: "columns" },
    h("section", { class: "card", "aria-label": "Pairings" }, h("header", { class: "bar" }, h("h3", null, "Pairings"), reset), pairings),
    h("section", { class: "card", "aria-label": "Connections" }, h("header", { class: "bar" }, h("h3", null, "Connections"), closeAll), connections));
}
