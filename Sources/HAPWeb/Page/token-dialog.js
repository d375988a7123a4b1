// Asks for the token of the API.

import { dialog } from "./dialog.js";
import { field, h } from "./dom.js";
import { hasToken, server, useToken } from "./web.js";

/** `hint` says where the token is from. Calls `onClose` after the dialog, also without an answer. */
export function tokenDialog(title, hint, onClose) {
  const isWrong = hasToken();
  const box = dialog(title, (close) => {
    // Without it, the button that closes the dialog would have the focus.
    const input = h("input", { type: "password", required: true, autocomplete: "off", autofocus: true });
    return h("form", {
      class: "form",
      on: { submit: (event) => {
        event.preventDefault();
        useToken(input.value.trim());
        close("");
      } },
    }, isWrong ? h("p", { class: "refused", role: "alert" }, `${server} did not accept this token.`) : null, field("Token", input, hint), h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Continue")));
  });
  box.addEventListener("close", onClose);
}
