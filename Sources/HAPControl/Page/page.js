// The page: creates its parts, and updates them.

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

/** An address without an accessory shows the overview; if there is only one accessory, it shows that one. */
async function begin() {
  const { last: after, isStranger } = await store.begin();
  if (route().number === null && location.hash.length <= 2 && store.summaries.length === 1) {
    location.replace(address(store.summaries[0].number));
  }
  // Another hapsim now uses the port. Its accessory with this number is not the one that the user was viewing.
  if (isStranger) {
    notice("Another hapsim answers here, with other accessories.", "problem");
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
  const box = dialog("This hapsim requires a token", (close) => {
    // Without it, the button that closes the dialog would have the focus.
    const input = h("input", { type: "password", required: true, autocomplete: "off", autofocus: true });
    return h("form", {
      class: "form",
      on: { submit: (event) => {
        event.preventDefault();
        useToken(input.value.trim());
        close("");
      } },
    }, isWrong ? h("p", { class: "refused", role: "alert" }, "hapsim did not accept this token.") : null, field("Token", input, "The value of --control-token"), h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Continue")));
  });
  box.addEventListener("close", start);
}

start();
