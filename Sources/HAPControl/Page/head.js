// The head of an accessory: picture, name, setup code and switches.

import * as api from "./api.js";
import { codeLabel, qrImage } from "./codes.js";
import { confirmed } from "./dialog.js";
import { h, identifier, say } from "./dom.js";
import { factList } from "./facts.js";
import { glanceOf } from "./glance.js";
import { tried } from "./notices.js";
import { floorPlan, pictureOf } from "./pictures.js";
import { exportProfile } from "./profile.js";
import { address } from "./route.js";
import { category, count } from "./words.js";

/** The head of an accessory or bridge. */
export function accessoryHead(store, model, { scope }) {
  const { number, detail } = model;
  const facts = factList(["Device ID", "c#", "s#", "sf", "Port", "Model"]);
  const glance = glanceOf(model.root);
  const words = h("p", { class: "glance" });
  const state = h("p", { class: "fine" });
  const radio = headSwitch(store, "Network", (on) => api.change(number, { radio: on }));
  const announced = headSwitch(store, "Announced", (on) => api.change(number, { announced: on }));
  const update = () => {
    const now = model.detail;
    facts.set({
      "Device ID": now.deviceID, "c#": now.configurationNumber, "s#": now.stateNumber,
      sf: now.statusFlags === undefined ? undefined : `${now.statusFlags} (${now.statusFlags & 1 ? "not paired" : "paired"})`, Port: now.port, Model: now.model,
    });
    radio.set(now.radio ?? false, now.running);
    announced.set(now.announced, now.running && now.radio);
    say(words, glance.text());
    const said = [
      now.running ? (now.radio ? "Running" : "Off the network") : "Stopped", now.pairings.length > 0 ? count(now.pairings.length, "pairing") : "Not paired",
      ...(now.matter ? [now.matter.commissioned ? `in ${count(now.matter.fabrics.length, "Matter fabric")}` : "not commissioned"] : []),
      count(now.connections.length, "connection"), ...(model.isBridge ? [`bridge with ${count(model.accessories.length - 1, "accessory", "accessories")}`] : []),
      ...(now.faults.length > 0 ? [count(now.faults.length, "fault")] : []), ...(now.defect ? [`defect ${now.defect}`] : []),
    ];
    say(state, said.join(" · "));
  };
  update();
  for (const name of ["head", "controllers"]) scope.onEnd(store.on(name, update));
  scope.watch(glance.cells, () => say(words, glance.text()));
  return h("header", { class: "card head" },
    h("div", { class: "scene", id: "scene" }, model.isBridge ? floorPlan(model.accessories.slice(1), scope) : pictureOf(model.root, detail.category, scope)),
    h("div", { class: "who" }, h("p", { class: "fine" }, category(detail.category)), h("h2", { tabindex: "-1" }, detail.name), words, state),
    setupCard(number, detail, scope), facts.node,
    h("div", { class: "switches" }, radio.node, announced.node,
      h("button", { type: "button", on: { click: () => tried(() => api.identify(number, 1)) } }, "Identify"), restartMenu(number),
      h("button", { type: "button", on: { click: () => exportProfile(number, detail.name) } }, "Export"),
      h("button", { type: "button", class: "danger", on: { click: async () => {
        if (!(await confirmed(`Stop serving ${detail.name}?`, "Remove"))) return;
        if (!(await tried(() => api.remove(number), `${detail.name} is no longer served.`))) return;
        location.hash = "#/";
        await tried(() => store.loadList());
      } } }, "Remove…")));
}

/** The head of a bridged accessory. */
export function bridgedHead(store, model, accessory, { scope }) {
  const { number, detail } = model;
  const glance = glanceOf(accessory);
  const words = h("p", { class: "glance" });
  const online = headSwitch(store, "Reachable by the bridge", (on) => api.setOnline(number, accessory.aid, on));
  const update = () => {
    online.set(accessory.online, true);
    say(words, accessory.online ? glance.text() : "Offline");
  };
  update();
  scope.onEnd(store.on("head", update));
  scope.watch(glance.cells, update);
  const facts = factList(["aid", "Bridge", "c#"]);
  const tell = () => facts.set({ aid: accessory.aid, Bridge: detail.name, "c#": model.detail.configurationNumber });
  tell();
  scope.onEnd(store.on("head", tell));
  return h("header", { class: "card head brief" },
    h("div", { class: "scene", id: "scene" }, pictureOf(accessory, "other", scope)),
    h("div", { class: "who" }, h("p", { class: "fine" }, h("a", { href: address(number) }, `‹ ${detail.name}`)), h("h2", { tabindex: "-1" }, accessory.name), words), facts.node,
    h("div", { class: "switches" }, online.node, h("button", { type: "button", on: { click: () => tried(() => api.identify(number, accessory.aid)) } }, "Identify")));
}

/** The setup code as on a HomeKit label, with the QR code that a phone scans. */
function setupCard(number, detail, scope) {
  const digits = detail.setupCode.replaceAll("-", "");
  return h("div", { class: "setup" }, qrImage(`QR code of the setup payload ${detail.setupPayload}`, () => api.setupImage(number), scope),
    h("div", null, h("p", { class: "fine" }, "Setup code"), codeLabel("Setup code", detail.setupCode, [digits.slice(0, 4), digits.slice(4)]),
      h("p", { class: "mono fine" }, detail.setupCode)));
}

/** A switch in the head. Not every change is reported by an event, so the details are loaded again. */
function headSwitch(store, name, change) {
  const node = h("button", {
    type: "button", role: "switch", class: "switch labelled",
    on: { click: () => tried(() => change(node.getAttribute("aria-checked") !== "true")).then(store.refreshDetail) },
  }, name);
  return {
    node,
    set(isOn, isPossible) {
      node.setAttribute("aria-checked", String(Boolean(isOn)));
      node.disabled = !isPossible;
    },
  };
}

const RESTARTS = [["reboot", "Reboot"], ["power-cut", "Cut the power"], ["factory-reset", "Factory reset"]];

function restartMenu(number) {
  const id = identifier("restart");
  const select = h("select", {
    id, "aria-label": "Restart",
    on: { change: async () => {
      const kind = select.value;
      select.value = "";
      if (kind === "factory-reset" && !(await confirmed("Delete all pairings and the identity? The accessory restarts with a new device ID.", "Factory reset"))) return;
      await tried(() => api.restart(number, kind), "The accessory was restarted.");
    } },
  }, h("option", { value: "" }, "Restart…"), RESTARTS.map(([value, text]) => h("option", { value }, text)));
  return select;
}
