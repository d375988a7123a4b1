// The people of the home: their roles, and the simulated place of each.

import * as api from "./api.js";
import { h, identifier, options, say } from "./dom.js";
import { acted, removed } from "./forms.js";
import { locationFields, positionText } from "./location.js";
import { tried } from "./notices.js";
import { keptRows } from "./rows.js";
import { acceptDialog, addUserDialog, linkDialog, renew, requestDialog, shareDialog } from "./sharing.js";
import { plain } from "./words.js";

const ROLES = [["administrator", "Administrator"], ["guest", "Guest"]];

export function peopleView(store, scope) {
  const { model } = store;
  const heading = h("h2", { tabindex: "-1" }, "People");
  const list = h("ul", { class: "cards" });
  const cards = keptRows(list, (user) => user.id, (user) => userCard(store, user), heading);
  const update = () => {
    cards.update(model.detail.users);
    return true;
  };
  update();
  scope.onEnd(store.on("person", update));
  const button = (text, open) => h("button", { type: "button", on: { click: () => open(store) } }, text);
  const edits = model.isOwner ? [button("Add a person…", addUserDialog), button("Share with a hub…", shareDialog)] : [];
  const others = !store.isHubOwner ? null : h("section", { class: "card others", "aria-label": "Homes of other hubs" }, h("h3", null, "Homes of other hubs"),
    h("p", { class: "fine" }, "Send a request to the owner of a home. The document that you get adds the home to this hub, or updates it."),
    h("div", { class: "buttons" }, button("Request a share…", requestDialog), button("Accept a share…", acceptDialog)));
  return { title: "People", node: h("div", null, h("header", { class: "bar view-head" }, heading, edits), list, ...[others].filter(Boolean)), update };
}

function placeText(place) {
  if (place === undefined) return "Place unknown: counts as away";
  return Array.isArray(place) ? `At ${positionText(place)}` : { home: "At home", away: "Away" }[place] ?? place;
}

function userCard(store, { id }) {
  const { model } = store;
  const name = h("h3", { id: identifier("user") });
  const about = h("p", { class: "fine" });
  const place = h("p", { class: "place" });
  const parts = [model.canEdit ? placeControls(store, id) : null, model.isOwner ? userButtons(store, id) : null].filter(Boolean);
  return {
    node: h("li", { class: "card user", "aria-labelledby": name.id }, h("header", null, name, about), place, parts.map((part) => part.node)),
    update(user) {
      say(name, user.name);
      say(about, [plain(user.role), user.isThis ? "you" : null, user.hasHub && !user.isThis ? "has an own hub" : null].filter(Boolean).join(" · "));
      say(place, placeText(user.place));
      for (const part of parts) part.update(user);
    },
  };
}

function placeControls(store, id) {
  const { model } = store;
  const put = (place) => acted(store, () => api.setPlace(model.id, id, place));
  const button = (text, place) => h("button", { type: "button", on: { click: () => put(place) } }, text);
  const [home, away] = [button("Home", "home"), button("Away", "away")];
  let fields = null;
  const form = h("form", { class: "inline", on: { submit: (event) => {
    event.preventDefault();
    tried(async () => {
      const position = fields.read();
      if (position === null) throw new Error("enter the latitude and the longitude, in degrees");
      await put(position);
    });
  } } });
  return {
    node: h("div", { class: "place-controls" }, h("div", { class: "inline" }, home, away), h("details", null, h("summary", null, "Position"), form)),
    update(user) {
      for (const [node, place] of [[home, "home"], [away, "away"]]) {
        node.setAttribute("aria-pressed", String(user.place === place));
        node.setAttribute("aria-label", `${node.textContent}: ${user.name}`);
      }
      if (fields !== null) return;
      fields = locationFields(Array.isArray(user.place) ? user.place : model.detail.location, user.name);
      form.append(fields.node, h("button", { type: "submit", "aria-label": `Set the position of ${user.name}` }, "Set"));
    },
  };
}

/** The link to the page for everyone; the owner stays, with this role. */
function userButtons(store, id) {
  let user = null;
  const role = h("select", { on: { change: () => tried(() => store.perform("set-role", { user: id, role: role.value })) } }, options(ROLES));
  const again = h("button", { type: "button", on: { click: () => renew(store, user) } }, "Renew the share");
  const remove = h("button", { type: "button", class: "danger", on: { click: () => {
    const pairing = user.hasHub ? " The accessories end the connections of the hub." : "";
    return removed(`Remove ${user.name} from the home?${pairing}`, () => store.perform("remove-user", { user: id }), `${user.name} is removed.`);
  } } }, "Remove…");
  const link = h("button", { type: "button", on: { click: () => linkDialog(store, user) } }, "Link to the page…");
  return {
    node: h("div", { class: "user-buttons" }, role, link, again, remove),
    update(now) {
      user = now;
      for (const part of [role, remove]) part.hidden = user.role === "owner";
      again.hidden = !user.hasHub || user.role === "owner";
      role.value = user.role;
      role.setAttribute("aria-label", `Role of ${user.name}`);
      link.setAttribute("aria-label", `Link to the page for ${user.name}`);
      again.setAttribute("aria-label", `Renew the share of ${user.name}`);
      remove.setAttribute("aria-label", `Remove ${user.name}`);
    },
  };
}
