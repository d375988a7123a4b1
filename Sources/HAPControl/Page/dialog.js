// Dialogs. The browser's element keeps the focus inside and restores it.

import { h, identifier } from "./dom.js";

/** `open(close)` returns the contents. Returns the element, which is shown. */
export function dialog(title, open, { wide = false } = {}) {
  const heading = identifier("dialog");
  const box = h("dialog", { class: wide ? "wide" : null, "aria-labelledby": heading });
  const close = (value) => box.close(value);
  box.append(
    h("header", null, h("h2", { id: heading }, title),
      h("button", { type: "button", class: "quiet icon", "aria-label": "Close", on: { click: () => close("") } }, "✕")),
    open(close),
  );
  box.addEventListener("close", () => box.remove());
  document.body.append(box);
  box.showModal();
  return box;
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
