// On a phone the controls come first: setup code, facts and switches of the accessory follow them.

import { h } from "./dom.js";

const phone = matchMedia("(max-width: 640px)");

/** Moves these parts of the head below the controls and back, also when the window changes. The order of Tab is the order that is seen. */
export function setupPlace(container, head, scope) {
  const parts = [...head.querySelectorAll(":scope > .setup, :scope > .facts, :scope > .switches")];
  const below = h("section", { class: "card head-below", "aria-label": "Setup" });
  const place = () => {
    if (phone.matches) {
      below.append(...parts);
      container.append(below);
    } else {
      head.append(...parts);
      below.remove();
    }
  };
  place();
  phone.addEventListener("change", place);
  scope.onEnd(() => phone.removeEventListener("change", place));
}
