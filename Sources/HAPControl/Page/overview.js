// The overview: a tile with the state of every accessory, bridged ones included.

import { h } from "./dom.js";
import { tileGrid } from "./tiles.js";
import { address } from "./route.js";
import { count } from "./words.js";

/** Accessories without a bridge come first, then the bridged accessories of each bridge. */
export function overview(store, scope) {
  const models = [...store.states.values()];
  if (models.length === 0) return empty();
  const alone = models.filter((model) => !model.isBridge);
  const bridges = models.filter((model) => model.isBridge);
  const entry = (model) => (accessory) => ({ accessory, model });
  return h("div", { class: "overview" },
    h("header", { class: "bar" }, h("h2", { tabindex: "-1" }, "Overview")),
    alone.length === 0 ? null : tileGrid(alone.map((model) => entry(model)(model.root)), { store, scope, title: count(alone.length, "accessory", "accessories"), label: "Accessories" }),
    bridges.map((model) => tileGrid(model.accessories.slice(1).map(entry(model)), {
      store, scope, title: h("a", { href: address(model.number) }, model.detail.name), label: `Accessories behind ${model.detail.name}`,
    })));
}

const empty = () => h("div", { class: "welcome" }, h("h2", { tabindex: "-1" }, "No accessory yet"), h("p", null, "Add one from the catalogue or from a profile."));
