"""The work of tests/mutate: builds each named fault and runs the catalogue on that device, several at a time.

mutate.py ROOT BUILD key=value... < names of faults, one per line
Keys: as=any,model|any|model  jobs=N  most=N  whole=0|1  strict=0|1  json=FILE  learnt=FILE
"""
import collections
import concurrent.futures
import dataclasses
import fcntl
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True  # the sources may be read-only
import faults

LIMIT_S = 120              # for one run of the catalogue, which takes about 5 s
BLOCKED = "(blocked)"      # stands for all cases that did not run because a basic ability is broken
VERDICT_ONLY = "(verdict)"  # no case failed, but too few could run
SAVE_EVERY = "1"           # service points from one restore to the next, for faults of the table save
HEAVY_PART = 0.1           # of the time of a whole run: such a case runs when no other one has failed

# Subjects of the catalogue in which the first symptom of an area's fault may lie: one that fails first names the right place.
NEAR = {
    "discovery": "discovery regs",
    "regs": "regs discovery irq error scanout",
    "ring": "ring fence error regs",
    "fence": "fence ring irq present",
    "irq": "irq vblank fence",
    "vblank": "vblank present irq",
    "error": "error ring regs",
    "dma": "dma ring fence buffer copy texture",
    "scanout": "scanout present vblank",
    "present": "present scanout shared",
    "shared": "shared",
    **dict.fromkeys(("buffer", "copy", "texture", "clear"), "buffer copy texture clear render"),
}
# A first failure elsewhere names the right place too when it is about a register of the area.
REGISTER = {
    "irq": r"\bIRQ_",
    "error": r"\bERROR_(?!COUNT unchanged)",
    "fence": r"\bCOMPLETED_FENCE|\bfence completes",
    "regs": r"\b(?!ERROR_COUNT unchanged)[A-Z][A-Z0-9]*_[A-Z0-9_]+",
    "vblank": r"VBLANK",
    "scanout": r"(?:\b|_REG_)(?:SCANOUT|CURSOR)",
}
WORDS = {"survived": "SURVIVED", "known": "known gap", "wrong": "WRONG", "hung": "HUNG", "crashed": "CRASHED"}

running = set()  # processes, each the leader of a group


@dataclasses.dataclass
class Run:
    """One run of the catalogue. ended is finished, stopped (at the last failure that is needed), crashed or hung."""
    failed: list = dataclasses.field(default_factory=list)
    text: str = ""  # of the first failed check
    ended: str = ""
    took: dict = dataclasses.field(default_factory=dict)  # seconds, by case
    checks: dict = dataclasses.field(default_factory=dict)  # status and number of checks, by case
    good: bool = False  # the run's own verdict
    log: str = ""


@dataclasses.dataclass
class Result:
    """One fault in one column."""
    fault: faults.Fault
    column: str
    verdict: str = "broken"
    run: Run = dataclasses.field(default_factory=lambda: Run(ended="broken"))
    right: bool = False
    seconds: float = 0.0

    @property
    def first(self):
        return self.run.failed[0] if self.run.failed else ""


@dataclasses.dataclass
class Base:
    """The device without a fault: its cases by kind (light, heavy, failed), their sections and checks, and whether its run
    fails."""
    kinds: dict
    sections: dict
    checks: dict
    bad: bool


def kill(process):
    try:
        os.killpg(process.pid, signal.SIGKILL)  # with the drawing process
    except ProcessLookupError:
        pass


def catalogue(program, column, abi, most, ids=None, folder=None, env=None, saved=False, timed=False):
    """Runs PROGRAM's catalogue until `most` cases have failed: each may have waited for its timeout. Cases that did not run
    because a basic ability is broken count as one failed case, BLOCKED."""
    run, check, over = Run(), {}, threading.Event()
    command = [program, "--records", "--clock", "manual", "--as", column, "--abi", abi]
    command += ["--save-restore", SAVE_EVERY] if saved else []
    command += [] if timed else ["--quiet"]
    command += ["--filter", ",".join(ids)] if ids is not None else []
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder,
                               start_new_session=True, text=True, errors="replace", env=env)
    running.add(process)
    timer = threading.Timer(LIMIT_S * (5 if saved else 1), lambda: (over.set(), kill(process)))
    timer.start()
    began = time.monotonic()
    for line in process.stdout:
        line = line.rstrip("\n").partition(";")[2] if ";" in line else line.rstrip("\n")
        kind, _, rest = line.partition(" ")
        case, _, rest = rest.partition(" ")
        if kind == "check" and rest:
            check.setdefault(case, re.sub(r" file=\S* line=\d+", "", rest, count=1))
        elif kind == "end" and rest.startswith("status="):
            now = time.monotonic()
            run.took[case], began = now - began, now
            run.checks[case] = " ".join(re.findall(r"status=\S+|checks=\S+", rest))
            if re.match(r"status=(PASS|SKIP)\b", rest):
                continue
            run.text = run.text or check.get(case, line)
            run.failed.append(case)
            if len(run.failed) == most:
                run.ended = "stopped"
                break
        elif kind == "log" and " text=" in line:
            run.log = line.partition(" text=")[2]
        elif kind == "summary":
            run.ended = "finished"
            if run.failed and re.search(r" blocked=[1-9]", line):
                run.failed.append(BLOCKED)
    timer.cancel()
    if run.ended != "finished":
        kill(process)
    process.stdout.close()
    status = process.wait()
    running.discard(process)
    run.good = status == 0
    run.ended = run.ended or ("hung" if over.is_set() else "crashed")
    if run.ended in ("hung", "crashed") and not run.text:
        run.text = "the run did not end" if run.ended == "hung" else \
            "the run ended with status %d" % (-status if status < 0 else status << 8)
    return run


class Mutation:
    """The settings, the results of the device without a fault, and the cases that failed last time."""

    def __init__(self, root, build, settings):
        self.build = build
        self.columns = settings["as"].split(",")
        self.jobs, self.most = int(settings["jobs"]), int(settings["most"])
        self.whole, self.strict = settings["whole"] == "1", settings["strict"] == "1"
        self.json, self.learnt_file = settings["json"], settings["learnt"]
        self.tables = faults.Tables(root)
        self.recipe = faults.Recipe(root, build, "agpu_inprocess")
        self.learnt = self.read_learnt()
        self.base = {}
        self.work = tempfile.mkdtemp()

    def baseline(self, column, abi):
        """Runs the device without a fault once for each build; the result is cached in the build folder."""
        program = self.build + "/tests/host_platform/agpu_inprocess"
        stats = [os.stat(path) for path in (program, self.build + "/bin/agpu-render") if os.path.exists(path)]
        key = " ".join(["with checks"] + ["%d %d" % (stat.st_size, stat.st_mtime) for stat in stats])
        path = "%s/mutate-baseline-%s-%s.tsv" % (self.build, column, abi)
        lines = faults.slurp(path).splitlines() if os.path.exists(path) else []
        if not lines or lines.pop(0) != key:
            run = catalogue(program, column, abi, -1, timed=True)
            if run.ended != "finished":
                raise faults.Problem("the catalogue on the model without a fault %s: %s" % (run.ended, run.text))
            limit = max(0.5, HEAVY_PART * sum(run.took.values()))
            lines = [] if run.good else ["-\tbad\t\t"]
            listed = subprocess.run([program, "--abi", abi, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout
            for line in listed.splitlines():
                case, section = (line.split(None, 1) + [""])[:2]
                kind = "failed" if case in run.failed else "heavy" if run.took.get(case, 0) > limit else "light"
                lines.append("\t".join((case, kind, section, run.checks.get(case, ""))))
            faults.spill("%s.%d" % (path, os.getpid()), "\n".join([key] + lines) + "\n")
            os.replace("%s.%d" % (path, os.getpid()), path)
        base = Base(collections.defaultdict(list), {}, {}, False)
        for line in lines:
            case, kind, section, checks = (line.split("\t") + [""])[:4]
            base.kinds[kind].append(case)
            base.sections[case], base.checks[case] = section, checks
        base.bad = bool(base.kinds["bad"])
        return base

    def read_learnt(self):
        """The cases that failed last time, by fault and column: one file for all trees of the machine."""
        lines = faults.slurp(self.learnt_file).splitlines() if os.path.exists(self.learnt_file) else []
        fields = [line.split("\t") for line in lines]
        return {(field[0], field[1]): field[2:] for field in fields if len(field) > 2}

    def write_learnt(self, results):
        os.makedirs(os.path.dirname(self.learnt_file), exist_ok=True)
        with open(self.learnt_file + ".lock", "w", encoding="utf-8") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            learnt = self.read_learnt()
            for result in results:
                if result.verdict != "broken":
                    learnt[result.fault.name, result.column] = [case for case in result.run.failed if case[0] != "("]
            text = "".join("\t".join(key + tuple(cases)) + "\n" for key, cases in sorted(learnt.items()) if cases)
            faults.spill(self.learnt_file + ".new", text)
            os.replace(self.learnt_file + ".new", self.learnt_file)

    def judge(self, fault, column, likely, survived=None):
        """Runs one fault in one column: likely cases first; when they do not fail, the catalogue in its own order, and its
        slow cases when nothing else failed. Of a fault that has survived in another column, only cases that make other
        checks there."""
        began = time.monotonic()
        whom = expected(fault, column)
        base = self.base[whom, fault.abi]
        folder = "%s/%s" % (self.work, fault.name)
        own = faults.has_own_cache(edit[0] for edit in fault.edits)
        env = dict(os.environ, AGPU_RENDER_CACHE=folder + "/shaders") if own else None

        def run_of(ids):
            return catalogue(folder + "/agpu_inprocess", whom, fault.abi, self.most, ids, folder, env, fault.saved)

        other = self.base[expected(fault, survived), fault.abi].checks if survived else {}
        light, heavy = ([case for case in base.kinds[kind] if other.get(case) != base.checks[case]] for kind in ("light", "heavy"))
        if fault.saved:  # a restore takes milliseconds: only cases of the fault's own subjects
            light, heavy = ([case for case in cases if case.split(".")[0] in subjects_of(fault)] for cases in (light, heavy))
        ids = [] if self.whole else [case for case in likely if case in light or case in heavy]
        first = run = run_of(ids) if ids else None
        if not run or run.ended != "stopped":
            run = run_of(light) if light else Run(ended="finished", good=True)
            if not run.failed and run.ended == "finished" and not run.good and not base.bad:
                run.failed, run.text = [VERDICT_ONLY], run.log
            elif not run.failed and first and first.failed:  # fails in the small run only, but fails
                run = first
            elif not run.failed and run.ended == "finished" and heavy:
                run = run_of(heavy)
        verdict = "killed" if run.failed else "survived" if run.ended == "finished" else run.ended
        if fault.allowed and column == "any":
            verdict = "allowed" if verdict == "survived" else "wrong"
        elif verdict == "survived" and is_gap(fault, column):
            verdict = "known"
        result = Result(fault, column, verdict, run)
        result.right = is_right(fault, result.first, run.text, base.sections.get(result.first, ""))
        result.seconds = time.monotonic() - began
        return result

    def attempt(self, fault):
        """Builds and tries one fault; prints its line."""
        folder = "%s/%s" % (self.work, fault.name)
        os.mkdir(folder)
        try:
            self.recipe.apply(self.tables.edited(fault), folder)
            built = subprocess.run(["bash", "build.sh"], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
            errors = built.stdout if built.returncode != 0 else None
        except faults.Problem as problem:
            errors = str(problem)
        if errors is not None:
            lines = ["BROKEN    " + fault.name] + ["          " + line for line in errors.splitlines()[:12]]
            results = [Result(fault, column) for column in self.columns]
        else:
            results, likely, survived = [], self.learnt.get((fault.name, "any"), []), None
            for column in self.columns:
                results.append(self.judge(fault, column, self.learnt.get((fault.name, column), likely), survived))
                survived = survived or (column if results[-1].verdict in ("survived", "known") else None)
                likely = results[-1].run.failed or likely  # those in brackets are no case, and known as none
            lines = [line_of(fault, results)]
        print("\n".join(lines), flush=True)
        shutil.rmtree(folder)
        return results

    def all(self, names):
        chosen = [self.tables.by_name[name] for name in names]
        for whom, abi in sorted({(expected(fault, column), fault.abi) for fault in chosen for column in self.columns}):
            base = self.base[whom, abi] = self.baseline(whom, abi)
            if base.kinds["failed"]:
                print("tests/mutate: as %s, ABI %s: %s fail on the model without a fault and count for nothing"
                      % (whom, abi, " ".join(base.kinds["failed"])), file=sys.stderr)
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            results = [result for of_one in pool.map(self.attempt, chosen) for result in of_one]
        self.write_learnt(results)
        if self.json:
            faults.spill(self.json, "[\n" + ",\n".join(json_of(result) for result in results) + "\n]\n")
            print("tests/mutate: results: " + self.json, file=sys.stderr)
        return results

    def summary(self, results):
        """Prints the totals; returns the number of results that --strict counts as errors."""
        listed = {}
        for column in reversed(self.columns):
            here = [result for result in results if result.column == column and result.verdict != "broken"]
            counted = [result for result in here if result.verdict not in ("allowed", "wrong")]
            killed = [result for result in counted if result.run.failed]
            right = sum(result.right for result in killed)
            line = "as %-5s  %d of %d killed (%.1f %%), %d by %d cases or more, %d first in the right area (%.1f %%)" % (
                column, len(killed), len(counted), 100 * len(killed) / len(counted) if counted else 100,
                sum(len(result.run.failed) >= self.most for result in killed), self.most, right,
                100 * right / len(killed) if killed else 100)
            count = collections.Counter(result.verdict for result in here)
            for verdict, text in (("survived", "survived"), ("known", "are known gaps"), ("hung", "hung"), ("crashed", "crashed"),
                                  ("allowed", "may be so"), ("wrong", "may be so, but a case fails")):
                line += "; %d %s" % (count[verdict], text) if count[verdict] else ""
            print(line)
            for result in here:
                if result.verdict not in ("killed", "allowed", "known"):
                    kind = "as %s, %s, %s" % (column, result.fault.table, result.verdict)
                    listed.setdefault(kind, []).append(result.fault.name)
        print("%d faults, %.0f s" % (len(results) / len(self.columns), time.monotonic() - STARTED))
        for kind, names in listed.items():
            print("\n  ".join([kind + ":"] + names))
        gaps = collections.defaultdict(set)
        for result in results:
            if is_gap(result.fault, result.column):
                gaps[result.fault.name].add(result.verdict)
        closed = [name for name, verdicts in gaps.items() if "killed" in verdicts and "known" not in verdicts]
        if closed:
            print("\n  ".join(["known as gaps, but killed now (take the survives line out):"] + closed))
        return sum(map(len, listed.values())) if self.strict else 0


def subjects_of(fault):
    return NEAR.get(fault.area, fault.area + " render compute texture").split() + (fault.also or "").split()


def is_right(fault, case, text, section):
    """Whether a first failure of that case leads to the fault's area: by the case's subject, by the rule where it has a
    subsection, by a register in the failed check."""
    if case.split(".")[0] in subjects_of(fault) or re.search(r"\.md \d+\.\d", fault.rule) and fault.rule in section.split(", "):
        return True
    return case != "" and fault.area in REGISTER and re.search(REGISTER[fault.area], text) is not None


def expected(fault, column):
    """Returns the device that the catalogue expects: the model has no capabilities, so a board is any device."""
    return "any" if fault.board else column


def is_gap(fault, column):
    """Whether the tables say that the fault survives in that column."""
    return fault.survives is not None and (column == "any" or fault.survives.startswith("both:"))


def line_of(fault, results):
    shown = next((result for result in results if result.run.failed), results[0])
    worst = next(verdict for verdict in ("wrong", "hung", "crashed", "survived", "known", "killed", "allowed")
                 if verdict in [result.verdict for result in results])
    cases = " ".join("%-7s" % ("%s %s" % (result.column, len(result.run.failed) if result.run.failed or
                                          result.verdict != "allowed" else "ok")) for result in reversed(results))
    text = fault.says if shown.run.ended == "finished" else shown.run.text
    if shown.first:
        text = shown.first + ("" if shown.right else " (another area)") + ": " + shown.run.text
    if worst == "wrong":
        text = "as any it is allowed: %s %s" % (fault.allowed, text)
    seconds = sum(result.seconds for result in results)
    return "%-9s %-46s %5.1f s  %s  %s" % (WORDS.get(worst, worst), fault.name, seconds, cases, text)


def json_of(result):
    return json.dumps({
        "fault": result.fault.name, "area": result.fault.table, "as": result.column, "verdict": result.verdict,
        "killed": bool(result.run.failed), "cases": len(result.run.failed), "first": result.first, "message": result.run.text,
        "right_area": result.right, "seconds": round(result.seconds, 2), "ended": result.run.ended, "failed": result.run.failed,
    }, ensure_ascii=False)


def main(root, build, *settings):
    mutation = Mutation(root, build, dict(setting.split("=", 1) for setting in settings))

    def stop(*_):
        for process in list(running):
            kill(process)
        shutil.rmtree(mutation.work, ignore_errors=True)
        os._exit(1)

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
    try:
        results = mutation.all(sys.stdin.read().split())
    finally:
        shutil.rmtree(mutation.work, ignore_errors=True)
    bad = mutation.summary(results)
    broken = any(result.verdict == "broken" for result in results)
    if broken:
        print("BROKEN faults were not run: they no longer apply to the model, or do not build. Each has its reason"
              " above; mend the entry in tests/faults")
    return 1 if broken or bad else 0


STARTED = time.monotonic()
if __name__ == "__main__":
    try:
        sys.exit(main(*sys.argv[1:]))
    except faults.Problem as error:
        sys.exit("tests/mutate: %s" % error)
