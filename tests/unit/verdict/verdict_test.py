#!/usr/bin/python3
"""The verdict, row by row: verdict_test.py AGPU AGPU_INPROCESS SOURCE_DIR [NAME...].

rows.py holds the rows; a new way to a wrong PASS is one more line there. Each row is started in a folder of its own. It
fails when the exit status or a word is another, when there is a result folder that must not be there, and when a report
in it does not agree with the exit status."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import kinds
import rows

AGPU, INPROCESS, SOURCE = sys.argv[1:4]
os.environ["PATH"] += ":/usr/sbin:/sbin"
os.environ["MTOOLS_SKIP_CHECK"] = "1"
os.environ.pop("AGPU_RUN_AGAIN", None)


def write(name, text):
    with open(name, "w", encoding="utf-8") as out:
        out.write(text)


def make_image():
    """Returns a disk image with an EFI partition, all that agpu run needs to start another machine."""
    for command in ("truncate -s 8M agpu.img", "sgdisk --clear --new=1:2048:14335 --typecode=1:EF00 agpu.img",
                    "mformat -i agpu.img@@1M -T 12288 -h 16 -s 63 -c 1 ::", "mmd -i agpu.img@@1M ::/EFI ::/EFI/AGPU"):
        subprocess.run(command.split(), check=True, stdout=subprocess.DEVNULL)


def command(row):
    """Returns the words that start a row, in its directory."""
    kind, text = row.start[0], row.start[1]
    more = list(row.start[2:])
    if kind == "records":
        write("records", kinds.numbered(text))
        return [AGPU, "report", "--serial", "records", "--out", "out", *more]
    if kind == "machine":
        write("records", kinds.numbered(text))
        write("script", "cd %s\n%s\n" % (os.getcwd(), more[0] if more else "cat records"))
        return [AGPU, "run", "--image", IMAGE, "--no-vdev", "--out", "out", "--machine",
                ": {image}; exec bash %s {udp-port}" % os.path.abspath("script"), *more[1:]]
    program = {"agpu": AGPU, "inprocess": INPROCESS, "shell": "bash"}[kind]
    return [program, *([text] if text is None else text.split(" ")), *more]


def verdicts(folder):
    """Returns what each report in a result directory shows: None, its name, or why it is not a PASS."""
    found = {}
    for name in ("summary.json", "junit.xml", "ktap.txt"):
        path = os.path.join(folder, name)
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if name == "summary.json":
            found[name] = json.loads(text)["verdict"] == "PASS"
        elif name == "junit.xml":
            suites = xml.etree.ElementTree.fromstring(text)
            found[name] = suites.get("failures") == "0" and suites.get("errors") == "0"
        else:
            found[name] = not re.search("^not ok", text, re.MULTILINE)
    return found


def check(row):
    """Returns why the row is wrong, or ""."""
    for name, text in row.files.items():
        write(name, text)
    environment = {**os.environ, "AGPU": AGPU, "INPROCESS": INPROCESS, "SOURCE": SOURCE, "IMAGE": IMAGE}
    done = subprocess.run(command(row), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False,
                          stdin=subprocess.DEVNULL, env=environment, encoding="utf-8", errors="replace")
    said = done.stdout
    for name in glob.glob("out/summary.json"):
        with open(name, encoding="utf-8") as file:
            said += file.read()
    if done.returncode != row.status:
        return "exit status %d, expected %d:\n%s" % (done.returncode, row.status, done.stdout)
    for word in row.words:
        if word not in said:
            return "does not say %r:\n%s" % (word, said)
    if row.folder is not None and os.path.exists("out") != row.folder:
        return "a result folder is %s" % ("missing" if row.folder else "there")
    wrong = [name for name, passed in verdicts("out").items() if passed != (done.returncode == 0)]
    if wrong and not row.known:
        return "exit status %d, and the other is said by %s" % (done.returncode, " ".join(wrong))
    return ""


failures = 0
with tempfile.TemporaryDirectory() as work:
    os.chdir(work)
    make_image()
    IMAGE = os.path.join(work, "agpu.img")
    os.environ["TMPDIR"] = work
    names = [row.name for row in rows.ROWS]
    assert len(set(names)) == len(names), "two rows have one name"
    for number, one in enumerate(rows.ROWS):
        if len(sys.argv) > 4 and one.name not in sys.argv[4:]:
            continue
        os.mkdir(str(number))
        os.chdir(str(number))
        why = check(one)
        if why:
            print("verdict: %s: %s" % (one.name, why))
            failures += 1
        os.chdir(work)
print("%d rows, %d failed" % (len(rows.ROWS), failures))
sys.exit(failures != 0)
