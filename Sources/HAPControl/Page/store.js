// What the page knows, kept up to date by the server's events.

import * as api from "./api.js";
import { settled } from "./frames.js";
import { Model } from "./model.js";

/** Events after which an accessory may look otherwise than its values say. */
const ABOUT_LIST = new Set([
  "connected", "disconnected", "verified", "paired", "unpaired", "fault", "radio", "restarted", "reconfigured", "renamed", "added", "removed",
]);
const ABOUT_DETAIL = new Set(["paired", "unpaired", "fault", "radio", "restarted", "reconfigured", "reachable", "renamed", "advertised", "removed"]);
const ABOUT_CONTROLLERS = new Set(["connected", "disconnected", "verified", "paired", "unpaired", "subscribed", "unsubscribed"]);

/**
 * Tells by DOM events of its own:
 * `list` the accessories; `shown` another accessory, or another shape of the same; `head` its numbers and switches; `controllers`; `faults`;
 * `happened` one event of the server; `state` the connection; `clock`; `scenario`.
 */
export class Store extends EventTarget {
  summaries = [];
  model = null;
  state = "connecting";
  clock = null;
  scenario = null;
  lastEvent = 0;
  #wanted = null;
  #lastTime = null;
  /** Values that came while the accessory was asked for: they are newer than its answer. */
  #meanwhile = null;

  constructor() {
    super();
    this.refreshList = settled(120, () => this.#quietly(() => this.loadList()));
    this.refreshDetail = settled(120, () => this.#quietly(() => this.loadDetail()));
    this.refreshControllers = settled(150, () => this.#quietly(() => this.loadControllers()));
    this.refreshScenario = settled(100, () => this.#quietly(() => this.loadScenario()));
  }

  tell(name, detail) {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  on(name, job) {
    const listener = (event) => job(event.detail);
    this.addEventListener(name, listener);
    return () => this.removeEventListener(name, listener);
  }

  /** A load that nobody asked for by hand: when it fails, the next event or connection brings it again. */
  async #quietly(load) {
    try {
      await load();
    } catch {
      // The connection's own loss is told by `state`.
    }
  }

  // Loading

  /** Brings everything up to date. Returns the number of the event behind which to go on, and what the log has to take in. */
  async begin() {
    const { lastEvent } = await api.index();
    const isSame = await this.#isSameProcess(lastEvent);
    const from = isSame ? this.lastEvent : 0;
    const { last, events } = await api.log(from, 500);
    const wasThere = this.lastEvent > 0 || this.#lastTime !== null;
    this.tell("history", { events, isAnother: wasThere && !isSame });
    this.lastEvent = last;
    this.#lastTime = events.at(-1)?.time ?? (isSame ? this.#lastTime : null);
    await Promise.all([this.loadList(), this.loadDetail(), this.loadClock(), this.loadScenario()]);
    return last;
  }

  /** Whether the event seen last is known there as the same. */
  async #isSameProcess(lastEvent) {
    if (this.lastEvent === 0) return this.#lastTime === null;
    if (lastEvent < this.lastEvent) return false;
    const { events } = await api.log(this.lastEvent - 1, 2000);
    const same = events.find((event) => event.seq === this.lastEvent);
    return same === undefined || this.#lastTime === null || same.time === this.#lastTime;
  }

  async loadList() {
    this.summaries = await api.accessories();
    this.tell("list");
  }

  async loadDetail() {
    const number = this.#wanted;
    if (number === null) return;
    const meanwhile = [];
    this.#meanwhile = meanwhile;
    let detail;
    try {
      detail = await api.accessory(number);
    } catch (error) {
      if (error.status !== 404 || number !== this.#wanted) throw error;
      this.model = null;
      return this.tell("shown", { isGone: true });
    } finally {
      if (this.#meanwhile === meanwhile) this.#meanwhile = null;
    }
    if (number !== this.#wanted) return;
    const isNew = this.model?.number !== number;
    if (isNew) this.model = new Model(detail);
    const hasShape = isNew || this.model.take(detail);
    for (const event of meanwhile) this.#take(event);
    if (hasShape) this.tell("shown", { isGone: false });
    this.tell("head");
    this.tell("controllers");
    this.tell("faults");
  }

  async loadControllers() {
    const model = this.model;
    if (!model) return;
    const [pairings, connections] = await Promise.all([api.pairings(model.number), api.connections(model.number)]);
    Object.assign(model.detail, { pairings, connections });
    this.tell("controllers");
  }

  async loadClock() {
    this.clock = { ...(await api.clock()), at: performance.now() };
    this.tell("clock");
  }

  async loadScenario() {
    this.scenario = await api.scenario();
    this.tell("scenario");
  }

  /** Shows an accessory, or with null none. */
  async show(number) {
    if (this.#wanted === number) return;
    this.#wanted = number;
    if (number === null) {
      this.model = null;
      return this.tell("shown", { isGone: false });
    }
    await this.loadDetail();
  }

  // Events

  setState(state) {
    this.state = state;
    this.tell("state");
  }

  receive(event) {
    this.lastEvent = event.seq;
    this.#lastTime = event.time;
    if (this.clock && event.now > this.#nowOf(this.clock)) Object.assign(this.clock, { now: event.now, at: performance.now() });
    const isShown = event.number !== undefined && event.number === this.#wanted;
    if (isShown) {
      this.#meanwhile?.push(event);
      this.#take(event);
      if (ABOUT_DETAIL.has(event.event)) this.refreshDetail();
      else if (ABOUT_CONTROLLERS.has(event.event)) this.refreshControllers();
    }
    if (ABOUT_LIST.has(event.event)) this.refreshList();
    if (event.event === "scenario" || event.event === "note") this.refreshScenario();
    this.tell("happened", event);
  }

  /** A value that was written by a controller, or changed at the device. */
  #take(event) {
    if (event.event !== "changed" && event.event !== "wrote") return;
    this.model?.cells.get(`${event.aid}.${event.iid}`)?.set(event.value);
  }

  /** Simulated seconds by now. */
  get now() {
    return this.clock ? this.#nowOf(this.clock) : null;
  }

  #nowOf(clock) {
    return clock.now + (clock.scale * (performance.now() - clock.at)) / 1000;
  }

  summary(number) {
    return this.summaries.find((summary) => summary.number === number);
  }
}
