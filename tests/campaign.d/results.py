"""results.py: findings of a mutation or fuzz job as the records of a run, so that the history can import
them."""
import json
import os
import time

# Verdict of tests/mutate: status of the case that represents the defect. A noticed defect is a PASS.
OF_MUTATION = {"killed": "PASS", "known": "PASS", "allowed": "PASS", "survived": "FAIL", "wrong": "FAIL"}


def cases_of_mutation(folder):
    """Returns (case, status, microseconds, reason) of each defect in its mutate.json."""
    with open(folder + "/mutate.json", encoding="utf-8") as file:
        for entry in json.load(file):
            status = OF_MUTATION.get(entry["verdict"], "ERROR")
            reason = "" if status == "PASS" else "%s: %s" % (entry["verdict"], entry.get("message") or "no case notices it")
            yield "mutate.%s.%s.%s" % (entry["as"], entry["area"], entry["fault"]), status, int(float(entry["seconds"]) * 1e6), reason


def case_of_fuzzing(name, status, seconds, log):
    """Returns the same for one fuzz target, from its output."""
    faults = [line for line in log.splitlines() if line.startswith("SUMMARY:") or "found a fault" in line]
    yield name, "PASS" if status == 0 else "FAIL", int(seconds * 1e6), "" if status == 0 else (faults or ["exit status %d" % status])[0]


def write(folder, device, build, cases, started, seconds):
    """Writes results.jsonl and summary.json. Returns True if nothing in them failed."""
    cases = list(cases)
    of = lambda status: sum(case[1] == status for case in cases)  # noqa: E731
    lines = [{"type": "plan", "id": "-", "count": len(cases), "build": build, "device": device}]
    for index, (case, status, us, reason) in enumerate(cases, 1):
        lines.append({"type": "start", "id": case, "index": index})
        lines.append({"type": "end", "id": case, "status": status, "us": us, **({"reason": reason} if reason else {})})
    good = of("PASS") == len(cases)
    lines.append({"type": "summary", "id": "-", "status": "ERROR" if of("ERROR") else "PASS" if good else "FAIL", "passed": of("PASS"),
                  "failed": of("FAIL"), "errors": of("ERROR"), "skipped": 0, "timeouts": 0, "crashed": 0, "total": len(cases),
                  "us": int(seconds * 1e6)})
    # Two jobs never have the same bytes, because the host's time is in them.
    now = int(time.time() * 1e6)
    with open(folder + "/results.jsonl", "w", encoding="utf-8") as file:
        for seq, line in enumerate(lines):
            file.write(json.dumps({"seq": seq, "t_us": seq, **line, "via": "file", "host_us": now + seq}) + "\n")
    with open(folder + "/summary.json", "w", encoding="utf-8") as file:
        json.dump({"started_at": int(started), "wall_s": seconds, "environment": {"host": os.uname().nodename}}, file)
    return good


def set_environment(folder, setting):
    """Adds what the run does not know itself: its firmware, and that its device had a fault."""
    path = folder + "/summary.json"
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    summary["environment"] = {**(summary.get("environment") or {}), **setting}
    with open(path + ".part", "w", encoding="utf-8") as file:
        json.dump(summary, file, indent=2)
    os.rename(path + ".part", path)
