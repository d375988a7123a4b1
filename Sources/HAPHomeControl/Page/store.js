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

/**
 * Sends these DOM events: `homes` the list of homes; `home` the shown home was loaded; `reachability`; `person`; `evaluated`, `executed` and
 * `setup` with the event of the hub; `state` the connection.
 */
export class Store extends Live {
  /** null before the first answer. */
  homes = null;
  /** null without a home. */
  model = null;
  /** Identifies the process of the hub. */
  run;
  /** Whether the hub belongs to the user. */
  isHubOwner = false;
  #wanted = sessionStorage.getItem(KEY);
  /** Events during the load of the home, which are newer than its answer. */
  #meanwhile = null;

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

  /** Loads the list of homes and the shown home. */
  async load() {
    const homes = await this.newest("homes", () => api.homes());
    if (!homes) return;
    this.homes = homes;
    const shown = homes.find((home) => home.id === this.#wanted) ?? homes.find((home) => home.isPrimary) ?? homes[0];
    this.tell("homes");
    await this.#loadHome(shown?.id ?? null);
  }

  async #loadHome(id) {
    const meanwhile = [];
    this.#meanwhile = meanwhile;
    let detail = null;
    try {
      detail = await this.newest("home", async () => (id === null ? { isNone: true } : api.home(id)));
    } finally {
      if (this.#meanwhile === meanwhile) this.#meanwhile = null;
    }
    if (!detail) return;
    if (detail.isNone) this.model = null;
    else if (this.model?.id === id) this.model.take(detail);
    else this.model = new HomeModel(detail);
    for (const event of meanwhile) this.#take(event);
    this.tell("home");
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
    this.#meanwhile?.push(event);
    this.#take(event);
    if (ABOUT_HOME.has(event.event)) this.refresh();
  }

  #take(event) {
    switch (event.event) {
      case "values":
        for (const { characteristic, value } of event.values) if (value !== undefined) this.model?.cells.get(characteristic)?.set(value);
        break;
      case "reachability":
        this.model?.setReachable(event);
        this.tell("reachability");
        break;
      case "person": {
        const user = this.model?.detail.users.find((user) => user.id === event.person.user);
        if (user) user.place = event.person.place;
        this.tell("person");
        break;
      }
      case "evaluated":
      case "executed":
      case "setup":
        this.tell(event.event, event);
        break;
    }
  }
}
