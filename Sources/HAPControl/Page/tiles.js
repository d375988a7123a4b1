// The accessories behind a bridge, as tiles: a picture, a name, how it is, and a switch where there is one.

import { h, identifier, say } from "./dom.js";
import { glanceOf } from "./glance.js";
import { cellOf } from "./model.js";
import { mainService, pictureOf } from "./pictures.js";
import { address } from "./route.js";
import { set } from "./setting.js";
import { notice } from "./notices.js";
import { count } from "./words.js";

export function tiles(model, { scope, store }) {
  const accessories = model.accessories.slice(1);
  const all = accessories.map((accessory) => tile(accessory, model.number, scope));
  const list = h("ul", { class: "tiles" }, all.map((one) => one.node));
  // Whether the bridge reaches one is no value of it.
  scope.onEnd(store.on("head", () => all.forEach((one) => one.update())));
  const found = h("span", { class: "fine", role: "status" });
  const search = h("input", {
    type: "search", "aria-label": "Find behind the bridge", placeholder: "Find…",
    on: {
      input: () => {
        const wanted = search.value.toLowerCase();
        let number = 0;
        for (const { node, accessory } of all) {
          node.hidden = !accessory.name.toLowerCase().includes(wanted) && String(accessory.aid) !== wanted;
          if (!node.hidden) number += 1;
        }
        say(found, wanted ? `${number} of ${all.length}` : "");
      },
    },
  });
  return h("section", { class: "behind", "aria-label": "Accessories behind the bridge" },
    h("header", { class: "bar" }, h("h3", null, `${count(all.length, "accessory", "accessories")} behind the bridge`), found, all.length > 8 ? search : null), list);
}

function tile(accessory, number, scope) {
  const glance = glanceOf(accessory);
  const words = h("span", { class: "fine", id: identifier("tile") });
  const service = mainService(accessory);
  const cell = service ? (cellOf(service, "25") ?? cellOf(service, "B0")) : null;
  const button = cell ? h("button", {
    type: "button", role: "switch", class: "switch", "aria-label": accessory.name,
    on: { click: () => set(number, cell, cell.format === "bool" ? String(!cell.value) : String(Number(!cell.value)), { onRefused: (error) => error && notice(error.message, "problem"), onSettled: update }) },
  }) : null;
  const update = () => {
    say(words, accessory.online ? glance.text() : "Offline");
    button?.setAttribute("aria-checked", String(Boolean(cell.value)));
  };
  update();
  scope.watch(glance.cells, update);
  scope.watch(cell ? [cell] : [], update);
  const node = h("li", { class: "tile", data: { aid: accessory.aid } },
    h("a", { href: address(number, { aid: accessory.aid }), "aria-label": `${accessory.name}, details`, "aria-describedby": words.id },
      h("span", { class: "thumb" }, pictureOf(accessory, "other", scope)), h("span", { class: "tile-words" }, h("span", { class: "tile-name" }, accessory.name), words)),
    button);
  return { node, accessory, update };
}
