// Faults as switches, with their parameters.

import * as api from "./api.js";
import { field, h, identifier, options, say } from "./dom.js";
import { tried } from "./notices.js";
import { plain } from "./words.js";

export function faultsPanel(store, { number, scope }) {
  const rows = h("div", { class: "fault-list" }, h("p", { class: "empty" }, "Loading…"));
  const summary = h("span", { class: "fine", role: "status" });
  const search = h("input", { type: "search", "aria-label": "Find a fault", placeholder: "Find…" });
  const off = h("button", { type: "button", on: { click: () => all.filter((row) => row.isOn).forEach((row) => row.switchOff()) } }, "Switch all off");
  let all = [];

  const update = () => tried(async () => {
    if (store.model?.number !== number) return;
    const active = await store.newest(`faults of ${number}`, () => api.activeFaults(number));
    if (active === null) return;
    const byName = new Map(active.map((one) => [one.fault, one]));
    for (const row of all) row.update(byName.get(row.name));
    off.disabled = active.length === 0;
    say(summary, active.length === 0 ? "No fault is on" : `On: ${active.map((one) => one.text).join(", ")}`);
    // The switches are shown as soon as their states are known.
    if (all.length > 0 && !rows.contains(all[0].node)) rows.replaceChildren(...all.map((row) => row.node));
  });
  const find = () => {
    const wanted = search.value.toLowerCase();
    for (const row of all) row.node.hidden = !row.text.includes(wanted);
  };
  search.addEventListener("input", find);

  tried(async () => {
    all = (await api.faults()).map((fault) => faultRow(fault, number, update));
    await update();
  });
  scope.onEnd(store.on("faults", update));
  return h("section", { class: "card", "aria-label": "Faults" },
    h("header", { class: "bar" }, h("h3", null, "Faults"), summary, search, off), rows);
}

function faultRow(fault, number, changed) {
  const id = identifier("fault");
  const inputs = fault.parameters.map((parameter) => ({ parameter, input: inputFor(parameter) }));
  const parameters = () =>
    Object.fromEntries(inputs.filter(({ parameter, input }) => input.value !== "" && input.value !== String(parameter.default)).map(({ parameter, input }) =>
      [parameter.name, typeof parameter.default === "number" ? Number(input.value) : input.value]));
  const problem = h("p", { class: "refused", role: "alert" });
  const attempt = async (job) => {
    say(problem, "");
    try {
      await job();
    } catch (error) {
      say(problem, error.message);
    }
    await changed();
  };
  const on = () => attempt(() => api.faultOn(number, fault.name, parameters()));
  const row = {
    name: fault.name, text: `${fault.name} ${fault.what}`.toLowerCase(), isOn: false,
    switchOff: () => attempt(() => api.faultOff(number, fault.name)),
    update(active) {
      row.isOn = active !== undefined;
      button.setAttribute("aria-checked", String(row.isOn));
      row.node.classList.toggle("is-on", row.isOn);
      for (const { parameter, input } of inputs) {
        const now = active?.parameters?.[parameter.name];
        if (now !== undefined && document.activeElement !== input) input.value = String(now);
      }
    },
  };
  const button = h("button", {
    type: "button", role: "switch", class: "switch", "aria-checked": "false", "aria-labelledby": id, "aria-describedby": `${id}-what`,
    on: { click: () => (row.isOn ? row.switchOff() : on()) },
  });
  // A fault that is on gets new parameters at once.
  for (const { input } of inputs) input.addEventListener("change", () => row.isOn && on());
  row.node = h("div", { class: "fault" },
    h("div", { class: "fault-head" }, h("div", null, h("h4", { id }, plain(fault.name)), h("p", { class: "fine", id: `${id}-what` }, fault.what)), button),
    inputs.length === 0 ? null : h("details", null, h("summary", null, "Parameters"), h("div", { class: "fields" },
      inputs.map(({ parameter, input }) => field(plain(parameter.name), input, `${parameter.what} ${parameter.choices ? "" : plain(parameter.is)}`)))),
    problem);
  return row;
}

function inputFor(parameter) {
  if (parameter.choices) return h("select", null, options(parameter.choices.map((word) => [word, word]), parameter.default));
  return h("input", { type: typeof parameter.default === "number" ? "number" : "text", value: String(parameter.default), autocomplete: "off", spellcheck: "false" });
}
