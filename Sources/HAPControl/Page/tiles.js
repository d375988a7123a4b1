// Accessories as tiles: a picture, a name, the state, and a switch if there is one.

import { h, say } from "./dom.js";
import { pictureOf } from "./pictures.js";
import { address } from "./route.js";
import { drawWhenVisible, makeTile } from "./tile.js";
import { count } from "./words.js";

/** Above this number of tiles there is a search field. */
const FEW = 8;

/** The bridged accessories of the shown bridge. */
export function tiles(model, { scope, store }) {
  const accessories = model.accessories.slice(1);
  return tileGrid(accessories.map((accessory) => ({ accessory, model })), {
    scope, store, title: `${count(accessories.length, "accessory", "accessories")} behind the bridge`, label: "Accessories behind the bridge",
  });
}

/** `entries`: `{ accessory, model }`. Pictures are drawn when they become visible, because there may be thousands. */
export function tileGrid(entries, { scope, store, title, label }) {
  const all = entries.map(({ accessory, model }) => tile(accessory, model, scope));
  drawWhenVisible(all, scope);
  const list = h("ul", { class: "tiles" }, all.map((one) => one.node));
  // The reachability of an accessory, and whether it runs, are not values.
  for (const name of ["head", "list"]) scope.onEnd(store.on(name, () => all.forEach((one) => one.update())));
  const found = h("span", { class: "fine", role: "status" });
  const search = h("input", {
    type: "search", "aria-label": `Find in: ${label}`, placeholder: "Find…",
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
  return h("section", { class: "behind", "aria-label": label },
    h("header", { class: "bar" }, h("h3", null, title), found, all.length > FEW ? search : null), list);
}

function tile(accessory, model, scope) {
  const { number } = model;
  const isRoot = accessory === model.root;
  const one = makeTile({
    name: isRoot ? model.detail.name : accessory.name, href: address(number, { aid: isRoot ? null : accessory.aid }),
    data: { aid: accessory.aid, number }, subject: accessory, scope,
    state(glance) {
      const { running, radio } = model.detail;
      const text = !running ? "Stopped" : radio === false ? "Off the network" : !accessory.online ? "Offline" : glance.text();
      return { text, isActive: running !== false && accessory.online && glance.isActive() };
    },
    draw: () => pictureOf(accessory, isRoot ? model.detail.category : "other", scope),
  });
  return { ...one, accessory };
}
