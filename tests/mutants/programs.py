"""programs.py: builds the driver and the programs that contain it, finds the lines that each reaches, and runs
them."""
import concurrent.futures
import hashlib
import json
import os
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time

LAYERS = ("pci", "ring", "mm", "umd-port")
LIBRARIES = ("libagpu_pci.a", "libagpu_ring.a", "libagpu_mm.a", "libagpu_umd.a")
CATALOGUE = "tests/host_platform/agpu_inprocess"
MEMORY_LIMIT = 12 << 30
LIMIT_S = 20  # of one program; otherwise twenty times its time without a mutant


def log(*words):
    print("tests/mutate_driver:", *words, file=sys.stderr, flush=True)


def library_of(made):
    return "lib%s.a" % re.search(r"/([^/]+)\.dir/", made)[1]


class Build:
    """The build directory's commands: how each driver source is compiled, and each program with it linked."""

    def __init__(self, root, folder, catalogue_only=False):
        self.root, self.folder = root, folder
        self.compile, self.object, self.programs = {}, {}, {}
        for entry in json.load(open(os.path.join(folder, "compile_commands.json"))):
            name = os.path.relpath(entry["file"], root)
            words = shlex.split(entry["command"])
            made = words[words.index("-o") + 1]
            # Other libraries may contain the source too, compiled differently.
            if name.split("/")[0] in LAYERS and name.endswith(".c") and library_of(made) in LIBRARIES:
                self.compile[name], self.object[name] = words, made
        commands = subprocess.run(["ninja", "-C", folder, "-t", "commands"], capture_output=True, text=True, check=True)
        for line in commands.stdout.splitlines():
            match = re.search(r" -o (tests/(?:unit|host_platform)/\S+) ", line)
            if match and " -c " not in line and any(library in line for library in LIBRARIES) and (
                    match[1] == CATALOGUE or not catalogue_only):
                self.programs[match[1]] = line

    def compile_words(self, name, source, made, *more):
        words = list(self.compile[name])
        words[words.index("-o") + 1] = made
        words[words.index("-c") + 1] = source
        return words + ["-w", "-g0", "-iquote", os.path.dirname(os.path.join(self.root, name)), *more]

    def link(self, program, made, objects, *more):
        line = self.programs[program]
        line = line.replace(" -o %s " % program, " -o %s %s " % (made, " ".join(objects + list(more))), 1)
        return subprocess.run(line, shell=True, cwd=self.folder, capture_output=True, text=True)


def limits():
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_LIMIT, MEMORY_LIMIT))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run(words, cwd, env=None, stop=None, usual=2.0):
    """Returns the exit status, or None if it took too long. stop(line) true ends it with status 1."""
    child = subprocess.Popen(words, cwd=cwd, env=env, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             stdout=subprocess.PIPE if stop else subprocess.DEVNULL, start_new_session=True,
                             preexec_fn=limits)
    over = []

    def end():
        over.append(True)
        try:
            os.killpg(child.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    timer = threading.Timer(LIMIT_S + 20 * usual, end)
    timer.start()
    stopped = False
    try:
        if stop:
            for line in child.stdout:
                if stop(line):
                    stopped = True
                    break
            child.stdout.close()
        if stopped:
            end()
            over.clear()
        child.wait()
    finally:
        timer.cancel()
    return 1 if stopped else None if over else child.returncode


def failed_case(line):
    """Returns the case that this record ends, if it has failed."""
    match = re.search(rb";end (\S+) status=(\w+)", line)
    return match[1].decode() if match and match[2] not in (b"PASS", b"SKIP") else None


class Runs:
    """The tests: (program, arguments), the lines that each reaches, and its duration."""

    def __init__(self, build, work):
        self.build, self.work = build, work

    def measure(self, keep):
        programs = [os.path.join(self.build.folder, p) for p in self.build.programs]
        stamp = hashlib.sha256(repr([(p, os.stat(p).st_mtime_ns) for p in sorted(programs)]).encode()).hexdigest()
        if os.path.exists(keep):
            known = json.load(open(keep))
            if known["stamp"] == stamp:
                self.tests = known["tests"]
                return
        log("finding out which lines each of %d programs reaches" % len(programs))
        folder = os.path.join(self.work, "reach")
        objects = os.path.join(folder, "objects")
        os.makedirs(objects)
        made = {}

        def compile_one(name):
            made[name] = os.path.join(objects, name.replace("/", "_") + ".o")
            words = self.build.compile_words(name, os.path.join(self.build.root, name), made[name], "-O0", "--coverage")
            done = subprocess.run(words, cwd=self.build.folder, capture_output=True, text=True)
            if done.returncode != 0:
                raise SystemExit("%s: %s" % (name, done.stderr))

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(compile_one, self.build.compile))
            self.tests = [t for found in pool.map(lambda p: self.reach(p, made, folder), self.build.programs)
                          for t in found]
        missed = set(LAYERS) - {name.split("/")[0] for t in self.tests for name in t["lines"]}
        if missed:
            raise SystemExit("tests/mutate_driver: no test reaches a line of %s: what is measured is wrong" % ", ".join(sorted(missed)))
        json.dump({"stamp": stamp, "tests": self.tests}, open(keep + ".new", "w"))
        os.replace(keep + ".new", keep)

    def reach(self, program, made, folder):
        place = os.path.join(folder, program.replace("/", "_"))
        os.makedirs(place)
        line = self.build.programs[program]
        objects = [o for n, o in made.items() if library_of(self.build.object[n]) in line]
        done = self.build.link(program, os.path.join(place, "program"), objects, "--coverage")
        if done.returncode != 0:
            raise SystemExit("%s: %s" % (program, done.stderr))
        ways = [[]]
        if program == CATALOGUE:
            ways = [[*which, "--clock", "manual", "--records", "--quiet"]
                    for which in (*(["--filter", family] for family in self.families()), ["--abi", "legacy"])]
        found = []
        for number, arguments in enumerate(ways):
            data = os.path.join(place, "data%d" % number)
            env = dict(os.environ, GCOV_PREFIX=data)
            start = time.monotonic()
            status = run([os.path.join(place, "program"), *arguments], place, env, usual=30)
            took = time.monotonic() - start
            if status != 0:
                log("%s %s fails without a mutant (status %s) and is left out" % (program, arguments[:2], status))
                continue
            counters = [os.path.join(where, f) for where, _, files in os.walk(data) for f in files if f.endswith(".gcda")]
            for counter in counters:  # gcov needs the notes next to the counters
                shutil.copy(os.path.join(folder, "objects", os.path.basename(counter)[:-5] + ".gcno"),
                            os.path.dirname(counter))
            lines = {}
            if counters:
                told = subprocess.run(["gcov", "--json-format", "--stdout", *counters], capture_output=True, text=True,
                                      cwd=self.build.folder)
                for text in told.stdout.splitlines():
                    for file in json.loads(text)["files"]:
                        name = os.path.relpath(os.path.join(self.build.folder, file["file"]), self.build.root)
                        if name in self.build.compile:
                            hit = lines.setdefault(name, {})
                            for entry in file["lines"]:
                                number_ = entry["line_number"]
                                hit[number_] = hit.get(number_, 0) + entry["count"]
            found.append({"program": program, "arguments": arguments, "seconds": took,
                          "lines": {n: [sorted(l for l, c in h.items() if c), sorted(h)] for n, h in lines.items()}})
        return found

    def families(self):
        """Returns the families of cases, "umd.*", each of which is a test: most lines are reached by few of them."""
        listed = subprocess.run([os.path.join(self.build.folder, CATALOGUE), "--list"], capture_output=True, text=True, check=True)
        return sorted({line.split(".")[0] + ".*" for line in listed.stdout.splitlines()})

    def of(self, mutant):
        """Returns the tests that reach the mutant's line, quick ones first."""
        found = []
        for test in self.tests:
            hit, known = test["lines"].get(mutant.file, ((), ()))
            before = [line for line in known if line <= mutant.line]
            if before and before[-1] in hit:
                found.append(test)
        return sorted(found, key=lambda t: (t["program"] == CATALOGUE, t["seconds"]))
