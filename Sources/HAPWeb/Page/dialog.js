// Dialogs. The browser's element keeps the focus inside and restores it. If that part of the page was built again meanwhile, its successor gets it.

import { h, identifier } from "./dom.js";
import { focused } from "./focus.js";

/** `open(close)` returns the contents. Returns the element, which is shown. Escape and the button ✕ call `leave()`, and close it by default. */
export function dialog(title, open, { wide = false, leave = null } = {}) {
  const heading = identifier("dialog");
  const box = h("dialog", { class: wide ? "wide" : null, "aria-labelledby": heading });
  const close = (value) => box.close(value);
  leave ??= () => close("");
  box.append(
    h("header", null, h("h2", { id: heading }, title),
      h("button", { type: "button", class: "quiet icon", "aria-label": "Close", on: { click: leave } }, "✕")),
    open(close),
  );
  box.addEventListener("cancel", (event) => {
    // The dialog of a file field sends this event, too.
    if (event.target !== box) return;
    event.preventDefault();
    leave();
  });
  const restore = focused(document.body);
  box.addEventListener("close", () => {
    box.remove();
    if (document.activeElement === document.body) restore?.();
    if (document.activeElement === document.body) document.getElementById("main").focus();
  });
  document.body.append(box);
  box.showModal();
  return box;
}

/** Returns an action that opens a dialog after an answer of the server. Until then, further calls do nothing. */
export function opener(open) {
  let isOpening = false;
  return async (...how) => {
    if (isOpening) return;
    isOpening = true;
    try {
      await open(...how);
    } finally {
      isOpening = false;
    }
  };
}

/** Asks a question, and returns whether the user confirmed it. */
export function confirmed(question, verb) {
  return new Promise((answer) => {
    const box = dialog(question, (close) =>
      h("div", { class: "buttons" },
        h("button", { type: "button", on: { click: () => close("") } }, "Cancel"),
        h("button", { type: "button", class: "danger", on: { click: () => close("yes") } }, verb)));
    box.addEventListener("close", () => answer(box.returnValue === "yes"));
  });
}
