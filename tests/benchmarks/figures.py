#!/usr/bin/python3
"""figures.py show JSON OLD LIST...: prints one table of the benchmarks' lists of figures, and writes them to the
file JSON unless it is "". With a file OLD, written earlier, also prints which figures got worse or better beyond
noise, and which are in one of the two only. Ratios to the floor measured with each figure are compared, so another or
a busy machine affects both parts. Noise is the larger spread of the two, at least 5 %. Exit status: 1 if a figure got
worse, 2 if a file is no such list. figures.py boot SUMMARY...: prints the figures boot.NAME of the runs in directories
NAME1, NAME2, NAME3, each the one with the median ratio, and the rate of the explorer there. figures.py steps
PROGRAM: runs the cases explore.* of agpu_inprocess five times, and prints the median rate of their steps."""
import json
import re
import subprocess
import sys
import time

LEAST = 0.05  # smaller changes do not count, however quiet the figures


def load(path):
    try:
        with open(path) as file:
            figures = json.load(file)
        return {figure["name"]: {key: figure[key] for key in ("value", "unit", "floor", "ratio", "spread")} for figure in figures}
    except OSError as error:
        sys.exit("figures: cannot read %s: %s" % (path, error.strerror))
    except (ValueError, TypeError, KeyError):
        print("figures: %s is no list of figures: tests/bench --json FILE writes one" % path, file=sys.stderr)
        sys.exit(2)


def number(figure, key):
    value = figure[key]
    return value if isinstance(value, (int, float)) and value == value else 0


def change(old, new):
    """Returns (relative loss of the new figure, noise), or None if they cannot be compared."""
    key = "ratio" if number(old, "ratio") > 0 and number(new, "ratio") > 0 else "value"
    before, now = number(old, key), number(new, key)
    if old["unit"] != new["unit"] or before <= 0 or now <= 0:
        return None
    noise = max(LEAST, number(old, "spread"), number(new, "spread"))
    return (before / now if new["unit"].endswith("/s") else now / before) - 1, noise


def compare(old, new):
    worse, better, other = [], [], []
    for name in sorted(set(old) | set(new)):
        if name not in old or name not in new:
            other.append("only %s  %s" % ("before" if name in old else "now   ", name))
            continue
        moved = change(old[name], new[name])
        if moved is None:
            other.append("not comparable  %s" % name)
            continue
        share, noise = moved
        text = "%-30s %.5g -> %.5g %s, ratio %.4g -> %.4g (%+.0f %%, noise %.0f %%)" % (
            name, number(old[name], "value"), number(new[name], "value"), new[name]["unit"], number(old[name], "ratio"),
            number(new[name], "ratio"), 100 * share, 100 * noise)
        if share > noise:
            worse.append("worse   " + text)
        elif 1 / (1 + share) - 1 > noise:
            better.append("better  " + text)
    for line in worse + better + other:
        print(line)
    print("%d of %d figures got worse beyond noise, %d better" % (len(worse), len(set(old) & set(new)), len(better)))
    return 1 if worse else 0


def show(name, old, *lists):
    figures = []
    for path in lists:
        with open(path) as file:
            figures += json.loads(file.read() or "[]")  # empty: not built here
    columns = ("name", "value", "unit", "floor", "ratio", "spread", "goal")
    for row in [dict(zip(columns, columns))] + figures:
        print("%-30s %14s %-16s %14s %8s %8s %8s" % tuple("null" if row[key] is None else row[key] for key in columns))
    if name:
        with open(name, "w") as file:
            file.write("[\n" + ",\n".join(map(json.dumps, figures)) + "\n]\n")
    return compare(load(old), {figure["name"]: figure for figure in figures}) if old else 0


def boot(*summaries):
    runs, figures = {}, []
    for path in summaries:  # of .../NAME and a digit/summary.json
        with open(path) as file:
            run = json.load(file)
        runs.setdefault(path.split("/")[-2][:-1], []).append(
            (run["boot_to_summary_s"] / run["boot_to_entry_s"], run["boot_to_summary_s"], run["boot_to_entry_s"]))
    for name, all_of in runs.items():
        ratio, value, floor = sorted(all_of)[len(all_of) // 2]
        figures.append({"name": "boot." + name, "value": value, "unit": "s", "floor": floor, "ratio": round(ratio, 3),
                        "spread": round((max(all_of)[0] - min(all_of)[0]) / ratio, 3), "goal": None})
    print(json.dumps(figures + [rate("explore.steps_in_qemu", [explored(path) for path in summaries if "/verdict" in path], 1500)]))
    return 0


def rate(name, rates, goal):
    middle = sorted(rates)[len(rates) // 2]
    return {"name": name, "value": round(middle), "unit": "steps/s", "floor": None, "ratio": None,
            "spread": round((max(rates) - min(rates)) / middle, 3) if middle else None, "goal": goal}


def explored(summary):
    """Returns the steps a second of the cases explore.* of a run."""
    with open(summary.replace("summary.json", "results.jsonl")) as file:
        records = [json.loads(line) for line in file]
    steps = sum(record["value"] for record in records if record["type"] == "metric" and record["name"] == "explore_steps")
    us = sum(record["us"] for record in records if record["type"] == "end" and record["id"].startswith("explore."))
    return 1e6 * steps / us if us else 0


def steps(program):
    rates = []
    for seed in range(1, 6):
        began = time.monotonic()
        said = subprocess.run([program, "--records", "--clock", "manual", "--filter", "explore.*", "--explore-seed", str(seed)],
                              stdout=subprocess.PIPE, text=True, errors="replace", check=True).stdout
        rates.append(sum(map(int, re.findall(r"metric .*name=explore_steps value=(\d+)", said))) / (time.monotonic() - began))
    print(json.dumps([rate("explore.steps", rates, 20000)]))
    return 0


sys.exit({"show": show, "boot": boot, "steps": steps}[sys.argv[1]](*sys.argv[2:]))
