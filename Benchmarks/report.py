"""Figures: medians, ranges, ratios and verdicts, as a table and as JSON."""

import json
import platform
from pathlib import Path
from statistics import median

from lines import FLOORS, LINES, REFERENCE


def machine():
    cpu = next((line.split(":", 1)[1].strip() for line in Path("/proc/cpuinfo").read_text().splitlines() if "model name" in line), "")
    cores = len([line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("processor")])
    return f"{cores} x {cpu or platform.machine()}, {platform.system()} {platform.release()}"


class Figures:
    """All samples of a run, by stack and key."""

    def __init__(self, samples, about):
        self.samples, self.about = samples, about

    @classmethod
    def of(cls, samples, seconds, rounds):
        about = {"machine": machine(), "rounds": rounds, "seconds": round(seconds)}
        return cls({stack: dict(keys) for stack, keys in samples.items()}, about)

    @classmethod
    def read(cls, path):
        document = json.loads(Path(path).read_text())
        return cls(document["samples"], document["about"])

    def json(self):
        rounded = {
            stack: {key: [round(value, 4) for value in values] for key, values in keys.items()}
            for stack, keys in self.samples.items()
        }
        # One line for each list of samples.
        text = json.dumps({"about": self.about, "samples": rounded}, indent=1, ensure_ascii=False)
        return "\n".join(_folded(text)) + "\n"

    def value(self, stack, key):
        values = self.samples.get(stack, {}).get(key)
        return median(values) if values else None

    def ratio(self, line, stack="hapsim"):
        """Returns the value as a multiple of the floor if the bar of the line is one; otherwise the value itself."""
        value = self.value(stack, line.key)
        if value is None or line.floor is None:
            return value
        floor = self.value("floor", line.floor)
        return value / floor if floor else None

    def paced(self, line, stack="hapsim"):
        """Returns a time scaled to the pace of the machine on which its bar was set, if this one is slower; None for other values."""
        value, floor = self.value(stack, line.key), self.value("floor", line.pace)
        if value is None or not floor or floor <= REFERENCE[line.pace] or line.floor or line.unit not in ("µs", "ms"):
            return None
        return value * REFERENCE[line.pace] / floor

    def verdict(self, line):
        """Returns an empty text without a bar or a figure."""
        ratio = self.ratio(line)
        if line.bar is None or ratio is None:
            return ""
        if ratio <= line.bar:
            return "reached"
        paced = self.paced(line)
        return "reached at pace" if paced is not None and paced <= line.bar else "MISSED"

    def rows(self, earlier=None):
        """Returns the rows of the table, including its head."""
        rows = [["", "hapsim", "min … max", "x floor", "at pace", "bar", "best peer", "", "HAP-python"]]
        if earlier:
            rows[0].append("to earlier")
        for line in FLOORS + LINES:
            stack = "floor" if line in FLOORS or line.key == "fsync" else "hapsim"
            value = self.value(stack, line.key)
            if value is None:
                continue
            values = self.samples[stack][line.key]
            peer = self.value("HAP-python", line.key) if stack == "hapsim" else None
            times = "x" if line.floor else line.unit
            row = [
                line.title,
                _number(value, line),
                f"{min(values):.{line.digits}f} … {max(values):.{line.digits}f}",
                f"{self.ratio(line):.2f}" if line.floor else "",
                f"{self.paced(line):.{line.digits}f}" if line.bar is not None and self.paced(line) is not None else "",
                f"{line.bar:g} {times}" if line.bar is not None else "",
                f"{line.peer:g} {times}" if line.peer is not None else "",
                self.verdict(line),
                _number(peer, line) if peer is not None else "",
            ]
            if earlier:
                before = earlier.value(stack, line.key)
                row.append(f"{value / before:.2f}" if before else "")
            rows.append(row)
        return rows

    def markdown(self):
        """Returns the table as in docs/internals/performance.md."""
        head, *rest = [f"| {' | '.join(row)} |" for row in self.rows()]
        return "\n".join([head, "|---" * len(self.rows()[0]) + "|", *rest]) + "\n"

    def table(self, earlier=None):
        rows = self.rows(earlier)
        about = f"{self.about['machine']}; {self.about['rounds']} rounds, {self.about['seconds']} s; medians"
        missed = [line.title for line in LINES if self.verdict(line) == "MISSED"]
        barred = [line for line in LINES if self.verdict(line)]
        paced = [line.title for line in barred if self.verdict(line) == "reached at pace"]
        verdict = f"{len(barred) - len(missed) - len(paced)} of {len(barred)} bars reached"
        if paced:
            verdict += f"; {len(paced)} more at the pace of the machine on which they were set (floor {REFERENCE['floor.p50']} µs): "
            verdict += "; ".join(paced)
        if missed:
            verdict += "; MISSED: " + "; ".join(missed)
        return f"{aligned(rows)}\n{about}\n{verdict}"


def _number(value, line):
    return f"{value:.{line.digits}f} {line.unit}".rstrip()


def aligned(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [" | ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "-+-".join("-" * width for width in widths), *lines[1:]])


def _folded(text):
    """Returns JSON with each list of numbers on one line."""
    kept = []
    for line in text.splitlines():
        if kept and kept[-1].endswith("[") or kept and kept[-1].count("[") > kept[-1].count("]"):
            kept[-1] += line.strip() if kept[-1].endswith("[") else " " + line.strip()
        else:
            kept.append(line)
    return kept
