// What the page knows, kept up to date by the server's events.

import * as api from "./api.js";
import { settled } from "./frames.js";
import { Model } from "./model.js";
import { setPace } from "./pace.js";

/** Events after which an accessory may look otherwise than its values say. */
const ABOUT_LIST = new Set([
  "connected", "disconnected", "verified", "paired", "unpaired", "fault", "radio", "restarted", "reconfigured", "renamed", "added", "removed", "stopped",
  "trouble",
]);
/** One that is added may be the one that was looked for: after a restart of the process it has the number of another. */
const ABOUT_DETAIL = new Set([
  "paired", "unpaired", "fault", "radio", "announced", "restarted", "reconfigured", "reachable", "renamed", "advertised", "added", "removed", "stopped",
  "trouble",
]);
const ABOUT_CONTROLLERS = new Set(["connected", "disconnected", "verified", "paired", "unpaired", "subscribed", "unsubscribed"]);
/** Events why something was refused: the log gets them from further back than others. */
const REFUSALS = ["refused", "trouble", "slow"];
/** So many events of the past are asked for. */
const PAST = 500;
/** A list of more is long: it is asked for every so many milliseconds at most. */
const LONG_LIST = 100;
const LONG_LIST_GAP = 2000;

/**
 * Tells by DOM events of its own:
 * `list` the accessories; `shown` another accessory, or another shape of the same; `head` its numbers and switches; `controllers`; `faults`;
 * `happened` one event of the server; `state` the connection; `clock`; `scenario`;
 * `served` a profile that was served from here.
 */
export class Store extends EventTarget {
  summaries = [];
  model = null;
  state = "connecting";
  clock = null;
  scenario = null;
  lastEvent = 0;
  /** Characteristics whose reads this page has stalled, `"1/1.10"`: the API doesn't tell which are. */
  stalled = new Set();
  /** How often another process answered than before. */
  processes = 0;
  /** Which process answered last: a text that no other has, or undefined where the server is too old to say. */
  run;
  #wanted = null;
  #lastTime = null;
  /** Values that came while the accessory was asked for: they are newer than its answer. */
  #meanwhile = null;

  constructor() {
    super();
    this.refreshList = settled(120, () => this.#quietly(() => this.loadList()), () => (this.summaries.length > LONG_LIST ? LONG_LIST_GAP : 0));
    this.refreshDetail = settled(120, () => this.#quietly(() => this.loadDetail()));
    this.refreshControllers = settled(150, () => this.#quietly(() => this.loadControllers()));
    this.refreshClock = settled(100, () => this.#quietly(() => this.loadClock()));
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
    const { lastEvent, run } = await api.index();
    const wasThere = this.lastEvent > 0 || this.#lastTime !== null || this.run !== undefined;
    const isSame = !wasThere || (run === undefined && this.run === undefined ? await this.#isSameByTime(lastEvent) : run === this.run);
    const from = isSame ? this.lastEvent : 0;
    const { last, events } = await api.log(from, PAST);
    const refusals = events.length === PAST ? await this.#refusals(from, events[0].seq) : [];
    if (!isSame) {
      this.processes += 1;
      this.stalled.clear();
    }
    this.run = run;
    this.tell("history", { events: [...refusals, ...events], isAnother: !isSame });
    this.lastEvent = last;
    this.#lastTime = events.at(-1)?.time ?? (isSame ? this.#lastTime : null);
    await Promise.all([this.loadList(), this.loadDetail(), this.loadClock(), this.loadScenario()]);
    return last;
  }

  /** Those that the other events have pushed out. A server that is too old to choose tells none. */
  async #refusals(from, before) {
    try {
      const { events } = await api.log(from, PAST, REFUSALS);
      return events.filter((event) => event.seq < before);
    } catch (error) {
      if (error.status === 400) return [];
      throw error;
    }
  }

  /** Whether the event seen last is known there as the same: a guess, where the server doesn't say which process it is. */
  async #isSameByTime(lastEvent) {
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
    setPace(this.clock);
    this.tell("clock");
  }

  async loadScenario() {
    this.scenario = await api.scenario();
    this.tell("scenario");
  }

  /** Shows an accessory, or with null none. One that is there already is asked for anew where another was wanted since: its events went by. */
  async show(number) {
    if (this.#wanted === number && (this.model !== null || number === null)) return;
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
    if (event.event === "restarted") this.#forgetStalled(`${event.number}/`);
    if (ABOUT_LIST.has(event.event)) this.refreshList();
    if (event.event === "scenario" || event.event === "note") this.refreshScenario();
    if (event.event === "clock") this.refreshClock();
    this.tell("happened", event);
  }

  /** What starts anew answers again. */
  #forgetStalled(prefix) {
    for (const key of this.stalled) if (key.startsWith(prefix)) this.stalled.delete(key);
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
