// The rooms with the tiles of their accessories.

import { h, say } from "./dom.js";
import { editDialog, nameDialog } from "./forms.js";
import { homeTile, shownServices } from "./home-tile.js";
import { drawWhenVisible } from "./tile.js";
import { count } from "./words.js";

/** Above this number of tiles there is a search field. */
const FEW = 12;

export function roomsView(store, scope) {
  const { model } = store;
  const entries = model.accessories.flatMap((accessory) => shownServices(accessory).map((service) => ({ accessory, service })));
  const tiles = entries.map((entry) => homeTile(entry.accessory, entry.service, scope));
  drawWhenVisible(tiles, scope);
  const summary = h("p", { class: "fine" });
  const update = () => {
    for (const tile of tiles) tile.update();
    const missing = model.accessories.filter((accessory) => !accessory.reachable).length;
    say(summary, `${count(model.accessories.length, "accessory", "accessories")}${missing > 0 ? ` · ${missing} cannot be reached` : ""}`);
  };
  update();
  scope.onEnd(store.on("reachability", update));
  const bridges = tiles.filter((tile) => tile.service === null);
  const sections = model.rooms.map((room) => roomSection(store, room, tiles.filter((tile) => tile.service !== null && tile.accessory.room === room.id)));
  const add = model.canEdit ? h("button", { type: "button", on: { click: () => nameDialog("Add a room", "Add room", (name) => store.perform("add-room", { home: model.id, name })) } }, "Add a room…") : null;
  const node = h("div", { class: "rooms" },
    h("header", { class: "bar" }, h("h2", { tabindex: "-1" }, "Rooms"), summary, tiles.length > FEW ? search(tiles) : null, add),
    model.accessories.length === 0 ? h("p", { class: "empty" }, model.canEdit ? "No accessory yet. Add one with its setup code, or with the text of its QR code." : "This home has no accessory.") : null,
    sections,
    bridges.length === 0 ? null : h("section", { class: "room", "aria-label": "Bridges and others" },
      h("header", { class: "bar" }, h("h3", null, "Bridges and others")), h("ul", { class: "tiles" }, bridges.map((tile) => tile.node))));
  const shape = shapeOf(model);
  return {
    title: "Rooms", node,
    update() {
      if (shapeOf(model) !== shape || entries.some(({ accessory }) => model.accessory(accessory.id) !== accessory)) return false;
      update();
      return true;
    },
  };
}

const shapeOf = (model) => JSON.stringify([model.rooms, model.detail.zones, model.accessories.map((accessory) => accessory.id)]);

/** The room for the entire home is shown only with accessories, and can't be changed. */
function roomSection(store, room, tiles) {
  const { model } = store;
  const isWhole = room.id === model.detail.roomForEntireHome.id;
  if (isWhole && tiles.length === 0) return null;
  const zones = (model.detail.zones ?? []).filter((zone) => zone.rooms.includes(room.id)).map((zone) => zone.name).join(", ");
  const edit = model.canEdit && !isWhole ? h("button", { type: "button", class: "small quiet", "aria-label": `Edit ${room.name}`, on: { click: () => editRoom(store, room) } }, "Edit…") : null;
  return h("section", { class: "room", "aria-label": room.name },
    h("header", { class: "bar" }, h("h3", null, room.name), zones === "" ? null : h("span", { class: "fine" }, zones), edit),
    tiles.length > 0 ? h("ul", { class: "tiles" }, tiles.map((tile) => tile.node)) : h("p", { class: "fine" }, "No accessory is in this room."));
}

const editRoom = (store, room) => editDialog(store, {
  title: `Edit ${room.name}`, object: room,
  remove: {
    question: `Remove the room ${room.name}? Its accessories move to ${store.model.detail.roomForEntireHome.name}.`,
    action: () => store.perform("remove-room", { room: room.id }), done: `${room.name} is removed.`,
  },
});

function search(tiles) {
  const found = h("span", { class: "fine", role: "status" });
  const input = h("input", {
    type: "search", "aria-label": "Find an accessory", placeholder: "Find…",
    on: { input: () => {
      const wanted = input.value.trim().toLowerCase();
      for (const { node, name } of tiles) node.hidden = !name.toLowerCase().includes(wanted);
      say(found, wanted ? `${tiles.filter(({ node }) => !node.hidden).length} of ${tiles.length}` : "");
    } },
  });
  return [input, found];
}
