// The simulation's clock, and the scenario.

import * as api from "./api.js";
import { dialog } from "./dialog.js";
import { field, h, identifier, say } from "./dom.js";
import { fileField } from "./files.js";
import { tried } from "./notices.js";
import { showProblems } from "./problems.js";
import { duration } from "./words.js";

const EXAMPLE = `scenario: A visitor
steps:
- note: A visitor arrives
- after: 2s
  note: The visitor leaves
`;

export function timePanel(store, container) {
  const now = h("span", { class: "mono" });
  const pace = h("span", { class: "fine" });
  const span = h("input", { type: "text", value: "1min", size: 6, autocomplete: "off", "aria-label": "Advance by", id: identifier("span") });
  const advance = h("form", {
    class: "inline", on: { submit: async (event) => {
      event.preventDefault();
      if (await tried(() => api.advance(span.value.trim()))) await store.quietly(() => store.loadClock());
    } },
  }, span, h("button", { type: "submit", class: "small" }, "Advance"));
  const state = h("p", { class: "fine", role: "status" });
  const stop = h("button", { type: "button", class: "small", on: { click: () => tried(() => api.stopScenario().then(() => store.loadScenario())) } }, "Stop");
  const play = h("button", { type: "button", class: "small", on: { click: () => scenarioDialog(store) } }, "Play…");
  const showClock = () => {
    if (!store.clock) return;
    say(pace, store.isLost ? "disconnected" : { running: store.clock.scale === 1 ? "real time" : `${store.clock.scale}× real time`, standing: "frozen", jumping: "jumps to the next event" }[store.clock.pace]);
    advance.hidden = store.clock.pace === "running";
    tick();
  };
  const tick = () => store.now !== null && say(now, duration(store.now));
  const showScenario = () => {
    const scenario = store.scenario;
    if (!scenario) return;
    const isPlaying = scenario.state === "playing";
    stop.hidden = !isPlaying;
    play.hidden = isPlaying;
    const name = scenario.name ? `“${scenario.name}” ` : "";
    say(state, scenario.state === "none" ? "No scenario is running" : `${name}${isPlaying ? "is running" : scenario.state}${scenario.message ? `: ${scenario.message} (line ${scenario.line})` : ""}`);
  };
  store.on("clock", showClock);
  store.on("state", showClock);
  store.on("scenario", showScenario);
  setInterval(tick, 500);
  container.append(
    h("section", { "aria-label": "Clock" }, h("div", { class: "bar" }, h("h2", { class: "fine" }, "Clock"), now, pace), advance),
    h("section", { "aria-label": "Scenario" }, h("div", { class: "bar" }, h("h2", { class: "fine" }, "Scenario"), play, stop), state));
}

function scenarioDialog(store) {
  dialog("Play a scenario", (close) => {
    const area = h("textarea", { class: "code", rows: 16, value: EXAMPLE, spellcheck: "false", autocomplete: "off" });
    const problems = h("div", { role: "alert" });
    const file = fileField(area, ".yaml,.yml,.json");
    return h("form", {
      class: "form",
      on: { submit: async (event) => {
        event.preventDefault();
        try {
          await api.play(await file.text());
          await store.loadScenario();
          close("");
        } catch (error) {
          showProblems(problems, error, area);
        }
      } },
    }, field("A file", file.node), field("Or its text (YAML)", area, "Its steps act on the served accessories"), problems,
    h("div", { class: "buttons" }, h("button", { type: "submit", class: "primary" }, "Play")));
  }, { wide: true });
}
