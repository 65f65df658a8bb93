#!/usr/bin/python3
"""labgrid_test.py FOLDER AGPU INPROCESS CONFIG [IMAGE]: the environments, drivers and strategy for labgrid, run by its pytest plugin.

Without IMAGE the board is INPROCESS behind a pseudo terminal as its serial port, or on the network; CONFIG (the sample agpu.cfg) is what is
put on its medium. With IMAGE the board is QEMU. labgrid is the installed one, or AGPU_LABGRID names unpacked packages."""
import glob
import json
import os
import pty
import shlex
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import tty

FOLDER, AGPU, INPROCESS, CONFIG = sys.argv[1:5]
IMAGE = sys.argv[5] if len(sys.argv) > 5 else None
if os.environ.get("AGPU_LABGRID"):
    os.environ["PYTHONPATH"] = os.environ["AGPU_LABGRID"] + "/usr/lib/python3/dist-packages"


def skip(reason):
    print("SKIP: " + reason)
    sys.exit(77)


if subprocess.run(["/usr/bin/python3", "-c", "import labgrid, pytest"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
    skip("needs python3-labgrid")
if IMAGE and not (os.environ.get("AGPU_QEMU") and os.path.exists(IMAGE)):
    skip("needs AGPU_QEMU (tests/deps --print-env) and %s (cmake --build --preset image)" % IMAGE)


class Serial(threading.Thread):
    """A serial port: passes on what is written to the pipe, at the reader's pace."""

    def __init__(self, pipe):
        super().__init__(daemon=True)
        self.pipe = pipe
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.mkfifo(pipe)
        self.start()

    def run(self):
        while True:
            with open(self.pipe, "rb") as source:
                for line in source:
                    os.write(self.master, line.replace(b"\n", b"\r\n"))


def run_pytest(environment, **variables):
    done = subprocess.run(["timeout", "200", "/usr/bin/python3", "-m", "pytest", "-p", "no:cacheprovider", "-q", "--lg-env", environment,
                           os.path.join(FOLDER, "test_agpu.py")], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, env={**os.environ, "LG_AGPU": AGPU, "PYTHONDONTWRITEBYTECODE": "1", **variables},
                          text=True, errors="replace", check=False)
    return done.returncode, done.stdout


def summary_of(results):
    found = glob.glob(results + "/**/summary.json", recursive=True)
    assert len(found) == 1, "expected one result folder, found %s" % found
    with open(found[0], encoding="utf-8") as file:
        return json.load(file)


def power(work, name, command):
    """A supply: on starts the board, which is a command; both are recorded."""
    path = os.path.join(work, name + "-power")
    with open(path, "w", encoding="utf-8") as file:
        file.write("echo \"$1\" >>%s.said\nif [ \"$1\" = on ]; then { %s; } >/dev/null 2>&1 & fi\n" % (shlex.quote(path), command))
    return path


def check(work, name, environment, command, status, wanted, **variables):
    results, medium, switch = (os.path.join(work, name + part) for part in ("-results", "-medium", "-power"))
    variables = {"LG_RESULTS": results, "LG_MEDIUM": medium, "LG_IMAGE": CONFIG, **variables}
    variables["LG_POWER"] = "sh " + power(work, name, command)
    found, said = run_pytest(environment, **variables)
    if found != status:
        sys.exit("%s: pytest ended with status %d, expected %d\n%s" % (name, found, status, said[-6000:]))
    summary = summary_of(results)
    assert summary["verdict"] == wanted and summary["total"] >= 10, "%s: %s" % (name, summary)
    with open(switch + ".said", encoding="utf-8") as file:
        assert file.read().split() == ["off", "on", "off"], "power was not off, on, off"
    written = subprocess.run([AGPU, "cfg", medium], stdout=subprocess.PIPE, text=True, check=True).stdout
    assert "\nat_end=poweroff\n" in "\n" + written, "the medium has no settings"
    print("%s: %d cases, %s" % (name, summary["total"], wanted))
    return summary


def check_board(work):
    port = Serial(work + "/pipe")
    serial = {"LG_SERIAL": os.ttyname(port.slave)}
    program = shlex.quote(INPROCESS) + " --records --clock manual --as any "
    board = FOLDER + "/board.yaml"
    check(work, "catalogue", board, program + ">" + port.pipe, 0, "PASS", **serial)
    check(work, "fault", board, program + "--fault copy_drops_tail --filter 'buffer.*,fence.*' >" + port.pipe, 1, "FAIL", **serial)
    # A setting that the image would not understand stops before power.
    with open(board, encoding="utf-8") as file:
        text = file.read()
    shutil.copy(FOLDER + "/agpu_strategy.py", work)
    with open(work + "/wrong.yaml", "w", encoding="utf-8") as file:
        file.write(text.replace("at_end: poweroff", "at_end: sometimes"))
    found, said = run_pytest(work + "/wrong.yaml", LG_RESULTS=work + "/wrong", LG_MEDIUM=work + "/wrong-medium", LG_IMAGE=CONFIG,
                             LG_POWER="sh " + power(work, "wrong", "true"), **serial)
    assert found == 1 and "sometimes" in said and not os.path.exists(work + "/wrong"), said
    # A board without a serial cable.
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.bind(("127.0.0.1", 0))
        number = probe.getsockname()[1]
    with open(work + "/network.yaml", "w", encoding="utf-8") as file:
        file.write(text.replace("results: results\n", "results: results\n        collect: network\n        options: --bind 127.0.0.1 "
                                "--port %d\n" % number, 1))
    sender = "import socket, sys; s = socket.socket(type=socket.SOCK_DGRAM); " \
             "[s.sendto(line.encode(), (\"127.0.0.1\", %d)) for line in sys.stdin]" % number
    check(work, "network", work + "/network.yaml", program + "--filter 'ring.*' | /usr/bin/python3 -c '%s'" % sender, 0, "PASS", **serial)


def check_qemu(work):
    """The same environment on a machine: its serial port is the pipe, its disk is the medium."""
    port, image = Serial(work + "/pipe"), work + "/agpu.img"
    shutil.copyfile(IMAGE, image)
    subprocess.run([AGPU, "cfg", image, "netconsole=off", "filter=discovery.identity.*,ring.submit.*,fence.order.*,buffer.copy.*"],
                   stdout=subprocess.DEVNULL, check=True)
    machine = os.path.join(os.path.dirname(os.path.abspath(FOLDER)), "agpu-machine")
    command = "%s -machine q35 -cpu max -m 6144 -display none -serial file:%s -action shutdown=poweroff -drive " \
              "if=virtio,format=raw,cache=unsafe,file=%s" % (shlex.quote(machine), port.pipe, work + "/qemu-medium")
    check(work, "qemu", FOLDER + "/board.yaml", command, 0, "PASS", LG_SERIAL=os.ttyname(port.slave), LG_IMAGE=image)


def main():
    with tempfile.TemporaryDirectory() as work:
        os.environ.update(TMPDIR=work, AGPU=AGPU)
        if IMAGE:
            check_qemu(work)
        else:
            check_board(work)


main()
