// Sharing homes between hubs: requests, shared homes, and people without a hub.

import * as api from "./api.js";
import { dialog, opener } from "./dialog.js";
import { field, h, options } from "./dom.js";
import { saveFile } from "./files.js";
import { actionForm, nameDialog, nameField, textOrFile } from "./forms.js";
import { notice, tried } from "./notices.js";
import { renewedToken } from "./web.js";

const roleField = () => h("select", null, options([["guest", "Guest: controls the home"], ["administrator", "Administrator: can also change it at this hub"]], "guest"));

/** A person who counts for triggers, without a hub. */
export function addUserDialog(store) {
  dialog("Add a person", (close) => {
    const name = nameField();
    const role = roleField();
    return actionForm([field("Name", name, "The person counts for triggers. To let a hub control the home, share it instead."), field("Role", role)], "Add person", async () => {
      await store.perform("add-user", { home: store.model.id, name: name.value.trim(), role: role.value });
      close("");
    });
  });
}

/** Shows a document that the other person needs, with a button that saves it. */
function documentDialog(title, name, text, ...words) {
  const save = () => saveFile(name, text, "application/json");
  dialog(title, (close) => h("div", { class: "form" }, words.filter(Boolean).map((line) => h("p", null, line)),
    h("textarea", { class: "code", rows: 6, readonly: true, "aria-label": name, value: text }),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", autofocus: true, on: { click: save } }, "Save as a file"), h("button", { type: "button", on: { click: () => close("") } }, "Close"))));
}

function sharedDialog(home, user, text, names = []) {
  documentDialog(`${home} for ${user}`, `${home}.hashare`, text, `Send this document to ${user}. Only the hub of ${user} can open it.`,
    names.length > 0 ? `These accessories cannot be reached, and accept the hub when they return: ${names.join(", ")}.` : null);
}

/** Shares the home with the hub that made a request. */
export function shareDialog(store) {
  dialog("Share with a hub", (close) => {
    const request = textOrFile("a request", ".json,application/json", "The other person makes it with Request a share, or with hapctl home user request");
    const role = roleField();
    return actionForm([request.fields, field("Role", role)], "Share", async () => {
      const { model } = store;
      const { user, document: text, later = [] } = await api.share(model.id, await request.text(), role.value);
      await store.load();
      close("");
      sharedDialog(model.detail.name, model.detail.users.find((one) => one.id === user)?.name ?? "the hub", text ?? "", later.map((id) => model.accessory(id)?.name ?? id));
    });
  }, { wide: true });
}

/** Writes the present state of the home for a hub that has it. */
export const renew = opener(async (store, user) => {
  const { id, detail: { name } } = store.model;
  const text = await tried(() => api.renewShare(id, user.id));
  if (text !== null) sharedDialog(name, user.name, text);
});

/** The address with which a person opens the page. */
export const linkDialog = opener(async (store, user) => {
  const { id } = store.model;
  const addressWith = (token) => `${location.origin}/#token=${encodeURIComponent(token)}`;
  const token = await tried(() => api.token(id, user.id, false));
  if (token === null) return;
  dialog(`The page for ${user.name}`, () => {
    const address = h("input", { type: "text", readonly: true, value: addressWith(token) });
    const copy = h("button", { type: "button", class: "primary", autofocus: true, on: { click: async () => {
      address.select();
      await tried(() => navigator.clipboard.writeText(address.value), "The link is copied.");
    } } }, "Copy");
    const renewed = h("button", { type: "button", on: { click: () => tried(async () => {
      const now = () => api.token(id, user.id, true);
      address.value = addressWith(await (user.isThis ? renewedToken(now) : now()));
    }, "The link before is not valid any more.") } }, "Renew");
    return h("div", { class: "form" },
      h("p", null, user.isThis ? "Everyone with this link can do everything with this hub." : `With this link, ${user.name} sees this home alone, and may do what a user with the role ${user.role} may do. Give it only to ${user.name}.`),
      field("Link", address), h("div", { class: "buttons" }, renewed, copy));
  });
});

export function requestDialog() {
  nameDialog("Request a share", "Make request", async (name) => {
    const text = await api.requestShare(name);
    documentDialog("The request", `${name}.json`, text, "Send this document to the owner of the home. It contains no secret.");
  }, { label: "Your name", hint: "The owner sees it" });
}

export function acceptDialog(store) {
  dialog("Accept a share", (close) => {
    const share = textOrFile("a shared home", ".hashare,application/json", "The owner made it for this hub");
    return actionForm(share.fields, "Accept", async () => {
      const known = new Set((store.homes ?? []).map((home) => home.id));
      await api.acceptShare(await share.text());
      await store.load();
      const added = store.homes.find((home) => !known.has(home.id));
      if (added) await store.show(added.id);
      close("");
      notice(added ? `${added.name} is added.` : "The shared home is up to date.");
    });
  }, { wide: true });
}
