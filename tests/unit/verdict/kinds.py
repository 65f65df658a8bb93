"""kinds.py: the kinds of rows in rows.py, and the records in them."""
import dataclasses
import json


@dataclasses.dataclass
class Row:
    name: str
    start: tuple
    status: int
    words: tuple = ()
    folder: bool | None = None  # the result directory "out" exists, does not exist, or either
    known: bool = False  # a known failure: reports say FAIL, and the run passes
    files: dict = dataclasses.field(default_factory=dict)  # in the row's directory


def numbered(stream):
    """A stream as on a serial port: a line "@N TEXT" gets the number N, a line that starts with "=" is used as it
    is."""
    seq, lines = 0, []
    for line in stream.strip().splitlines():
        line = line.strip()
        if line.startswith("="):
            lines.append(line[1:])
            continue
        if line.startswith("@"):
            number, line = line[1:].split(" ", 1)
            seq = int(number)
        lines.append("6,%d,%d,-;%s" % (seq, seq * 1000, line))
        seq += 1
    return "".join(line + "\n" for line in lines)


def lines(stream):
    """The same stream as lines of results.jsonl."""
    found = []
    for seq, record in enumerate(stream.strip().splitlines()):
        kind, case_id, *keys = record.split(" ")
        found.append(json.dumps({"seq": seq, "t_us": seq, "type": kind, "id": case_id, "via": "udp", "host_us": seq,
                                 **{key: int(value) if value.isdigit() else value for key, value in (key.split("=") for key in keys)}}))
    return "".join(line + "\n" for line in found)


def plan(count, more=""):
    return "plan - count=%d format=2 build=b%s%s\n" % (count, "" if " device=" in more else " device=d", more)


def case(name, index, status="PASS", more=""):
    return "start %s index=%d\nend %s status=%s us=9%s\n" % (name, index, name, status, more)


def summary(passed, failed=0, errors=0, skipped=0, total=None, status="PASS", more=""):
    total = passed + failed + errors + skipped if total is None else total
    return ("summary - status=%s passed=%d failed=%d errors=%d skipped=%d timeouts=0 crashed=0 total=%d us=99%s\n"
            % (status, passed, failed, errors, skipped, total, more))


A, B = case("ring.a", 1), case("ring.b", 2)
OLD, NEW = ' device="d abi=1.0 features=0xf"', ' device="d abi=1.4 features=0x3f"'
GOOD = plan(2) + A + B + summary(2)


def records(name, status, stream, *words, **more):
    return Row("records." + name, ("records", stream), status, words, True, **more)


IDS = case("ring.wrap.slots", 1) + case("ring.submit.empty", 2)
GOOD_IDS = plan(2) + IDS + summary(2)
BAD_IDS = plan(2) + IDS.replace("slots status=PASS", "slots status=FAIL") + summary(1, 1, status="FAIL")


def machine(name, status, stream, script, *words, more=()):
    return Row("machine." + name, ("machine", stream, script, "--restarts", "0", *more), status, words, True)


def one_per_boot(name, first, second, said, status=1, first_status="PASS"):
    """Two boots with one case each, and these words in their plans."""
    boots = (plan(2, first) + case("ring.wrap.slots", 1) + summary(1, status=first_status, more=" left=1"),
             plan(2, second) + case("ring.submit.empty", 2) + summary(1))
    return Row("machine." + name, ("machine", "", "mv next records || mv first records; mv second next; cat records", "--one-per-boot"),
               status, (said,), True, files={"first": numbered(boots[0]), "second": numbered(boots[1])})


def past(name, status, first, second, words, *said, fault=""):
    """Two past runs, a and b; b has this fault."""
    return Row("past." + name, ("shell", "-c", "mkdir a b; mv a.jsonl a/results.jsonl; mv b.jsonl b/results.jsonl; mv b.json "
                                "b/summary.json; exec $AGPU " + words), status, said, False,
               files={"a.jsonl": lines(first), "b.jsonl": lines(second.replace("us=9", "us=8")),
                      "b.json": json.dumps({"environment": {"fault": fault}})})


def rerun(name, status, first, second, *said, bad=BAD_IDS):
    """A failing run with the first words, then a second run. In "good" nothing failed; "listened" is not from agpu
    run."""
    run = "$AGPU run --image $IMAGE --no-vdev --restarts 0 --machine \": {image}; exec cat $PWD/%s\" %s --out %s >log\n"
    script = run % ("bad", first, "was") + run % ("fine", "", "good") + (
        "$AGPU report --serial bad --out listened >log\nexec $AGPU run %s --out out" % second)
    return Row("rerun." + name, ("shell", "-c", script), status, said, status != 2,
               files={"bad": numbered(bad), "fine": numbered(GOOD_IDS)})


def skipped(index, code="", reason="x", more=""):
    return case("ring.b", index, "SKIP", (" skip=" + code if code else "") + ' reason="%s"' % reason + more)


def device(at, kind, more):
    described = ' at=%s device="%s%s"' % (at, at, {"d": " abi=1.4", "old": " abi=1.0", None: ""}[kind])
    return ("plan - count=1 format=2 build=b%s%s\nstart ring.a index=1 device=%s\nend ring.a status=PASS us=9 device=%s\n"
            "summary - status=PASS passed=1 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=1 us=99 device=%s\n"
            % (described, more, at, at, at))


def case_of_round(name, index, number):
    return "start %s index=%d round=%d\nend %s status=PASS us=9\n" % (name, index, number, name)


def digest(*names):
    """The digest of tests/cases/choice/digest.h."""
    total = 0
    for name in names:
        value = 2166136261
        for byte in name.encode():
            value = (value ^ byte) * 16777619 & 0xffffffff
        total += value
    return total & 0xffffffff


def inprocess(name, status, words, *said):
    return Row("inprocess." + name, ("inprocess", "--records --clock manual " + words), status, said)


def refused(name, words, *said):
    """agpu run ends at once with exit status 2, the nearest valid word, and no result directory."""
    return Row("words." + name, ("agpu", "run --out out --image nowhere.img " + words), 2, said, False)
