// The state of the page, updated by the server's events.

import * as api from "./api.js";
import { settled } from "./frames.js";
import { STATE_TYPES } from "./glance.js";
import { Live } from "./live.js";
import { Model } from "./model.js";
import { setPace } from "./pace.js";

/** Events after which the list may differ in more than values. */
const ABOUT_LIST = new Set([
  "connected", "disconnected", "verified", "paired", "unpaired", "fault", "radio", "restarted", "reconfigured", "renamed", "added", "removed", "stopped",
  "trouble",
]);
/** Events after which the details are loaded again. After a restart of the process, an added accessory may have the number of the shown one. */
const ABOUT_DETAIL = new Set([
  "paired", "unpaired", "fault", "radio", "announced", "restarted", "reconfigured", "reachable", "renamed", "advertised", "added", "removed", "stopped",
  "trouble", "window-opened", "window-closed", "subscription-began", "subscription-ended",
]);
/** Events after which the values of the list are loaded again, because an accessory was added, removed or has other services. */
const ABOUT_STATES = new Set(["restarted", "reconfigured", "reachable", "renamed", "added", "removed", "stopped"]);
const ABOUT_CONTROLLERS = new Set(["connected", "disconnected", "verified", "paired", "unpaired", "subscribed", "unsubscribed"]);
/** Events with the reason of a refusal. The log loads them from further back than others. */
const REFUSALS = ["refused", "trouble", "slow"];
/** Number of past events to load. */
const PAST = 500;
/** Number of messages of Matter that are kept, of all accessories together. */
const MESSAGES = 400;
/** A list with more accessories is long, and is loaded at most every `LONG_LIST_GAP` ms. */
const LONG_LIST = 100;
const LONG_LIST_GAP = 2000;

/**
 * Sends these DOM events: `list` the accessories changed; `states` the values of all accessories, and whether an accessory was added,
 * removed or has other services; `shown` another accessory, or another structure of the same; `head` its numbers and switches;
 * `controllers`; `faults`; `happened` an event of the server; `state` the connection; `clock`; `scenario`; `served` a profile was served
 * from this page.
 */
export class Store extends Live {
  summaries = [];
  /** By number, a `Model` of each accessory with the characteristics that show its state. */
  states = new Map();
  model = null;
  clock = null;
  scenario = null;
  lastEvent = 0;
  /** The latest messages of Matter, the oldest first. */
  messages = [];
  /** Characteristics whose reads this page has stalled, `"1/1.10"`. The API doesn't report them. */
  stalled = new Set();
  /** Number of times that a process other than the previous one answered. */
  processes = 0;
  /** Identifies the process that answered last; undefined for a server of an older version. */
  run;
  #wanted = null;
  #lastTime = null;
  /** For each load of the accessory that is under way, the events since it began. They are newer than its answer. */
  #meanwhile = new Set();
  /** The same for the values of the list. */
  #statesMeanwhile = new Set();

  constructor() {
    super();
    this.refreshList = settled(120, () => this.quietly(() => this.loadList()), () => (this.summaries.length > LONG_LIST ? LONG_LIST_GAP : 0));
    this.refreshStates = settled(120, () => this.quietly(() => this.loadStates()), () => (this.summaries.length > LONG_LIST ? LONG_LIST_GAP : 0));
    this.refreshDetail = settled(120, () => this.quietly(() => this.loadDetail()));
    this.refreshControllers = settled(150, () => this.quietly(() => this.loadControllers()));
    this.refreshClock = settled(100, () => this.quietly(() => this.loadClock()));
    this.refreshScenario = settled(100, () => this.quietly(() => this.loadScenario()));
  }

  // Loading

  /** Loads everything. Returns the number of the last event, and whether the number of the shown accessory belongs to another one now. */
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
    if (!isSame) this.messages = [];
    for (const event of events) this.#keepMessage(event);
    const deviceID = this.model?.detail.deviceID;
    this.tell("history", { events: [...refusals, ...events], isAnother: !isSame });
    this.lastEvent = last;
    this.#lastTime = events.at(-1)?.time ?? (isSame ? this.#lastTime : null);
    await Promise.all([this.loadStates(), this.loadDetail(), this.loadClock(), this.loadScenario()]);
    return { last, isStranger: !isSame && deviceID !== undefined && this.model !== null && this.model.detail.deviceID !== deviceID };
  }

  /** Loads refusals that other events pushed out of the log. A server of an older version returns none. */
  async #refusals(from, before) {
    try {
      const { events } = await api.log(from, PAST, REFUSALS);
      return events.filter((event) => event.seq < before);
    } catch (error) {
      if (error.status === 400) return [];
      throw error;
    }
  }

  /** Whether the server still has the last seen event unchanged. This guess is used if the server doesn't identify its process. */
  async #isSameByTime(lastEvent) {
    if (this.lastEvent === 0) return this.#lastTime === null;
    if (lastEvent < this.lastEvent) return false;
    const { events } = await api.log(this.lastEvent - 1, 2000);
    const same = events.find((event) => event.seq === this.lastEvent);
    return same === undefined || this.#lastTime === null || same.time === this.#lastTime;
  }

  async loadList() {
    const summaries = await this.newest("list", () => api.accessories());
    if (!summaries) return;
    this.summaries = summaries;
    for (const summary of this.summaries) Object.assign(this.states.get(summary.number)?.detail ?? {}, summary);
    this.tell("list");
  }

  /** Loads the list with the values that show the state of each accessory. */
  async loadStates() {
    const meanwhile = [];
    this.#statesMeanwhile.add(meanwhile);
    let summaries;
    try {
      summaries = await this.newest("states", () => api.accessories(STATE_TYPES));
    } finally {
      this.#statesMeanwhile.delete(meanwhile);
    }
    if (!summaries) return;
    const before = this.states;
    this.states = new Map();
    let isNew = before.size !== summaries.length;
    for (const summary of summaries) {
      const known = before.get(summary.number);
      const model = known ?? new Model(summary);
      if (!known || known.take(summary)) isNew = true;
      this.states.set(summary.number, model);
    }
    this.summaries = summaries;
    for (const event of meanwhile) this.#take(event, this.states.get(event.number));
    this.tell("states", { isNew });
    this.tell("list");
  }

  async loadDetail() {
    const number = this.#wanted;
    if (number === null) return;
    const meanwhile = [];
    this.#meanwhile.add(meanwhile);
    let detail;
    try {
      detail = await this.newest("detail", () => api.accessory(number));
    } catch (error) {
      if (error.status !== 404 || number !== this.#wanted) throw error;
      this.model = null;
      return this.tell("shown", { isGone: true });
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
    if (!detail || number !== this.#wanted) return;
    const isNew = this.model?.number !== number;
    if (isNew) this.model = new Model(detail);
    const hasShape = isNew || this.model.take(detail);
    for (const event of meanwhile) if (event.number === number) this.#take(event, this.model);
    if (hasShape) this.tell("shown", { isGone: false });
    this.tell("head");
    this.tell("controllers");
    this.tell("faults");
  }

  async loadControllers() {
    const model = this.model;
    if (!model) return;
    const answers = await this.newest("controllers", () => Promise.all([api.pairings(model.number), api.connections(model.number)]));
    if (!answers) return;
    const [pairings, connections] = answers;
    Object.assign(model.detail, { pairings, connections });
    this.tell("controllers");
  }

  async loadClock() {
    const clock = await this.newest("clock", () => api.clock());
    if (!clock) return;
    this.clock = { ...clock, at: performance.now() };
    setPace(this.clock);
    this.tell("clock");
  }

  async loadScenario() {
    const scenario = await this.newest("scenario", () => api.scenario());
    if (!scenario) return;
    this.scenario = scenario;
    this.tell("scenario");
  }

  /** Shows an accessory, or none for null. Loads it again if another one was requested since, because its events were missed. */
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

  receive(event) {
    this.lastEvent = event.seq;
    this.#lastTime = event.time;
    if (this.clock && event.now > this.#nowOf(this.clock)) Object.assign(this.clock, { now: event.now, at: performance.now() });
    for (const events of [...this.#meanwhile, ...this.#statesMeanwhile]) events.push(event);
    const isShown = event.number !== undefined && event.number === this.#wanted;
    if (isShown) {
      this.#take(event, this.model);
      // A session of Matter is counted in the details.
      if (ABOUT_DETAIL.has(event.event) || (event.event === "verified" && this.model?.detail.matter)) this.refreshDetail();
      else if (ABOUT_CONTROLLERS.has(event.event)) this.refreshControllers();
    }
    if (event.event === "restarted") this.#forgetStalled(`${event.number}/`);
    this.#take(event, this.states.get(event.number));
    if (ABOUT_STATES.has(event.event)) this.refreshStates();
    else if (ABOUT_LIST.has(event.event)) this.refreshList();
    if (event.event === "scenario" || event.event === "note") this.refreshScenario();
    if (event.event === "clock") this.refreshClock();
    this.#keepMessage(event);
    this.tell("happened", event);
  }

  #keepMessage(event) {
    if (event.event !== "message") return;
    this.messages.push(event);
    if (this.messages.length > 2 * MESSAGES) this.messages.splice(0, MESSAGES);
  }

  /** A restart ends all stalls. */
  #forgetStalled(prefix) {
    for (const key of this.stalled) if (key.startsWith(prefix)) this.stalled.delete(key);
  }

  /** Applies a value that a controller wrote, or that changed at the device. */
  #take(event, model) {
    if (event.event !== "changed" && event.event !== "wrote") return;
    model?.cells.get(`${event.aid}.${event.iid}`)?.set(event.value);
  }

  /** Current simulated time in seconds, or the time when the connection was lost. */
  get now() {
    return this.clock ? this.#nowOf(this.clock) : null;
  }

  #nowOf(clock) {
    return clock.now + (clock.scale * Math.max(0, (this.lostAt ?? performance.now()) - clock.at)) / 1000;
  }

  summary(number) {
    return this.summaries.find((summary) => summary.number === number);
  }
}
