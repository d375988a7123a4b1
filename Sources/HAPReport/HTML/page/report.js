"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const report = data.report;
  const cases = report.cases.map((row, index) => ({ ...row, index, outcome: row.outcome || {} }));

  // Worst first. Texts from the accessory are always inserted as text, never as markup.
  const RESULTS = [
    ["fail", "failed"], ["flaky", "flaky"], ["error", "error"], ["xpass", "unexpected pass"], ["blocked", "blocked"], ["xfail", "expected failure"],
    ["non-strict", "non-strict"], ["pass", "passed"], ["info", "for information"], ["skip", "skipped"], ["not-run", "not run"],
  ];
  const BAD = new Set(["fail", "flaky", "error", "xpass"]);
  const CONCLUSIONS = {
    "conforms": ["pass", "Conforms to the tested requirements"], "failures": ["fail", "Does not conform"],
    "lost": ["fail", "The accessory was lost"], "interrupted": ["error", "The run was interrupted"],
    "nothing-ran": ["skip", "Nothing ran"], "unexpected-pass": ["xpass", "A case passed that was expected to fail"],
    "own-fault": ["error", "The tester failed"],
    "report-not-written": ["error", "A report could not be written"],
  };
  const label = (result) => result.replace("-", " ").replace("non strict", "non-strict").toUpperCase();
  const $ = (id) => document.getElementById(id);

  /// Shows invisible characters, and characters that change the writing direction, as their code points.
  const visible = (text) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ufffe\uffff]/g,
    (letter) => `\\u{${letter.charCodeAt(0).toString(16).toUpperCase()}}`);

  /// Creates an element. Its children are elements or texts; missing children are skipped.
  function h(tag, attributes, ...children) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes || {})) {
      if (name === "on") for (const [event, handler] of Object.entries(value)) element.addEventListener(event, handler);
      else if (value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : value);
    }
    const there = children.flat().filter((child) => child !== undefined && child !== null && child !== "");
    element.append(...there.map((child) => typeof child === "string" ? visible(child) : child));
    return element;
  }

  function duration(seconds) {
    // A duration of zero was not measured.
    if (seconds === 0) return "";
    if (seconds < 0.001) return "<1 ms";
    if (seconds < 1) return `${Math.floor(seconds * 1000)} ms`;
    if (seconds < 60) return `${seconds.toFixed(1)} s`;
    return `${Math.floor(seconds / 60)} min ${Math.floor(seconds % 60)} s`;
  }

  function count(list) {
    const counts = {};
    for (const one of list) counts[one.result] = (counts[one.result] || 0) + 1;
    return counts;
  }

  function bar(element, list) {
    const counts = count(list);
    const parts = RESULTS.filter(([result]) => counts[result]);
    element.replaceChildren(...parts.map(([result]) => {
      const part = h("span", { class: `is-${result}` });
      part.style.flexGrow = counts[result];
      return part;
    }));
    element.setAttribute("aria-label", parts.map(([result, word]) => `${counts[result]} ${word}`).join(", ") || "no cases");
    return element;
  }

  // Head

  const run = report.run || { facts: [], arguments: [] };
  $("version").textContent = run.version || "";
  $("target").textContent = visible(run.target || "A run that did not start");
  const [tone, words] = CONCLUSIONS[report.conclusion] || ["skip", report.conclusion];
  $("conclusion").className = `is-${tone}`;
  const bad = cases.filter((one) => BAD.has(one.result)).length;
  $("conclusion").textContent = words + (bad ? `: ${bad} of ${cases.length} cases failed` : "");
  const facts = (list) => list.filter(([, value]) => value).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)));
  $("facts").append(...facts(run.facts.map((fact) => [fact.name, fact.value])));
  $("run").append(...facts([
    ["time", run.time], ["took", report.summary && duration(report.summary.duration)], ["seed", run.seed],
    ["command", ["haptest", ...run.arguments].join(" ")],
  ]));
  bar($("bar"), cases);

  function notice(result, title, ...lines) {
    $("notices").append(h("div", { class: `notice is-${result}` }, h("h2", {}, title), ...lines.map((line) => typeof line === "string" ? h("p", {}, line) : line)));
  }
  if (report.lost) {
    notice("fail", "The accessory was lost", report.lost.reason, `Sent last: ${report.lost.lastSent}`,
      report.lost.bytes && h("pre", { class: "hex" }, hex(fromHex(report.lost.bytes.slice(0, 1024)))));
  }
  if (report.interrupted) notice("error", "The run was interrupted");
  if (!report.summary) notice("error", "The run did not finish");
  if (report.summary && report.summary.leftovers.length) notice("error", "The accessory was not restored to its initial state", ...report.summary.leftovers);
  if (data.leftOut) notice("info", "Some transcripts are incomplete", data.leftOut);
  if (report.notes.length) {
    const list = h("details", {}, h("summary", {}, report.notes.length === 1 ? "1 note on the run" : `${report.notes.length} notes on the run`), h("ul", {}, report.notes.map((note) => h("li", {}, note))));
    $("notices").append(h("div", { class: "notice is-skip" }, list));
  }

  // Filters

  const wanted = { results: new Set(), area: "", level: "", text: "" };
  const totals = count(cases);
  for (const [result, word] of RESULTS) {
    if (!totals[result]) continue;
    $("verdicts").append(h("button", {
      type: "button", class: `chip is-${result}`, "aria-pressed": "false", "data-result": result,
      on: { click() { if (!wanted.results.delete(result)) wanted.results.add(result); show(); } },
    }, h("i", {}), h("b", {}, String(totals[result])), word));
  }
  const option = (value, text) => h("option", { value }, text);
  const areas = [...new Set(cases.map((one) => one.area))];
  $("area").append(option("", `all ${areas.length}`), ...areas.map((area) => option(area, area)));
  $("level").append(option("", "all"), ...["must", "should", "info"].map((level) => option(level, level)));

  /// The searchable text of a case, created on demand.
  function haystack(one) {
    if (one.haystack === undefined) {
      const o = one.outcome;
      one.haystack = [
        one.id, one.name, one.area, one.section, one.requirement, one.cause, one.fix, one.skipReason, o.message, o.sent, o.got, o.expected,
        ...(o.accepted || []), ...(o.notes || []), ...(o.deviations || []), ...one.aliases,
        ...(o.variants || []).flatMap((variant) => [variant.name, variant.message]),
        ...(o.transcript || []).flatMap((entry) => [entry.title, entry.decoded]),
      ].filter(Boolean).join("\n").toLowerCase();
    }
    return one.haystack;
  }

  const isWanted = (one) =>
    (!wanted.results.size || wanted.results.has(one.result)) && (!wanted.area || one.area === wanted.area) &&
    (!wanted.level || one.level === wanted.level) && wanted.text.split(/\s+/).every((word) => haystack(one).includes(word));

  // Cases

  /// Ids of the blocked cases, by the case that blocks them.
  const blocks = new Map();
  for (const one of cases) {
    if (!one.outcome.blockedBy) continue;
    if (!blocks.has(one.outcome.blockedBy)) blocks.set(one.outcome.blockedBy, []);
    blocks.get(one.outcome.blockedBy).push(one.id);
  }
  const link = (id) => h("a", { href: `#case-${encodeURIComponent(id)}` }, id);

  const said = (one) => one.outcome.message || one.skipReason || (one.result === "not-run" ? "it was planned and did not finish" : "");

  function row(one) {
    const element = h("details", { class: `case is-${one.result}`, id: `case-${one.id}` },
      h("summary", {},
        h("span", { class: "badge" }, label(one.result)), h("span", { class: "id" }, one.id), h("span", { class: "name" }, one.name),
        h("span", { class: "said", title: said(one) }, said(one)),
        h("span", { class: "took" }, one.outcome.duration === undefined ? "" : duration(one.outcome.duration))));
    element.addEventListener("toggle", () => fill(one));
    one.element = element;
    return element;
  }

  function fill(one) {
    if (one.isFilled || !one.element.open) return;
    one.isFilled = true;
    one.element.append(body(one));
  }

  function open(one, isOpen = true) {
    one.element.open = isOpen;
    fill(one);
  }

  const block = (title, ...children) => {
    const inside = children.flat().filter((child) => child !== undefined && child !== "");
    return inside.length ? h("section", {}, h("h3", {}, title), ...inside) : "";
  };
  const text = (value) => value ? h("p", {}, value) : undefined;
  const list = (values) => values && values.length ? h("ul", {}, values.map((value) => h("li", {}, value))) : undefined;

  function body(one) {
    const o = one.outcome;
    const accepted = o.accepted || [];
    const sides = accepted.length || o.got ? h("div", { class: "sides" },
      h("div", { class: "side expected" }, h("h3", {}, accepted.length > 1 ? "Expected, any of" : "Expected"), list(accepted) || text("not reported")),
      h("div", { class: "side got" }, h("h3", {}, "Got"), text(o.got || "as expected"))) : "";
    const details = [
      ["start", o.start === undefined ? "" : `${duration(o.start) || "0 ms"} after the start of the run`], ["took", o.duration === undefined ? "" : duration(o.duration)],
      ["seed", o.seed], ["repetitions", o.repetitions && o.repetitions.length > 1 ? o.repetitions.map(label).join(", ") : ""],
    ];
    return h("div", { class: "body" },
      h("section", {}, h("p", { class: "requirement" }, one.requirement),
        h("div", { class: "tags" }, h("span", {}, one.level), one.section && h("span", {}, one.section), h("span", {}, one.area),
          ...one.aliases.map((alias) => h("span", {}, `seems to be ${alias}`)))),
      block(one.result === "skip" || one.result === "not-run" ? "Why it did not run" : "Observation", text(said(one))),
      block("Blocks", (blocks.get(one.id) || []).length ? h("p", {}, ...blocks.get(one.id).flatMap((id, index) => [index ? ", " : "", link(id)])) : undefined),
      o.blockedBy ? block("Cause", h("p", {}, link(o.blockedBy), " fails. It judges a procedure that this case only uses.")) : "",
      block("The baseline says", text(o.expected)),
      block("Sent", text(o.sent)), sides,
      block("Accepted deviations", list(o.deviations)),
      o.variants && o.variants.length ? block("Variants", h("table", {}, h("tbody", {}, o.variants.map((variant) =>
        h("tr", {}, h("td", {}, h("span", { class: `badge is-${variant.verdict}` }, label(variant.verdict))), h("td", {}, variant.name), h("td", {}, variant.message)))))) : "",
      h("div", { class: "help" }, block("Why it matters", text(one.impact)), block("Usual cause", text(one.cause)), block("How to fix", text(one.fix))),
      one.stacks.length ? block("How other stacks behave", h("table", {}, h("tbody", {}, one.stacks.map((stack) =>
        h("tr", {}, h("td", {}, stack.name), h("td", {}, stack.behaviour), h("td", { class: "mono" }, stack.source || "")))))) : "",
      block("Notes", list(o.notes)),
      o.transcript && o.transcript.length ? block(`Transcript, ${o.transcript.length} entries`, transcript(o)) : "",
      h("dl", { class: "facts" }, facts(details)));
  }

  // Transcripts

  function transcript(outcome) {
    return h("div", { class: "transcript" }, outcome.transcript.map((entry) => {
      const frames = entry.frames.length === 0 ? "" : entry.frames.length === 1 ? `frame ${entry.frames[0].counter}`
        : `frames ${entry.frames[0].counter}–${entry.frames[entry.frames.length - 1].counter}`;
      const head = [
        h("span", { class: "time mono", title: `${entry.time} s from the start of the run` }, `${((entry.time - outcome.start) * 1000).toFixed(1)} ms`),
        h("span", { class: "arrow", title: entry.direction === "none" ? "" : `${entry.direction} by the tester` }, { sent: "→", received: "←", none: "·" }[entry.direction]),
        h("span", { class: "on", title: entry.localAddress && `${entry.localAddress} – ${entry.peerAddress}` }, entry.connection || entry.kind),
        h("span", { class: "title" }, entry.title),
        h("span", { class: "size mono" }, [entry.size ? `${entry.size} B` : "", frames].filter(Boolean).join(", ")),
      ];
      const kind = `entry ${entry.kind} ${entry.direction}`;
      if (!entry.decoded && !entry.bytes && entry.frames.length < 2) return h("div", { class: `${kind} flat` }, head);
      const element = h("details", { class: kind }, h("summary", {}, head));
      element.addEventListener("toggle", () => { if (element.open && element.children.length === 1) element.append(inside(entry)); });
      return element;
    }));
  }

  function inside(entry) {
    const dump = entry.bytes ? h("pre", { class: "hex", hidden: Boolean(entry.decoded) }) : undefined;
    const fillDump = () => { if (dump && !dump.textContent) dump.textContent = hexOf(entry); };
    if (dump && !entry.decoded) fillDump();
    const button = dump && entry.decoded ? h("button", { type: "button", "aria-expanded": "false", on: { click() {
      fillDump();
      dump.hidden = !dump.hidden;
      button.setAttribute("aria-expanded", String(!dump.hidden));
      button.textContent = dump.hidden ? "Show bytes" : "Hide bytes";
    } } }, "Show bytes") : undefined;
    const frames = entry.frames.length > 1 ? h("p", { class: "size" }, "Frames: " + entry.frames.map((frame) => `${frame.counter} (${frame.count} B)`).join(", ")) : undefined;
    return h("div", { class: "inside" }, entry.decoded ? h("pre", {}, entry.decoded) : undefined, frames, button, dump);
  }

  function hexOf(entry) {
    const bytes = Uint8Array.from(atob(entry.bytes), (letter) => letter.charCodeAt(0));
    const rest = entry.size - bytes.length;
    return hex(bytes) + (rest > 0 ? `\n… ${rest} more bytes` : "");
  }

  function fromHex(digits) {
    return Uint8Array.from((digits.match(/../g) || []).map((pair) => parseInt(pair, 16)));
  }

  function hex(bytes) {
    const lines = [];
    for (let start = 0; start < bytes.length; start += 16) {
      const row = [...bytes.subarray(start, start + 16)];
      const pairs = row.map((byte) => byte.toString(16).padStart(2, "0"));
      const shown = row.map((byte) => byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".").join("");
      lines.push(`${start.toString(16).padStart(4, "0")}  ${pairs.slice(0, 8).join(" ").padEnd(23)}  ${pairs.slice(8).join(" ").padEnd(23)}  ${shown}`);
    }
    return lines.join("\n");
  }

  // Groups

  const main = $("cases");
  const collator = new Intl.Collator("en", { numeric: true });
  let groups = [];

  function arrange() {
    const by = $("group").value;
    const byName = new Map();
    for (const one of cases) {
      const name = by === "result" ? one.result : one[by] || "without a section";
      if (!byName.has(name)) byName.set(name, []);
      byName.get(name).push(one);
    }
    let names = [...byName.keys()];
    if (by === "section") names.sort(collator.compare);
    if (by === "result") names = RESULTS.map(([result]) => result).filter((result) => byName.has(result));
    groups = names.map((name) => {
      const members = byName.get(name);
      const title = by === "result" ? RESULTS.find(([result]) => result === name)[1] : name;
      const strip = bar(h("span", { class: "bar mini", role: "img" }), members);
      const counter = h("small", {});
      return { members, counter, element: h("section", { class: "group" }, h("h2", {}, title, strip, counter), members.map((one) => one.element || row(one))) };
    });
    main.replaceChildren(...groups.map((group) => group.element), nothing);
    show();
  }

  const nothing = h("p", { class: "nothing", hidden: true }, cases.length ? "No case matches the filters." : "There are no cases in this run.");

  function show() {
    let shown = 0;
    for (const group of groups) {
      let inGroup = 0;
      for (const one of group.members) {
        one.isShown = isWanted(one);
        one.element.hidden = !one.isShown;
        if (one.isShown) inGroup += 1;
      }
      group.element.hidden = inGroup === 0;
      group.counter.textContent = inGroup === group.members.length ? `${inGroup}` : `${inGroup} of ${group.members.length}`;
      shown += inGroup;
    }
    nothing.hidden = shown > 0;
    $("shown").textContent = shown === cases.length ? `${shown} cases` : `${shown} of ${cases.length} cases`;
    for (const chip of $("verdicts").children) chip.setAttribute("aria-pressed", String(wanted.results.has(chip.dataset.result)));
  }

  const inSight = () => groups.flatMap((group) => group.members).filter((one) => one.isShown);

  $("search").addEventListener("input", () => { wanted.text = $("search").value.trim().toLowerCase(); show(); });
  $("area").addEventListener("change", () => { wanted.area = $("area").value; show(); });
  $("level").addEventListener("change", () => { wanted.level = $("level").value; show(); });
  $("group").addEventListener("change", arrange);
  $("open").addEventListener("click", () => {
    const list = inSight();
    const isOpening = list.some((one) => !one.element.open);
    for (const one of list) open(one, isOpening);
  });
  $("reset").addEventListener("click", () => {
    Object.assign(wanted, { results: new Set(), area: "", level: "", text: "" });
    for (const id of ["search", "area", "level"]) $(id).value = "";
    show();
  });

  // Light and dark theme. A page from disk may have no storage.

  const THEMES = ["system", "light", "dark"];
  let theme = "system";
  try { theme = localStorage.getItem("haptest-theme") || theme; } catch { /* no storage: the default theme is used */ }
  function setTheme(name) {
    theme = THEMES.includes(name) ? name : "system";
    if (theme === "system") delete document.documentElement.dataset.theme; else document.documentElement.dataset.theme = theme;
    $("theme").textContent = { system: "◐ System", light: "☀ Light", dark: "☾ Dark" }[theme];
    try { localStorage.setItem("haptest-theme", theme); } catch { /* no storage */ }
  }
  const nextTheme = () => setTheme(THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length]);
  $("theme").addEventListener("click", nextTheme);
  setTheme(theme);

  // Keys

  function go(step, isWrong) {
    const list = inSight().filter((one) => !isWrong || BAD.has(one.result));
    if (!list.length) return;
    const all = inSight();
    const at = all.findIndex((one) => one.element.contains(document.activeElement));
    const next = step > 0 ? list.find((one) => all.indexOf(one) > at) || list[0]
      : list.findLast((one) => at < 0 || all.indexOf(one) < at) || list[list.length - 1];
    next.element.querySelector("summary").focus();
    next.element.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.target.matches("input, select, textarea")) {
      if (event.key === "Escape") event.target.blur();
      return;
    }
    const action = { "/": () => $("search").focus(), j: () => go(1), k: () => go(-1), n: () => go(1, true), t: nextTheme }[event.key];
    if (action) { event.preventDefault(); action(); }
  });

  // A link to a case opens it. When printed, failed cases are shown in full.

  function follow() {
    let id = "";
    try { id = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const one = cases.find((other) => other.id === id || `case-${other.id}` === id);
    if (!one) return;
    open(one);
    one.element.scrollIntoView();
    one.element.querySelector("summary").focus();
  }
  window.addEventListener("hashchange", follow);
  window.addEventListener("beforeprint", () => {
    document.documentElement.dataset.theme = "light";
    for (const one of inSight()) if (BAD.has(one.result)) open(one);
  });
  window.addEventListener("afterprint", () => setTheme(theme));

  // Failures first, if there are any.
  if (bad) $("group").value = "result";
  arrange();
  const wrong = cases.filter((one) => BAD.has(one.result));
  if (wrong.length <= 3) for (const one of wrong) open(one);
  follow();
})();
