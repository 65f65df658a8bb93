#!/usr/bin/python3
"""bench_history.py AGPU: report.100k: every report of a run of 100,000 records; floor: reading and writing these
bytes. history.import: import of a run of 1,000 cases into a history of 1,000 such runs; floor: reading the run's
records. history.query: the output of `agpu history`; floor: the start of the program. Processor time, medians of
five."""
import json
import os
import resource
import sqlite3
import subprocess
import sys
import tempfile

agpu = sys.argv[1]
CASES, RUNS, METRICS = 1000, 1000, 60


def write_run(folder, number):
    os.makedirs(folder)
    seq = 0
    with open(folder + "/results.jsonl", "w") as file:
        def say(kind, case, **keys):
            nonlocal seq
            file.write(json.dumps({"seq": seq, "t_us": seq, "type": kind, "id": case, **keys, "via": "udp",
                                   "host_us": number * 100000 + seq}) + "\n")
            seq += 1
        say("plan", "-", count=CASES, build="b%d" % number, device="d")
        for case in range(CASES):
            name = "group%02d.part%03d.case%04d" % (case % 40, case % 70, case)
            say("start", name, index=case + 1)
            if case < METRICS:
                say("metric", name, name="time%d" % case, value=10000 + (number * 7919 + case) % 300, unit="ns")
            if case % 50 == number % 50:
                say("check", name, expr="row 3", file="f.c", line=3, expected="1", actual="2")
            say("end", name, status="FAIL" if case % 50 == number % 50 else "PASS", us=case)
        say("summary", "-", status="FAIL", passed=CASES - CASES // 50, failed=CASES // 50, errors=0, skipped=0, timeouts=0,
            crashed=0, total=CASES, us=9)


def write_long_run(folder):
    """Writes 100,000 records: 30,000 cases with three each, every 50th of which fails; 9,998 measurements."""
    os.makedirs(folder)
    records = [("plan", "-", {"count": 30000, "build": "b", "device": "d"})]
    for i in range(1, 30001):
        name = "group%02d.part%03d.case%05d" % (i % 40, i % 700, i)
        check = {"expr": "row %d, mip 0" % (i % 64), "file": "f.c", "line": 3, "expected": "1", "actual": "2"}
        records += [("start", name, {"index": i}),
                    ("log", name, {"level": "info", "text": "a line of this case"}) if i % 50 else ("check", name, check),
                    ("end", name, {"status": "PASS" if i % 50 else "FAIL", "us": i % 977})]
    records += [("metric", "-", {"name": "m%d" % (i % 100), "value": i, "unit": "ns"}) for i in range(9998)]
    records.append(("summary", "-", {"status": "FAIL", "passed": 29400, "failed": 600, "errors": 0, "skipped": 0, "timeouts": 0, "crashed": 0,
                                     "total": 30000, "us": 9}))
    with open(folder + "/results.jsonl", "w") as file:
        for seq, (kind, case, keys) in enumerate(records):
            file.write(json.dumps({"seq": seq, "t_us": seq, "type": kind, "id": case, **keys, "via": "udp", "host_us": seq}) + "\n")


def seconds(*command):
    """Returns processor time, which excludes other load of the machine."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert done.returncode in (0, 1) and not done.stderr, done.stderr
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def entry(name, times, floors, goal):
    times, floors = sorted(times), sorted(floors)
    middle = times[len(times) // 2]
    floor = floors[len(floors) // 2]
    return {"name": name, "value": round(middle, 4), "unit": "s", "floor": round(floor, 4), "ratio": round(middle / max(floor, 1e-4), 1),
            "spread": round((times[-1] - times[0]) / middle, 3), "goal": goal}


with tempfile.TemporaryDirectory() as work:
    database = work + "/history.sqlite"
    for number in range(50):
        write_run("%s/first/%d" % (work, number), number)
    subprocess.run([agpu, "history", "--db", database, "--results", work + "/first", "--runs"], stdout=subprocess.DEVNULL, check=True)
    # The other 950 are copies of these at other times.
    base = sqlite3.connect(database)
    for number in range(1, RUNS // 50):
        base.execute("INSERT INTO run SELECT id + ?1, randomblob(32), started_at + ?1, verdict, build || '.' || ?2, setup, place,"
                     " fault, folder, cases, bad FROM run WHERE id <= 50", (number * 50, number))
        base.execute("INSERT INTO result SELECT case_id, run_id + ?1, verdict, us, reason_id FROM result WHERE run_id <= 50",
                     (number * 50,))
        base.execute("INSERT INTO sample SELECT metric_id, run_id + ?1, value FROM sample WHERE run_id <= 50", (number * 50,))
    base.commit()
    assert base.execute("SELECT count(*) FROM run").fetchone()[0] == RUNS
    assert base.execute("SELECT count(*) FROM result").fetchone()[0] == RUNS * CASES
    base.close()
    ask = [agpu, "history", "--db", database, "--results", work + "/none"]
    start = [seconds(agpu, "--version") for _ in range(5)]
    long = work + "/long"
    write_long_run(long)
    reports = [seconds(agpu, "report", long) for _ in range(5)]
    copies = [seconds("sh", "-c", "cat %s/*.* >%s/floor" % (long, work)) for _ in range(5)]
    figures = [entry("report.100k", reports, copies, 2),
               entry("history.query", [seconds(*ask) for _ in range(5)], start, 0.1),
               entry("history.case", [seconds(*ask, "group01.part001.case0001") for _ in range(5)], start, 0.1),
               entry("history.metric", [seconds(*ask, "--metric", "time1") for _ in range(5)], start, 0.1)]
    reads, imports = [], []
    for number in range(5):
        folder = "%s/more/%d" % (work, number)
        write_run(folder, 60 + number)
        reads.append(seconds(agpu, "report", folder, "--format", "csv", "--out", "-"))
        imports.append(seconds(*ask, "--import", folder, "--last", "1", "--runs"))
    figures.append(entry("history.import", imports, reads, 0.2))
    if len(sys.argv) > 2:  # for inspection
        os.rename(database, sys.argv[2])
    print(json.dumps(figures))
