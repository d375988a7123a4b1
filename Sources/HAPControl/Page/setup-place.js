// On a phone the controls come first, followed by the accessory's setup code, facts and switches.

import { h } from "./dom.js";

const phone = matchMedia("(max-width: 640px)");

/** Moves these parts of the head below the controls and back, also when the window is resized, so that the tab order matches the visible order. */
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
