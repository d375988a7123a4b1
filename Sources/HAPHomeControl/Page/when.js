// Times of a home, in its time zone.

function parts(zone, options) {
  try {
    return new Intl.DateTimeFormat(undefined, { timeZone: zone, ...options });
  } catch {
    // The browser may know fewer zones than the hub.
    return new Intl.DateTimeFormat(undefined, { timeZone: "UTC", timeZoneName: "short", ...options });
  }
}

const NAMES = new Map([[0, "today"], [1, "tomorrow"], [-1, "yesterday"]]);

/** The number of the calendar day of a time in a zone. Days are not counted in hours, because some have 23 or 25. */
function dayOf(time, zone) {
  const { year, month, day } = Object.fromEntries(parts(zone, { calendar: "gregory", numberingSystem: "latn", year: "numeric", month: "numeric", day: "numeric" })
    .formatToParts(time).map(({ type, value }) => [type, Number(value)]));
  return Date.UTC(year, month - 1, day) / 86400000;
}

/** "today, 19:00", "tomorrow, 19:00" or "Mon, Nov 30, 19:00". `time` is ISO text. */
export function when(time, zone, now = Date.now()) {
  const at = new Date(time);
  const name = NAMES.get(dayOf(at, zone) - dayOf(now, zone));
  const clock = parts(zone, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" }).format(at);
  return `${name ?? parts(zone, { weekday: "short", day: "numeric", month: "short" }).format(at)}, ${clock}`;
}
