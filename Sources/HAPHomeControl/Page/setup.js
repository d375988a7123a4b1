// Adding an accessory: a dialog that shows the steps of a setup, which runs in the hub.

import * as api from "./api.js";
import { confirmed, dialog, opener } from "./dialog.js";
import { h } from "./dom.js";
import { notice, tried } from "./notices.js";
import { stepOf, updateStep } from "./setup-steps.js";

/** The setup of this tab, so that it continues after the page was loaded again. */
const KEY = "hapsim-setup";
const OVER = new Set(["done", "cancelled", "failed"]);
/** Steps after the pairing: to leave them removes the accessory. */
const AFTER_PAIRING = new Set(["page", "saving"]);
/** Steps that show the rooms and accessories of their home. */
const WITH_HOME = new Set(["page", "done"]);

/** The setup whose dialog is open. */
let current = null;

/** Starts a setup. With several homes of this hub, its first question is the home. */
export const setupDialog = opener(async (store) => {
  const own = store.homes.filter((home) => home.role === "owner");
  // An event about the setup can arrive before the answer.
  const heard = new Map();
  const end = store.on("setup", ({ setup }) => heard.set(setup.id, setup));
  const state = await tried(() => api.startSetup(own.length > 1 ? null : store.model.id));
  end();
  if (state !== null) new Setup(store, heard.get(state.id) ?? state);
});

/** After a connection: shows the present step of the setup of this tab. */
export async function resumeSetup(store) {
  const setup = sessionStorage.getItem(KEY);
  const [run, id] = (setup ?? "").split(" ");
  if (!id) return;
  let state = null;
  try {
    if (run === store.run) state = await api.showSetup(id);
  } catch (error) {
    if (error.status !== 404) throw error;
  }
  // The user left the setup meanwhile.
  if (sessionStorage.getItem(KEY) !== setup) return;
  if (state === null) {
    sessionStorage.removeItem(KEY);
    current?.draw({ id: current.id, step: "failed", problem: { message: "The hub was restarted during the setup. Look whether the accessory is in the home" }, candidates: [] });
  } else if (current) current.draw(state);
  else if (!OVER.has(state.step)) new Setup(store, state);
}

class Setup {
  #state = null;
  /** What the shown step was drawn from; null: the next state is drawn in any case. */
  #drawn = null;
  #body = h("div", { class: "steps" });
  #box;
  /** Number of events about this setup. */
  #heard = 0;

  constructor(store, state) {
    this.store = store;
    this.id = state.id;
    current = this;
    sessionStorage.setItem(KEY, `${store.run} ${state.id}`);
    this.#box = dialog("Add an accessory", () => this.#body, { leave: () => this.#leave() });
    const end = store.on("setup", ({ setup }) => {
      if (setup.id !== this.id) return;
      this.#heard += 1;
      this.draw(setup);
    });
    this.#box.addEventListener("close", () => {
      end();
      if (current !== this) return;
      current = null;
      // A browser closes a dialog also against the page's will, for example when Escape is pressed twice.
      if (OVER.has(this.#state.step)) sessionStorage.removeItem(KEY);
      else new Setup(store, this.#state);
    });
    this.draw(state);
  }

  /** Shows a step. If it is the shown one, it stays, with its focus and the text in its fields. */
  draw(state) {
    // The answer to a cancellation and the event about it arrive in any order, and the dialog closes after both.
    if (this.#state?.step === "cancelled") return;
    this.#state = state;
    if (state.step === "cancelled") {
      notice("Nothing was added.");
      return this.#box.close("");
    }
    const drawn = JSON.stringify([state.step, state.problem, state.page?.service]);
    if (drawn === this.#drawn) return updateStep(this.#body, state);
    this.#drawn = drawn;
    if (WITH_HOME.has(state.step)) this.#showWithHome(drawn);
    else this.#show(state);
  }

  /** Loads the home first. Meanwhile, the step before can't be answered again. */
  async #showWithHome(drawn) {
    const { home } = this.#state;
    const { store } = this;
    this.#show({ ...this.#state, step: "loading" });
    let problem = null;
    try {
      await (store.model?.id === home ? store.load() : store.show(home));
      if (store.model?.id !== home) problem = { message: "The home of the accessory is not there any more" };
    } catch (error) {
      problem = error;
    }
    // Another step came meanwhile.
    if (this.#drawn !== drawn) return;
    if (problem === null) return this.#show(this.#state);
    this.#drawn = null;
    this.#show({ ...this.#state, step: "unloaded", problem });
  }

  #show(state) {
    const step = stepOf(state, this.store, {
      answer: (answer) => this.#answer(answer), cancel: () => this.#leave(),
      close: () => this.#box.close(""), again: () => this.draw(this.#state),
      another: () => {
        this.#box.close("");
        setupDialog(this.store);
      },
    });
    this.#body.replaceChildren(step.node);
    step.focus.focus();
    if (step.focus instanceof HTMLInputElement) step.focus.select();
    updateStep(this.#body, state);
  }

  /** An event about a later step can arrive before the answer. Then the answer is not shown. */
  async #answer(answer) {
    const heard = this.#heard;
    const state = await api.answerSetup(this.id, answer);
    if (heard !== this.#heard) return;
    // The same problem again is shown again.
    this.#drawn = null;
    this.draw(state);
  }

  async #leave() {
    const { step, page } = this.#state;
    if (OVER.has(step)) return this.#box.close("");
    if (AFTER_PAIRING.has(step) && !(await confirmed(`${page?.accessoryName ?? "The accessory"} is in the home already. Remove it again?`, "Remove"))) return;
    const heard = this.#heard;
    const state = await tried(() => api.cancelSetup(this.id));
    if (state !== null && heard === this.#heard) this.draw(state);
  }
}
