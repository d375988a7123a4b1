// The head of the page: the home or the choice of one, the views, and the commands about homes.

import { addHomeDialog, homeDialog } from "./homes.js";
import { h, options, say } from "./dom.js";
import { tried } from "./notices.js";
import { VIEWS, addressOf, route } from "./route.js";
import { setupDialog } from "./setup.js";

export function header(store) {
  const links = VIEWS.map(([view, name]) => ({ view, node: h("a", { href: addressOf(view) }, name) }));
  const list = h("ul", null, links.map(({ node }) => h("li", null, node)));
  const choose = () => {
    for (const { view, node } of links) {
      if (route().view === view) node.setAttribute("aria-current", "page");
      else node.removeAttribute("aria-current");
    }
  };
  choose();
  addEventListener("hashchange", choose);
  document.getElementById("views").append(list);

  const name = document.getElementById("name");
  const select = h("select", { "aria-label": "Home", on: { change: () => tried(() => store.show(select.value)) } });
  const add = h("button", { type: "button", class: "primary", on: { click: () => setupDialog(store) } }, "Add accessory");
  const homes = h("button", { type: "button", class: "quiet icon", on: { click: () => (store.model.canEdit ? homeDialog(store) : addHomeDialog(store)) } }, "⋯");
  // None of them can be used before the home is loaded.
  list.hidden = add.hidden = homes.hidden = true;
  /** What the options were made from. They are kept otherwise, so that an open list stays. */
  let made = null;
  document.getElementById("tools").append(add, homes);
  const update = () => {
    if (store.homes === null) return;
    const isOne = store.homes.length < 2;
    const home = store.model?.detail;
    list.hidden = !home;
    add.hidden = !store.model?.canEdit;
    homes.hidden = !home || !(store.model.canEdit || store.isHubOwner);
    homes.title = store.model?.canEdit ? "Edit the home" : "Add a home";
    homes.setAttribute("aria-label", homes.title);
    if (isOne) return say(name, home?.name ?? "Home");
    const entries = store.homes.map((one) => [one.id, one.sharedBy ? `${one.name} (${one.sharedBy})` : one.name]);
    if (JSON.stringify(entries) !== made) select.replaceChildren(...options(entries));
    made = JSON.stringify(entries);
    select.value = store.chosen.id;
    if (!name.contains(select)) name.replaceChildren(select);
  };
  store.on("homes", update);
  store.on("home", update);
}
