"""Writes docs/proof.md of what Scripts/prove found."""
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
        "# The proof: every case of haptest is caught failing",
        "",
        "<!-- Written by `make prove`. Do not edit. -->",
        "A conformance case that no broken accessory fails says nothing. So `hapsim` breaks each rule on purpose, one at a time (see [defects](defects.md)), and `haptest` has to notice: the",
        "case of that rule has to fail, and no other but those that the defect says it drags along. Other cases may be blocked by that case. Without a defect, and with every shipped profile, nothing may fail.",
        "",
        f"| | |\n|---|---|\n| cases that demand or recommend something | {len(needed)} |\n| caught failing | {len(proven)} |",
        f"| defects | {summary['defects']} |\n| proven | {summary['killed']} |",
        f"| cases blocked by the case that judges the broken rule | {summary['blocked']} |\n| cases that fail as well (dragged) | {summary['dragged']} |",
        f"| runs without a defect | {summary['clean']}, {summary['profiles']} of them whole runs against shipped profiles |",
        f"| of which accused somebody | {len(summary['alarms'])} |\n| time | {summary['seconds'] // 60} min {summary['seconds'] % 60} s on 2 cores |",
        "",
        "`make prove` does it again; `make proof-check` takes expectations out of the cases and sees the proof break.",
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
        lines += ["Cases that no defect was seen to fail:", "", "| case | why |", "|---|---|"]
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
        lines += ["", "## Total defects", "With these no session can be made or used at all; what else fails isn't held against them:", ""]
        lines += [f"- `{d['id']}`: {d['total']}" for d in totals]
    lines += ["", "## Each case and what it was caught by", "| case | level | defects | one of them, and what haptest said |", "|---|---|---|---|"]
    for case in needed:
        own = [by_id[d["id"]] for d in by_case[case["id"]] if d["id"] in by_id]
        hits = [v for v in own if case["id"] in v["messages"]]
        said = f"`{hits[0]['id']}`: {cell(hits[0]['messages'][case['id']])}" if hits else "–"
        lines.append(f"| {case['id']} {case['name']} | {case['level']} | {len(hits)} | {said} |")
    if summary["interrupted"]:
        lines.insert(3, "**This proof was interrupted: what is missing didn't run.**")
    return "\n".join(lines) + "\n"


def cell(text):
    """Text that stands in one cell of a table."""
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= 160 else text[:157] + "…"
