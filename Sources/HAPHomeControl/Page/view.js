// The part of the page that the address names.

import { accessoryView } from "./accessory.js";
import { Scope } from "./cells.js";
import { h } from "./dom.js";
import { focused } from "./focus.js";
import { peopleView } from "./people.js";
import { roomsView } from "./rooms.js";
import { route } from "./route.js";
import { scenesView } from "./scenes.js";
import { triggersView } from "./triggers.js";
import { welcomeView } from "./welcome.js";

const MAKERS = { rooms: roomsView, scenes: scenesView, triggers: triggersView, people: peopleView, accessory: accessoryView };
const RIGHTS = {
  administrator: "You are an administrator: you can control the accessories and execute the scenes here, and change the home at the hub of its owner.",
  guest: "You are a guest: you can control the accessories and execute the scenes, but not change the home.",
};
const EDITOR = "You are an administrator: you can change everything but its people.";

/** A view is `{ title, node, update }`: `update()` applies a newer answer and returns whether it could; otherwise the view is built again. */
export class View {
  #scope = new Scope();
  #view = null;
  /** The route of the view, and what it was built for. */
  #shown = null;

  constructor(store, container) {
    this.store = store;
    this.container = container;
    store.on("home", () => this.#update());
    addEventListener("hashchange", () => this.#build());
  }

  #update() {
    const isSame = this.#shown !== null && this.#shown.subject === subjectOf(this.store.model);
    if (!isSame || !this.#view.update()) this.#build();
  }

  /** Builds the view. The focus returns to the same element; if the view changed, it moves to the tile of the accessory before, or to the heading. */
  #build() {
    const { model } = this.store;
    if (!this.store.isLoaded) return;
    const before = this.#shown;
    const { view, id, iid } = route();
    this.#shown = { view, id, subject: subjectOf(model) };
    const isTurned = before !== null && (before.view !== view || before.id !== id);
    const restore = isTurned ? null : focused(this.container);
    const isFocusHere = this.container.contains(document.activeElement);
    this.#scope.end();
    this.#view = (model === null ? welcomeView : MAKERS[view])(this.store, this.#scope, { id, iid });
    this.container.replaceChildren(...[whose(model), this.#view.node].filter(Boolean));
    document.title = model === null ? "Home" : `${this.#view.title} – ${model.detail.name}`;
    if (!isTurned) restore?.();
    else if (isFocusHere) this.#focusTop(before);
    if (isTurned) scrollTo(0, 0);
    if (iid !== null && (before === null || isTurned)) this.container.querySelector(`[data-iid="${CSS.escape(iid)}"]`)?.scrollIntoView({ block: "center" });
  }

  #focusTop(before) {
    const tile = before.id === null ? null : this.container.querySelector(`.tile[data-accessory="${CSS.escape(before.id)}"] a`);
    (tile ?? this.container.querySelector("h2"))?.focus();
  }
}

/** The home, and what the user may do in it. */
const subjectOf = (model) => model && JSON.stringify([model.id, model.isOwner, model.canEdit]);

/** Whose home it is and what the user may do, in a home of another person. */
function whose(model) {
  if (model === null || model.isOwner) return null;
  const { sharedBy, role } = model.detail;
  return h("p", { class: "whose" }, h("strong", null, `This is the home of ${sharedBy}.`), ` ${model.canEdit ? EDITOR : RIGHTS[role]}`);
}
