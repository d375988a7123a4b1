"""Writes docs/internals/proof.md from the results of Scripts/prove."""
import collections


def text(defects, cases, verdicts, summary, matrix=None):
    by_case = collections.defaultdict(list)
    by_id = {verdict["id"]: verdict for verdict in verdicts}
    for defect in defects:
        for case in defect["breaks"]:
            by_case[case].append(defect)
    needed = [case for case in cases if case["level"] != "info"]
    proven = set(summary["proven"])
    lines = [
        "# The proof: every case of haptest detects a defect",
        "",
        "<!-- Written by `make prove`. Do not edit. -->",
        "A conformance case is useful only if a faulty accessory fails it. `hapsim` therefore breaks each rule deliberately, one at a time (see [defects](../reference/defects.md)), and `haptest` must detect it. The",
        "case of that rule must fail. Other cases may be blocked by it, and may fail only if the defect declares them as dragged. Without a defect, and with every shipped profile, no case may fail.",
        "",
        "<!-- contents -->",
        "- [By area](#by-area)",
        "- [Survivors](#survivors)",
        *(["- [Total defects](#total-defects)"] if any(d.get("total") for d in defects) else []),
        "- [Each case with its defects](#each-case-with-its-defects)",
        "<!-- /contents -->",
        "",
        f"| | |\n|---|---|\n| cases with a requirement or recommendation | {len(needed)} |\n| caught failing | {len(proven)} |",
        f"| defects | {summary['defects']} |\n| proven | {summary['killed']} |",
        f"| cases blocked by the case that judges the broken rule | {summary['blocked']} |\n| cases that fail as well (dragged) | {summary['dragged']} |",
        f"| runs without a defect | {summary['clean']}, {summary['profiles']} of them whole runs against shipped profiles |",
        f"| of these with a false alarm | {len(summary['alarms'])} |\n| time | {summary['seconds'] // 60} min {summary['seconds'] % 60} s on 2 cores |",
        "",
        "`make prove` repeats the proof. `make proof-check` removes expectations from cases, and checks that the proof then fails.",
        "",
        "## By area",
        "| area | cases | caught failing | defects | proven |",
        "|---|---|---|---|---|",
    ]
    areas = collections.OrderedDict((case["area"], None) for case in cases)
    for area in areas:
        own = [case["id"] for case in needed if case["area"] == area]
        theirs = [v for v in verdicts if v["area"] == area]
        lines.append(f"| {area} | {len(own)} | {len(proven & set(own))} | {len(theirs)} | {sum(v['proven'] for v in theirs)} |")
    lines += ["", "## Survivors"]
    survivors = [case for case in needed if case["id"] not in proven]
    if survivors:
        lines += ["Cases that fail with no defect:", "", "| case | why |", "|---|---|"]
        for case in survivors:
            reasons = [d["unproven"] for d in by_case[case["id"]] if d.get("unproven")]
            lines.append(f"| {case['id']} {case['name']} | {cell('; '.join(reasons) or 'not known')} |")
    else:
        lines.append("No case survived.")
    lives = [v for v in verdicts if not v["proven"]]
    excused = [d for d in defects if d.get("unproven")]
    if lives or excused:
        lines += ["", "Defects that were not proven:", "", "| defect | breaks | why |", "|---|---|---|"]
        for verdict in lives:
            why = "; ".join(verdict["survived"] + [f"drags {case}, undeclared" for case in verdict["undeclared"]])
            lines.append(f"| {verdict['id']} | {' '.join(verdict['breaks'])} | {cell(why)} |")
        for defect in excused:
            lines.append(f"| {defect['id']} | {' '.join(defect['breaks'])} | {cell(defect['unproven'])} |")
    totals = [d for d in defects if d.get("total")]
    if totals:
        lines += ["", "## Total defects", "With these defects no session can be established or used. Further failures do not count against them:", ""]
        lines += [f"- `{d['id']}`: {d['total']}" for d in totals]
    lines += ["", "## Each case with its defects", "| case | level | defects | one of them, with the message of haptest |", "|---|---|---|---|"]
    for case in needed:
        own = [by_id[d["id"]] for d in by_case[case["id"]] if d["id"] in by_id]
        hits = [v for v in own if case["id"] in v["messages"]]
        said = f"`{hits[0]['id']}`: {cell(hits[0]['messages'][case['id']])}" if hits else "–"
        lines.append(f"| {case['id']} {case['name']} | {case['level']} | {len(hits)} | {said} |")
    if summary["interrupted"]:
        lines.insert(3, "**This proof was interrupted: the missing cases did not run.**")
    return "\n".join(lines) + "\n"


def cell(text):
    """Returns text for one cell of a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 160 else text[:157] + "…"
