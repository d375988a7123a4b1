// What the page shows while the hub has no home.

import { h } from "./dom.js";
import { addHomeDialog } from "./homes.js";
import { acceptDialog, requestDialog } from "./sharing.js";

export function welcomeView(store) {
  const button = (text, open, kind = null) => h("button", { type: "button", class: kind, on: { click: () => open(store) } }, text);
  const node = h("div", { class: "welcome" }, h("h2", { tabindex: "-1" }, "No home yet"),
    h("p", null, "Add a home, or use the home of another hub: send a request to its owner, and accept the document that you get."),
    h("div", { class: "buttons" }, button("Add a home…", addHomeDialog, "primary"), button("Request a share…", requestDialog), button("Accept a share…", acceptDialog)));
  return { title: "Home", node, update: () => true };
}
