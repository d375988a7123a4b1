// The page: creates its parts, and updates them.

import { follow } from "./events.js";
import { header } from "./header.js";
import { showConnection } from "./notices.js";
import { resumeSetup } from "./setup.js";
import { Store } from "./store.js";
import { setUpTheme } from "./theme.js";
import { tokenDialog } from "./token-dialog.js";
import { View } from "./view.js";
import { takeToken } from "./web.js";

takeToken();
setUpTheme(document.getElementById("theme"));

const store = new Store();
const main = document.getElementById("main");
new View(store, main);
header(store);

document.getElementById("skip").addEventListener("click", (event) => {
  event.preventDefault();
  main.focus();
});
store.on("state", () => showConnection(store));

async function begin() {
  const position = await store.begin();
  await resumeSetup(store);
  return position;
}

function start() {
  follow({
    path: "/homes/events", begin, onEvent: (event) => store.receive(event),
    onState: (state) => (state === "refused" ? tokenDialog("The hub requires a token", "It is in the address that hapctl hub run prints", start) : store.setState(state)),
  });
}

start();
