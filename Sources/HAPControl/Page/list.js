// The list at the side: accessories and bridges, each with a mark that says whether it runs.

import { h, say } from "./dom.js";
import { pictureOfCategory } from "./pictures.js";
import { address, route } from "./route.js";
import { category, count } from "./words.js";

export class List {
  #rows = new Map();
  #list = h("ul", { class: "accessories" });
  #head = h("h2", { class: "fine" });

  constructor(store, container, add) {
    this.store = store;
    container.append(
      h("div", { class: "bar" }, this.#head, h("button", { type: "button", class: "primary small", on: { click: add } }, "+ Add accessory")), this.#list);
    store.on("list", () => this.update());
    addEventListener("hashchange", () => this.#choose());
  }

  /** Rows that stay are kept, so that the focus stays where it is. */
  update() {
    const summaries = this.store.summaries;
    say(this.#head, count(summaries.length, "accessory", "accessories"));
    const numbers = new Set(summaries.map((summary) => summary.number));
    for (const [number, row] of this.#rows) {
      if (numbers.has(number)) continue;
      row.node.remove();
      this.#rows.delete(number);
    }
    for (const [index, summary] of summaries.entries()) {
      let row = this.#rows.get(summary.number);
      if (!row) {
        row = makeRow(summary);
        this.#rows.set(summary.number, row);
      }
      row.update(summary);
      if (this.#list.children[index] !== row.node) this.#list.insertBefore(row.node, this.#list.children[index] ?? null);
    }
    this.#choose();
  }

  #choose() {
    const { number } = route();
    for (const [key, row] of this.#rows) {
      if (key === number) row.link.setAttribute("aria-current", "page");
      else row.link.removeAttribute("aria-current");
    }
  }
}

function makeRow(summary) {
  const dot = h("span", { class: "dot", role: "img" });
  const name = h("span", { class: "row-name" });
  const words = h("span", { class: "fine" });
  const link = h("a", { href: address(summary.number) },
    h("span", { class: "thumb small" }, pictureOfCategory(summary.category)), h("span", { class: "row-words" }, name, words), dot);
  return {
    node: h("li", null, link), link,
    update(now) {
      const state = !now.running ? "stopped" : now.radio === false ? "off the network" : "running";
      dot.className = `dot ${state.replaceAll(" ", "-")}`;
      dot.setAttribute("aria-label", state);
      dot.title = state;
      say(name, now.name);
      const said = [category(now.category)];
      if (now.bridged > 0) said[0] = `Bridge of ${now.bridged}`;
      if (now.radio === false) said.push("off the network");
      if (now.paired) said.push("paired");
      if (now.connections > 0) said.push(count(now.connections, "connection"));
      if (now.faults > 0) said.push(count(now.faults, "fault"));
      say(words, said.join(" · "));
    },
  };
}
