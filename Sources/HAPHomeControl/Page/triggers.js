// The triggers: their parts in words, their times, and why they did or did not execute.

import * as api from "./api.js";
import { h, identifier, say } from "./dom.js";
import { editDialog } from "./forms.js";
import { settled } from "./frames.js";
import { notice, tried } from "./notices.js";
import { keptRows } from "./rows.js";
import { when } from "./when.js";
import { plain } from "./words.js";

export function triggersView(store, scope) {
  const { model } = store;
  const heading = h("h2", { tabindex: "-1" }, "Triggers");
  const zone = h("span", { class: "fine" });
  const list = h("ul", { class: "cards" });
  const cards = keptRows(list, (trigger) => trigger.id, (trigger) => triggerCard(store, trigger.id), heading);
  const command = h("pre", { class: "command", tabindex: "0", "aria-label": "Command" });
  const empty = h("div", { class: "empty" }, h("p", null, "This home has no trigger. Make one on the command line, for example:"), command);
  const update = () => {
    say(zone, `Times of ${model.detail.timeZone}`);
    cards.update(model.detail.triggers);
    empty.hidden = model.detail.triggers.length > 0;
    say(command, exampleOf(model.detail));
    return true;
  };
  update();
  scope.onEnd(store.on("evaluated", ({ evaluation }) => cards.rows.get(evaluation.trigger)?.evaluated(evaluation)));
  // "today" and "tomorrow" change at midnight.
  const timer = setInterval(update, 60000);
  scope.onEnd(() => clearInterval(timer));
  return { title: "Triggers", node: h("div", null, h("header", { class: "bar view-head" }, heading, zone), empty, list), update };
}

/** A command that this home accepts: sunset needs a location, and a trigger needs a scene with actions. */
function exampleOf({ location, scenes }) {
  const scene = scenes.find((scene) => scene.actions.length > 0)?.name ?? "Lamp/On is on";
  return `hapctl home trigger add evening --when ${location ? "sunset" : "\"at 22:00\""} --run "${scene}"`;
}

function triggerCard(store, id) {
  const { model } = store;
  const zone = () => model.detail.timeZone;
  const name = h("h3", { id: identifier("trigger") });
  const state = h("p", { class: "fine" });
  const parts = h("dl", { class: "parts" });
  const times = h("dl", { class: "parts" });
  const why = whyBox(store, id);
  const controls = model.canEdit ? cardControls(store, id, why) : null;
  return {
    node: h("li", { class: "card trigger", "aria-labelledby": name.id },
      h("header", { class: "bar" }, name, controls?.toggle), state, parts, times, why.node, controls?.footer),
    evaluated: why.take,
    update(trigger) {
      say(name, trigger.name);
      // The switch shows the same, unless the trigger does nothing.
      say(state, controls && ["enabled", "disabled"].includes(trigger.state) ? "" : plain(trigger.state));
      controls?.update(trigger);
      const rows = [...trigger.parts.map(({ name, texts }) => [plain(name), texts]), ["Executes", trigger.runs.length > 0 ? trigger.runs : ["nothing"]]];
      parts.replaceChildren(...rows.map(([term, texts]) => h("div", null, h("dt", null, term), texts.map((text) => h("dd", null, text)))));
      const moments = [["Next", trigger.next ? when(trigger.next, zone()) : "no planned time"], ["Last fired", trigger.lastFire ? when(trigger.lastFire, zone()) : "never"]];
      times.replaceChildren(...moments.map(([term, text]) => h("div", null, h("dt", null, term), h("dd", null, text))));
      if (trigger.lastEvaluation) why.take(trigger.lastEvaluation);
    },
  };
}

function cardControls(store, id, why) {
  const { model } = store;
  let trigger = null;
  const toggle = h("button", { type: "button", role: "switch", class: "switch labelled", on: { click: () =>
    tried(() => store.perform(trigger.enabled ? "disable-trigger" : "enable-trigger", { trigger: id })) } }, "Enabled");
  const fire = h("button", { type: "button", on: { click: async () => {
    const evaluation = await tried(() => api.fire(model.id, id));
    if (evaluation === null) return;
    why.take(evaluation);
    notice(`${trigger.name}: ${plain(evaluation.outcome).toLowerCase()}.`);
    await store.quietly(() => store.load());
  } } }, "Fire now");
  const edit = h("button", { type: "button", on: { click: () => editTrigger(store, trigger) } }, "Edit…");
  return {
    toggle, footer: h("div", { class: "buttons" }, fire, edit),
    update(now) {
      trigger = now;
      toggle.setAttribute("aria-checked", String(trigger.enabled));
      toggle.setAttribute("aria-label", `Enabled: ${trigger.name}`);
      fire.setAttribute("aria-label", `Fire now: ${trigger.name}`);
      edit.setAttribute("aria-label", `Edit ${trigger.name}`);
    },
  };
}

const editTrigger = (store, trigger) => editDialog(store, {
  title: `Edit ${trigger.name}`, object: trigger,
  more: () => h("p", { class: "fine" }, "The command line changes its parts: hapctl home trigger edit."),
  remove: {
    question: `Remove the trigger ${trigger.name}?`, done: `${trigger.name} is removed.`,
    action: () => store.perform("remove-trigger", { trigger: trigger.id }),
  },
});

/** The last evaluation in the summary, and all that the hub has kept in the box. */
function whyBox(store, id) {
  const summary = h("span");
  const list = h("ol", { class: "why" });
  const box = h("details", null, h("summary", null, h("strong", null, "Why? "), summary), list);
  /** The last evaluation that was shown. */
  let last = null;
  const load = settled(50, () => store.quietly(async () => {
    const all = await store.newest(`evaluations of ${id}`, () => api.evaluations(store.model.id, id));
    if (all) list.replaceChildren(...(all.length > 0 ? all.reverse().map(({ text }) => h("li", null, text)) : [h("li", null, "It was not evaluated since the hub started.")]));
  }));
  box.addEventListener("toggle", () => box.open && load());
  const show = () => say(summary, last ? `${plain(last.outcome)}, ${when(last.time, store.model.detail.timeZone)}` : "Not evaluated yet");
  show();
  return {
    node: box,
    /** An evaluation with the number of an earlier one replaces it. */
    take(evaluation) {
      const isNew = last?.number !== evaluation.number || last.time !== evaluation.time || last.text !== evaluation.text;
      last = evaluation;
      show();
      if (isNew && box.open) load();
    },
  };
}
