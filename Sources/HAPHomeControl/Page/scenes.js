// The scenes: a button for each, its actions, and the result of the last execution.

import * as api from "./api.js";
import { h, identifier, say } from "./dom.js";
import { nameDialog } from "./forms.js";
import { tried } from "./notices.js";
import { resultOf } from "./results.js";
import { keptRows } from "./rows.js";
import { editScene } from "./scene-edit.js";
import { when } from "./when.js";

export function scenesView(store, scope) {
  const { model } = store;
  const heading = h("h2", { tabindex: "-1" }, "Scenes");
  const list = h("ul", { class: "cards" });
  const cards = keptRows(list, (scene) => scene.id, (scene) => sceneCard(store, scene.id), heading);
  const empty = h("p", { class: "empty" }, "This home has no scene.");
  const add = model.canEdit ? h("button", { type: "button", on: { click: () => addScene(store) } }, "Add a scene…") : null;
  const update = () => {
    cards.update(model.detail.scenes);
    empty.hidden = model.detail.scenes.length > 0;
    return true;
  };
  update();
  // An execution by a trigger or by another app.
  scope.onEnd(store.on("executed", ({ result, actionSets }) => {
    for (const id of actionSets) cards.rows.get(id)?.show(result);
  }));
  return { title: "Scenes", node: h("div", null, h("header", { class: "bar view-head" }, heading, add), empty, list), update };
}

const addScene = (store) => nameDialog("Add a scene", "Add scene", (name) => store.perform("add-action-set", { home: store.model.id, name }), {
  hint: "It has no actions at first: add them with Edit.",
});

function sceneCard(store, id) {
  const { model } = store;
  let scene = null;
  let isBusy = false;
  const name = h("span", { class: "scene-name" });
  const last = h("span", { class: "fine" });
  const about = identifier("scene");
  const actions = h("ul", { class: "actions-list", id: about });
  const result = h("div", { class: "result", role: "status" });
  let shown = null;
  /** `isOwn`: the user pressed the button. Otherwise, the result is not read out. The event about an own execution has the same result again. */
  const show = (answer, isOwn = false) => {
    const text = JSON.stringify(answer);
    if (text === shown && !isOwn) return;
    shown = text;
    result.setAttribute("aria-live", isOwn ? "polite" : "off");
    result.replaceChildren(...resultOf(answer, new Map(scene.actions.map((action) => [action.characteristic, action.path]))));
  };
  const press = h("button", { type: "button", class: "press", "aria-describedby": about, on: { click: async () => {
    if (isBusy) return;
    isBusy = true;
    // An equal result is shown again.
    shown = null;
    result.replaceChildren(h("p", { class: "fine" }, "Executing…"));
    const answer = await tried(() => api.execute(model.id, id));
    isBusy = false;
    if (answer) show(answer, true);
    else if (shown === null) result.replaceChildren();
    await store.quietly(() => store.load());
  } } }, h("span", { class: "press-mark", "aria-hidden": "true" }, "▶"), name);
  const edit = model.canEdit ? h("button", { type: "button", class: "small", on: { click: () => editScene(store, id) } }, "Edit…") : null;
  return {
    node: h("li", { class: "card scene-card" }, h("div", { class: "bar" }, press, edit), actions, last, result),
    show,
    update(now) {
      scene = now;
      say(name, scene.name);
      edit?.setAttribute("aria-label", `Edit ${scene.name}`);
      actions.replaceChildren(...(scene.actions.length > 0
        ? scene.actions.map((action) => h("li", null, `${action.path ?? "A characteristic that was removed"}: `, h("strong", null, action.text)))
        : [h("li", { class: "fine" }, "No actions yet")]));
      say(last, scene.lastExecution ? `Last executed ${when(scene.lastExecution, model.detail.timeZone)}` : "");
    },
  };
}
