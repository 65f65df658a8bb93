#!/usr/bin/python3
"""check.py AGPU_INPROCESS AGPU WRONG: records cases and plays the recording: on the same driver it is the same; on a
driver with a mistake (WRONG), and with one changed value, the first call that differs is named; a file that is no
recording is refused with its line."""
import random
import re
import subprocess
import sys
import tempfile
from pathlib import Path

INPROCESS, AGPU, WRONG = sys.argv[1:4]
CASES = "map.win7.*,buffer.win7.*,texture.win7.update*,spy.state.*,spy.calls.*,umd.lost.*"
SEED, MUTATIONS = 1, 12


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    return result.returncode, result.stdout + result.stderr


def play(lines, path, *more):
    path.write_text("".join(line + "\n" for line in lines))
    return run(AGPU, "replay", "--ddi", str(path), *more)


def expect(what, found, status, *patterns):
    """Checks status and output."""
    if found[0] != status or not all(re.search(pattern, found[1], re.M) for pattern in patterns):
        sys.exit(f"{what}: expected status {status} and {patterns}, found {found[0]}:\n{found[1][-2000:]}")


def first(lines, pattern):
    """Returns the index of the first line with this pattern."""
    return next(i for i, line in enumerate(lines) if re.search(pattern, line))


def changed(lines, index, pattern, new):
    line = re.sub(pattern, new, lines[index], count=1)
    assert line != lines[index], lines[index]
    return lines[:index] + [line] + lines[index + 1:]


def main(folder):
    path = folder / "calls.txt"
    expect("recording", run(INPROCESS, "--quiet", "--clock", "manual", "--filter", CASES, "--record-ddi", str(path)), 0)
    expect("same driver", run(AGPU, "replay", "--ddi", str(path)), 0,
           r"^the same as far as recorded: [0-9]+ devices, [0-9]{4,} calls played; [1-9]",
           r"^not recorded: [0-9]+ calls of umd\.lost\..* callback Render failed")
    expect("wrong driver", run(WRONG, str(path)), 1,
           r":[0-9]+: call [0-9]+ of spy\.calls\.inputs, context\.Flush, differs:$",
           "^  expected: SET_SCISSOR 1 2 ", "^  found:    SET_SCISSOR 1 1 ",
           "^  packets of the calls since line [0-9]+$")

    lines = path.read_text().split("\n")[:-1]
    other = folder / "other.txt"
    packet = first(lines, r"^    UPLOAD_RESOURCE ")
    expect("changed packet", play(changed(lines, packet, r"bytes .", "bytes x"), other), 1,
           rf"^{other}:{packet + 1}: call ", "^  expected: UPLOAD_RESOURCE .* bytes x")
    expect("missing packet", play(lines[:packet] + lines[packet + 1:], other), 1, rf"^{other}:\d+: call ",
           "^  found:    UPLOAD_RESOURCE ")
    write = first(lines, "^device map.win7.dynamic_constant ")
    write += first(lines[write:], "^write ")
    expect("changed byte", play(changed(lines, write, ":..", ":5b"), other), 1, "^  found:    UPLOAD_RESOURCE ")
    call = first(lines, "^call context.SetScissorRects .*left=")
    expect("changed argument", play(changed(lines, call, "left=[0-9]+", "left=77"), other), 1,
           "^  found:    SET_SCISSOR 77 ")

    # Files that no recorder writes: refused at their line.
    upload = first(lines, "^call device.CreateResource .*pSysMem=:")
    empty = first(lines, r"^call device.CreateResource .*ByteWidth=[0-9a-fx]+ SampleDesc={Count=1}}\]")
    view = first(lines, "^call device.CreateShaderResourceView ")
    for what, wrong, line, reason in (
            ("first line", ["agpu ddi 2"] + lines[1:], 1, "first line"),
            ("no end", lines[:-1], len(lines) - 1, "not complete"),
            ("after the end", lines + ["end"], len(lines), "expected a device"),
            ("unknown entry", changed(lines, call, "SetScissorRects", "SetNothing"), call + 1, "no such entry"),
            ("unknown member", changed(lines, call, "count=", "cuont="), call + 1, "in its order"),
            ("too large", changed(lines, call, r"count=\d+", "count=4294967296"), call + 1, "number in range"),
            ("too many", changed(lines, call, r"count=\d+", "count=60000"), call + 1, "the call takes 60000"),
            ("short data", changed(lines, upload, r"pSysMem=:..", "pSysMem=:"), upload + 1, "the call takes"),
            ("unknown object", changed(lines, view, r"=resource\d+", "=resource999"), view + 1, "no resource999"),
            ("wrong object", changed(lines, view, r"object=srv\d+", "object=srv1"), view + 1, "not the next object"),
            ("huge bytes", changed(lines, write, ":", ":00*99999999999."), write + 1, "expected"),
            ("more bytes", changed(lines, write, ":", ":0000"), write + 1, "are mapped"),
            ("huge resource", changed(lines, empty, "ByteWidth=[0-9a-fx]+", "ByteWidth=0x20000000"), empty + 1,
             "a resource of more than"),
            ("no device", [lines[0]] + lines[call:], 2, "without a device")):
        expect(what, play(wrong, other), 1, rf"{other}:{line}: .*{reason}")

    # Any change: an answer, never a crash.
    random.seed(SEED)
    text = "".join(line + "\n" for line in lines[:first(lines[2:], "^device ") + 2] + ["end"])
    words = re.findall(r"[\w.]+=|[a-z]+\d+|\d+|[{}\[\]:\n ]", text)
    for i in range(MUTATIONS):
        at = random.randrange(len(text))
        end = at + random.choice((0, 1, 1, 5, 100, len(text)))
        other.write_text(text[:at] + random.choice(("", random.choice(words), text[at:at + 40] * 2)) + text[end:])
        status, output = run(AGPU, "replay", "--ddi", str(other))
        if status not in (0, 1):
            sys.exit(f"change {i} of seed {SEED}: expected status 0 or 1, found {status}:\n{output[-3000:]}")
    print(f"{len(lines)} lines, {MUTATIONS} changes")


with tempfile.TemporaryDirectory() as temporary:
    main(Path(temporary))
