// The steps of a setup: what each shows, and which of its elements gets the focus.

import * as api from "./api.js";
import { field, h, options, say } from "./dom.js";
import { actionForm } from "./forms.js";
import { tried } from "./notices.js";
import { pictureOfCategory } from "./pictures.js";
import { accessoryAddress } from "./route.js";
import { keptRows } from "./rows.js";
import { category, count } from "./words.js";

const NEW_ROOM = "new";
const MAKERS = { home: homeStep, code: codeStep, choose: chooseStep, page: pageStep, done: doneStep, failed: failedStep, unloaded: unloadedStep };
const WAITS = {
  verifying: ["Pairing…", "The hub pairs with the accessory and reads its services. This can take some seconds."],
  saving: ["Saving…", "The hub saves the name and the room."], cancelling: ["Cancelling…", "The hub removes the pairing."],
  loading: ["Loading…", "The page loads the home with the accessory."],
};

/**
 * `{ node, focus }` for a step: those of the hub, `loading`, and `unloaded` with the problem of the load. `acts`: `answer(answer)`, `cancel()`,
 * `close()`, `another()`, and `again()`, which repeats the load.
 */
export function stepOf(state, store, acts) {
  const wait = WAITS[state.step];
  return wait ? waitStep(wait, state, acts) : MAKERS[state.step](state, store, acts);
}

const heading = (text) => h("h3", { tabindex: "-1" }, text);
const problemOf = (state) => (state.problem ? h("p", { class: "refused", role: "alert" }, state.problem.message) : null);

const leaving = (state, { answer, cancel }) => [
  h("button", { type: "button", on: { click: cancel } }, "Cancel"),
  h("button", { type: "button", data: { part: "back" }, hidden: !state.canGoBack, on: { click: () => tried(() => answer({ back: true })) } }, "Back"),
];
const leavingRow = (state, acts) => h("div", { class: "buttons" }, leaving(state, acts));

function homeStep(state, store, acts) {
  const own = store.homes.filter((home) => home.role === "owner");
  const buttons = own.map((home) => h("button", { type: "button", on: { click: () => tried(() => acts.answer({ home: home.id })) } }, home.name));
  const shown = buttons[own.findIndex((home) => home.id === store.model?.id)] ?? buttons[0];
  return { node: h("div", null, heading("Which home gets the accessory?"), h("div", { class: "choices" }, buttons), leavingRow(state, acts)), focus: shown };
}

let lastCode = "";

function codeStep(state, store, acts) {
  const input = h("input", { type: "text", required: true, autocomplete: "off", spellcheck: "false", "aria-invalid": state.problem ? "true" : null, value: state.problem ? lastCode : "" });
  const form = actionForm(
    [field("Setup code or payload", input, "8 digits such as 031-45-154, from the accessory, its box or its screen, or the text of its QR code, which begins with X-HM://"), nearby()],
    "Continue", () => {
      lastCode = input.value.trim();
      return acts.answer({ code: lastCode });
    }, leaving(state, acts));
  return { node: h("div", null, heading("Enter the setup code"), problemOf(state), form), focus: input };
}

function chooseStep(state, store, acts) {
  const title = heading("Which accessory?");
  const list = h("ul", { class: "choices", data: { part: "candidates" } });
  const rows = keptRows(list, (candidate) => candidate.device, (candidate) => candidateRow(candidate, acts), title);
  list.update = (candidates) => rows.update(candidates);
  list.update(state.candidates);
  const node = h("div", null, title, problemOf(state), list, nearby(), leavingRow(state, acts));
  return { node, focus: list.querySelector("button") ?? title };
}

function candidateRow({ device, category: slug }, { answer }) {
  const name = h("strong");
  const about = h("span", { class: "fine" });
  const choose = h("button", { type: "button", class: "candidate", on: { click: () => tried(() => answer({ choose: device })) } },
    h("span", { class: "thumb" }, pictureOfCategory(slug ?? "other")), h("span", { class: "tile-words" }, name, about));
  const identify = h("button", { type: "button", class: "small", on: { click: () => tried(() => api.identifyNew(device)) } }, "Identify");
  return {
    node: h("li", { class: "candidate-row" }, choose, identify),
    update(candidate) {
      say(name, candidate.name);
      identify.setAttribute("aria-label", `Identify ${candidate.name}`);
      say(about, [candidate.category ? category(candidate.category) : null, candidate.model, candidate.device].filter(Boolean).join(" · "));
    },
  };
}

const nearby = () => h("p", { class: "fine", role: "status", data: { part: "nearby" } });

/** Shows what changes during a step: the accessories that can be added, and whether there is a step before. */
export function updateStep(body, { candidates, canGoBack }) {
  const back = body.querySelector('[data-part="back"]');
  if (back) back.hidden = !canGoBack;
  body.querySelector('[data-part="candidates"]')?.update(candidates);
  const words = body.querySelector('[data-part="nearby"]');
  if (words) say(words, candidates.length === 0 ? "Searching for accessories…" : `${count(candidates.length, "accessory", "accessories")} can be added. Searching…`);
}

function waitStep([title, text], state, acts) {
  const head = heading(title);
  return { node: h("div", null, head, h("p", null, text), state.step === "cancelling" ? null : leavingRow(state, acts)), focus: head };
}

function pageStep(state, store, acts) {
  const { page } = state;
  const name = h("input", { type: "text", required: true, maxlength: 64, autocomplete: "off", value: page.name });
  const room = h("select", null, options([...store.model.rooms.map((one) => [one.id, one.name]), [NEW_ROOM, "New room…"]], page.room));
  const newRoom = h("input", { type: "text", maxlength: 64, autocomplete: "off" });
  const newField = field("Name of the new room", newRoom);
  newField.hidden = true;
  room.addEventListener("change", () => {
    newField.hidden = room.value !== NEW_ROOM;
    newRoom.required = room.value === NEW_ROOM;
    if (newRoom.required) newRoom.focus();
  });
  const form = actionForm([field("Name", name), page.asksRoom ? [field("Room", room), newField] : null], "Continue", () =>
    acts.answer({ name: name.value.trim(), ...(page.asksRoom && room.value === NEW_ROOM ? { newRoom: newRoom.value.trim() } : { room: page.asksRoom ? room.value : page.room }) }),
    leaving(state, acts));
  return { node: h("div", null, heading(`${page.typeName} of ${page.accessoryName}`), problemOf(state), form), focus: name };
}

function doneStep({ accessories }, store, acts) {
  const added = accessories.map((id) => store.model.accessory(id)).filter(Boolean);
  const done = h("button", { type: "button", class: "primary", on: { click: acts.close } }, "Done");
  const said = added.map((accessory) => h("li", null, h("a", { href: accessoryAddress(accessory.id), on: { click: acts.close } }, accessory.name), ` in ${store.model.room(accessory.room)?.name}`));
  return {
    node: h("div", null, heading(added.length === 1 ? `${added[0].name} is added` : "The accessories are added"), h("ul", null, said),
      h("div", { class: "buttons" }, h("button", { type: "button", on: { click: acts.another } }, "Add another"), done)),
    focus: done,
  };
}

function unloadedStep(state, store, acts) {
  const again = h("button", { type: "button", class: "primary", on: { click: acts.again } }, "Try again");
  return { node: h("div", null, heading("The home was not loaded"), problemOf(state), h("div", { class: "buttons" }, h("button", { type: "button", on: { click: acts.cancel } }, "Close"), again)), focus: again };
}

function failedStep(state, store, acts) {
  const again = h("button", { type: "button", class: "primary", on: { click: acts.another } }, "Start again");
  return {
    node: h("div", null, heading("The accessory was not added"), problemOf(state), h("div", { class: "buttons" }, h("button", { type: "button", on: { click: acts.close } }, "Close"), again)),
    focus: again,
  };
}
