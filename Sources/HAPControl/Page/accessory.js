// The view of one accessory: its head, and tabs.

import { Scope } from "./cells.js";
import { controllersPanel } from "./controllers.js";
import { h } from "./dom.js";
import { faultsPanel } from "./faults.js";
import { focusRow, focused } from "./focus.js";
import { accessoryHead, bridgedHead } from "./head.js";
import { overview } from "./overview.js";
import { matterPanel } from "./matter.js";
import { mainService } from "./pictures.js";
import { profilePanel } from "./profile.js";
import { address, route } from "./route.js";
import { serviceCards } from "./services.js";
import { setupPlace } from "./setup-place.js";
import { stallSwitch } from "./stall.js";
import { tabs } from "./tabs.js";
import { tiles } from "./tiles.js";

export class AccessoryView {
  #scope = new Scope();
  #tabs = null;
  /** The names of the tabs in the address. */
  #names = [];
  /** The accessory that is shown: `{ number, aid }`. */
  #shown = null;

  constructor(store, container) {
    this.store = store;
    this.container = container;
    store.on("shown", ({ isGone }) => this.show(isGone));
    // The overview uses the values of the list; the view of an accessory loads its own.
    store.on("states", ({ isNew }) => isNew && route().number === null && this.show(false));
    store.on("happened", (event) => event.event === "identify" && this.#identify(event));
    addEventListener("hashchange", () => this.follow());
  }

  /** Shows the accessory and the part of it that the page's address names. */
  async follow() {
    const { number } = route();
    const isHere = this.store.model?.number === number;
    const shown = this.store.show(number).catch(() => {
      // The accessory is loaded again after the next connection.
    });
    if (isHere) this.#turn();
    await shown;
  }

  /** Shows another part of the current accessory. */
  #turn() {
    const { aid, iid, tab } = route();
    if (this.#shown?.aid !== aid) return this.show(false);
    this.#tabs?.choose(this.#place(tab));
    if (iid !== null) this.#point();
  }

  /** An accessory that is no Matter node does not have all tabs. */
  #place(tab) {
    return Math.max(0, this.#names.indexOf(tab));
  }

  /**
   * Rebuilds the pane. The focus returns to the same element if it still exists. If another accessory is shown, the focus moves to its
   * heading. If the overview or the bridge is shown again, the focus moves to the tile of the accessory that was shown before.
   */
  show(isGone) {
    const { model } = this.store;
    const { aid, iid, tab, number } = route();
    const before = this.#shown;
    this.#shown = { number, aid };
    const isFocusHere = this.container.contains(document.activeElement);
    const isTurned = before !== null && (before.number !== number || before.aid !== aid);
    const focus = !isFocusHere ? null : isTurned ? () => this.#focusTop(before) : focused(this.container);
    this.#scope.end();
    this.#tabs = null;
    const accessory = model && (aid === null ? model.root : model.accessory(aid));
    if (!accessory) {
      this.container.replaceChildren(number !== null && (isGone || model) ? gone() : overview(this.store, this.#scope));
      document.title = "hapsim";
      return isFocusHere && this.#focusTop(before);
    }
    const context = { number: model.number, scope: this.#scope, store: this.store, aboutControl: stallSwitch };
    const isRoot = accessory === model.root;
    const head = isRoot ? accessoryHead(this.store, model, context) : bridgedHead(this.store, model, accessory, context);
    const services = () => {
      const cards = serviceCards(accessory, { ...context, shownLarge: mainService(accessory) });
      return isRoot && model.isBridge ? [tiles(model, context), ...cards] : cards;
    };
    const panels = [
      ["services", model.isBridge ? "Accessories" : "Services", services], ["controllers", "Controllers", () => controllersPanel(this.store, context)],
      ...(model.isMatterNode ? [["matter", "Matter", () => matterPanel(this.store, context)]] : []),
      ["faults", "Faults", () => faultsPanel(this.store, context)], ["profile", "Profile", () => profilePanel(this.store, context)],
    ];
    this.#names = panels.map(([name]) => name);
    this.#tabs = isRoot ? tabs(panels.map(([, ...panel]) => panel), model.detail.name, {
      chosen: this.#place(tab),
      onChoice: (index) => history.replaceState(null, "", address(model.number, { aid, tab: this.#names[index] })),
    }) : null;
    this.container.replaceChildren(head, ...(this.#tabs ? [this.#tabs] : services().filter(Boolean)));
    setupPlace(this.container, head, this.#scope);
    focus?.();
    document.title = `${accessory.name} – hapsim`;
    if (iid !== null) this.#point();
  }

  #focusTop(before) {
    const tile = before?.number && route().number === null
      ? this.container.querySelector(`.tile[data-number="${before.number}"]${before.aid ? `[data-aid="${CSS.escape(before.aid)}"]` : ""} a`)
      : before?.aid ? this.container.querySelector(`.tile[data-aid="${CSS.escape(before.aid)}"] a`) : null;
    (tile ?? this.container.querySelector("h2"))?.focus();
  }

  /** Scrolls to the characteristic that the address names, and removes it from the address, so that the same link works again. */
  #point() {
    const { number, aid, iid } = route();
    history.replaceState(null, "", address(number, { aid }));
    const id = `${aid ?? this.store.model.root.aid}.${iid}`;
    for (const box of this.container.querySelectorAll(".backstage details")) box.reveal(id);
    const row = this.container.querySelector(`[data-address="${CSS.escape(id)}"]`);
    if (!row) return;
    row.scrollIntoView({ block: "center" });
    focusRow(row);
    row.classList.add("pointed");
    setTimeout(() => row.classList.remove("pointed"), 2500);
  }

  #identify(event) {
    const { model } = this.store;
    if (!model || event.number !== model.number) return;
    const aid = String(event.aid);
    const scene = (this.#shown?.aid ?? "1") === aid ? this.container.querySelector("#scene") : this.container.querySelector(`.tile[data-aid="${CSS.escape(aid)}"]`);
    if (!scene) return;
    scene.classList.add("identifying");
    setTimeout(() => scene.classList.remove("identifying"), Math.max(1, event.seconds ?? 3) * 1000);
  }
}

const gone = () => h("div", { class: "welcome" }, h("h2", { tabindex: "-1" }, "Accessory not found"), h("p", null, "This accessory is not served. ", h("a", { href: "#/" }, "Back to the list")));
