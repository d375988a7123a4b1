// The accessory as a Matter node: its codes, its commissioning window, its fabrics and its messages.

import * as api from "./api.js";
import { codeLabel, qrImage } from "./codes.js";
import { confirmed } from "./dialog.js";
import { field, h, options, say } from "./dom.js";
import { factList } from "./facts.js";
import { messagesPart } from "./matter-messages.js";
import { tried } from "./notices.js";
import { keptRows } from "./rows.js";

const KINDS = [["basic", "The accessory's own passcode"], ["enhanced", "A random passcode"]];
/** The limits of the time of a window, in seconds. Matter 1.4 §11.19.8.1. */
const SHORTEST = 180;
const LONGEST = 900;

/** While the accessory does not run, its node is unknown and nothing can be changed. */
export function matterPanel(store, { number, scope }) {
  const node = nodePart(number, scope);
  const window = windowPart(store, number, scope);
  const fabrics = fabricsPart(store, number);
  const update = () => {
    const { model } = store;
    if (model?.number !== number) return;
    const matter = model.detail.matter ?? null;
    for (const part of [node, window, fabrics]) part.update(matter, model.takenAt);
  };
  update();
  scope.onEnd(store.on("head", update));
  return h("div", { class: "columns" }, node.node, window.node, fabrics.node, messagesPart(store, number, scope).node);
}

/** Runs a change. Its event loads the accessory again; if the page gets no event, this load does. */
const changed = (store, change, done) => tried(change, done).then(store.refreshDetail);

function nodePart(number, scope) {
  const facts = factList(["UDP port", "Discriminator", "State", "Sessions", "Subscriptions"]);
  const card = codeCard(scope);
  return {
    node: h("section", { class: "card", "aria-label": "Matter" }, h("header", { class: "bar" }, h("h3", null, "Matter")), card.node, facts.node),
    update(matter) {
      card.update(matter, () => api.matterImage(number));
      facts.set({
        "UDP port": matter?.port, Discriminator: matter?.discriminator, Sessions: matter?.sessions, Subscriptions: matter?.subscriptions,
        State: matter && (matter.commissioned ? "Commissioned" : "Not commissioned"),
      });
    },
  };
}

/** A QR code with its manual code. Both are built again only if the payload changes. */
function codeCard(scope) {
  const node = h("div", { class: "setup", hidden: true });
  let shown = null;
  return {
    node,
    /** `codes`: null without codes. `load()` returns the URL of the QR code. */
    update(codes, load) {
      const payload = codes?.payload ?? null;
      if (payload === shown) return;
      shown = payload;
      node.hidden = payload === null;
      if (payload === null) return node.replaceChildren();
      const { manualCode } = codes;
      node.replaceChildren(qrImage(`QR code of the Matter payload ${payload}`, load, scope),
        h("div", null, h("p", { class: "fine" }, "Manual code"),
          codeLabel("Manual code", manualCode, [`${manualCode.slice(0, 4)}-${manualCode.slice(4, 7)}-`, manualCode.slice(7)]),
          h("p", { class: "mono fine" }, payload)));
    },
  };
}

function windowPart(store, number, scope) {
  const state = h("p", { role: "status" });
  const card = codeCard(scope);
  const kind = h("select", null, options(KINDS, "basic"));
  const seconds = h("input", { type: "number", min: SHORTEST, max: LONGEST, value: String(SHORTEST) });
  const open = h("button", { type: "submit" }, "Open window");
  const close = h("button", { type: "button", on: { click: () => changed(store, () => api.closeWindow(number), "The window is closed.") } }, "Close window");
  const form = h("form", { class: "form", on: { submit: (event) => {
    event.preventDefault();
    changed(store, () => api.openWindow(number, kind.value, Number(seconds.value)));
  } } }, field("Passcode", kind), field("Seconds", seconds, `${SHORTEST} to ${LONGEST}`), open);
  let present = null;
  let loadedAt = 0;
  const tell = () => say(state, present === null ? "The window is not known while the accessory does not run." : windowText(present.window, loadedAt));
  const timer = setInterval(tell, 1000);
  scope.onEnd(() => clearInterval(timer));
  return {
    node: h("section", { class: "card", "aria-label": "Commissioning window" },
      h("header", { class: "bar" }, h("h3", null, "Commissioning window"), close), state, card.node, form),
    update(matter, at) {
      [present, loadedAt] = [matter, at];
      const window = matter?.window ?? null;
      open.disabled = matter === null;
      close.disabled = window === null;
      form.hidden = window !== null;
      // The codes of a basic window are those of the accessory, which are shown beside it.
      card.update(window?.kind === "enhanced" && window.payload ? window : null, () => api.windowImage(number));
      tell();
    },
  };
}

function windowText(window, loadedAt) {
  if (window === null) return "No window is open. A controller can be added only while one is.";
  const kind = window.kind === "basic" ? "with the accessory's own passcode" : window.payload ? "with a passcode of its own" : "with a passcode that only its controller knows";
  const opener = window.fabric === null ? "" : `, by fabric ${window.fabric}`;
  if (window.seconds === null) return `Open until the accessory is commissioned, ${kind}${opener}.`;
  const left = Math.max(0, Math.ceil(window.seconds - (performance.now() - loadedAt) / 1000));
  return `Open for ${left} s, ${kind}${opener}.`;
}

function fabricsPart(store, number) {
  const heading = h("h3", { tabindex: "-1" }, "Fabrics");
  const rows = h("tbody");
  const none = h("p", { class: "empty" }, "In no fabric. Add the accessory to a controller with the codes above.");
  const column = (name, isUnseen = false) => h("th", { scope: "col" }, isUnseen ? h("span", { class: "unseen" }, name) : name);
  const table = h("table", null, h("thead", null, h("tr", null, ["Fabric", "Vendor", "Node"].map((name) => column(name)), column("Remove", true))), rows);
  const kept = keptRows(rows, (fabric) => `${fabric.index} ${fabric.compressedID}`, ({ index }) => fabricRow(store, number, index), heading);
  return {
    node: h("section", { class: "card", "aria-label": "Fabrics" }, h("header", { class: "bar" }, heading), none, table),
    update(matter) {
      const fabrics = matter?.fabrics ?? [];
      none.hidden = matter === null || fabrics.length > 0;
      table.hidden = fabrics.length === 0;
      kept.update(fabrics);
    },
  };
}

function fabricRow(store, number, index) {
  const [name, ids, vendor, node] = [h("strong"), h("div", { class: "mono fine" }), h("td"), h("td", { class: "mono" })];
  const remove = async () => {
    const question = `Remove fabric ${index}? Its controllers lose the accessory, and have to commission it again.`;
    if (await confirmed(question, "Remove")) await changed(store, () => api.removeFabric(number, index), `Fabric ${index} was removed.`);
  };
  return {
    node: h("tr", null, h("td", null, name, ids), vendor, node,
      h("td", { class: "end" }, h("button", { type: "button", class: "small", "aria-label": `Remove fabric ${index}`, on: { click: remove } }, "Remove"))),
    update(fabric) {
      say(name, fabric.label === "" ? `Fabric ${index}` : `Fabric ${index} (${fabric.label})`);
      say(ids, `${fabric.fabricID} · ${fabric.compressedID}`);
      say(vendor, `0x${fabric.vendor.toString(16).toUpperCase()}`);
      say(node, fabric.nodeID);
    },
  };
}
