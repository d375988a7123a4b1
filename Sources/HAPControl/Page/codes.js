// QR codes, and codes that a person types.

import { h } from "./dom.js";
import { notice } from "./notices.js";

/** The image of a QR code. `load()` returns its URL, which is released at the end of `scope`. */
export function qrImage(alt, load, scope) {
  const image = h("img", { class: "qr", alt, width: 132, height: 132 });
  load().then((source) => {
    image.src = source;
    scope.onEnd(() => URL.revokeObjectURL(source));
  }, () => image.replaceWith(h("span", { class: "fine" }, "no QR code")));
  return image;
}

/** A code on a label, which is copied by a click. `name` is "Setup code", for example, and `lines` has the code in parts. */
export function codeLabel(name, code, lines) {
  return h("button", {
    type: "button", class: "code-label", "aria-label": `${name} ${code}, copy`, data: { code },
    on: { click: async () => {
      const what = name.toLowerCase();
      try {
        await navigator.clipboard.writeText(code);
        notice(`The ${what} is copied.`);
      } catch {
        notice(`The ${what} is ${code}.`);
      }
    } },
  }, lines.map((line) => h("span", null, line)));
}
