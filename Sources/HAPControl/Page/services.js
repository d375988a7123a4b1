// Services as cards: a picture, the characteristics with their controls, and actions at the device.

import * as api from "./api.js";
import { cellOf } from "./cells.js";
import { characteristicRow } from "./control.js";
import { h, identifier, say } from "./dom.js";
import { tried } from "./notices.js";
import { serviceCard } from "./service-card.js";

/** Services for programs rather than users, such as Accessory Information and HAP Protocol Information. */
const BACKSTAGE = new Set(["3E", "A2", "55", "A5", "129", "203", "239"]);
const isBackstage = (service) => BACKSTAGE.has(service.type) || service.hidden;
/** Characteristics that an action at the device sets; the action has the control. */
const SET_BY = { 24: "obstruct", 68: "battery", "7A": "tamper" };
const isDoneAtDevice = (cell, service) => service.actions.includes(SET_BY[cell.type]);
/** Whether to show the value as text: facts about a device, and values that an action sets. */
const isReported = (cell, service) => isDoneAtDevice(cell, service) || !cell.perms.includes("pw") && (cell.format === "string" || !cell.perms.includes("ev"));

/** All services of one accessory. `shownLarge` is the service whose picture is shown in the head. */
export function serviceCards(accessory, context) {
  const front = accessory.services.filter((service) => !isBackstage(service));
  const back = accessory.services.filter(isBackstage);
  front.sort((one, other) => Number(other.primary) - Number(one.primary));
  return [
    h("div", { class: "cards" }, front.map((service) => card(service, accessory, context))),
    back.length === 0 ? null : h("div", { class: "backstage" }, back.map((service) => folded(service, context))),
  ];
}

const titleOf = (service) => service.label && service.label !== service.name ? `${service.label}` : service.name;

function card(service, accessory, context) {
  return serviceCard(service, { ...context, isReported }, {
    title: titleOf(service), about: `${service.name}${service.primary ? " · primary" : ""} · iid ${service.iid}`,
    isLarge: context.shownLarge === service, footer: actions(service, accessory, context),
  });
}

/** A collapsible service. Its rows are created when it is first opened. `reveal("1.10")` opens it if it has that characteristic. */
function folded(service, context) {
  const box = h("details", { class: "card" }, h("summary", null, titleOf(service) === service.name ? service.name : `${service.name}: ${titleOf(service)}`, h("span", { class: "fine" }, ` iid ${service.iid}`)));
  const fill = () => {
    if (!box.open || box.children.length > 1) return;
    box.append(h("div", { class: "rows" }, service.characteristics.map((cell) => characteristicRow(cell, { ...context, service, isReported }))));
  };
  box.addEventListener("toggle", fill);
  box.reveal = (id) => {
    if (!service.characteristics.some((cell) => cell.address === id)) return;
    box.open = true;
    fill();
  };
  return box;
}

// Actions of a person at the device

const PRESSES = { "single-press": ["single", "Press"], "double-press": ["double", "Press twice"], "long-press": ["long", "Press long"] };
/** Actions with a duration: their labels, and how to find their current state. */
const LASTING = {
  obstruct: ["Obstructed", (service) => [cellOf(service, "24"), (value) => Boolean(value)]],
  jam: ["Jammed", (service) => [cellOf(service, "1D") ?? cellOf(service, "78") ?? cellOf(service, "AA"), (value, cell) => value === (cell.type === "1D" ? 2 : 1)]],
  tamper: ["Tampered with", (service) => [cellOf(service, "7A"), (value) => value === 1]],
};

function actions(service, accessory, context) {
  if (service.actions.length === 0) return null;
  const { number, scope } = context;
  const act = (what) => tried(() => api.act(number, accessory.aid, service.iid, what));
  const buttons = service.actions.flatMap((action) => {
    if (action === "press") {
      const words = Object.keys(cellOf(service, "73")?.words ?? PRESSES);
      return words.filter((word) => PRESSES[word]).map((word) => h("button", { type: "button", on: { click: () => act({ action, kind: PRESSES[word][0] }) } }, PRESSES[word][1]));
    }
    if (action === "trigger") return h("button", { type: "button", on: { click: () => act({ action }) } }, "Trigger");
    if (action === "battery") return batteryDeed(service, act);
    return lasting(action, service, act, scope);
  });
  return h("footer", { class: "actions", role: "group", "aria-label": `At the device: ${titleOf(service)}` }, h("span", { class: "fine" }, "At the device"), buttons);
}

function lasting(action, service, act, scope) {
  const [name, find] = LASTING[action];
  const [cell, holds] = find(service);
  let isOn = false;
  const node = h("button", {
    type: "button", role: "switch", class: "switch labelled", "aria-checked": "false",
    on: {
      click: async () => {
        const wanted = node.getAttribute("aria-checked") !== "true";
        if ((await act({ action, value: wanted })) === null) return;
        isOn = wanted;
        update();
      },
    },
  }, name);
  const update = () => {
    if (cell) isOn = holds(cell.value, cell);
    node.setAttribute("aria-checked", String(isOn));
  };
  update();
  if (cell) scope.watch([cell], update);
  return node;
}

function batteryDeed(service, act) {
  const id = identifier("battery");
  const level = h("input", { type: "range", min: 0, max: 100, step: 1, id, value: String(cellOf(service, "68")?.value ?? 50) });
  const word = h("output", { for: id }, `${level.value} %`);
  level.addEventListener("input", () => say(word, `${level.value} %`));
  level.addEventListener("change", () => act({ action: "battery", value: Number(level.value) }));
  return h("span", { class: "inline" }, h("label", { for: id }, "Set battery to"), level, word);
}
