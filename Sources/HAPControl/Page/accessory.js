// What is shown of one accessory: its head, and tabs with the rest.

import { controllersPanel } from "./controllers.js";
import { h } from "./dom.js";
import { faultsPanel } from "./faults.js";
import { accessoryHead, bridgedHead } from "./head.js";
import { Scope } from "./model.js";
import { mainService } from "./pictures.js";
import { profilePanel } from "./profile.js";
import { TABS, address, route } from "./route.js";
import { serviceCards } from "./services.js";
import { tabs } from "./tabs.js";
import { tiles } from "./tiles.js";

export class AccessoryView {
  #scope = new Scope();
  #tabs = null;
  #shown = null;

  constructor(store, container) {
    this.store = store;
    this.container = container;
    store.on("shown", ({ isGone }) => this.show(isGone));
    store.on("happened", (event) => event.event === "identify" && this.#identify(event));
    addEventListener("hashchange", () => this.follow());
  }

  /** Goes where the address says. */
  async follow() {
    const { number, aid, tab } = route();
    if (this.store.model?.number !== number || number === null) {
      try {
        await this.store.show(number);
      } catch {
        // It comes with the next connection.
      }
      return;
    }
    if (this.#shown !== aid) this.show(false);
    else this.#tabs?.choose(TABS.indexOf(tab));
  }

  /** Builds the pane anew. Where the focus was on something that is there again, it is put there. */
  show(isGone) {
    this.#scope.end();
    this.#tabs = null;
    const { model } = this.store;
    const { aid, tab, number } = route();
    this.#shown = aid;
    if (!model) return this.container.replaceChildren(number !== null && isGone ? gone() : welcome(this.store));
    const focus = focused(this.container);
    const context = { number: model.number, scope: this.#scope, store: this.store };
    const accessory = aid === null ? model.root : model.accessory(aid);
    if (!accessory) return this.container.replaceChildren(gone());
    const isRoot = accessory === model.root;
    const head = isRoot ? accessoryHead(this.store, model, context) : bridgedHead(this.store, model, accessory, context);
    const services = () => {
      const cards = serviceCards(accessory, { ...context, shownLarge: mainService(accessory) });
      return isRoot && model.isBridge ? [tiles(model, context), ...cards] : cards;
    };
    const panels = isRoot
      ? [
          [model.isBridge ? "Accessories" : "Services", services], ["Controllers", () => controllersPanel(this.store, context)],
          ["Faults", () => faultsPanel(this.store, context)], ["Profile", () => profilePanel(this.store, context)],
        ]
      : [["Services", services]];
    this.#tabs = isRoot ? tabs(panels, model.detail.name, {
      chosen: Math.max(0, TABS.indexOf(tab)),
      onChoice: (index) => history.replaceState(null, "", address(model.number, { aid, tab: TABS[index] })),
    }) : null;
    this.container.replaceChildren(head, ...(this.#tabs ? [this.#tabs] : services().filter(Boolean)));
    focus?.();
    document.title = `${accessory.name} – hapsim`;
  }

  #identify(event) {
    const { model } = this.store;
    if (!model || event.number !== model.number) return;
    const aid = String(event.aid);
    const scene = (this.#shown ?? "1") === aid ? this.container.querySelector("#scene") : this.container.querySelector(`.tile[data-aid="${CSS.escape(aid)}"]`);
    if (!scene) return;
    scene.classList.add("identifying");
    setTimeout(() => scene.classList.remove("identifying"), Math.max(1, event.seconds ?? 3) * 1000);
  }
}

/** How to put the focus back, by the name of what has it. */
function focused(container) {
  const element = document.activeElement;
  if (!container.contains(element) || element === container) return null;
  const row = element.closest("[data-address]")?.dataset.address;
  const label = element.getAttribute("aria-label") ?? element.textContent;
  return () => {
    const place = row ? container.querySelector(`[data-address="${CSS.escape(row)}"]`) : container;
    const again = [...(place?.querySelectorAll(element.tagName) ?? [])].find((one) => (one.getAttribute("aria-label") ?? one.textContent) === label);
    again?.focus();
  };
}

const gone = () => h("div", { class: "welcome" }, h("h2", null, "It isn't there any more"), h("p", null, "This accessory is not served. ", h("a", { href: "#/" }, "Back to the list")));

const welcome = (store) => h("div", { class: "welcome" }, h("h2", null, store.summaries.length === 0 ? "No accessory yet" : "Choose an accessory"),
  h("p", null, store.summaries.length === 0 ? "Add one from the catalogue or from a profile." : "Its values follow its controllers, and what you do here happens at the device."));
