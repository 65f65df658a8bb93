#!/usr/bin/python3
"""compare_test.py: compare.py over lists made up here."""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
work = tempfile.TemporaryDirectory()


def write(name, figures):
    path = os.path.join(work.name, name)
    with open(path, "w") as file:
        json.dump([{"name": key, "value": value, "unit": unit, "floor": floor, "ratio": value / floor if floor else None, "spread": spread,
                    "goal": None} for key, (value, unit, floor, spread) in figures.items()], file)
    return path


def compare(old, new, status):
    done = subprocess.run([sys.executable, os.path.join(HERE, "compare.py"), old, new], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    assert done.returncode == status, done
    return done.stdout


old = write("old", {"a.slower": (100, "ns", 50, 0.03), "a.faster": (100, "ns", 50, 0.03), "a.noisy": (100, "ns", 50, 0.4),
                    "a.machine": (100, "ns", 50, 0.03), "a.rate": (100, "draws/s", 200, 0.03), "a.rate_up": (100, "GB/s", 200, 0.03),
                    "a.still": (100, "ns", 50, 0), "a.gone": (1, "ns", 1, 0), "a.alone": (100, "polls", 0, 0),
                    "a.unit": (100, "ns", 50, 0)})
new = write("new", {"a.slower": (120, "ns", 50, 0.03), "a.faster": (80, "ns", 50, 0.03), "a.noisy": (130, "ns", 50, 0.1),
                    "a.machine": (200, "ns", 100, 0.03), "a.rate": (80, "draws/s", 200, 0.03), "a.rate_up": (150, "GB/s", 200, 0.03),
                    "a.still": (104, "ns", 50, 0), "a.new": (1, "ns", 1, 0), "a.alone": (200, "polls", 0, 0), "a.unit": (0.1, "us", 50, 0)})
lines = compare(old, new, 1).splitlines()
kinds = {line.split()[1]: line.split()[0] for line in lines if line.startswith(("worse", "better"))}
assert kinds == {"a.slower": "worse", "a.rate": "worse", "a.alone": "worse", "a.faster": "better", "a.rate_up": "better"}, kinds
assert "worse   a.slower" in "\n".join(lines) and "100 -> 120 ns, ratio 2 -> 2.4 (+20 %, noise 5 %)" in "\n".join(lines), lines
assert "only before  a.gone" in lines and "only now     a.new" in lines and "not comparable  a.unit" in lines, lines
assert lines[-1] == "3 of 9 figures got worse beyond noise, 2 better", lines[-1]
assert compare(old, old, 0).strip() == "0 of 10 figures got worse beyond noise, 0 better"
for text in ("{}", "[1]", "[{\"name\": \"a\"}]", "", "{\"a\": 1}", "[{\"name\": \"a\", "):
    broken = os.path.join(work.name, "broken")
    with open(broken, "w") as file:
        file.write(text)
    if text != "{}":  # an empty list has no figures, and is one
        assert "no list of figures" in compare(broken, new, 2), text
assert "No such file" in compare(os.path.join(work.name, "none"), new, 1)
