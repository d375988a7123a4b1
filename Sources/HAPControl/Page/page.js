// The page: puts its parts together, and keeps them up to date.

import { AccessoryView } from "./accessory.js";
import { addDialog } from "./add.js";
import { hasToken, takeToken, useToken } from "./api.js";
import { dialog } from "./dialog.js";
import { field, h } from "./dom.js";
import { follow } from "./events.js";
import { List } from "./list.js";
import { Log } from "./log.js";
import { notice, showConnection } from "./notices.js";
import { address, route } from "./route.js";
import { Store } from "./store.js";
import { setUpTheme } from "./theme.js";
import { timePanel } from "./time.js";

takeToken();
setUpTheme(document.getElementById("theme"));

const store = new Store();
const main = document.getElementById("main");
const view = new AccessoryView(store, main);
new List(store, document.getElementById("list"), () => addDialog(store));
new Log(store, document.getElementById("log"));
timePanel(store, document.getElementById("time"));

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
store.on("state", () => showConnection(store));

/** An address that names no accessory leads to the overview; if there is only one accessory, to that one. */
async function begin() {
  const { last: after, isStranger } = await store.begin();
  if (route().number === null && location.hash.length <= 2 && store.summaries.length === 1) {
    location.replace(address(store.summaries[0].number));
  }
  // Another hapsim took the port of the one that the page showed: its accessory is not the one that the user looked at.
  if (isStranger) {
    notice("Another hapsim answers here: it has other accessories.", "problem");
    location.replace("#/");
  }
  await view.follow();
  if (!store.model) view.show(route().number !== null);
  return { after, run: store.run };
}

function start() {
  follow({ begin, onEvent: (event) => store.receive(event), onState: (state) => (state === "refused" ? askForToken() : store.setState(state)) });
}

function askForToken() {
  const isWrong = hasToken();
  const box = dialog("This hapsim asks for a token", (close) => {
    // Without it the button that closes the dialog has the focus.
    const input = h("input", { type: "password", required: true, autocomplete: "off", autofocus: true });
    return h("form", {
      class: "form",
      on: { submit: (event) => {
        event.preventDefault();
        useToken(input.value.trim());
        close("");
      } },
    }, isWrong ? h("p", { class: "refused", role: "alert" }, "hapsim did not accept this token.") : null, field("Token", input, "What hapsim was started with: --control-token"), h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Go on")));
  });
  box.addEventListener("close", start);
}

start();
