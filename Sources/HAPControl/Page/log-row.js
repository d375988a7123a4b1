// One row of the log. Consecutive equal events share a row.

import { controllerName } from "./controller-names.js";
import { h, say } from "./dom.js";
import { addressOf } from "./route.js";
import { count } from "./words.js";

/** Number of characteristics that a row lists, the latest ones; it counts the others. */
const LISTED = 20;
const SUBSCRIPTIONS = { subscribed: "subscribed to", unsubscribed: "unsubscribed from" };

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });
/** The reason, if the text doesn't contain it already. */
export const reasonOf = (event) => (event.reason && !(event.text ?? "").includes(event.reason) ? event.reason : null);
const textOf = (event) => (event.controller ? (event.text ?? "").replaceAll(event.controller, () => controllerName(event.controller)) : (event.text ?? ""));

/** Subscriptions of one controller share a row; other events only if all their words are equal. */
function keyOf({ event, group }) {
  const what = SUBSCRIPTIONS[event.event] ? [event.controller] : [event.aid, event.iid, event.text, event.reason];
  return JSON.stringify([group, event.event, event.number ?? event.accessory, ...what]);
}

export class LogRow {
  entries = [];
  #count = 0;
  #key;
  #time = h("time");
  #times = h("span", { class: "log-times" });
  #details = null;

  constructor(entry) {
    const { event, group } = entry;
    this.#key = keyOf(entry);
    const reason = reasonOf(event);
    this.words = wordsOf(event);
    this.node = h("li", { class: `log-row ${group}${event.isDivider ? " divider" : ""}` },
      this.#time, event.accessory ? h("span", { class: "log-who" }, event.accessory) : null,
      h("span", { class: "log-kind" }, group === "refused" ? `✕ ${event.event}` : event.event), this.#times, this.words, reason ? h("span", { class: "log-reason" }, reason) : null);
    this.#add(entry);
  }

  /** Removes the oldest entries, but never the latest one. Returns how many. */
  drop(number) {
    return this.entries.splice(0, Math.min(number, this.entries.length - 1)).length;
  }

  /** Adds the next event. Returns whether it belongs to this row. */
  take(entry) {
    if (entry.event.isDivider || keyOf(entry) !== this.#key) return false;
    this.#add(entry);
    if (SUBSCRIPTIONS[entry.event.event]) this.#list(entry);
    else say(this.#times, `${this.#count} times`);
    return true;
  }

  #add(entry) {
    this.entries.push(entry);
    this.#count += 1;
    say(this.#time, clock.format(entry.event.time * 1000));
  }

  /** Lists the characteristics of several subscriptions in a collapsible box. */
  #list({ event }) {
    if (!this.#details) {
      this.#details = { summary: h("summary", { tabindex: "-1" }), items: h("ul"), earlier: h("p", { class: "fine" }) };
      this.words.replaceWith(h("details", { class: "log-text" }, this.#details.summary, this.#details.items, this.#details.earlier));
      this.#details.items.append(h("li", null, this.words));
    }
    this.#details.items.append(h("li", null, wordsOf(event)));
    if (this.#details.items.childElementCount > LISTED) this.#details.items.firstChild.remove();
    if (this.#count > LISTED) say(this.#details.earlier, `and ${this.#count - LISTED} earlier`);
    say(this.#details.summary, `${controllerName(event.controller)} ${SUBSCRIPTIONS[event.event]} ${count(this.#count, "characteristic")}`);
  }
}

/** If an event names a characteristic, its text links to it. */
function wordsOf(event) {
  const place = event.iid !== undefined ? event : event.characteristics?.[0];
  const text = textOf(event);
  const title = event.controller ? { title: event.controller } : {};
  return place && event.number
    ? h("a", { class: "log-text", href: addressOf(event.number, place), tabindex: "-1", ...title }, text)
    : h("span", { class: "log-text", ...title }, text);
}
