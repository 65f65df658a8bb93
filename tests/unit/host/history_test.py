#!/usr/bin/python3
"""agpu history and agpu compare-runs over runs made up here: history_test.py AGPU SUBJECT."""
import json
import os
import random
import re
import sqlite3
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

AGPU, SUBJECT = sys.argv[1:3]
work = tempfile.TemporaryDirectory()
results = os.path.join(work.name, "results")
NOON = 1790000000
made = 0


def run(cases, metrics=(), build="b1", device="board one", start=None, accel="tcg", fault="", name=None, parent=None):
    """Writes a result directory as agpu run does: cases is {id: status or (status, reason)}, metrics {(id, name,
    unit): value}."""
    global made
    made += 1
    folder = os.path.join(parent or results, name or "%04d" % made)
    os.makedirs(folder)
    records = [{"type": "plan", "id": "-", "count": len(cases), "build": build, "device": device}]
    counts = {}
    for number, (case, status) in enumerate(cases.items(), 1):
        status, reason = status if isinstance(status, tuple) else (status, None)
        counts[status] = counts.get(status, 0) + 1
        records.append({"type": "start", "id": case, "index": number})
        records.append({"type": "end", "id": case, "status": status, "us": 10 + number})
        if reason is not None:
            records[-1]["reason"] = reason
    for (case, metric, unit), value in dict(metrics).items():
        records.append({"type": "metric", "id": case, "name": metric, "value": round(value), "unit": unit})
    bad = counts.get("FAIL", 0)
    records.append({"type": "summary", "id": "-", "status": "FAIL" if bad else "PASS", "passed": counts.get("PASS", 0),
                    "failed": bad, "errors": 0, "skipped": counts.get("SKIP", 0), "timeouts": 0, "crashed": 0,
                    "total": len(cases), "us": 99})
    with open(os.path.join(folder, "results.jsonl"), "w") as file:
        for seq, record in enumerate(records):
            # Two runs never have the same bytes: their times differ.
            record = {"seq": seq, "t_us": seq, **record, "via": "udp", "host_us": made * 1000 + seq}
            file.write(json.dumps(record) + "\n")
    environment = {"accel": accel, "host": "a machine"}
    if fault:
        environment["fault"] = fault
    with open(os.path.join(folder, "summary.json"), "w") as file:
        json.dump({"started_at": start if start is not None else NOON + 60 * made, "wall_s": 2.0,
                   "environment": environment}, file)
    return folder


def agpu(*arguments, status=0):
    """Returns the output, with stderr after stdout. Fails if the exit status is another."""
    done = subprocess.run([AGPU, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                          env={**os.environ, "TZ": "UTC"}, check=False)
    assert done.returncode == status, "%s: status %d, expected %d:\n%s" % (arguments, done.returncode, status, done.stdout)
    return done.stdout


def history(*arguments, status=0):
    return agpu("history", "--results", results, *arguments, status=status)


def has(text, *parts):
    for part in parts:
        assert part in text, "expected %r in:\n%s" % (part, text)


def lacks(text, *parts):
    for part in parts:
        assert part not in text, "expected no %r in:\n%s" % (part, text)


def since():
    for number in range(12):
        run({"ring.a": "PASS" if number < 7 else ("FAIL", "head is %d" % number), "ring.b": "PASS",
             "ring.c": ("SKIP", "no wire")}, build="b%d" % (number // 4))
    text = history("ring.a")
    has(text, "ring.a", "on board one", "FAIL     5 runs, since run 8, 2026-09-21", "to run 12",
        "head is 11", "PASS     7 runs, since run 1,")
    lacks(text, "ring.b")
    text = history()
    has(text, "12 runs", "FAIL     ring.a  since run 8", "build b1, in 5 runs", "flaky in the last 12 runs:\n  none")
    # Imported once each, also from another place and after the directories are gone; sorted by time, not by import.
    has(history("--import", results), "0 runs taken in")
    subprocess.run(["cp", "-r", results + "/0003", work.name + "/copy"], check=True)
    has(history("--import", work.name + "/copy"), "0 runs taken in", "12 runs")
    subprocess.run("rm -r %s/00*" % results, shell=True, check=True)
    has(history("ring.a"), "since run 8")
    run({"ring.a": ("FAIL", "long ago")}, start=NOON - 86400)
    has(history("ring.a"), "FAIL     1 run, run 13", "PASS     7 runs, since run 1,")
    # A run with a deliberate fault is not listed, unless requested.
    run({"ring.b": ("FAIL", "by intent")}, fault="copy_drops_tail")
    lacks(history("ring.b"), "by intent")
    has(history(), "1 runs of devices with a deliberate fault (--fault) are not among these: --faults")
    lacks(history("--faults"), "are not among these")
    has(history("--faults", "ring.b"), "by intent", "fault copy_drops_tail")
    has(history("ring.nothing", status=1), "no case in the history")
    has(history("--last", "2", "--runs"), "2 runs", "run 12")
    history("--keep", "5")
    has(history("--runs"), "4 runs")
    has(history("--runs", "--faults"), "5 runs")
    lacks(history("ring.a"), "PASS ")


def long_ago():
    for number in range(130):
        run({"ring.a": "FAIL" if number >= 10 else "PASS", "ring.b": "FAIL"})
    has(history(), "FAIL     ring.a  since run 11,", "in 120 runs", "FAIL     ring.b  always, from run 1,", "in 130 runs")


def flaky():
    for number in range(20):
        run({"a.turns": "FAIL" if number in (5, 11) else "PASS", "a.broke": "FAIL" if number > 9 else "PASS",
             "a.repaired": "FAIL" if number < 4 else "PASS", "a.good": "PASS",
             "a.builds": "FAIL" if number // 5 in (1, 3) else "PASS"}, build="b%d" % (number // 5))
    text = history("--flaky")
    has(text, "a.turns  failed in 2 of 20 runs, changed 4 times, 3 of them within a build", "a.builds  failed in 10 of 20")
    lacks(text, "a.broke", "a.repaired", "a.good")
    # Alternates between two boards: not flaky on either, but different.
    for number in range(10):
        run({"b.board": "FAIL" if number % 2 else "PASS"}, device="board two" if number % 2 else "board one")
    lacks(history("--flaky"), "b.board")
    has(history("--differ"), "b.board\n    PASS     board one", "FAIL     board two")


def moved():
    rng = random.Random(17)
    for number in range(40):
        slow = 1.5 if number >= 34 else 1.0
        spike = 20.0 if number in (7, 20, 39) else 1.0
        run({"fence.latency": "PASS"}, {
            ("fence.latency", "doorbell", "us"): 10000 * slow * (1 + rng.uniform(-0.02, 0.02)),
            ("fence.latency", "noisy", "us"): 10000 * (1 + rng.uniform(-0.4, 0.4)),
            ("fence.latency", "spiky", "us"): 10000 * spike * (1 + rng.uniform(-0.02, 0.02)),
            ("fence.latency", "rate", "MiB/s"): 500 * slow,
            ("fence.latency", "steady", "us"): 5}, build="b%d" % (number // 10))
    # Times of another kind of machine are no baseline.
    run({"fence.latency": "PASS"}, {("fence.latency", "steady", "us"): 500}, accel="kvm")
    text = history("--moved", status=1)
    has(text, "fence.latency.doorbell  1", ", before ", "worse, since run 35,", "fence.latency.rate  750 MiB/s", "better")
    assert text.index("doorbell") < text.index("rate"), text
    lacks(text, "noisy", "spiky", "steady")
    text = history("--metric", "doorbell")
    has(text, "fence.latency.doorbell in ms, 40 runs, on board one", "#", "o", "---", "moved: ", "from run 1,", "to   run 40,")
    assert max(map(len, [line for line in text.splitlines() if "|" in line])) <= 80, text
    has(history("--metric", "fence.latency.s*"), "not beyond noise", "too few runs to tell")
    has(history("--metric", "nothing", status=1), "no metric in the history")
    # The HTML page: well-formed, no text becomes markup, outliers are marked.
    run({"fence.latency": "PASS"}, {("fence.latency", "doorbell", "us"): 10000}, device="<script>alert(1)</script> & \"'")
    page = work.name + "/page.html"
    history("--metric", "doorbell", "--page", page)
    with open(page) as file:
        text = file.read()
    drawn = xml.etree.ElementTree.fromstring(re.sub(r"<(!doctype|meta)[^>]*>", "", text))
    plots = drawn.findall(".//svg")
    labels = [label.text for label in plots[1].findall("text")]
    assert labels[:3] == ["8 ms", "10 ms", "12 ms"] and labels[-2].startswith("run 1, ") and labels[-1].startswith("run 40, "), labels
    assert len(plots) == 2 and "<script" not in text and "http" not in text, text
    circles = [circle for plot in plots for circle in plot.findall("circle")]
    assert len(circles) == 41 and 4 <= sum(circle.get("class") == "far" for circle in circles) <= 9, len(circles)
    for circle in circles:
        assert 90 <= float(circle.get("cx")) <= 960 and 0 <= float(circle.get("cy")) <= 180, circle.attrib
    history("--metric", "nothing", "--page", work.name + "/none.html", status=1)
    assert not os.path.exists(work.name + "/none.html") and not os.path.exists(work.name + "/none.html.part")
    has(history("--metric", "doorbell", "--page", work.name + "/not/there.html", status=1), "cannot write")
    has(history("--page", page, status=2), "--metric GLOB")


def compared():
    a = run({"x.worse": "PASS", "x.better": ("FAIL", "was wrong"), "x.same": "PASS", "x.gone": "PASS"},
            {("x.same", "time", "us"): 100, ("x.same", "calm", "us"): 100})
    b = run({"x.worse": ("FAIL", "is wrong"), "x.better": "PASS", "x.same": "PASS", "x.new": "PASS"},
            {("x.same", "time", "us"): 150, ("x.same", "calm", "us"): 105})
    lacks(agpu("compare-runs", a, b, status=1), "x.same.time", "metrics")
    text = agpu("compare-runs", a, b, "--metrics", status=1)
    has(text, "PASS     -> FAIL     x.worse  is wrong", "FAIL     -> PASS     x.better", "x.gone", "x.new",
        "x.same.time  100 -> 150 us (+50 %), worse", "1 worse, 1 better, 1 only in the first, 1 only in the second, 1 metrics beyond")
    lacks(text, "calm", "-> PASS     x.same")
    assert not os.path.exists(results + "/history.sqlite")
    history()
    assert agpu("compare-runs", "1", "2", "--metrics", "--results", results, status=1) == text
    has(agpu("compare-runs", "2", b, "--results", results), "0 worse, 0 better")
    has(agpu("compare-runs", "1", "9", "--results", results, status=1), "has no run 9")
    has(agpu("compare-runs", a, work.name + "/none", status=1), "no results of a finished run")
    # By the names of the directories, also if they are not numbers of runs.
    assert agpu("compare-runs", os.path.basename(a), os.path.basename(b), "--metrics", "--results", results, status=1) == text
    whole = run({"y.n%02d" % n: "PASS" for n in range(40)})
    text = agpu("compare-runs", whole, b, status=1)
    has(text, "40 only in the first", "PASS     -> -        y.n09")
    lacks(text, "y.n10", "more lines")
    run({"x.same": "PASS"}, name="0007")
    has(agpu("compare-runs", "0002", "0007", "--results", results, status=1), "3 only in the first")
    has(agpu("compare-runs", "0007", "0002", "--results", results), "3 only in the second")
    agpu("compare-runs", a, status=2)
    # Where the history has enough runs of the set-up, a metric is compared with their noise; in units for people.
    for n in range(9):
        run({"x.same": "PASS"}, {("x.same", "jumpy", "ns"): 5000000 + n % 3 * 2000000, ("x.same", "calm", "1"): 100 + n % 2}, name="01%02d" % n)
    run({"x.same": "PASS"}, {("x.same", "jumpy", "ns"): 5000000, ("x.same", "calm", "1"): 100, ("-", "size", "bytes"): 2048}, name="0200")
    run({"x.same": "PASS"}, {("x.same", "jumpy", "ns"): 9000000, ("x.same", "calm", "1"): 107, ("-", "size", "bytes"): 4096}, name="0201")
    text = history("--runs")
    last = max(int(number) for number in re.findall(r"run (\d+)", text))
    text = agpu("compare-runs", str(last - 1), str(last), "--metrics", "--results", results)
    has(text, "x.same.calm  100 -> 107 (+7 %)\n", "metric   size  2 -> 4 KiB (+100 %), worse", "2 metrics beyond their noise")
    lacks(text, "jumpy")


def wrong():
    run({"a.b": ("FAIL", "\x1b]0;title\x07 \x1b[2J '); DROP TABLE run; -- \u202e " + "x" * 5000)}, device="\x1b[31mred")
    text = history("a.b")
    has(text, "\\x1b[2J '); DROP TABLE run; -- \\xe2\\x80\\xae ", "\\x1b[31mred")
    assert "\x1b" not in text and max(map(len, text.splitlines())) < 1000, text
    # A run that is cut off, or is not a run, is reported once and hides no others.
    folder = run({"a.c": "PASS"})
    with open(folder + "/results.jsonl", "w") as file:
        file.write("this is no record\n")
    run({"a.d": "PASS"})
    has(history("--runs"), "is not added to the history", "2 runs")
    lacks(history("--runs"), "is not added to the history")
    database = results + "/history.sqlite"
    # Locked by another process.
    other = sqlite3.connect(database, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    has(history(status=1), "another process has locked the history", "--db")
    other.execute("ROLLBACK")
    # Numbers that no agpu has written.
    other.execute("UPDATE run SET verdict = 99, started_at = 9223372036854775807 WHERE id = 1")
    other.execute("UPDATE result SET verdict = -5 WHERE run_id = 1")
    other.execute("INSERT INTO result VALUES(1, 4611686018427387904, 4, 0, 77)")
    other.execute("INSERT INTO metric VALUES(9, 1, 'm', 'us')")
    other.execute("INSERT INTO sample VALUES(9, 1, 9e999), (9, 3, -9e307)")
    history()
    history("--metric", "*")
    history("--differ", "--moved", "--flaky", "a.b", "a.d", status=0)
    # Written by a later agpu; foreign; damaged.
    other.execute("PRAGMA user_version = 2")
    has(history(status=1), "has schema 2, this agpu supports 1")
    other.execute("PRAGMA application_id = 5")
    has(history(status=1), "a database of another program")
    other.close()
    with open(database, "wb") as file:
        file.write(b"no database at all" * 1000)
    has(history(status=1), "is not a valid database", "move it away")
    os.remove(database)
    has(history("--runs"), "2 runs")
    with open(database, "r+b") as file:
        file.seek(4096)
        file.write(os.urandom(os.path.getsize(database) - 4096))
    history(status=1)
    has(agpu("history", "--db", work.name + "/not/there/x", status=1), "cannot be used")
    has(agpu("history", "--results", work.name + "/nowhere", status=1), "no results directory", "--results DIR")
    has(agpu("history", "--results", work.name, "--keep", "0", status=2), "needs a number")


def full():
    """A full disk: reported in words, earlier runs stay, and with room again all runs are imported."""
    run({"a.first": "PASS"})
    small = work.name + "/small"
    os.mkdir(small)
    script = ('mount -t tmpfs -o size=128k none "$1" || exit 77; agpu=$2; results=$3; '
              '"$agpu" history --results "$results" --db "$1/h.sqlite" --runs && mv "$results/../more" "$results/0002" && '
              'echo THEN && "$agpu" history --results "$results" --db "$1/h.sqlite" --runs; echo "STATUS $?"; '
              'mount -o remount,size=4m "$1"; "$agpu" history --results "$results" --db "$1/h.sqlite" --runs')
    run({"a.case%d" % number: ("FAIL", "what case %d says of itself, %s" % (number, "x" * 200)) for number in range(1000)},
        name="more", parent=work.name)
    done = subprocess.run(["unshare", "--mount", "--user", "--map-root-user", "sh", "-c", script, "sh", small, AGPU, results],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode == 77 or done.stdout.startswith("unshare:"):
        print("not tried: no mounts for this user here: " + done.stdout)
        return
    before, then, after = re.split("THEN\n|STATUS [01]\n", done.stdout)
    has(before, "1 runs")
    has(then, "has no room: free some on its disk", "1 runs")
    has(after, "2 runs", "1000 of 1000 bad")


{"since": since, "long_ago": long_ago, "flaky": flaky, "moved": moved, "compared": compared, "wrong": wrong, "full": full}[SUBJECT]()
