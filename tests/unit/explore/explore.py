#!/usr/bin/env python3
"""explore.py reach|reduce SOURCE_DIR BUILD_DIR: the explore.* cases in one process, on simulated time.

reach: in a few rounds each row of meetings.def counts at least once, each field of fields.def is effective in each
round, and nothing fails.
reduce: a fault of the model is found, and reduced to a few steps; with the same seed twice in the same way."""
import collections
import pathlib
import re
import subprocess
import sys

ROUNDS = 4
FAULT = "irq_not_masked"  # of the list in tests/faults/CMakeLists.txt
STEPS_MOST = 5
FIELDS_LEAST = 135


def explore(build, *options):
    program = build / "tests/host_platform/agpu_inprocess"
    return subprocess.run([program, "--filter", "explore.*", "--clock", "manual", "--records", *options], text=True,
                          stdout=subprocess.PIPE, check=False).stdout


def reach(source, build):
    rows = re.findall(r'^AGPU_MEETING\(\w+, "(\w+)"', (source / "tests/cases/choice/meetings.def").read_text(), re.M)
    output = explore(build, "--repeat", str(ROUNDS))
    counts = collections.Counter()
    for name, value in re.findall(r"name=meeting\.(\w+) value=(\d+)", output):
        counts[name] += int(value)
    for name in rows:
        print(f"{counts[name]:8} {name}")
    missed = [name for name in rows if counts[name] == 0]
    if not rows or missed:
        print(f"explore.reach: expected each meeting in {ROUNDS} rounds, found none of: {' '.join(missed)}")
        return 1
    fields = int(re.search(r"name=fields value=(\d+)", output)[1])
    effective = re.findall(r"name=fields_effective value=(\d+)", output)
    if fields < FIELDS_LEAST or effective != [str(fields)] * ROUNDS:
        print(f"explore.reach: expected {fields} effective fields in each of {ROUNDS} rounds, found {effective}:",
              *sorted(set(re.findall(r'text="(row .*fields\.def .*)"', output))), sep="\n")
        return 1
    if re.search(r";summary - status=PASS ", output) is None:
        print("explore.reach: expected PASS, found:", *re.findall(r"^.*;check .*$", output, re.M), sep="\n")
        return 1
    return 0


def reduce(_source, build):
    outputs = [re.findall(r";check .*reduced from \d+ to (\d+) steps.*$", explore(build, "--fault", FAULT), re.M)
               for _ in range(2)]
    if not outputs[0] or outputs[0] != outputs[1]:
        print(f"explore.reduce: expected the same mismatches twice with {FAULT}, found {outputs}")
        return 1
    if min(map(int, outputs[0])) > STEPS_MOST:
        print(f"explore.reduce: expected at most {STEPS_MOST} steps, found {outputs[0]}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit({"reach": reach, "reduce": reduce}[sys.argv[1]](*(pathlib.Path(path).resolve() for path in sys.argv[2:4])))
