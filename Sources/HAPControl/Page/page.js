// The page: creates its parts, and updates them.

import { AccessoryView } from "./accessory.js";
import { addDialog } from "./add.js";
import { follow } from "./events.js";
import { List } from "./list.js";
import { Log } from "./log.js";
import { notice, showConnection } from "./notices.js";
import { address, route } from "./route.js";
import { Store } from "./store.js";
import { setUpTheme } from "./theme.js";
import { timePanel } from "./time.js";
import { tokenDialog } from "./token-dialog.js";
import { takeToken } from "./web.js";

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
  follow({
    begin, onEvent: (event) => store.receive(event),
    onState: (state) => (state === "refused" ? tokenDialog("This hapsim requires a token", "The value of --control-token", start) : store.setState(state)),
  });
}

start();
