// Accessories as tiles: a picture, a name, the state, and a switch if there is one.

import { h, identifier, say } from "./dom.js";
import { glanceOf } from "./glance.js";
import { cellOf } from "./model.js";
import { mainService, pictureOf } from "./pictures.js";
import { address } from "./route.js";
import { set } from "./setting.js";
import { notice } from "./notices.js";
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
  const drawn = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      drawn.unobserve(target);
      byNode.get(target)?.draw();
    }
  }, { rootMargin: "200px" });
  const all = entries.map(({ accessory, model }) => tile(accessory, model, scope));
  const byNode = new Map(all.map((one) => [one.node, one]));
  for (const one of all) drawn.observe(one.node);
  scope.onEnd(() => drawn.disconnect());
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
  const glance = glanceOf(accessory);
  const words = h("span", { class: "fine", id: identifier("tile") });
  const thumb = h("span", { class: "thumb" });
  const service = mainService(accessory);
  const cell = service ? (cellOf(service, "25") ?? cellOf(service, "B0")) : null;
  const name = isRoot ? model.detail.name : accessory.name;
  const button = cell?.perms.includes("pw") ? h("button", {
    type: "button", role: "switch", class: "switch", "aria-label": name,
    on: { click: () => set(number, cell, cell.format === "bool" ? String(!cell.value) : String(Number(!cell.value)), { onRefused: (error) => error && notice(error.message, "problem"), onSettled: update }) },
  }) : null;
  const node = h("li", { class: "tile", data: { aid: accessory.aid, number } });
  const update = () => {
    const { running, radio } = model.detail;
    const text = !running ? "Stopped" : radio === false ? "Off the network" : !accessory.online ? "Offline" : glance.text();
    say(words, text);
    node.classList.toggle("is-active", running !== false && accessory.online && glance.isActive());
    button?.setAttribute("aria-checked", String(Boolean(cell.value)));
  };
  update();
  scope.watch(glance.cells, update);
  scope.watch(cell ? [cell] : [], update);
  node.append(h("a", { href: address(number, { aid: isRoot ? null : accessory.aid }), "aria-label": `${name}, details`, "aria-describedby": words.id },
    thumb, h("span", { class: "tile-words" }, h("span", { class: "tile-name" }, name), words)), ...(button ? [button] : []));
  const draw = () => thumb.replaceChildren(pictureOf(accessory, isRoot ? model.detail.category : "other", scope));
  return { node, accessory, update, draw };
}
