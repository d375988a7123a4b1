// The messages of an accessory as a Matter node, decoded, the latest first.

import { controllerName } from "./controller-names.js";
import { h, identifier } from "./dom.js";
import { soon } from "./frames.js";

/** The number of messages shown. */
const SHOWN = 100;
/** The number of parts that a message shows without a click. */
const OPEN_PARTS = 4;
const ACKNOWLEDGEMENT = "Acknowledgement";

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });

export function messagesPart(store, number, scope) {
  const list = h("ol", { class: "matter-messages", tabindex: "0", "aria-label": "Messages, the latest first" });
  const none = h("p", { class: "empty" }, "No messages since the page was opened.");
  const box = h("input", { type: "checkbox", id: identifier("acknowledgements"), on: { change: () => again() } });
  const isShown = (event) => event.number === number && (box.checked || event.message !== ACKNOWLEDGEMENT);
  const fresh = [];
  const again = () => {
    fresh.length = 0;
    list.replaceChildren(...store.messages.filter(isShown).slice(-SHOWN).reverse().map(messageRow));
    none.hidden = list.childElementCount > 0;
  };
  const flush = () => {
    if (fresh.length === 0) return;
    list.prepend(...fresh.splice(0).slice(-SHOWN).reverse().map(messageRow));
    while (list.childElementCount > SHOWN) list.lastChild.remove();
    none.hidden = true;
  };
  scope.onEnd(store.on("happened", (event) => {
    if (event.event !== "message" || !isShown(event)) return;
    fresh.push(event);
    if (fresh.length > SHOWN) fresh.shift();
    soon(flush);
  }));
  scope.onEnd(store.on("history", again));
  again();
  return {
    node: h("section", { class: "card matter-traffic", "aria-label": "Messages" },
      h("header", { class: "bar" }, h("h3", null, "Messages"), h("span", { class: "check" }, box, h("label", { for: box.id }, "Acknowledgements"))), none, list),
  };
}

function messageRow(event) {
  const isReceived = event.from === "controller";
  const parts = event.content ?? [];
  const items = (texts) => h("ul", { class: "mono fine" }, texts.map((text) => h("li", null, text)));
  const rest = parts.slice(OPEN_PARTS);
  return h("li", { class: event.problem ? "malformed" : null },
    h("time", null, clock.format(event.time * 1000)), h("span", { class: "fine" }, isReceived ? "received" : "sent"), h("strong", null, event.message ?? "Unreadable datagram"),
    h("span", { class: "fine" }, headerOf(event, isReceived)),
    parts.length > 0 ? items(parts.slice(0, OPEN_PARTS)) : null,
    rest.length > 0 ? h("details", null, h("summary", null, `${rest.length} more`), items(rest)) : null,
    event.problem ? h("p", { class: "problem" }, `✕ ${event.problem}`) : null);
}

/** The peer, the session, the exchange and the flags. */
function headerOf(event, isReceived) {
  const peer = event.controller ? controllerName(event.controller) : event.peer;
  if (event.session === undefined) return peer;
  const session = event.session === "unsecured" ? "no session" : `${event.session} session ${event.sessionID}`;
  const exchange = `exchange ${event.exchange} of the ${event.initiator === isReceived ? "controller" : "accessory"}`;
  const words = [peer, session, exchange, `message ${event.counter}`];
  if (event.acknowledged !== undefined) words.push(`acknowledges ${event.acknowledged}`);
  if (event.repeated) words.push("repeated");
  return words.join(", ");
}
