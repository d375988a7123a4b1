// Tabs according to the ARIA Authoring Practices: arrow keys switch between them, and a panel is created when it is first shown.

import { h, identifier } from "./dom.js";

/** `entries`: `[[label, make]]`. `onChoice(index)` is called for each choice; `chosen` is shown first. */
export function tabs(entries, label, { chosen = 0, onChoice = null } = {}) {
  const panels = [];
  const list = h("div", { class: "tabs", role: "tablist", "aria-label": label });
  const box = h("div", null, list);
  const buttons = entries.map(([text, make], index) => {
    const id = identifier("tab");
    const panel = h("div", { role: "tabpanel", id: `${id}-panel`, "aria-labelledby": id, tabindex: "0", hidden: true });
    panels.push({ panel, make, isMade: false });
    return h("button", { type: "button", role: "tab", id, "aria-controls": `${id}-panel`, on: { click: () => choose(index), keydown: (event) => onKey(event, index) } }, text);
  });
  const choose = (index, isTold = true) => {
    for (const [at, button] of buttons.entries()) {
      const isChosen = at === index;
      button.setAttribute("aria-selected", String(isChosen));
      button.tabIndex = isChosen ? 0 : -1;
      panels[at].panel.hidden = !isChosen;
    }
    const one = panels[index];
    if (!one.isMade) {
      one.isMade = true;
      one.panel.append(...[one.make()].flat(Infinity).filter(Boolean));
    }
    if (isTold) onChoice?.(index);
  };
  const onKey = (event, index) => {
    const to = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = (to + buttons.length) % buttons.length;
    choose(next);
    buttons[next].focus();
  };
  list.append(...buttons);
  box.append(...panels.map((one) => one.panel));
  choose(chosen, false);
  box.choose = (index) => choose(index, false);
  return box;
}
