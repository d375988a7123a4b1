// The list at the side: accessories and bridges, each with its state and a mark that shows whether it runs.

import { Scope } from "./cells.js";
import { h, say } from "./dom.js";
import { glanceOf } from "./glance.js";
import { busyCell, pictureOf, pictureOfCategory } from "./pictures.js";
import { address, route } from "./route.js";
import { keptRows } from "./rows.js";
import { category, count } from "./words.js";

/** Above this number of accessories, the list has a search field. */
const FEW = 20;
/** Above this number of accessories, only visible rows are laid out. */
const MANY = 100;

export class List {
  #list = h("ul", { class: "accessories" });
  #head = h("h2", { class: "fine" });
  #overview = h("a", { class: "to-overview", href: "#/" }, "Overview");
  #search = h("input", { type: "search", "aria-label": "Find an accessory", placeholder: "Find…", hidden: true, on: { input: () => this.#find() } });
  #found = h("span", { class: "fine", role: "status" });
  #kept = keptRows(this.#list, (summary) => summary.number, (summary) => this.#row(summary));
  /** Pictures are drawn when their rows become visible, because there may be thousands. */
  #pictures = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.#kept.rows.get(Number(target.dataset.number))?.draw();
  }, { rootMargin: "200px" });

  constructor(store, container, add) {
    this.store = store;
    container.append(
      h("div", { class: "bar" }, this.#head, h("button", { type: "button", class: "primary small", on: { click: add } }, "+ Add accessory"), this.#search, this.#found), this.#overview, this.#list);
    store.on("list", () => this.update());
    // The marks are unknown while hapsim does not answer.
    store.on("state", () => this.#list.childElementCount > 0 && this.#kept.update(store.summaries));
    addEventListener("hashchange", () => this.#choose());
  }

  update() {
    const { summaries } = this.store;
    say(this.#head, count(summaries.length, "accessory", "accessories"));
    this.#list.classList.toggle("long", summaries.length > MANY);
    this.#search.hidden = summaries.length <= FEW;
    if (this.#search.hidden) this.#search.value = "";
    this.#kept.update(summaries);
    this.#find();
    this.#choose();
  }

  #row(summary) {
    const row = makeRow(summary, this.store);
    this.#pictures.observe(row.node);
    return row;
  }

  #find() {
    const wanted = this.#search.value.trim().toLowerCase();
    let number = 0;
    for (const summary of this.store.summaries) {
      const { node } = this.#kept.rows.get(summary.number);
      node.hidden = ![summary.name.toLowerCase(), summary.deviceID.toLowerCase()].some((text) => text.includes(wanted)) && String(summary.number) !== wanted;
      if (!node.hidden) number += 1;
    }
    say(this.#found, wanted ? `${number} of ${this.store.summaries.length}` : "");
  }

  #choose() {
    const { number } = route();
    if (number === null) this.#overview.setAttribute("aria-current", "page");
    else this.#overview.removeAttribute("aria-current");
    for (const [key, row] of this.#kept.rows) {
      if (key !== number) row.link.removeAttribute("aria-current");
      else if (!row.link.hasAttribute("aria-current")) {
        row.link.setAttribute("aria-current", "page");
        row.link.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  }
}

function makeRow({ number }, store) {
  const dot = h("span", { class: "dot", role: "img" });
  const name = h("span", { class: "row-name" });
  const words = h("span", { class: "fine" });
  const thumb = h("span", { class: "thumb small" });
  const link = h("a", { href: address(number) }, thumb, h("span", { class: "row-words" }, name, words), dot);
  const scope = new Scope();
  let summary = null;
  /** The accessories whose values the row shows. */
  let accessories = null;
  let state = { text: () => "", isActive: () => false };
  let isDrawn = false;
  let slug = null;
  const draw = () => {
    isDrawn = true;
    thumb.replaceChildren(accessories?.length === 1 ? pictureOf(accessories[0], slug, scope) : pictureOfCategory(slug));
  };
  const show = () => {
    link.classList.toggle("is-active", summary.running && state.isActive());
    const said = [state.text() || category(summary.category)];
    if (summary.radio === false) said.push("off the network");
    if (summary.faults > 0) said.push(count(summary.faults, "fault"));
    if (summary.connections > 0) said.push(count(summary.connections, "connection"));
    say(words, said.join(" · "));
  };
  const follow = (now) => {
    if (now === accessories) return false;
    scope.end();
    accessories = now;
    state = now.length > 1 ? ofBridge(now.slice(1)) : glanceOf(now[0]);
    scope.watch(state.cells, show);
    return true;
  };
  return {
    node: h("li", { data: { number } }, link), link,
    draw() { if (!isDrawn) draw(); },
    update(now) {
      summary = now;
      const model = store.states.get(number);
      const isOther = now.category !== slug;
      slug = now.category;
      if ((model && follow(model.accessories)) || isOther) if (isDrawn) draw();
      const mark = store.isLost ? "unknown" : !now.running ? "stopped" : now.radio === false ? "off the network" : "running";
      dot.className = `dot ${mark.replaceAll(" ", "-")}`;
      dot.setAttribute("aria-label", mark);
      dot.title = mark;
      say(name, now.name);
      show();
    },
  };
}

/** The state of a bridge: how many of its accessories are on, open or detecting something. */
function ofBridge(accessories) {
  const all = accessories.map(busyCell).filter(({ cell }) => cell);
  const active = () => all.filter(({ isBusy }) => isBusy()).length;
  return { cells: all.map(({ cell }) => cell), text: () => `${active()} of ${accessories.length} active`, isActive: () => active() > 0 };
}
