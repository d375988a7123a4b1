// The details of an accessory: its head, and a card with the controls of each service for people.

import * as api from "./api.js";
import { removalOf, renameDialog } from "./accessory-edit.js";
import { h, identifier, options, say } from "./dom.js";
import { factList } from "./facts.js";
import { glanceOf } from "./glance.js";
import { homeTile, shownServices, troubleOf } from "./home-tile.js";
import { tried } from "./notices.js";
import { mainService, pictureOf } from "./pictures.js";
import { readNow } from "./reading.js";
import { accessoryAddress } from "./route.js";
import { serviceCard } from "./service-card.js";
import { drawWhenVisible } from "./tile.js";
import { category } from "./words.js";

/** Categories that don't say what an accessory is. */
const UNKNOWN = new Set(["other", "bridged-accessory"]);
/** Values that can't be written are shown as text. */
const isReported = (cell) => !cell.perms.includes("pw");

export function accessoryView(store, scope, { id }) {
  const { model } = store;
  const accessory = model.accessory(id);
  if (!accessory) {
    const gone = h("div", { class: "welcome" }, h("h2", { tabindex: "-1" }, "Accessory not found"), h("p", null, "This home has no such accessory. ", h("a", { href: "#/" }, "Back to the rooms")));
    return { title: "Accessory not found", node: gone, update: () => !model.accessory(id) };
  }
  const services = accessory.services.filter((service) => service.interactive);
  services.sort((one, other) => Number(other.primary) - Number(one.primary));
  const large = mainService({ services });
  const context = { scope, isReported, aboutControl: (cell) => readButton(cell) };
  const card = (service) => {
    const node = serviceCard(service, context, { title: service.name, about: service.typeName, isLarge: service === large });
    node.dataset.iid = service.iid;
    return node;
  };
  const { update, node } = head(store, accessory, services, scope);
  const all = h("div", { class: "details" }, node, h("div", { class: "cards" }, services.map(card)), bridged(model, accessory, scope));
  const shape = shapeOf(model, accessory);
  return {
    title: accessory.name, node: all,
    update() {
      if (model.accessory(id) !== accessory || shapeOf(model, accessory) !== shape) return false;
      update();
      return true;
    },
  };
}

const bridgedBy = (model, accessory) => model.accessories.filter((one) => one.bridge === accessory.id);
const shapeOf = (model, accessory) => JSON.stringify([model.rooms, bridgedBy(model, accessory).map((one) => one.id)]);

/** Reads the value from the accessory. Events report most changes, but not those of all characteristics. */
function readButton(cell) {
  if (!cell.perms.includes("pr")) return null;
  return h("button", { type: "button", class: "small", on: { click: () => tried(() => readNow(cell)) } }, "Read now");
}

function head(store, accessory, services, scope) {
  const { model } = store;
  const subject = { services };
  const glance = glanceOf(subject);
  const words = h("p", { class: "glance" });
  const trouble = h("p", { class: "trouble" });
  const facts = factList(["Manufacturer", "Model", "Serial number", "Firmware", "Device ID", "aid"]);
  facts.set({
    Manufacturer: accessory.manufacturer, Model: accessory.model, "Serial number": accessory.serialNumber, Firmware: accessory.firmware,
    "Device ID": accessory.device, aid: accessory.aid,
  });
  const update = () => {
    say(words, accessory.reachable ? glance.text() : "");
    say(trouble, troubleOf(accessory) ?? "");
  };
  update();
  scope.watch(glance.cells, update);
  scope.onEnd(store.on("reachability", update));
  const bridge = accessory.bridge && model.accessory(accessory.bridge);
  const room = model.room(accessory.room)?.name;
  const about = [UNKNOWN.has(accessory.category) ? null : category(accessory.category), room].filter(Boolean).join(" · ");
  const node = h("header", { class: "card head brief" },
    h("div", { class: "scene", id: "scene" }, pictureOf(subject, accessory.category, scope)),
    h("div", { class: "who" },
      h("p", { class: "fine" }, h("a", { href: bridge ? accessoryAddress(bridge.id) : "#/" }, bridge ? `‹ ${bridge.name}` : "‹ Rooms"), ` · ${about}`),
      h("h2", { tabindex: "-1" }, accessory.name), words, trouble),
    facts.node, switches(store, accessory));
  return { node, update };
}

function switches(store, accessory) {
  const { model } = store;
  const button = (text, click, kind = null) => h("button", { type: "button", class: kind, on: { click } }, text);
  const identify = button("Identify", () => tried(() => api.identify(model.id, accessory.id), `${accessory.name} was asked to identify itself.`));
  if (!model.canEdit) return h("div", { class: "switches" }, identify);
  const id = identifier("room");
  const rooms = h("select", { id, on: { change: () => tried(() => store.perform("move-accessory", { accessory: accessory.id, room: rooms.value })) } },
    options(model.rooms.map((room) => [room.id, room.name]), accessory.room));
  return h("div", { class: "switches" }, identify, h("span", { class: "inline" }, h("label", { for: id }, "Room"), rooms),
    button("Rename…", () => renameDialog(store, accessory)), button("Remove…", () => removalOf(store, accessory), "danger"));
}

/** The tiles of the accessories behind a bridge. */
function bridged(model, accessory, scope) {
  const behind = bridgedBy(model, accessory);
  if (behind.length === 0) return null;
  const tiles = behind.flatMap((one) => shownServices(one).map((service) => homeTile(one, service, scope)));
  drawWhenVisible(tiles, scope);
  return h("section", { class: "room", "aria-label": "Accessories behind the bridge" },
    h("header", { class: "bar" }, h("h3", null, "Accessories behind the bridge")), h("ul", { class: "tiles" }, tiles.map((tile) => tile.node)));
}
