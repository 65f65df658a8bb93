#!/usr/bin/python3
"""lava_test.py FOLDER AGPU INPROCESS [IMAGE]: the files for LAVA, with LAVA's own tools.

Without IMAGE: device types rendered from LAVA's templates and judged by its schema, jobs validated by lava-run, and the job of a
board run by it, where the board is INPROCESS: the whole catalogue, a device with a fault, several devices, a board that stops. What
LAVA's parser makes of the serial port is compared with agpu report's reading of the same. With IMAGE: the job in QEMU.
LAVA is the installed one (lava-dispatcher, lava-server), or that which AGPU_LAVA names (lava/unpack)."""
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile

PACKAGES, LIBRARIES = "/usr/lib/python3/dist-packages", ("/usr/lib/x86_64-linux-gnu", "/lib/x86_64-linux-gnu")
FOLDER, AGPU, INPROCESS = sys.argv[1:4]
IMAGE = sys.argv[4] if len(sys.argv) > 4 else None
ROOT = os.environ.get("AGPU_LAVA", "")
LAVA_RUN = ROOT + "/usr/bin/lava-run"
TYPES = ROOT + "/usr/share/lava-server/device-types"
# lava-run with a private directory for downloads: the installed one may be a lab's.
RUN = "import sys, runpy, lava_dispatcher.job as job; job.DISPATCHER_DOWNLOAD_DIR = sys.argv.pop(1); " \
      "sys.argv[0] = %r; runpy.run_path(%r, run_name='__main__')" % (LAVA_RUN, LAVA_RUN)


def skip(reason):
    print("SKIP: " + reason)
    sys.exit(77)


if not os.path.isfile(LAVA_RUN) or not os.path.isdir(TYPES):
    skip("needs lava-dispatcher and lava-server, or AGPU_LAVA with what tests/racks/lava/unpack has made")
if os.geteuid() != 0:
    skip("lava-run wants to be root")
if IMAGE and not (os.environ.get("AGPU_QEMU") and os.path.exists(IMAGE)):
    skip("needs AGPU_QEMU (tests/deps --print-env) and %s (cmake --build --preset image)" % IMAGE)
if ROOT:
    os.environ["PYTHONPATH"] = ROOT + PACKAGES
    os.environ["LD_LIBRARY_PATH"] = ":".join(ROOT + folder for folder in LIBRARIES)
    sys.path.insert(0, os.environ["PYTHONPATH"])

import jinja2  # noqa: E402
import yaml  # noqa: E402
from lava_common.schemas import validate as validate_job  # noqa: E402
from lava_common.schemas.device import validate as validate_device  # noqa: E402

FIXUP = {"PASS": "pass", "SKIP": "skip", "FAIL": "fail", "TIMEOUT": "fail", "CRASH": "fail", "ERROR": "unknown"}


def read(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def device_of(work, template, **values):
    """Returns a device as the server passes it to the dispatcher: its dictionary, or values in its place, rendered
    with its type and LAVA's base."""
    places = jinja2.ChoiceLoader([jinja2.FileSystemLoader(FOLDER), jinja2.FileSystemLoader(TYPES)])
    text = jinja2.Environment(loader=places, trim_blocks=True, autoescape=False).get_template(template).render(**values)
    validate_device(yaml.safe_load(text))
    path = os.path.join(work, template + ".yaml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def lava_run(work, name, device, job, *options, expect=0):
    """Returns lava-run's results: (suite, case, result, measurement)."""
    definition = os.path.join(work, name + ".yaml")
    with open(definition, "w", encoding="utf-8") as file:
        yaml.safe_dump(job, file)
    log = os.path.join(work, name + ".log")
    with open(log, "w", encoding="utf-8") as file:
        # lava-run limits the time itself, by its job; this limit is for a lava-run that does not.
        done = subprocess.run(["timeout", "--signal=KILL", "60", "/usr/bin/python3", "-c", RUN, work + "/downloads", "--job-id", "1",
                               "--output-dir", os.path.join(work, name), "--device", device, *options, definition],
                              stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, check=False)
    with open(log, encoding="utf-8", errors="replace") as file:
        text = file.read()
    said = [json.loads(line)["msg"] for line in text.split("\n") if '"lvl": "results"' in line and '"definition": "aerogpu' in line]
    if done.returncode != expect:
        sys.exit("%s: lava-run ended with status %d, expected %d\n%s" % (name, done.returncode, expect, text[-6000:]))
    return [(r["definition"], r["case"], r["result"], r.get("measurement")) for r in said]


def compare(name, results, summary, cases):
    """Compares LAVA's results from the serial port with agpu's: every case once, with its verdict and its
    time."""
    expected = [("aerogpu", re.sub(r"\W+", "_", case.lower()), FIXUP[status], str(us)) for case, status, us in cases]
    found = [r for r in results if r[0] == "aerogpu"]
    assert len({case for case, _, _ in cases}) == len({case for _, case, _, _ in expected}), "two cases have one name in LAVA"
    wrong = [pair for pair in zip(expected, found) if pair[0] != pair[1]]
    assert len(found) == len(expected) and not wrong, "%s: %d results, expected %d; %s" % (name, len(found), len(expected), wrong[:3])
    run = [r for r in results if r[0] == "aerogpu-run"]
    assert run == [("aerogpu-run", "status", FIXUP[summary["status"]], str(summary["passed"]))], "%s: %s" % (name, run)


def reading(work, serial):
    """Returns agpu report's reading of a serial log: summary, and id, status and time of each case in order."""
    out = serial + "-reports"
    subprocess.run([AGPU, "report", "--serial", serial, "--out", out], stdout=subprocess.DEVNULL, check=False)
    with open(out + "/summary.json", encoding="utf-8") as file:
        summary = json.load(file)
    with open(out + "/results.jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    return summary, [(r["id"], r["status"], r["us"]) for r in records if r["type"] == "end"]


def board(work, name, command, job, expect=0):
    """Runs the job on a board whose output comes from the command: reset starts it, the serial port is a growing
    file."""
    serial = os.path.join(work, name + ".serial")
    with open(serial, "w", encoding="utf-8") as file:
        file.write("BdsDxe: starting Boot0001 from PciRoot(0x0)\r\n")
    with open(serial + "-reset", "w", encoding="utf-8") as file:
        # In the foreground, because LAVA kills what a command leaves running.
        file.write("{ %s; } >>%s 2>/dev/null || :\n" % (command, shlex.quote(serial)))
    device = device_of(work, "aerogpu-board.jinja2", connection_command="tail -n +1 -f " + serial,
                       hard_reset_command=["sh %s-reset" % serial], power_off_command=["true"])
    return lava_run(work, name, device, job, expect=expect), serial


def check_board(work, job):
    program = shlex.quote(INPROCESS) + " --records --clock manual "
    for name, words, wanted in [("catalogue", "--as any", "PASS"),
                                ("fault", "--as any --fault copy_drops_tail --filter 'buffer.*,fence.*'", "FAIL"),
                                ("none", "--select 1234:5678", "ERROR"),
                                ("devices", "--device model --device model --filter 'ring.*'", "PASS")]:
        results, serial = board(work, name, program + words, job)
        summary, cases = reading(work, serial)
        assert summary["status"] == wanted and (cases or wanted == "ERROR"), "%s: %s, %d cases" % (name, summary["status"], len(cases))
        compare(name, results, summary, cases)
        print("%s: %d cases, %s" % (name, len(cases), wanted))
    # A board that stops in the middle: its earlier results are there, and the job is incomplete.
    test = next(action["test"] for action in job["actions"] if "test" in action)
    test["timeout"] = {"seconds": 4}
    results, serial = board(work, "stops", program + "--filter 'ring.*' | head -n 40", job, expect=1)
    _, cases = reading(work, serial)
    assert cases and [r[1] for r in results] == [re.sub(r"\W", "_", case) for case, _, _ in cases], results
    print("stops: %d cases, and the job is incomplete" % len(cases))


def check_qemu(work, job):
    """Runs the job in QEMU, with a few cases of each kind; its serial port is also in a file."""
    disk, serial = os.path.join(work, "agpu.img"), os.path.join(work, "serial")
    with open(IMAGE, "rb") as source, open(disk, "wb") as target:
        target.write(source.read())
    subprocess.run([AGPU, "cfg", disk, "netconsole=off", "filter=discovery.identity.*,ring.submit.*,fence.order.*,buffer.copy.*"],
                   check=True, stdout=subprocess.DEVNULL)
    next(action["deploy"] for action in job["actions"] if "deploy" in action)["images"]["disk"]["url"] = "file://" + disk
    machine = os.path.join(os.path.dirname(os.path.abspath(FOLDER)), "agpu-machine")
    os.environ["AGPU"] = AGPU
    os.environ["PATH"] = os.path.dirname(os.environ["AGPU_QEMU"]) + ":" + os.environ["PATH"]
    device = device_of(work, "aerogpu-qemu.jinja2", arch="x86_64", agpu_machine=machine,
                       agpu_options=["-chardev stdio,id=log,logfile=" + serial, "-serial chardev:log"])
    with open(device, encoding="utf-8") as file:
        text = file.read()
    with open(device, "w", encoding="utf-8") as file:
        file.write(text.replace("          - -serial stdio\n", ""))
    results = lava_run(work, "qemu", device, job)
    summary, cases = reading(work, serial)
    assert summary["status"] == "PASS" and len(cases) >= 10, "%s: %d cases" % (summary["status"], len(cases))
    compare("qemu", results, summary, cases)
    print("qemu: %d cases, PASS" % len(cases))


def main():
    jobs = {name: yaml.safe_load(read(name)) for name in ("board.yaml", "qemu.yaml")}
    tests = [next(a["test"] for a in job["actions"] if "test" in a) for job in jobs.values()]
    assert tests[0] == tests[1], "board.yaml and qemu.yaml read the records by different patterns"
    with tempfile.TemporaryDirectory() as work:
        os.environ["TMPDIR"] = work
        for job in jobs.values():
            validate_job(job, strict=True)
        if IMAGE:
            check_qemu(work, jobs["qemu.yaml"])
            return
        # The commands in the example are the lab's; LAVA checks that they exist.
        os.mkdir(work + "/bin")
        os.symlink("/bin/true", work + "/bin/telnet")
        os.environ["PATH"] += ":" + work + "/bin"
        lava_run(work, "validate", device_of(work, "board-01.jinja2"), jobs["board.yaml"], "--validate")
        check_board(work, jobs["board.yaml"])


main()
