// Pairings, connections and subscriptions.

import * as api from "./api.js";
import { controllerName } from "./controller-names.js";
import { confirmed } from "./dialog.js";
import { h, say } from "./dom.js";
import { tried } from "./notices.js";
import { nameOf } from "./control.js";
import { keptRows } from "./rows.js";
import { count } from "./words.js";

export function controllersPanel(store, { number, scope }) {
  const pairings = h("tbody");
  const connections = h("ul", { class: "connections" });
  const reset = h("button", {
    type: "button", class: "danger",
    on: {
      click: async () => {
        if (await confirmed("Remove all pairings? Controllers are disconnected and must pair again.", "Reset pairings")) {
          await tried(() => api.removePairings(number), "All pairings were removed.");
        }
      },
    },
  }, "Reset pairings");
  const closeAll = h("button", { type: "button", on: { click: () => tried(() => api.closeConnections(number)) } }, "Close all");
  const noPairing = h("p", { class: "empty" }, "Not paired. Pair with the setup code above.");
  const table = h("table", null,
    h("thead", null, h("tr", null, h("th", { scope: "col" }, "Controller"), h("th", { scope: "col" }, "Rights"), h("th", { scope: "col" }, h("span", { class: "unseen" }, "Remove")))), pairings);
  const nobody = h("p", { class: "empty" }, "No controller is connected.");
  const pairingsHead = h("h3", { tabindex: "-1" }, "Pairings");
  const connectionsHead = h("h3", { tabindex: "-1" }, "Connections");
  const ofPairings = keptRows(pairings, (pairing) => pairing.controller, ({ controller }) => pairingRow(controller, number), pairingsHead);
  const ofConnections = keptRows(connections, (one) => `${one.id} ${one.peer}`, ({ id, peer }) => connectionRow(id, peer, number, subscribed), connectionsHead);
  const subscribed = (id) => {
    const cell = store.model.cells.get(id);
    const behind = store.model.isBridge && cell ? `${store.model.accessory(cell.aid)?.name}: ` : "";
    return `${behind}${cell ? nameOf(cell) : "?"} (${id})`;
  };
  const update = () => {
    const detail = store.model?.detail;
    if (!detail || detail.number !== number) return;
    reset.disabled = detail.pairings.length === 0;
    closeAll.disabled = detail.connections.length === 0;
    noPairing.hidden = detail.pairings.length > 0;
    table.hidden = detail.pairings.length === 0;
    nobody.hidden = detail.connections.length > 0;
    ofPairings.update(detail.pairings);
    ofConnections.update(detail.connections);
  };

  update();
  scope.onEnd(store.on("controllers", update));
  return h("div", { class: "columns" },
    h("section", { class: "card", "aria-label": "Pairings" }, h("header", { class: "bar" }, pairingsHead, reset), noPairing, table),
    h("section", { class: "card", "aria-label": "Connections" }, h("header", { class: "bar" }, connectionsHead, closeAll), nobody, connections));
}

function pairingRow(controller, number) {
  const rights = h("td");
  const node = h("tr", null, h("td", null, h("strong", null, controllerName(controller)), h("div", { class: "mono fine" }, controller)), rights,
    h("td", { class: "end" }, h("button", {
      type: "button", class: "small", "aria-label": `Remove ${controllerName(controller)}`,
      on: { click: async () => (await confirmed(`Remove the pairing of ${controllerName(controller)}?`, "Remove")) && tried(() => api.removePairing(number, controller)) },
    }, "Remove")));
  return { node, update({ admin }) { say(rights, admin ? "Admin" : "User"); } };
}

/** `subscribed(id)` returns the name of the characteristic with this address. */
function connectionRow(id, peer, number, subscribed) {
  const who = h("strong");
  const none = h("p", { class: "fine" }, "no subscriptions");
  const summary = h("summary");
  const names = h("ul", { class: "fine" });
  const box = h("details", null, summary, names);
  let shown = null;
  const place = h("div", null, none);
  const node = h("li", null,
    h("div", null, who, h("span", { class: "fine" }, ` connection ${id} from ${peer}`), place),
    h("button", { type: "button", class: "small", "aria-label": `Close connection ${id}`, on: { click: () => tried(() => api.closeConnection(number, id)) } }, "Close"));
  return {
    node,
    update({ controller, subscriptions }) {
      say(who, controller ? controllerName(controller) : "Not verified");
      who.title = controller ?? "";
      const what = subscriptions.length > 0 ? box : none;
      if (place.firstChild !== what) place.replaceChildren(what);
      const now = subscriptions.join(" ");
      if (now === shown) return;
      shown = now;
      say(summary, `subscribed to ${count(subscriptions.length, "characteristic")}`);
      names.replaceChildren(...subscriptions.map((id) => h("li", null, subscribed(id))));
    },
  };
}
