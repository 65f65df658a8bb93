#!/usr/bin/python3
"""formats_test.py AGPU: each format that agpu report writes, read back as its readers read it."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from results import Results

EVIL = "a # b \\ ]]> </script> \" ' &amp; \x1b[2J \u20ac"


def results(folder):
    made = Results(folder)
    made.say("plan", "-", count=6, build="0123456789ab+", device="A3A0:0001 00:04.0 abi=1.4")
    made.case("ring.a")
    made.case("ring.b", "FAIL", checks=[dict(expr=EVIL, expected="5", actual=EVIL, file="../../tests/cases/ring/a.c", line=12)],
              logs=[EVIL])
    made.file("ring.b-actual.png", b"x")
    made.case("fence.a", "SKIP", reason=EVIL)
    made.case("fence.b", "ERROR", reason="no memory")
    for value in (30, 10, 20):
        made.say("metric", "ring.a", name="=1+1", value=value, unit="ns")
    for value in (3, 4):
        made.say("metric", "ring.a", name="meeting.held_fence_x_time", value=value, unit="times")
    made.say("start", "umd.a", index=5)
    made.write()


def check_html(text):
    """All meetings of the table, with the times of both rounds added."""
    data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1))
    met = [row for row in data["meetings"] if row[2] != 0]
    assert met == [["held_fence_x_time", "ring.md 7", 7]] and len(data["meetings"]) > 40, data["meetings"]


def check_ktap(text):
    points = [line for line in text.splitlines() if re.match(r"(not )?ok ", line)]
    assert text.startswith("KTAP version 1\n") and len(points) == 6, points
    assert "\n1..7\n" in text and "# artifacts/ring.b-actual.png" in text


def check_junit(text):
    root = xml.etree.ElementTree.fromstring(text)
    cases = root.findall("./testsuite/testcase")
    names = [(case.get("classname"), case.get("name")) for case in cases]
    assert len(set(names)) == len(names) == int(root.get("tests")), names
    by_name = {case.get("name"): case for case in cases}
    assert "a.c:12" in by_name["ring.b"].find("failure").text
    assert "artifacts/ring.b-actual.png]]" in by_name["ring.b"].find("system-out").text
    assert by_name["fence.a"].find("skipped") is not None
    assert by_name["umd.a"].find("error").get("type") == "CRASH"
    for suite in root.findall("./testsuite"):
        assert int(suite.get("tests")) == len(suite.findall("testcase"))


def check_github(text):
    lines = text.splitlines()
    assert all(re.match(r"::(error|warning|notice) [^:]*::", line) and "\x1b" not in line for line in lines), lines
    failure = next(line for line in lines if "ring.b" in line)
    assert failure.startswith("::error file=tests/cases/ring/a.c,line=12,title=FAIL ring.b::"), failure
    assert any(line.startswith("::warning title=SKIP fence.a::") for line in lines), lines
    assert lines[-1].startswith("::notice title=AeroGPU CRASH::1 of 6 cases passed"), lines[-1]


def check_csv(text):
    rows = list(csv.reader(text.splitlines()))
    assert rows[0] == ["case", "name", "unit", "samples", "min", "p50", "p99", "max"]
    assert rows[1] == ["ring.a", "'=1+1", "ns", "3", "10", "20", "30", "30"] and len(rows) == 3, rows


def check_not_run(agpu, folder):
    """A run that stopped early: the cases that did not run are named, each with its place in the tree."""
    made = Results(folder)
    made.say("plan", "-", count=5, build="b", device="A3A0:0001 00:04.0 abi=1.4")
    made.case("ring.wrap.slots")
    made.write()
    with open(os.path.join(folder, "summary.json"), "w") as file:
        json.dump({"environment": {"filter": "ring.wrap.*"}}, file)
    said = subprocess.run([agpu, "report", folder, "--format", "junit", "--out", "-"], stdout=subprocess.PIPE, check=False)
    root = xml.etree.ElementTree.fromstring(said.stdout.decode())
    cases = root.findall("./testsuite[@name='not run']/testcase")
    assert len(cases) == 4 and all(case.get("name").startswith("ring.wrap.") for case in cases), said.stdout
    assert all(case.find("skipped").get("message").startswith("not run: ") for case in cases)
    for case in cases + root.findall("./testsuite[@name='ring']/testcase"):
        assert case.get("file") == "tests/cases/ring/submit.c" and int(case.get("line")) > 1
    assert int(root.get("tests")) == 6 and int(root.get("skipped")) == 4


def main():
    agpu = sys.argv[1]
    with tempfile.TemporaryDirectory() as root:
        folder = os.path.join(root, "results")
        results(folder)
        for name, check in (("html", check_html), ("ktap", check_ktap), ("junit", check_junit), ("csv", check_csv), ("github", check_github)):
            said = subprocess.run([agpu, "report", folder, "--format", name, "--out", "-"], stdout=subprocess.PIPE, check=False)
            check(said.stdout.decode())
        assert os.listdir(folder).count("junit.xml") == 0, "--out - wrote files"
        subprocess.run([agpu, "report", folder, "--format=ktap,csv"], stdout=subprocess.DEVNULL, check=False)
        assert {"ktap.txt", "metrics.csv"} <= set(os.listdir(folder)) and "junit.xml" not in os.listdir(folder)
        wrong = subprocess.run([agpu, "report", folder, "--format", "ktap,pdf"], stderr=subprocess.PIPE, check=False)
        check_not_run(agpu, os.path.join(root, "broken"))
        assert wrong.returncode == 1 and b"pdf" in wrong.stderr and b"github" in wrong.stderr, wrong


main()
