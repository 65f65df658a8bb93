"""The tables of device faults (*.faults beside this file): reads and checks them, applies a fault to a copy of the model.

faults.py check ROOT                       every entry is complete and still applies; the problems on stderr
faults.py list ROOT                        one line a fault: name, table, area, ABI, sentence, also, allowed, survives, rule,
                                           CRC-32 of the name; tabs between, "-" where there is none
faults.py mark ROOT JSON                   JSON is the file of tests/mutate --json: a survivor without a mark gets a line
                                           "survives", a fault that was killed loses it
faults.py apply ROOT BUILD NAME OUT TARGET  OUT/tests/device/... with the fault, and OUT/build.sh, which builds TARGET in
                                           OUT; BUILD is a build folder of ROOT
faults.py build ROOT BUILD NAME            BUILD/variants/NAME/agpu_model.so, the model that `--fault NAME` of the tools
                                           loads; nothing when it is newer than BUILD's agpu_model.so. Status 2
                                           when there is no fault NAME
faults.py known ROOT NAME                  status 2, and the nearest names on stderr, when there is no fault NAME
"""
import collections
import fnmatch
import functools
import glob
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import zlib

HELPERS = {"vgpu_render_vulkan": "agpu-render", "agpu-shaderc": "agpu-shaderc"}  # directory of objects: its program
TRANSLATION = r"shaderc/|render/(dxbc|spirv|translate|cache_)"  # sources whose faults the cache of shaders would hide
# Declarations that every entry may use. A call of any other function that the file does not declare is an error.
INCLUDES = ["string.h"] + ["tests/device/" + name for name in (
    "bus/irq.h", "engine/errors.h", "engine/fence.h", "engine/resource.h", "engine/state.h")]
FLAGS = "-w -Werror=implicit-function-declaration -Werror=int-conversion -Werror=incompatible-pointer-types -g0 " + \
    " ".join("-include " + name for name in INCLUDES)
SUBJECTS = {"umd", "map", "vidmm", "stress"}  # subjects of the catalogue that have no table; `also` may name them
BOARD = ["config != NULL ? &config->pci : &(struct vgpu_pci_setup){0}", "&(struct vgpu_pci_setup){.power = true, "
         ".express = true, .function_reset = true, .msi = 4, .msix = 4}"]  # all capabilities, for entries with a line "board"
MIXED = ("compound", "legacy", "save")  # tables of several areas: their headings name one
FIELDS = ("also", "allowed")


class Problem(Exception):
    """An entry or a build folder is not as expected; the text says what to mend."""


def slurp(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def spill(path, text):
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def indent_of(line):
    return len(line) - len(line.lstrip(" "))


class Fault:
    """One defect. edits: [file, old, new] with old and new a part of one line, or [file, marked lines] as a diff has them."""

    def __init__(self, where, table, rule, area, name, says):
        self.where, self.table, self.rule, self.name, self.says = where, table, rule, name, says
        self.abi = "legacy" if table == "legacy" else "1.4"
        self.saved = table == "save"  # the catalogue saves and restores the device
        self.area = area or table
        self.board = False
        self.also = self.allowed = self.survives = None
        self.edits = []


def find_part(text, old, new):
    """Returns (start, end, new) of the only occurrence of old in text."""
    count = text.count(old)
    if count != 1:
        raise Problem("expected once, found %d times: %s" % (count, old))
    start = text.index(old)
    return start, start + len(old), new


def find_lines(text, marked):
    """Returns (start, end, new) of a hunk of lines " x", "-x" and "+x". The hunk's common indentation does not count."""
    margin = min(indent_of(line[1:]) for line in marked if line[1:])
    marked = [(line[0], line[1 + margin:]) for line in marked]
    old = [line for mark, line in marked if mark != "+"]
    lines = text.split("\n")
    found = []
    for at in range(len(lines) - len(old) + 1):
        pad = " " * (indent_of(lines[at]) - indent_of(old[0]))
        if all(lines[at + i] == (pad + line if line else "") for i, line in enumerate(old)):
            found.append((at, pad))
    if len(found) != 1:
        raise Problem("expected once, found %d times: %s" % (len(found), " / ".join(old)))
    (at, pad), length = found[0], len(old)
    while marked[0][0] == " ":  # lines that only show the place
        at, length = at + 1, length - 1
        del marked[0]
    while marked[-1][0] == " ":
        length -= 1
        del marked[-1]
    start = len("\n".join(lines[:at])) + 1 if at else 0
    end = len("\n".join(lines[:at + length])) + 1 if at + length else 0
    return start, end, "".join((pad + line if line else "") + "\n" for mark, line in marked if mark != "-")


def values_of(text):
    """"slot in 0..3" and "a, b in x y, z w": one dictionary a fault."""
    names, values = re.fullmatch(r"(\w+(?:, \w+)*) in (\S.*)", text).groups()
    names = names.split(", ")
    numbers = re.fullmatch(r"(\d+)\.\.(\d+)", values)
    rows = [[str(n)] for n in range(int(numbers[1]), int(numbers[2]) + 1)] if numbers else \
        [row.split(" ") for row in values.split(", ")] if len(names) > 1 else [[v] for v in re.split(r",? ", values)]
    if any(len(row) != len(names) for row in rows):
        raise Problem("expected %d values for each of: %s" % (len(names), text))
    return [dict(zip(names, row)) for row in rows]


def filled(text, values):
    for name, value in values.items():
        text = text.replace("{%s}" % name, value)
    return text


class Tables:
    """All faults of ROOT/tests/faults in order; problems are texts."""

    def __init__(self, root):
        self.root, self.faults, self.problems, self.specification = root, [], [], {}
        for path in sorted(glob.glob(root + "/tests/faults/*.faults")):
            self.read_table(path)
        self.by_name = {fault.name: fault for fault in self.faults}

    def read_table(self, path):
        table = os.path.basename(path)[:-len(".faults")]
        heading, entry = None, []
        for number, line in enumerate(slurp(path).split("\n"), 1):
            where = "tests/faults/%s.faults:%d" % (table, number)
            if line.startswith("  ") and entry:
                entry.append((where, line[2:]))
                continue
            self.read_entry(table, heading, entry)
            entry = []
            if re.fullmatch(r"\s*(#.*)?", line):
                continue
            found = re.fullmatch(r"@ (\S+\.md(?: [\d.]+)?), (\S+?\.[ch])(?:, area (\w+))?", line)
            if found:
                heading = found.groups()
            elif heading and re.match(r"[a-z{][\w{}]*: ", line):
                entry = [(where, line)]
            else:
                self.problems.append("%s: expected \"@ RULE, FILE\" or \"NAME: Sentence.\", found: %s" % (where, line))
        self.read_entry(table, heading, entry)

    def read_entry(self, table, heading, entry):
        """Adds the faults of one entry: one for each combination of the values of its "for" lines."""
        try:
            loops = [line[4:] for _, line in entry if line.startswith("for ")]
            for rows in itertools.product(*map(values_of, loops)) if entry else []:
                values = dict(pair for row in rows for pair in row.items())
                self.faults.append(self.read_fault(table, heading, [(where, filled(line, values)) for where, line in entry]))
        except (Problem, AttributeError) as problem:
            self.problems.append("%s: not understood: %s" % (entry[0][0], problem))

    @staticmethod
    def read_fault(table, heading, entry):
        where, line = entry[0]
        name, says = line.split(": ", 1)
        rule, file, area = heading
        fault = Fault(where, table, rule, area, name.lower(), says)
        if file.startswith("legacy/"):
            fault.abi = "legacy"
        hunk = None
        for _, line in entry[1:]:
            field, _, rest = line.partition(" ")
            if line[:2] in ("  ", "- ", "+ ", "+", "-"):
                if hunk is None:
                    hunk = []
                    fault.edits.append([file, hunk])
                hunk.append(line[0] + line[2:])
                continue
            hunk = None
            if field == "survives":
                whom, *globs = rest.partition(":")[0].split(" ")
                if not globs or any(fnmatch.fnmatchcase(fault.name, glob) for glob in globs):
                    fault.survives = rest.replace(" ".join([whom] + globs), whom, 1)
            elif field in FIELDS:
                setattr(fault, field, rest)
            elif field == "in":
                file = rest
            elif field == "board":
                fault.board = True
                fault.edits.append(["device.c"] + BOARD)
            elif " => " in line + " ":
                fault.edits.append([file] + (line + " ").split(" => ", 1))
                fault.edits[-1][2] = fault.edits[-1][2].strip()
            elif line != "..." and field != "for":
                raise Problem(line)
        return fault

    def edited(self, fault):
        """Returns the model's sources with the fault: text by file. Each edit refers to the model as it stands."""
        places = collections.defaultdict(list)
        texts = {}
        for file, *edit in fault.edits:
            path = "%s/tests/device/%s" % (self.root, file)
            if not os.path.isfile(path):
                raise Problem("expected a source of the model, found no file tests/device/" + file)
            texts[file] = slurp(path)
            try:
                places[file].append(find_part(texts[file], *edit) if len(edit) == 2 else find_lines(texts[file], *edit))
            except Problem as problem:
                raise Problem("tests/device/%s: %s" % (file, problem)) from None
        for file, before in texts.items():
            limit = len(before)
            for start, end, new in sorted(places[file], reverse=True):
                if end > limit or before[start:end] == new:
                    raise Problem("expected edits of different places that change something, found: %s" % (new or "nothing"))
                texts[file] = texts[file][:start] + new + texts[file][end:]
                limit = start
        return texts

    def check_citation(self, citation):
        file, _, section = citation.partition(" ")
        if file not in self.specification:
            found = [path for path in glob.glob("%s/*/%s" % (self.root, file)) if "/tests/" not in path]
            self.specification[file] = slurp(found[0]) if found else None
        text = self.specification[file]
        if text is None:
            raise Problem("expected a page of the specification, found: " + citation)
        if section and not re.search(r"^#+ %s(?![\d.]*\d)" % re.escape(section), text, re.M):
            raise Problem("%s has no section %s" % (file, section))

    def check_entry(self, fault):
        def expect(holds, text):
            if not holds:
                raise Problem("expected " + text)

        expect(self.by_name[fault.name] is fault, "a name that is used once; it is also at " + self.by_name[fault.name].where)
        expect(re.fullmatch(r"[a-z][a-z0-9_]*", fault.name), "a name of lower-case letters, digits and underscores")
        expect(re.fullmatch(r".*\.", fault.says), "a sentence that ends with a point")
        expect((fault.area != fault.table) == (fault.table in MIXED),
               "\", area AREA\" in the headings of these tables only: " + " ".join(MIXED))
        expect(fault.edits, "an edit")
        self.check_citation(fault.rule)
        if fault.allowed:
            expect(re.fullmatch(r"[^:]*: \S.*\.", fault.allowed), "allowed FILE.md SECTION: a sentence.")
            self.check_citation(fault.allowed.split(":")[0])
        expect(re.fullmatch(r"(any|both): \S.*\.", fault.survives or "any: x."), "survives any|both: a sentence.")
        for area in (fault.also or "").split():
            expect(area in SUBJECTS or os.path.isfile("%s/tests/faults/%s.faults" % (self.root, area)), "a table: " + area)
            expect(area != fault.area, "other areas than the fault's own in also")
        return self.edited(fault)

    def check(self):
        """Notes the problems of all entries; two with the same edit are one fault under two names."""
        seen = {}
        for fault in self.faults:
            try:
                result = (fault.abi, tuple(sorted(self.check_entry(fault).items())))
                if seen.setdefault(result, fault.name) != fault.name:
                    raise Problem("the same edit as " + seen[result])
            except Problem as problem:
                self.problems.append("%s: %s: %s" % (fault.where, fault.name, problem))

    def nearest(self, text):
        """Returns the five nearest names: by common pairs of letters, first those that contain text."""
        def pairs(name):
            return {name[i:i + 2] for i in range(len(name) - 1)}

        def score(name):
            common = len(pairs(text) & pairs(name))
            return 2 * common / (len(pairs(text)) + len(pairs(name)) or 1) + (text in name)

        return sorted(self.by_name, key=lambda name: (-score(name), name))[:5]

    def mark(self, results):
        """Corrects the lines "survives" after the results of tests/mutate --json. Faults without a result keep their mark."""
        verdicts, entries = collections.defaultdict(dict), collections.defaultdict(list)
        for result in results:
            verdicts[result["fault"]][result["as"]] = result["verdict"]
        for fault in self.faults:
            entries[fault.where].append(fault)
        for where, members in reversed(entries.items()):  # the numbers of earlier lines stay
            marks, whys = collections.defaultdict(list), [fault.survives for fault in members if fault.survives]
            before = {fault.name: (fault.survives or "").partition(":")[0] for fault in members}
            after = dict(before)
            for name in set(before) & set(verdicts):
                open_ = [whom for column, whom in (("model", "both"), ("any", "any"))
                         if verdicts[name].get(column) in ("survived", "known")]
                after[name] = (open_ + [""])[0]
            if after == before:
                continue
            for name, whom in after.items():
                marks[whom].append(name)
            why = whys[0].partition(": ")[2] if whys else "no case notices it yet."
            new = ["  survives %s: %s" % (" ".join([whom] + (names if len(names) < len(members) else [])), why)
                   for whom, names in marks.items() if whom]
            file, _, number = where.partition(":")
            lines = slurp("%s/%s" % (self.root, file)).split("\n")
            end = int(number)
            while lines[end].startswith("  "):
                end += 1
            rest = [line for line in lines[int(number):end] if not line.startswith("  survives ")]
            spill("%s/%s" % (self.root, file), "\n".join(lines[:int(number)] + new + rest + lines[end:]))
            print("\n".join([lines[int(number) - 1].partition(":")[0] + ":"] + (new or ["  killed"])))


class Recipe:
    """How BUILD, a configured build folder of ROOT, makes TARGET (a ninja target, a program); serves many faults."""

    def __init__(self, root, build, target):
        self.root, self.build, self.target = os.path.abspath(root), os.path.abspath(build), target
        self.link, *links = ((self.ninja("commands", program).strip().split("\n") or [""])[-1]
                             for program in [target] + ["bin/" + helper for helper in HELPERS.values()])
        self.helper_links = dict(zip(HELPERS.values(), links))
        if not re.search(r" -o \S+ ", self.link):
            raise Problem("%s does not know how to link %s: expected a build folder of tests/host" % (build, target))
        self.compile = []
        for entry in json.loads(slurp(build + "/compile_commands.json")):
            made = re.search(r" -o (\S+) -c ", entry["command"])
            library = made and re.search(r"/([^/]*)\.dir/", made[1])
            if library and (library[1] in HELPERS or "/lib%s.a " % library[1] in self.link or " %s " % made[1] in self.link):
                self.compile.append((entry["command"], entry["file"], made[1]))

    @functools.cached_property
    def includes(self):
        """The headers by object. Reads a file that ninja writes while it builds."""
        includes, made = collections.defaultdict(set), None
        for line in self.ninja("deps").split("\n"):
            if not line.startswith(" "):
                made = line.split(":")[0]
            else:
                includes[made].add(os.path.normpath(os.path.join(self.build, line.strip())))
        return includes

    def ninja(self, *words):
        return subprocess.run(["ninja", "-C", self.build, "-t", *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout

    def apply(self, texts, out):
        """Writes the fault's sources to OUT/tests/device and OUT/build.sh, which builds the target in OUT by its own name:
        objects of changed sources, and of sources that include a changed header, go before the libraries."""
        for file, text in texts.items():
            spill("%s/tests/device/%s" % (out, file), text)
        changed = {"%s/tests/device/%s" % (self.root, file) for file in texts}
        missing = {path for path in changed if path.endswith(".c")}
        headers = changed - missing
        script, objects = ["set -e", "cd " + self.build], collections.defaultdict(dict)
        for command, source, made in self.compile:
            if source not in changed and not (headers and headers & self.includes[made]):
                continue
            missing.discard(source)
            copy = out + source[len(self.root):] if source in changed else source
            built = "%s/%d.o" % (out, len(script))
            script.append(re.sub(r" -o \S+ -c \S+", " %s -iquote %s -o %s -c %s" % (FLAGS, out, built, copy), command))
            objects[HELPERS.get(re.search(r"/([^/]*)\.dir/", made)[1])][made] = built
        if missing:
            raise Problem("expected sources of %s, found: %s" % (self.target, " ".join(sorted(missing))))
        main_objects = objects.pop(None, {})
        for helper, built in objects.items():  # found beside the program
            script.append(link_line(self.helper_links[helper], "%s/%s" % (out, helper), built))
        script.append(link_line(self.link, "%s/%s" % (out, os.path.basename(self.target)), main_objects))
        spill(out + "/build.sh", "\n".join(script) + "\n")

    def build_variant(self, texts, name):
        out = variant(self.build, name)
        shutil.rmtree(out, ignore_errors=True)
        try:
            self.apply(texts, out)
            subprocess.run(["bash", out + "/build.sh"], check=True)
            if has_own_cache(texts):
                os.mkdir(out + "/shaders", 0o700)
        except (Problem, subprocess.CalledProcessError):
            shutil.rmtree(out, ignore_errors=True)
            raise


def has_own_cache(files):
    """True when the variant needs a cache of shaders of its own."""
    return any(re.match(TRANSLATION, file) for file in files)


def variant(build, name):
    return "%s/variants/%s" % (build, name)


def is_current(root, build, name):
    """Returns True when the variant is newer than the model, the tables and this program."""
    made = variant(build, name) + "/agpu_model.so"
    inputs = [build + "/tests/device/plugin/agpu_model.so", __file__] + glob.glob(root + "/tests/faults/*.faults")
    inputs += [path for path in map((build + "/bin/").__add__, HELPERS.values()) if os.path.exists(path)]
    return os.path.exists(made) and os.path.getmtime(made) > max(os.path.getmtime(path) for path in inputs)


def link_line(line, program, objects):
    extra = []
    for made, built in sorted(objects.items()):
        if " %s " % made in line:  # an object of the program itself
            line = line.replace(" %s " % made, " %s " % built)
        else:
            extra.append(built)
    return re.sub(r" -o \S+ ", " -s -o %s " % " ".join([program] + extra), line, count=1)


def main(command, root, *rest):
    tables = Tables(root)
    if command == "check":
        tables.check()
        print("%d faults in the tables, %d problems" % (len(tables.faults), len(tables.problems)))
    elif command == "list":
        for fault in tables.faults:
            print("\t".join(text or "-" for text in (fault.name, fault.table, fault.area, fault.abi, fault.says, fault.also,
                                                     fault.allowed, fault.survives, fault.rule,
                                                     str(zlib.crc32(fault.name.encode())))))
    elif command in ("known", "build"):
        name = rest[-1]
        if name not in tables.by_name:
            print("no fault %s; the nearest: %s" % (name, " ".join(tables.nearest(name))), file=sys.stderr)
            return 2
        if command == "build" and not is_current(root, rest[0], name):
            Recipe(root, rest[0], "tests/device/plugin/agpu_model.so").build_variant(tables.edited(tables.by_name[name]), name)
    elif command == "mark":
        tables.mark(json.loads(slurp(rest[0])))
    elif command == "apply":
        build, name, out, target = rest
        if name not in tables.by_name:
            raise Problem("no fault %s; the nearest: %s" % (name, " ".join(tables.nearest(name))))
        Recipe(root, build, target).apply(tables.edited(tables.by_name[name]), out)
    else:
        raise Problem("expected check, list, known, build, mark or apply, found: " + command)
    for problem in tables.problems:
        print(problem, file=sys.stderr)
    return 1 if tables.problems else 0


if __name__ == "__main__":
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # "list | head" ends it without a message
    try:
        sys.exit(main(*sys.argv[1:]))
    except (Problem, OSError, subprocess.CalledProcessError) as error:
        sys.exit("faults.py: %s" % error)
    except (TypeError, ValueError, IndexError) as error:
        sys.exit("%s\nfaults.py: %s" % (__doc__, error))
