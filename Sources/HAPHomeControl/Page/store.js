// The state of the page: the homes of the hub and the shown one, updated by the hub's events.

import * as api from "./api.js";
import { settled } from "./frames.js";
import { Live } from "./live.js";
import { HomeModel } from "./model.js";

/** The home that the user chose in this tab. */
const KEY = "hapsim-home";
/** A home with more accessories is large, and is loaded at most every `LARGE_HOME_GAP` ms. */
const LARGE_HOME = 100;
const LARGE_HOME_GAP = 2000;
/** Events after which the home is loaded again: they change more than the page can apply itself. */
const ABOUT_HOME = new Set(["changed", "evaluated", "executed"]);
/** Events of the hub that the parts of the page get, too. */
const TOLD = new Set(["reachability", "person", "evaluated", "executed", "setup"]);

/**
 * Sends these DOM events: `homes` the list of homes; `home` the shown home was loaded; `reachability`, `person`, `evaluated`, `executed` and
 * `setup` with the event of the hub; `state` the connection.
 */
export class Store extends Live {
  /** null before the first answer. */
  homes = null;
  /** null without a home, and before the home is loaded. */
  model = null;
  /** Whether the shown home was loaded, or the hub said that there is none. */
  isLoaded = false;
  /** Identifies the process of the hub. */
  run;
  /** Whether the hub belongs to the user. */
  isHubOwner = false;
  #wanted = sessionStorage.getItem(KEY);
  /** For each load of the home that is under way, the events since it began. They are newer than its answer. */
  #meanwhile = new Set();
  /** The load that began last. */
  #last = null;

  constructor() {
    super();
    this.refresh = settled(120, () => this.quietly(() => this.load()), () => (this.model?.accessories.length > LARGE_HOME ? LARGE_HOME_GAP : 0));
  }

  /** Loads everything. Returns the number of the last event and the run of the hub. */
  async begin() {
    const { lastEvent, run, isOwner } = await api.index();
    this.run = run;
    this.isHubOwner = isOwner;
    await this.load();
    return { after: lastEvent, run };
  }

  /** Loads the list of homes and the shown home. If a load that began later was faster, waits for the last one instead. */
  load() {
    const load = this.#load();
    this.#last = load;
    return load;
  }

  async #load() {
    const homes = await this.newest("homes", () => api.homes());
    if (!homes) return this.#last;
    this.homes = homes;
    this.tell("homes");
    return this.#loadHome(this.chosen?.id ?? null);
  }

  async #loadHome(id) {
    const meanwhile = [];
    this.#meanwhile.add(meanwhile);
    let detail = null;
    try {
      detail = await this.newest("home", async () => (id === null ? { isNone: true } : api.home(id)));
    } finally {
      this.#meanwhile.delete(meanwhile);
    }
    if (!detail) return this.#last;
    if (detail.isNone) this.model = null;
    else if (this.model?.id === id) this.model.take(detail);
    else this.model = new HomeModel(detail);
    for (const event of meanwhile) this.#apply(event);
    this.isLoaded = true;
    this.tell("home");
  }

  /** The home that is shown, or will be shown when it is loaded: one of `homes`; undefined without a home. */
  get chosen() {
    return this.homes.find((home) => home.id === this.#wanted) ?? this.homes.find((home) => home.isPrimary) ?? this.homes[0];
  }

  /** Shows another home. */
  async show(id) {
    this.#wanted = id;
    sessionStorage.setItem(KEY, id);
    await this.load();
  }

  /** Sends a command, and loads its effect. */
  async perform(command, members) {
    await api.perform(command, members);
    await this.load();
  }

  receive(event) {
    for (const events of this.#meanwhile) events.push(event);
    this.#apply(event);
    if (TOLD.has(event.event)) this.tell(event.event, event);
    if (ABOUT_HOME.has(event.event)) this.refresh();
  }

  /** Changes the shown home as an event says. */
  #apply(event) {
    switch (event.event) {
      case "values":
        for (const { characteristic, value } of event.values) if (value !== undefined) this.model?.cells.get(characteristic)?.set(value);
        break;
      case "reachability":
        this.model?.setReachable(event);
        break;
      case "person": {
        const user = this.model?.detail.users.find((user) => user.id === event.person.user);
        if (user) user.place = event.person.place;
        break;
      }
      case "evaluated": {
        const trigger = this.model?.detail.triggers.find((trigger) => trigger.id === event.evaluation.trigger);
        if (trigger) trigger.lastEvaluation = event.evaluation;
        break;
      }
    }
  }
}
