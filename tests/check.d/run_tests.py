#!/usr/bin/python3
"""Runs ctest, with a line of progress: run_tests.py PRESET JUNIT LOG ARGUMENTS...

Prints failed tests with their output, ctest's closing lines, and each skipped test with its reason; the whole output goes to LOG.
The exit status is that of ctest.
"""
import collections
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

SILENT_S = 30  # seconds between two lines of progress without a terminal
RESULT = re.compile(r" *(\d+)/(\d+) Test +#\d+: (\S+) [.* ]*(.*)")


def known_seconds(preset):
    """Returns the seconds that each test took on average in earlier runs of this tree, as ctest recorded
    them."""
    seconds = {}
    try:
        with open(f"build/{preset}/Testing/Temporary/CTestCostData.txt", encoding="utf-8") as file:
            for line in file:
                if line.startswith("---"):
                    break
                name, _, cost = line.split()
                seconds[name] = float(cost)
    except FileNotFoundError:
        pass
    return seconds


def chosen_tests(command):
    listing = subprocess.run(command + ["--show-only"], capture_output=True, text=True, check=False).stdout
    return re.findall(r"^ +Test +#\d+: (\S+)", listing, re.MULTILINE)


class Progress:
    """Returns one line with the progress and the remaining time."""

    def __init__(self, preset, names):
        known = known_seconds(preset)
        usual = sum(known.values()) / len(known) if known else 1.0
        self.preset = preset
        self.rest = {name: known.get(name, usual) for name in names}
        self.count = len(names)
        self.work = sum(self.rest.values())
        self.failed = 0
        self.start = self.shown = time.monotonic()

    def done(self, name):
        self.rest.pop(name, None)

    def text(self):
        rest = sum(self.rest.values())
        done = self.work - rest
        left = (time.monotonic() - self.start) * rest / done if done > 0 else 0
        return (f"{self.preset}: {self.count - len(self.rest)} of {self.count} tests, {self.failed} failed, "
                f"about {int(left / 60)}:{int(left % 60):02} left")

    def show(self):
        now = time.monotonic()
        if sys.stdout.isatty():
            print(f"\r{self.text()}\033[K", end="", flush=True)
        elif now - self.shown >= SILENT_S:
            self.shown = now
            print(self.text(), flush=True)


def print_line(line):
    print(("\r\033[K" if sys.stdout.isatty() else "") + line, end="", flush=True)


def print_skipped(junit):
    """Prints the skipped tests with the last line of each; tests with the same reason together."""
    reasons = collections.defaultdict(list)
    for case in xml.etree.ElementTree.parse(junit).getroot().iter("testcase"):
        if case.get("status") in ("notrun", "disabled"):
            said = [line.strip() for line in (case.findtext("system-out") or "").splitlines() if line.strip()]
            reasons[said[-1] if said else f"no reason given ({case.get('status')})"].append(case.get("name"))
    for reason, names in reasons.items():
        print(f"skipped: {', '.join(names)}: {reason}")


def main():
    preset, junit, log = sys.argv[1:4]
    command = ["ctest", "--preset", preset] + sys.argv[4:]
    progress = Progress(preset, chosen_tests(command))
    with open(log, "w", encoding="utf-8") as file, subprocess.Popen(
            command + ["--output-on-failure", "--output-junit", junit], text=True, errors="replace",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as ctest:
        for line in ctest.stdout:
            file.write(line)
            result = RESULT.match(line)
            if result:
                progress.done(result[3])
                if not re.match(r"Passed|Skipped|Not Run \(Disabled\)", result[4].strip("* ")):
                    progress.failed += 1
                    print_line(line)
                progress.show()
            elif not re.match(r" +Start +\d+: |\n", line):
                print_line(line)
    if progress.count > 0:
        print_skipped(junit)
    return ctest.returncode


if __name__ == "__main__":
    sys.exit(main())
