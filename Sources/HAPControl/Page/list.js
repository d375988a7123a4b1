// The list at the side: accessories and bridges, each with a mark that says whether it runs.

import { h, say } from "./dom.js";
import { pictureOfCategory } from "./pictures.js";
import { keptRows } from "./rows.js";
import { address, route } from "./route.js";
import { category, count } from "./words.js";

/** With more than so many there is a field to find one. */
const FEW = 20;
/** Of more than so many only those in view are laid out. */
const MANY = 100;

export class List {
  #list = h("ul", { class: "accessories" });
  #head = h("h2", { class: "fine" });
  #search = h("input", { type: "search", "aria-label": "Find an accessory", placeholder: "Find…", hidden: true, on: { input: () => this.#find() } });
  #found = h("span", { class: "fine", role: "status" });
  #kept = keptRows(this.#list, (summary) => summary.number, (summary) => this.#row(summary));
  /** Pictures are drawn for rows that come into view: there may be thousands. */
  #pictures = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) if (isIntersecting) this.#kept.rows.get(Number(target.dataset.number))?.draw();
  }, { rootMargin: "200px" });

  constructor(store, container, add) {
    this.store = store;
    container.append(
      h("div", { class: "bar" }, this.#head, h("button", { type: "button", class: "primary small", on: { click: add } }, "+ Add accessory"), this.#search, this.#found), this.#list);
    store.on("list", () => this.update());
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
    const row = makeRow(summary);
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
    for (const [key, row] of this.#kept.rows) {
      if (key !== number) row.link.removeAttribute("aria-current");
      else if (!row.link.hasAttribute("aria-current")) {
        row.link.setAttribute("aria-current", "page");
        row.link.scrollIntoView({ block: "nearest", inline: "nearest" });
      }
    }
  }
}

function makeRow({ number }) {
  const dot = h("span", { class: "dot", role: "img" });
  const name = h("span", { class: "row-name" });
  const words = h("span", { class: "fine" });
  const thumb = h("span", { class: "thumb small" });
  const link = h("a", { href: address(number) }, thumb, h("span", { class: "row-words" }, name, words), dot);
  let isDrawn = false;
  let slug = null;
  const draw = () => {
    isDrawn = true;
    thumb.replaceChildren(pictureOfCategory(slug));
  };
  return {
    node: h("li", { data: { number } }, link), link,
    draw() { if (!isDrawn) draw(); },
    update(now) {
      if (now.category !== slug) {
        slug = now.category;
        if (isDrawn) draw();
      }
      const state = !now.running ? "stopped" : now.radio === false ? "off the network" : "running";
      dot.className = `dot ${state.replaceAll(" ", "-")}`;
      dot.setAttribute("aria-label", state);
      dot.title = state;
      say(name, now.name);
      const said = now.bridged > 0 ? [`Bridge of ${now.bridged}`] : [];
      if (now.radio === false) said.push("off the network");
      if (now.paired) said.push("paired");
      if (now.connections > 0) said.push(count(now.connections, "connection"));
      if (now.faults > 0) said.push(count(now.faults, "fault"));
      say(words, said.join(" · ") || category(now.category));
    },
  };
}
