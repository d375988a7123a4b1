// What happens, as it happens; each refused request says why.

import { h, identifier, say } from "./dom.js";
import { soon } from "./frames.js";
import { route } from "./route.js";

const ROOM = 300;
/** Nobody reads faster: while more than so many events a second come, rows come in lots, four times a second, and only the latest of each lot. */
const MANY = 60;
const LOT = 15;
const PAUSE = 250;
const KEY = "hapsim-log";

const GROUPS = {
  values: ["Values", ["changed", "wrote"]],
  told: ["Told", ["told"]],
  requests: ["Requests", ["requested"]],
  refused: ["Refused", ["refused", "trouble", "slow"]],
  controllers: ["Controllers", ["connected", "disconnected", "verified", "paired", "unpaired", "subscribed", "unsubscribed"]],
};
const GROUP_OF = new Map(Object.entries(GROUPS).flatMap(([group, [, events]]) => events.map((event) => [event, group])));
const groupOf = (event) => (event.event === "requested" && event.reason ? "refused" : (GROUP_OF.get(event.event) ?? "other"));

export class Log {
  #list = h("ol", { class: "log-rows", tabindex: "0", "aria-label": "What happened, the latest first" });
  #entries = [];
  #fresh = [];
  #rate = h("span", { class: "fine" });
  #shownGroups;
  #isPaused = false;
  #onlyHere = false;
  #words = "";
  #count = 0;
  #flushed = 0;
  #timer = null;

  constructor(store, container) {
    this.store = store;
    this.#shownGroups = new Set(JSON.parse(localStorage.getItem(KEY) ?? "null") ?? ["values", "refused", "controllers", "other"]);
    const names = [...Object.entries(GROUPS).map(([group, [name]]) => [group, name]), ["other", "Other"]];
    const boxes = names.map(([group, name]) => {
      const box = h("input", {
        type: "checkbox", id: identifier("log"), checked: this.#shownGroups.has(group),
        on: { change: () => {
          if (box.checked) this.#shownGroups.add(group);
          else this.#shownGroups.delete(group);
          localStorage.setItem(KEY, JSON.stringify([...this.#shownGroups]));
          this.#again();
        } },
      });
      return h("span", { class: "check" }, box, h("label", { for: box.id }, name));
    });
    const here = h("input", { type: "checkbox", id: identifier("log"), on: { change: () => { this.#onlyHere = here.checked; this.#again(); } } });
    const search = h("input", { type: "search", "aria-label": "Find in the log", placeholder: "Find…", on: { input: () => { this.#words = search.value.toLowerCase(); this.#again(); } } });
    const pause = h("button", { type: "button", class: "small", "aria-pressed": "false", on: { click: () => {
      this.#isPaused = !this.#isPaused;
      pause.setAttribute("aria-pressed", String(this.#isPaused));
      say(pause, this.#isPaused ? "Go on" : "Pause");
      if (!this.#isPaused) this.#again();
    } } }, "Pause");
    container.append(
      h("header", { class: "bar" }, h("h2", null, "Log"), this.#rate, search, pause),
      h("fieldset", { class: "checks" }, h("legend", { class: "unseen" }, "What is shown"), boxes, h("span", { class: "check" }, here, h("label", { for: here.id }, "Only this accessory"))),
      this.#list);
    store.on("happened", (event) => this.#take(event));
    store.on("history", ({ events, isAnother }) => {
      if (isAnother) this.#put({ event: "trouble", text: "hapsim was started anew", time: Date.now() / 1000, isDivider: true });
      for (const event of events) this.#put(event);
      this.#again();
    });
    addEventListener("hashchange", () => this.#onlyHere && this.#again());
    setInterval(() => {
      say(this.#rate, this.#count > 0 ? `${this.#count} events a second` : "");
      this.#count = 0;
    }, 1000);
  }

  #put(event) {
    this.#entries.push(event);
    if (this.#entries.length > ROOM * 2) this.#entries.splice(0, this.#entries.length - ROOM);
  }

  #take(event) {
    this.#count += 1;
    this.#put(event);
    if (this.#isPaused || !this.#isShown(event)) return;
    this.#fresh.push(event);
    const isCrowded = performance.now() - this.#flushed < PAUSE && this.#count > MANY / 4;
    if (!isCrowded) return soon(this.#flush);
    if (this.#fresh.length > LOT) this.#fresh.shift();
    this.#timer ??= setTimeout(() => soon(this.#flush), PAUSE);
  }

  #isShown(event) {
    if (event.isDivider) return true;
    if (!this.#shownGroups.has(groupOf(event))) return false;
    if (this.#onlyHere && event.number !== route().number) return false;
    return this.#words === "" || `${event.accessory ?? ""} ${event.event} ${event.text}`.toLowerCase().includes(this.#words);
  }

  /** New rows in front; whoever reads further down keeps the place. */
  #flush = () => {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushed = performance.now();
    const fresh = this.#fresh.splice(0).reverse().map(row);
    this.#list.prepend(...fresh);
    while (this.#list.childElementCount > ROOM) this.#list.lastElementChild.remove();
  };

  /** Everything anew, as the filters have it. */
  #again() {
    this.#fresh = [];
    this.#list.replaceChildren(...this.#entries.filter((event) => this.#isShown(event)).slice(-ROOM).reverse().map(row));
  }
}

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3, hourCycle: "h23" });

function row(event) {
  const group = groupOf(event);
  return h("li", { class: `log-row ${group}${event.isDivider ? " divider" : ""}` },
    h("time", null, clock.format(event.time * 1000)), event.accessory ? h("span", { class: "log-who" }, event.accessory) : null,
    h("span", { class: "log-kind" }, event.event === "refused" || group === "refused" ? `✕ ${event.event}` : event.event), h("span", { class: "log-text" }, event.text ?? ""),
    event.reason && !(event.text ?? "").includes(event.reason) ? h("span", { class: "log-reason" }, event.reason) : null);
}
