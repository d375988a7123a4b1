// The address names the view: `#/` the rooms, `#/scenes`, `#/triggers`, `#/people`, `#/accessory/ID` the details of an accessory, and
// `#/accessory/ID/8` those with its service that has iid 8.

export const VIEWS = [["rooms", "Rooms"], ["scenes", "Scenes"], ["triggers", "Triggers"], ["people", "People"]];

/** `{ view, id, iid }`. id and iid are null without an accessory and a service. */
export function route() {
  const [view, id = null, iid = null] = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  if (view === "accessory" && id !== null) return { view, id, iid };
  return { view: VIEWS.find(([name]) => name === view)?.[0] ?? "rooms", id: null, iid: null };
}

export const addressOf = (view) => (view === "rooms" ? "#/" : `#/${view}`);
export const accessoryAddress = (id, iid = null) => `#/accessory/${id}${iid === null ? "" : `/${iid}`}`;
