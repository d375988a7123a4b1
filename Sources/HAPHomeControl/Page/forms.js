// Forms and dialogs that change the home.

import { confirmed, dialog } from "./dialog.js";
import { field, h, say } from "./dom.js";
import { fileField } from "./files.js";
import { notice, tried } from "./notices.js";

/**
 * A form. While `submit()` runs, it can't be submitted again, and its button says so to assistive technology. The button keeps the focus, so it is
 * not disabled. The error is shown below the fields. `others`: buttons next to the one that submits.
 */
export function actionForm(children, verb, submit, others = null) {
  const problem = h("p", { class: "refused", role: "alert" });
  const button = h("button", { type: "submit", class: "primary" }, verb);
  let isBusy = false;
  return h("form", {
    class: "form",
    on: { submit: async (event) => {
      event.preventDefault();
      if (isBusy) return;
      isBusy = true;
      button.setAttribute("aria-disabled", "true");
      say(problem, "");
      try {
        await submit();
      } catch (error) {
        say(problem, error.message);
      } finally {
        isBusy = false;
        button.removeAttribute("aria-disabled");
      }
    } },
  }, children, problem, h("div", { class: "buttons" }, others, button));
}

export const nameField = (value = "", properties = {}) => h("input", { type: "text", required: true, maxlength: 64, autocomplete: "off", autofocus: true, value, ...properties });

/** A dialog that asks for a name. `submit(name)` uses it; `hint` is below the field. */
export function nameDialog(title, verb, submit, { value = "", label = "Name", hint } = {}) {
  dialog(title, (close) => {
    const name = nameField(value);
    return actionForm(field(label, name, hint), verb, async () => {
      await submit(name.value.trim());
      close("");
    });
  });
}

/** Asks before something is removed. */
export async function removed(question, action, done) {
  if (!(await confirmed(question, "Remove"))) return false;
  return (await tried(action, done)) !== null;
}

/** A dialog that renames an object, and can remove it. `more` are further parts; `remove`: `{ question, action, done }`. */
export function editDialog(store, { title, object, remove = null, more = null }) {
  dialog(title, (close) => {
    const name = nameField(object.name);
    return h("div", null,
      actionForm(field("Name", name), "Rename", async () => {
        if (name.value.trim() !== object.name) await store.perform("rename", { object: object.id, name: name.value.trim() });
        close("");
      }),
      more?.(close),
      remove ? h("div", { class: "apart" }, h("button", {
        type: "button", class: "danger",
        on: { click: async () => (await removed(remove.question, remove.action, remove.done)) && close("") },
      }, "Remove…")) : null);
  }, { wide: more !== null });
}

/** A field for text or a file with it: `{ fields, text }`, where `text()` returns the trimmed text when the file is read. */
export function textOrFile(label, accept, hint) {
  const area = h("textarea", { class: "code", rows: 8, spellcheck: "false", autocomplete: "off" });
  const file = fileField(area, accept);
  return {
    fields: [field(`A file with ${label}`, file.node), field("Or its text", area, hint)],
    async text() {
      const text = (await file.text()).trim();
      if (text === "") throw new Error(`choose a file, or enter ${label}`);
      return text;
    },
  };
}

/** Runs the action of a button: its error is a notice, and the home is loaded again. */
export async function acted(store, action, done) {
  if ((await tried(action)) === null) return;
  if (done) notice(done);
  await tried(() => store.load());
}
