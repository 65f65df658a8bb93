"""mutants.py: small mistakes in the driver layers (pci, ring, mm, umd-port), and which of them the tests notice.

Each mutant is one change of one expression or statement, found on the compiler's syntax tree (clang -ast-dump=json),
compiled alone and put before the libraries of the programs that reach its line: unit tests first, the quick ones in
front, then the catalogue in-process. tests/mutate_driver is the command.
"""
import argparse
import concurrent.futures
import fnmatch
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

# A compiler cache would give the syntax tree paths of its own.
os.environ["CCACHE_DISABLE"] = "1"
sys.dont_write_bytecode = True  # the sources may be read-only, and these files are unwanted there

from programs import Build, CATALOGUE, Runs, failed_case, run
from syntax import mutants_of


class Judge:
    def __init__(self, build, runs, work):
        self.build, self.runs, self.work = build, runs, work
        self.plain, self.lock = {}, threading.Lock()

    def compiled(self, name, text, place):
        os.makedirs(os.path.join(place, os.path.dirname(name)), exist_ok=True)
        source = os.path.join(place, name)
        open(source, "wb").write(text)
        made = os.path.join(place, "mutant.o")
        # Removes paths and assertion lines from the code, so that equal code means an equal mutant.
        done = subprocess.run(self.build.compile_words(name, source, made, "-O2", "-ffile-prefix-map=%s=." % place),
                              cwd=self.build.folder, capture_output=True, text=True)
        return made if done.returncode == 0 else None

    def plain_code(self, name):
        with self.lock:
            if name not in self.plain:
                place = tempfile.mkdtemp(dir=self.work)
                made = self.compiled(name, open(os.path.join(self.build.root, name), "rb").read(), place)
                self.plain[name] = open(made, "rb").read()
            return self.plain[name]

    def judge(self, mutant):
        start = time.monotonic()
        place = tempfile.mkdtemp(dir=self.work)
        text = open(os.path.join(self.build.root, mutant.file), "rb").read()
        text = text[:mutant.begin] + mutant.new.encode() + text[mutant.end:]
        made = self.compiled(mutant.file, text, place)
        if made is None:
            mutant.verdict = "invalid"
        elif open(made, "rb").read() == self.plain_code(mutant.file):
            mutant.verdict = "same"
        else:
            self.run_tests(mutant, made, place)
        mutant.seconds = time.monotonic() - start
        shutil.rmtree(place, ignore_errors=True)
        return mutant

    def run_tests(self, mutant, made, place):
        tests = self.runs.of(mutant)
        mutant.verdict = "survived" if tests else "unreached"
        linked = {}
        for test in tests:
            program = test["program"]
            if program not in linked:
                linked[program] = os.path.join(place, os.path.basename(program))
                done = self.build.link(program, linked[program], [made], "-s")
                if done.returncode != 0:
                    raise SystemExit(done.stderr)
            failed = []

            def note(line):
                case = failed_case(line)
                if case:
                    failed.append(case)
                return case

            catalogue = program == CATALOGUE
            status = run([linked[program], *test["arguments"]], place, usual=test["seconds"], stop=note if catalogue else None)
            if status != 0:
                mutant.verdict = "killed"
                mutant.by = failed[0] if failed else os.path.basename(program)
                if not failed and (status is None or status < 0):
                    mutant.by += " (%s)" % ("time" if status is None else "signal %d" % -status)
                return


def verdicts(path):
    """Reads known survivors: key of the mutant -> "equivalent" or "gap", reason."""
    known = {}
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            known["\t".join(fields[:6])] = fields[6:]
    return known


def check_verdicts(build, known):
    """Checks that each verdict is about a mutant that still exists."""
    bad = 0
    there = {m.key() for name in sorted({k.split("\t")[0] for k in known}) if name in build.compile
             for m in mutants_of(build, name)}
    for key, verdict in known.items():
        if key not in there:
            print("no such mutant any more: %s" % key)
            bad += 1
        if len(verdict) != 2 or verdict[0] not in ("equivalent", "gap") or not verdict[1].endswith("."):
            print("the verdict is \"equivalent\" or \"gap\", then a sentence with a point: %s" % key)
            bad += 1
    print("%d verdicts, %d problems" % (len(known), bad))
    return 1 if bad else 0


def main():
    parser = argparse.ArgumentParser(prog="tests/mutate_driver", add_help=False)
    for option in ("--root", "--build", "--verdicts", "--file", "--json", "--shard", "--again"):
        parser.add_argument(option)
    for option in ("--sample", "--seed", "--jobs"):
        parser.add_argument(option, type=int)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--check-verdicts", action="store_true")
    parser.add_argument("--catalogue-only", action="store_true")
    options = parser.parse_args()
    build = Build(options.root, options.build, options.catalogue_only)
    known = verdicts(options.verdicts)
    if options.check_verdicts:
        return check_verdicts(build, known)
    names = sorted(n for n in build.compile if fnmatch.fnmatch(n, options.file))
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        chosen = [m for found in pool.map(lambda n: mutants_of(build, n), names) for m in found]
    population = len(chosen)
    if options.again:
        left = {(m["file"], m["function"], m["operator"], m["change"], m["there"], m["nth"])
                for m in json.load(open(options.again)) if m["verdict"] in ("survived", "gap")}
        chosen = [m for m in chosen if (m.file, m.function, m.operator, m.change(), m.there, m.nth) in left]
    elif options.sample and options.sample < len(chosen):
        chosen = random.Random(options.seed).sample(chosen, options.sample)
    part, parts = map(int, options.shard.split("/"))
    chosen = chosen[part - 1::parts]
    if options.list:
        for m in chosen:
            print("%s:%d %s %s: %s | %s" % (m.file, m.line, m.function, m.operator, m.change(), m.there))
        return 0
    with tempfile.TemporaryDirectory() as work:
        runs = Runs(build, work)
        runs.measure(os.path.join(options.build, "mutants-reach%s.json" % ("-catalogue" if options.catalogue_only else "")))
        judge = Judge(build, runs, work)
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(judge.judge, m) for m in chosen]):
                m = done.result()
                note = known.get(m.key())
                if m.verdict == "survived" and note and (note[0] == "equivalent" or not options.catalogue_only):
                    m.verdict = note[0]
                print("%-10s %5.1f s  %s:%d %s %s: %s%s" % (
                    m.verdict.upper() if m.verdict == "survived" else m.verdict, m.seconds, m.file, m.line, m.function,
                    m.operator, m.change(), "  " + m.by if m.by else ""), flush=True)
        took = time.monotonic() - start
    count = {}
    for m in chosen:
        count[m.verdict] = count.get(m.verdict, 0) + 1
    judged = sum(count.get(v, 0) for v in ("killed", "survived", "gap"))
    print("%d of %d killed (%.1f %%); %d survived, %d known gaps; not counted: %d equivalent by reason, %d the same code, "
          "%d not reached, %d do not compile; of %d mutants %d were tried in %.0f s" % (
              count.get("killed", 0), judged, 100 * count.get("killed", 0) / max(judged, 1), count.get("survived", 0),
              count.get("gap", 0), count.get("equivalent", 0), count.get("same", 0), count.get("unreached", 0),
              count.get("invalid", 0), population, len(chosen), took))
    for m in sorted((m for m in chosen if m.verdict == "survived"), key=lambda m: (m.file, m.line)):
        print(m.key())
    if options.json:
        json.dump([{"file": m.file, "line": m.line, "function": m.function, "operator": m.operator,
                    "change": m.change(), "there": m.there, "nth": m.nth, "verdict": m.verdict, "by": m.by, "seconds": round(m.seconds, 2)}
                   for m in chosen], open(options.json, "w"), indent=0)
    return 0


sys.exit(main())
