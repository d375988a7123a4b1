// The address names what is shown: `#/3` an accessory, `#/3/7` its bridged accessory with aid 7, `#/3/7.10` that one's characteristic with
// iid 10, `#/3/faults` a tab.

export const TABS = ["services", "controllers", "matter", "faults", "profile"];

/**
 * `{ number, aid, iid, tab }`. number is null for the overview, aid is null for the accessory itself, whose aid is 1, iid is null without a
 * characteristic.
 */
export function route() {
  const parts = location.hash.replace(/^#\/?/, "").split("/").filter(Boolean);
  const number = /^\d+$/.test(parts[0] ?? "") ? Number(parts[0]) : null;
  const [, aid, iid] = /^(\d+)(?:\.(\d+))?$/.exec(parts[1] ?? "") ?? [];
  const tab = TABS.find((tab) => tab === parts.at(-1)) ?? "services";
  return { number, aid: aid === undefined || aid === "1" ? null : aid, iid: iid ?? null, tab };
}

export function address(number, { aid = null, tab = "services" } = {}) {
  return ["#", number, aid, tab === "services" ? null : tab].filter((part) => part !== null).join("/");
}

/** The address of a characteristic. */
export const addressOf = (number, { aid, iid }) => `#/${number}/${aid}.${iid}`;
