// The log of events as they happen. Each refused request has its reason.

import { h, identifier, say } from "./dom.js";
import { saveFile } from "./files.js";
import { soon } from "./frames.js";
import { LogRow, reasonOf } from "./log-row.js";
import { route } from "./route.js";
import { count } from "./words.js";

/**
 * The number of entries kept for each group, and of rows shown. Rows with refusals have a separate limit of the same size, so that
 * other events don't remove them.
 */
const ROOM = 300;
/** Number of entries kept in all rows together, for the file. Each row keeps at least its latest one. */
const ENTRIES = 2 * ROOM;
/** At more than `MANY` events per second, rows are added in batches every `PAUSE` ms: the latest `LOT` of each batch, and all refusals. */
const MANY = 60;
const LOT = 15;
const PAUSE = 250;
const KEY = "hapsim-log";

const GROUPS = {
  values: ["Values", ["changed", "wrote"]],
  told: ["Sent", ["told"]],
  requests: ["Requests", ["requested", "message"]],
  refused: ["Refused", ["refused", "trouble", "slow"]],
  controllers: ["Controllers", ["connected", "disconnected", "verified", "paired", "unpaired", "subscribed", "unsubscribed", "window-opened", "window-closed", "subscription-began", "subscription-ended"]],
};
const GROUP_OF = new Map(Object.entries(GROUPS).flatMap(([group, [, events]]) => events.map((event) => [event, group])));
const groupOf = (event) => ((event.event === "requested" && event.reason) || (event.event === "message" && event.problem) ? "refused" : (GROUP_OF.get(event.event) ?? "other"));
const isRefusal = (entry) => entry.group === "refused";

export class Log {
  #list = h("ol", { class: "log-rows", tabindex: "0", "aria-label": "Events, the latest first", on: { keydown: (event) => this.#onKey(event) } });
  /** The latest entries of each group, the oldest first: `{ event, group, order }`. */
  #kept = new Map([...Object.keys(GROUPS), "other"].map((group) => [group, []]));
  #order = 0;
  /** Entries that wait for their row. */
  #fresh = [];
  /** Rows that are shown, the oldest first. */
  #rows = { refusals: [], rest: [] };
  /** The row of the latest event. */
  #latest = null;
  #rate = h("span", { class: "fine rate" });
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
      say(pause, this.#isPaused ? "Resume" : "Pause");
      if (!this.#isPaused) this.#again();
    } } }, "Pause");
    const save = h("button", { type: "button", class: "small", on: { click: () => saveFile("hapsim-log.txt", this.#text(), "text/plain") } }, "Save");
    container.append(
      h("header", { class: "bar" }, h("h2", null, "Log"), search, pause, save),
      h("fieldset", { class: "checks" }, h("legend", { class: "unseen" }, "Shown events"), boxes, h("span", { class: "check" }, here, h("label", { for: here.id }, "Only this accessory")), this.#rate),
      this.#list);
    store.on("happened", (event) => this.#take(event));
    store.on("history", ({ events, isAnother }) => {
      if (isAnother) this.#put({ event: "trouble", text: "hapsim was restarted", time: Date.now() / 1000, isDivider: true });
      for (const event of events) this.#put(event);
      this.#again();
    });
    addEventListener("hashchange", () => this.#onlyHere && this.#again());
    setInterval(() => {
      say(this.#rate, this.#count > 0 ? `${count(this.#count, "event")} a second` : "");
      this.#count = 0;
    }, 1000);
  }

  #put(event) {
    const entry = { event, group: groupOf(event), order: this.#order++ };
    const kept = this.#kept.get(entry.group);
    kept.push(entry);
    if (kept.length > ROOM * 2) kept.splice(0, kept.length - ROOM);
    return entry;
  }

  #take(event) {
    this.#count += 1;
    const entry = this.#put(event);
    if (this.#isPaused || !this.#isShown(entry)) return;
    this.#fresh.push(entry);
    const isCrowded = performance.now() - this.#flushed < PAUSE && this.#count > MANY / 4;
    // While nothing is drawn, for example in a hidden window, the queue is limited too.
    if (this.#fresh.length > (isCrowded ? LOT : ROOM)) this.#dropOne();
    if (!isCrowded) return soon(this.#flush);
    this.#timer ??= setTimeout(() => soon(this.#flush), PAUSE);
  }

  /** Drops the oldest queued entry that is no refusal. Refusals are dropped only beyond `ROOM`. */
  #dropOne() {
    const at = this.#fresh.findIndex((entry) => !isRefusal(entry));
    if (at >= 0) this.#fresh.splice(at, 1);
    else if (this.#fresh.length > ROOM) this.#fresh.shift();
  }

  #isShown({ event, group }) {
    if (event.isDivider) return true;
    if (!this.#shownGroups.has(group)) return false;
    if (this.#onlyHere && event.number !== route().number) return false;
    return this.#words === "" || `${event.accessory ?? ""} ${event.event} ${event.text}`.toLowerCase().includes(this.#words);
  }

  /** Adds new rows at the top. A reader who has scrolled down keeps the position. */
  #flush = () => {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#flushed = performance.now();
    const fresh = this.#fresh.splice(0);
    this.#list.prepend(...this.#rowsOf(fresh).reverse());
    for (const rows of Object.values(this.#rows)) {
      for (const row of rows.splice(0, Math.max(0, rows.length - ROOM))) row.node.remove();
    }
    this.#dropEntries();
  };

  /** Limits the entries of all rows, because rows can combine many events. The oldest are dropped first, those of refusals last. */
  #dropEntries() {
    const rows = [...this.#rows.rest, ...this.#rows.refusals];
    let surplus = rows.reduce((sum, row) => sum + row.entries.length, 0) - ENTRIES;
    for (const row of rows) {
      if (surplus <= 0) return;
      surplus -= row.drop(surplus);
    }
  }

  /** Returns the elements of new rows, the oldest first. An entry equal to the row before it is added to that row. */
  #rowsOf(entries) {
    const nodes = [];
    for (const entry of entries) {
      if (this.#latest?.take(entry)) continue;
      const row = new LogRow(entry);
      this.#latest = row;
      this.#rows[isRefusal(entry) ? "refusals" : "rest"].push(row);
      nodes.push(row.node);
    }
    return nodes;
  }

  /** Rebuilds the list with the current filters. */
  #again() {
    this.#fresh = [];
    this.#rows = { refusals: [], rest: [] };
    this.#latest = null;
    const shown = [...this.#kept.values()].flat().filter((entry) => this.#isShown(entry)).sort((one, other) => one.order - other.order);
    const refusals = shown.filter(isRefusal).slice(-ROOM);
    const rest = shown.filter((entry) => !isRefusal(entry)).slice(-ROOM);
    const both = [...refusals, ...rest].sort((one, other) => one.order - other.order);
    this.#list.replaceChildren(...this.#rowsOf(both).reverse());
  }

  /** The shown entries as text, the oldest first. */
  #text() {
    const entries = Object.values(this.#rows).flat().flatMap((row) => row.entries).sort((one, other) => one.order - other.order);
    return entries.map(({ event }) => `${[new Date(event.time * 1000).toISOString(), event.accessory, event.event, event.text, reasonOf(event)].filter(Boolean).join("  ")}\n`).join("");
  }

  /** Arrow keys move along rows with a link or a box. They are no tab stops, because there are hundreds. */
  #onKey(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = step ? [...this.#list.querySelectorAll("a, summary")].filter((link) => link.checkVisibility()) : [];
    if (links.length === 0) return;
    const at = links.indexOf(document.activeElement);
    const next = at < 0 ? (step > 0 ? 0 : -1) : at + step;
    if (!links[next]) return;
    event.preventDefault();
    links[next].focus();
  }
}
