"""mutants.py: small mistakes in the driver layers (ring, mm, umd-port), and which of them the tests notice.

Each mutant is one change of one expression or statement, found on the compiler's syntax tree (clang -ast-dump=json),
compiled alone and put before the libraries of the programs that reach its line: unit tests first, the quick ones in
front, then the catalogue in-process. tests/mutate_driver is the command.
"""
import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

LAYERS = ("ring", "mm", "umd-port")
LIBRARIES = ("libagpu_ring.a", "libagpu_mm.a", "libagpu_umd.a")
CATALOGUE = "tests/host_platform/agpu_inprocess"
MEMORY_LIMIT = 12 << 30
LIMIT_S = 20  # of one program, and twenty times what it takes without a mutant

RELATIONAL = {
    "<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"),
    "==": ("!=",), "!=": ("==",),
}
OTHER_BINARY = {
    "+": ("-",), "-": ("+",), "*": ("/",), "/": ("*",), "%": ("/",),
    "<<": (">>",), ">>": ("<<",), "&": ("|",), "|": ("&",), "^": ("&",),
    "&&": ("||",), "||": ("&&",),
}
ASSIGNMENT = {
    "+=": ("-=", "="), "-=": ("+=", "="), "|=": ("&=", "="), "&=": ("|=", "="),
    "<<=": (">>=",), ">>=": ("<<=",), "*=": ("/=",), "/=": ("*=",),
}


def log(*words):
    print("tests/mutate_driver:", *words, file=sys.stderr, flush=True)


class Mutant:
    def __init__(self, file, function, operator, begin, end, old, new, line, there):
        self.file, self.function, self.operator = file, function, operator
        self.begin, self.end, self.old, self.new = begin, end, old, new
        self.line, self.there = line, there  # there: the text of the line
        self.nth = 0
        self.verdict = self.by = ""
        self.seconds = 0.0

    def key(self):
        """Names the mutant as long as its function keeps this line, wherever it moves."""
        return "\t".join((self.file, self.function, self.operator, self.change(), self.there, str(self.nth)))

    def change(self):
        return " ".join(self.old.split()) + " -> " + " ".join(self.new.split())


class Tree:
    """The mutants of one source file."""

    def __init__(self, source, name, text, syntax):
        self.source, self.name, self.text = source, name, text
        self.here = None  # the file of the last location: the dump names it only when it changes
        self.function = ""
        self.found = []
        self.visit(syntax, None)

    def bare(self, location):
        if "file" in location:
            self.here = location["file"]
        return self.here

    def place(self, location):
        """Begin and end of the token in the source, and whether a macro made it; None where it is in another file."""
        if not location:
            return None
        macro = "spellingLoc" in location
        if macro:
            self.bare(location["spellingLoc"])
            location = location["expansionLoc"]
        if os.path.realpath(self.bare(location) or "") != self.source or "offset" not in location:
            return None
        begin = location["offset"]
        return begin, begin + location["tokLen"], macro

    def locate(self, node):
        self.place(node.get("loc"))
        extent = node.get("range", {})
        begin, end = self.place(extent.get("begin")), self.place(extent.get("end"))
        node["from"] = begin[0] if begin else None
        node["to"] = end[1] if end else None
        # Of a macro with arguments the end is not known, only its name's.
        if end and end[2] and self.text[end[1]:end[1] + 2].lstrip().startswith(b"("):
            node["to"] = None
        node["macro"] = bool((begin and begin[2]) or (end and end[2]))

    def add(self, operator, begin, end, new):
        old = self.text[begin:end].decode()
        line = self.text.count(b"\n", 0, begin) + 1
        if new != old:
            there = self.text.split(b"\n")[line - 1].decode()
            self.found.append(Mutant(self.name, self.function, operator, begin, end, old, new, line,
                                     " ".join(there.split())))

    def replace_between(self, operator, left, right, old, choices):
        begin, end = left.get("to"), right.get("from")
        if begin is None or end is None or end <= begin:
            return
        between = self.text[begin:end]
        if between.count(old.encode()) != 1:
            return
        begin += between.index(old.encode())
        for new in choices:
            self.add(operator, begin, begin + len(old), new)

    def whole(self, node):
        begin, end = node.get("from"), node.get("to")
        return (begin, end) if begin is not None and end is not None and begin < end else None

    def negate(self, node):
        extent = self.whole(node)
        if extent:
            text = self.text[extent[0]:extent[1]].decode()
            self.add("condition", *extent, "!(%s)" % text)

    def visit(self, node, parent):
        self.locate(node)
        kind = node.get("kind")
        if kind == "FunctionDecl":
            self.function = node.get("name", "")
        inner = [child for child in node.get("inner", [])]
        for child in inner:
            if child.get("kind"):
                self.visit(child, node)
        if node["from"] is None or not self.function or node.get("isImplicit"):
            return
        if kind == "BinaryOperator" and len(inner) == 2:
            code = node["opcode"]
            if code in RELATIONAL:
                self.replace_between("relational", inner[0], inner[1], code, RELATIONAL[code])
            elif code in OTHER_BINARY:
                self.replace_between("logical" if code in ("&&", "||") else "arithmetic",
                                     inner[0], inner[1], code, OTHER_BINARY[code])
        elif kind == "CompoundAssignOperator":
            self.replace_between("assignment", inner[0], inner[1], node["opcode"], ASSIGNMENT.get(node["opcode"], ()))
        elif kind == "UnaryOperator" and not node["macro"]:
            code, begin, end = node["opcode"], node["from"], node["to"]
            if code in ("!", "~") and self.text[begin:begin + 1] == code.encode():
                self.add("unary", begin, begin + 1, "")
            elif code in ("++", "--") and end is not None:
                new = "--" if code == "++" else "++"
                if node.get("isPostfix"):
                    begin = end - 2
                if self.text[begin:begin + 2] == code.encode():
                    self.add("unary", begin, begin + 2, new)
        elif kind == "IntegerLiteral" and not node["macro"] and (parent or {}).get("kind") != "CaseStmt":
            text = self.text[node["from"]:node["to"]].decode()
            match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", text)
            if match:
                value = int(match[1], 0) if match[1] == "0" or not match[1].startswith("0") or "x" in match[1].lower() \
                    else int(match[1], 8)
                for new in (value + 1, value - 1):
                    if new >= 0:
                        self.add("constant", node["from"], node["to"], "%d%s" % (new, match[2]))
        elif kind in ("IfStmt", "WhileStmt", "ConditionalOperator") and inner:
            if inner[0].get("opcode") not in ("==", "!=", "!"):  # negated already
                self.negate(inner[0])
        elif kind == "ForStmt" and len(inner) == 5 and inner[2].get("kind"):
            self.negate(inner[2])
        elif kind == "DoStmt" and len(inner) == 2:
            self.negate(inner[1])
        elif kind == "ReturnStmt" and inner and inner[0].get("type", {}).get("qualType") in ("bool", "_Bool"):
            extent = self.whole(inner[0])
            if extent:
                self.add("return", *extent, "!(%s)" % self.text[extent[0]:extent[1]].decode())
        elif kind == "CallExpr":
            for one, two in zip(inner[1:], inner[2:]):
                first, second = self.whole(one), self.whole(two)
                if first and second and one.get("type", {}).get("qualType") == two.get("type", {}).get("qualType"):
                    a = self.text[first[0]:first[1]]
                    b = self.text[second[0]:second[1]]
                    if a != b:
                        self.add("arguments", first[0], second[1],
                                 (b + self.text[first[1]:second[0]] + a).decode())
        if kind in ("CompoundStmt", "IfStmt", "ForStmt", "WhileStmt", "CaseStmt", "DefaultStmt"):
            for child in inner:
                self.drop(child)

    def drop(self, node):
        kind = node.get("kind")
        extent = self.whole(node) if kind else None
        if extent and (kind in ("CallExpr", "CompoundAssignOperator") or
                       kind == "BinaryOperator" and node.get("opcode") == "=" or
                       kind == "UnaryOperator" and node.get("opcode") in ("++", "--")):
            after = self.text[extent[1]:extent[1] + 1]
            if after == b";":
                self.add("dropped", *extent, "(void)0")


class Build:
    """What the build folder knows: how each driver source is compiled, how each program that holds it is linked."""

    def __init__(self, root, folder):
        self.root, self.folder = root, folder
        self.compile, self.object, self.programs = {}, {}, {}
        for entry in json.load(open(os.path.join(folder, "compile_commands.json"))):
            name = os.path.relpath(entry["file"], root)
            words = shlex.split(entry["command"])
            made = words[words.index("-o") + 1]
            if name.split("/")[0] in LAYERS and name.endswith(".c"):
                self.compile[name], self.object[name] = words, made
        commands = subprocess.run(["ninja", "-C", folder, "-t", "commands"], capture_output=True, text=True, check=True)
        for line in commands.stdout.splitlines():
            match = re.search(r" -o (tests/(?:unit|host_platform)/\S+) ", line)
            if match and " -c " not in line and any(library in line for library in LIBRARIES):
                self.programs[match[1]] = line

    def library_of(self, name):
        return "lib%s.a" % re.search(r"/([^/]+)\.dir/", self.object[name])[1]

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
    """Exit status, or None when it took too long; stop(line) true ends it with status 1."""
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
    match = re.search(rb"end (\S+) status=(\w+)", line)
    return match is not None and match[2] not in (b"PASS", b"SKIP")


class Runs:
    """The tests: (program, arguments), which lines each reaches, how long it takes."""

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
        json.dump({"stamp": stamp, "tests": self.tests}, open(keep + ".new", "w"))
        os.replace(keep + ".new", keep)

    def reach(self, program, made, folder):
        place = os.path.join(folder, program.replace("/", "_"))
        os.makedirs(place)
        line = self.build.programs[program]
        objects = [o for n, o in made.items() if self.build.library_of(n) in line]
        done = self.build.link(program, os.path.join(place, "program"), objects, "--coverage")
        if done.returncode != 0:
            raise SystemExit("%s: %s" % (program, done.stderr))
        ways = [[]]
        if program == CATALOGUE:
            common = ["--clock", "manual"]
            ways = [common + ["--filter", self.quick(common)], common + ["--abi", "legacy"]]
        found = []
        for number, arguments in enumerate(ways):
            data = os.path.join(place, "data%d" % number)
            env = dict(os.environ, GCOV_PREFIX=data)
            quiet = ["--quiet"] if program == CATALOGUE else []
            start = time.monotonic()
            status = run([os.path.join(self.build.folder, program), *arguments, *quiet], place)
            took = time.monotonic() - start
            if status != 0:
                log("%s %s fails without a mutant (status %s) and is left out" % (program, arguments[-2:], status))
                continue
            run([os.path.join(place, "program"), *arguments, *quiet], place, env)
            counters = [os.path.join(where, f) for where, _, files in os.walk(data) for f in files if f.endswith(".gcda")]
            for counter in counters:  # gcov wants the notes beside
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

    def quick(self, arguments):
        """The cases of the catalogue but those that take a tenth of its time: no driver mistake needs those."""
        took, last = [], [time.monotonic()]

        def note(line):
            match = re.search(rb";end (\S+) ", line)
            if match:
                now = time.monotonic()
                took.append((match[1].decode(), now - last[0]))
                last[0] = now
            return False

        run([os.path.join(self.build.folder, CATALOGUE), *arguments], self.work, stop=note)
        whole = sum(seconds for _, seconds in took)
        return ",".join(name for name, seconds in took if seconds < max(0.5, whole / 10))

    def of(self, mutant):
        """The tests that reach the mutant's line, the quick ones first."""
        found = []
        for test in self.tests:
            hit, known = test["lines"].get(mutant.file, ((), ()))
            before = [line for line in known if line <= mutant.line]
            if before and before[-1] in hit:
                found.append(test)
        return sorted(found, key=lambda t: (t["program"] == CATALOGUE, t["seconds"]))


def mutants_of(build, name):
    source = os.path.join(build.root, name)
    # What the syntax tree depends on: other words are about code, and are gcc's.
    words = [w for w in build.compile[name][1:] if w.startswith(("-I", "-D", "-std", "-ffreestanding"))]
    told = subprocess.run(["clang", "-fsyntax-only", "-w", "-Xclang", "-ast-dump=json", *words, source],
                          cwd=build.folder, capture_output=True)
    if told.returncode != 0:
        raise SystemExit("%s: %s" % (name, told.stderr.decode()))
    found = Tree(os.path.realpath(source), name, open(source, "rb").read(), json.loads(told.stdout)).found
    seen = {}
    found = sorted({(m.begin, m.end, m.new): m for m in found}.values(), key=lambda m: (m.begin, m.end, m.new))
    for mutant in found:
        count = seen[mutant.key()] = seen.get(mutant.key(), 0) + 1
        mutant.nth = count
    return found


class Judge:
    def __init__(self, build, runs, work):
        self.build, self.runs, self.work = build, runs, work
        self.plain, self.lock = {}, threading.Lock()

    def compiled(self, name, text, place):
        os.makedirs(os.path.join(place, os.path.dirname(name)), exist_ok=True)
        source = os.path.join(place, name)
        open(source, "wb").write(text)
        made = os.path.join(place, "mutant.o")
        # Neither paths nor lines of assertions in the code: equal code is an equal mutant.
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
            catalogue = program == CATALOGUE
            said = []
            status = run([linked[program], *test["arguments"], *(["--quiet"] if catalogue else [])], place,
                         usual=test["seconds"],
                         stop=(lambda line: failed_case(line) and not said.append(line)) if catalogue else None)
            if status != 0:
                mutant.verdict = "killed"
                mutant.by = os.path.basename(program)
                if said:
                    mutant.by = re.search(rb"end (\S+)", said[0])[1].decode()
                elif status is None or status < 0:
                    mutant.by += " (%s)" % ("time" if status is None else "signal %d" % -status)
                return


def verdicts(path):
    """Known survivors: key of the mutant -> "equivalent" or "gap", reason."""
    known = {}
    for line in open(path):
        if line.strip() and not line.startswith("#"):
            fields = line.rstrip("\n").split("\t")
            known["\t".join(fields[:6])] = fields[6:]
    return known


def check_verdicts(build, known):
    """Each verdict is about a mutant that is still there."""
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
    options = parser.parse_args()
    build = Build(options.root, options.build)
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
        runs.measure(os.path.join(options.build, "mutants-reach.json"))
        judge = Judge(build, runs, work)
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for done in concurrent.futures.as_completed([pool.submit(judge.judge, m) for m in chosen]):
                m = done.result()
                note = known.get(m.key())
                if m.verdict == "survived" and note:
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
