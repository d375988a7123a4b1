// An accessory or a service as a tile: a picture, a name, the state, and a control if there is one.

import { cellOf, isUnknown } from "./cells.js";
import { h, identifier, say } from "./dom.js";
import { glanceOf } from "./glance.js";
import { mainService } from "./pictures.js";
import { noticed, set } from "./setting.js";

/** A switch of On or Active: `{ node, cell, update }`; null for a service without one. */
export function switchOf(service, name) {
  const cell = service ? (cellOf(service, "25") ?? cellOf(service, "B0")) : null;
  if (!cell?.perms.includes("pw")) return null;
  const node = h("button", {
    type: "button", role: "switch", class: "switch", "aria-label": name,
    on: { click: () => set(cell, cell.format === "bool" ? String(!cell.value) : String(Number(!cell.value)), noticed(update)) },
  });
  const update = () => {
    node.setAttribute("aria-checked", String(Boolean(cell.value)));
    node.disabled = isUnknown(cell);
  };
  return { node, cell, update };
}

/**
 * `subject` has the `services` that the tile shows. `state(glance)` returns `{ text, isActive }`; `draw()` returns the picture, and
 * `control(service, name)` the control. Returns `{ node, update, draw }`: the picture is drawn later, because there may be thousands.
 */
export function makeTile({ name, href, data, subject, scope, state, draw, control = switchOf }) {
  const glance = glanceOf(subject);
  const words = h("span", { class: "fine", id: identifier("tile") });
  const thumb = h("span", { class: "thumb" });
  const own = control(mainService(subject), name);
  const node = h("li", { class: "tile", data });
  const update = () => {
    const { text, isActive } = state(glance);
    say(words, text);
    node.classList.toggle("is-active", isActive);
    own?.update();
  };
  update();
  scope.watch(glance.cells, update);
  scope.watch(own ? [own.cell] : [], update);
  node.append(h("a", { href, "aria-label": `${name}, details`, "aria-describedby": words.id },
    thumb, h("span", { class: "tile-words" }, h("span", { class: "tile-name" }, name), words)), ...(own ? [own.node] : []));
  return { node, update, draw: () => thumb.replaceChildren(draw()) };
}

/** Draws the pictures of tiles when they become visible. */
export function drawWhenVisible(tiles, scope) {
  const byNode = new Map(tiles.map((one) => [one.node, one]));
  const drawn = new IntersectionObserver((seen) => {
    for (const { target, isIntersecting } of seen) {
      if (!isIntersecting) continue;
      drawn.unobserve(target);
      byNode.get(target).draw();
    }
  }, { rootMargin: "200px" });
  for (const one of tiles) drawn.observe(one.node);
  scope.onEnd(() => drawn.disconnect());
}
