"""agpu listen as a service: its units are what systemd takes, it may do next to nothing, and it listens on the sockets that it is given.

activation_test.py AGPU UNITS
"""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

RECORDS = [
    "plan - count=2 format=2 build=b device=d",
    "start ring.a index=1",
    "end ring.a status=PASS us=3",
    "start ring.b index=2",
    "end ring.b status=PASS us=3",
    "summary - status=PASS passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9",
]
EXPOSURE_MAX = 15  # of 100, by systemd's own scale: 0 may do nothing


def units(agpu, folder, work):
    """Checks the units with systemd's own tools. Returns False without systemd."""
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        return False
    for name in ("agpu-listen.service", "agpu-listen.socket"):
        text = (folder / name).read_text().replace("/usr/bin/agpu", str(agpu))
        (work / name).write_text(text)
    env = dict(os.environ, SYSTEMD_UNIT_PATH=f"{work}:")
    done = subprocess.run(
        [analyze, "verify", "--man=no", work / "agpu-listen.service", work / "agpu-listen.socket"],
        capture_output=True, text=True, env=env)
    complaints = [line for line in done.stderr.splitlines() if "agpu-listen" in line]
    assert done.returncode == 0 and not complaints, f"systemd-analyze verify: {done.stderr}"
    done = subprocess.run(
        [analyze, "security", "--offline=yes", "--no-pager", f"--threshold={EXPOSURE_MAX}", work / "agpu-listen.service"],
        capture_output=True, text=True, env=env)
    last = done.stdout.strip().splitlines()[-1] if done.stdout.strip() else done.stderr
    print(last)
    assert done.returncode == 0, f"systemd-analyze security: more than {EXPOSURE_MAX / 10}: {done.stdout}{done.stderr}"
    return True


def pair():
    """Opens a UDP and a TCP socket of both families at one port."""
    for _ in range(100):
        udp = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
        tcp = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
        for one in (udp, tcp):
            one.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        udp.bind(("::", 0))
        try:
            tcp.bind(("::", udp.getsockname()[1]))
            tcp.listen()
            return udp, tcp
        except OSError:
            udp.close()
            tcp.close()
    raise AssertionError("no port is free for both")


def start(agpu, sockets, words, output, wrong_pid=False):
    """Starts the service as systemd does: sockets from descriptor 3 on, and their owner in the environment."""
    # Keeps 3 and 4 free at first.
    high = [os.dup(one.fileno()) if one.fileno() > 10 else os.dup2(one.fileno(), 40 + i) for i, one in enumerate(sockets)]
    pid = os.fork()
    if pid == 0:
        for i, one in enumerate(high):
            os.dup2(one, 3 + i, inheritable=True)
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        os.environ["LISTEN_PID"] = str(os.getpid() + (1 if wrong_pid else 0))
        os.environ["LISTEN_FDS"] = str(len(sockets))
        os.execv(agpu, [agpu, "listen", *words])
    for one in high:
        os.close(one)
    return pid


def wait(pid):
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def send(sender, address, boot):
    for seq, text in enumerate(RECORDS):
        sender.sendto(f"6,{seq},{seq},-,run={boot};{text}\n".encode(), address)


def listens(agpu, work):
    """Runs two boards, one of each family; the first sends everything before the service starts."""
    udp, tcp = pair()
    port = udp.getsockname()[1]
    v4 = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    v6 = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
    send(v4, ("127.0.0.1", port), "0123456789abcdef")
    send(v6, ("::1", port), "0123456789abcdee")
    out = work / "out"
    with open(work / "output", "w", encoding="ascii") as output:
        pid = start(agpu, [udp, tcp], ["--out", str(out), "--allow", "::1/128", "--allow", "127.0.0.0/8"], output)
        status = wait(pid)
    said = (work / "output").read_text()
    assert status == 0, said
    assert f"listening on UDP [::] port {port}" in said and "from systemd" in said, said
    for name in ("127.0.0.1", "::1"):
        summary = json.loads((out / name / "summary.json").read_text())
        assert summary["verdict"] == "PASS" and summary["passed"] == 2, summary


def refuses(agpu, work):
    """Passes sockets that are of no use, and sockets for another process."""
    file = open(work / "file", "w", encoding="ascii")
    v4 = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    v4.bind(("127.0.0.1", 0))
    udp, tcp = pair()
    other, _ = pair()
    alone = socket.socket(socket.AF_INET6, socket.SOCK_STREAM)
    for sockets, text in (
        ([file], "is not a socket"), ([v4], "is not of IPv6"), ([udp, other], "is a second datagram socket"),
        ([alone], "neither a datagram socket nor listening"), ([tcp], "none of the given sockets is a datagram socket"),
    ):
        with open(work / "output", "w", encoding="ascii") as output:
            status = wait(start(agpu, sockets, ["--out", str(work / "none")], output))
        said = (work / "output").read_text()
        assert status == 2 and text in said, (text, status, said)
    with open(work / "output", "w", encoding="ascii") as output:
        words = ["--out", str(work / "none"), "--port", str(udp.getsockname()[1]), "--bind", "127.0.0.1"]
        status = wait(start(agpu, [udp, tcp], words, output, wrong_pid=True))
    said = (work / "output").read_text()
    assert status == 1 and "cannot listen on UDP" in said, (status, said)


def main():
    agpu, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    signal.alarm(60)
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        listens(str(agpu), work)
        refuses(str(agpu), work)
        if not units(agpu, folder, work):
            print("skipped: systemd-analyze is not here; the sockets are tested")
            sys.exit(77)


main()
