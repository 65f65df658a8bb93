#!/usr/bin/python3
"""citations.py SOURCE_DIR: checks that every citation in the tree exists: sections of the specification
(`device.md 4.2`, `commands.md 2, 8 to 10`), required behaviours (`DEF-09`), other texts, and files named in comments.
Prints each breach; fails if any. citations.py --self-test: shows that each kind of breach is found."""
import os
import re
import sys
import tempfile

TEXTS = ("pci/device.md", "ring/ring.md", "ring/commands.md", "ring/legacy.md", "mm/vidmm.md", "umd-port/umd.md", "tests/cases/cases.md")
HOME = {os.path.basename(text): text for text in TEXTS}
FOREIGN = ("linux", "sys", "vulkan", "docs", "build", "arpa", "sanitizer", "std")  # headers that are not ours
SECTION = r"[0-9]+(?:\.[0-9]+)*"
NUMBERS = re.compile(r" ?(%s)((?:-(?=[0-9])| to(?= [0-9]))|(?:,? and(?= [0-9])|,(?= [0-9])| or(?= [0-9])))?" % SECTION)
UNNAMED = re.compile(r"(?:\(|[Ss]teps? [0-9]+ of )[1-9][0-9]?\.[0-9]+(?:(?:, [0-9.]+)*\)|(?: DEV)?:| steps?)")
UNNAMED_LINE = re.compile(r"/\* [1-9][0-9]?(?:\.[0-9]+)?(?:(?:,| and) [0-9]+(?:\.[0-9]+)?)*(?: DEV)?: ")


class Tree:
    def __init__(self, root):
        self.root, self.sections, self.behaviours, self.breaches = root, set(), set(), []
        self.paths = set()
        for folder, folders, files in os.walk(root):
            folders[:] = [name for name in folders if name not in ("build", ".git", "corpus")]
            self.paths.update(os.path.relpath(os.path.join(folder, name), root) for name in files)
        self.names = {os.path.basename(path) for path in self.paths}
        for path in TEXTS:
            self.read_text(path)
        self.groups = {key.partition("-")[0] for key in self.behaviours}

    def lines(self, path):
        with open(os.path.join(self.root, path), encoding="utf-8", errors="replace") as file:
            return file.read().split("\n")

    def read_text(self, path):
        """Reads sections: numbered headings, and rows of a table whose first cell continues the heading's
        number."""
        name, heading = os.path.basename(path), ""
        for line in self.lines(path):
            if found := re.match(r"##+ ([0-9]\S*)", line):
                heading = found[1].rstrip(".")
                self.sections.add((name, heading))
            elif (found := re.match(r"\| ([0-9]+\.[0-9]+) \|", line)) and found[1].startswith(heading + "."):
                self.sections.add((name, found[1]))
            if name == "cases.md" and (found := re.match(r"- ([A-Z]+-[0-9][0-9]+)\.", line)):
                self.behaviours.add(found[1])

    def check(self):
        for path in sorted(self.paths):
            if re.search(r"\.(c|h|sh|tsv|def|txt|md)$", path):
                File(self, path).check()
        return self.breaches


class File:
    def __init__(self, tree, path):
        self.tree, self.path, self.number, self.commented = tree, path, 0, False
        self.prose = path.endswith(".md")
        self.own = os.path.basename(path) if path in TEXTS else None

    def breach(self, text):
        self.tree.breaches.append("%s:%d: %s" % (self.path, self.number, text))

    def check(self):
        lines = self.tree.lines(self.path)
        for self.number, line in enumerate(lines, 1):
            following = lines[self.number] if self.number < len(lines) else ""
            if "include" not in line or not re.match(r"[ \t]*#[ \t]*include", line):
                self.look(line, following)

    def look(self, line, following):
        if ".md" in line or "ection" in line:  # together with the next one, since citations wrap
            both = line.rstrip(" \t") + " " + re.sub(r"^[ \t]*(\*|#|//)?[ \t]*", "", following)
            self.texts_cited(line, both)
            self.bare_sections(line, both)
        if "-" in line:
            self.behaviours(line)
        if self.path.endswith((".c", ".h")):
            comment = self.comments(line) if self.commented or "/*" in line else ""
            self.files_named(comment)
            if comment and (UNNAMED.search(comment) or UNNAMED_LINE.match(line)):
                self.breach("cites a section without its text")
        elif self.prose or line.lstrip().startswith("#"):
            self.files_named(line)
        if self.own:  # in the specification "(4.2)" is a section of the same text
            for number in re.findall(r"\(([0-9]+\.[0-9]+)\)", line):
                self.need(self.own, number)

    def need(self, text, number):
        if (text, number) not in self.tree.sections:
            self.breach("cites %s, which has no section %s" % (text, number))

    def numbers(self, text, rest):
        """Checks the section numbers at the start of rest: "4.2", "2, 8 to 10", "6.2-6.5". Returns whether there
        are any."""
        rest = rest.removeprefix("`")
        if self.prose:
            rest = re.sub(r"^ sections? ", " ", rest)
        at, first = 0, None
        while found := NUMBERS.match(rest, at):
            if first is None:
                self.need(text, found[1])
            else:
                self.need_range(text, first, found[1])
            joint, at = found[2], found.end()
            if joint is None:
                break
            first = found[1] if joint in ("-", " to") else None
        return at > 0

    def need_range(self, text, first, last):
        """Both ends are at the same depth."""
        (start, a), (end, b) = (re.fullmatch(r"(.*?)([0-9]+)", number).groups() for number in (first, last))
        if start != end or not 0 < int(b) - int(a) <= 50:
            self.breach("cites %s %s to %s, which is no range" % (text, first, last))
            return
        for number in range(int(a) + 1, int(b) + 1):
            self.need(text, start + str(number))

    def bare_sections(self, line, both):
        """Checks "section 4.2" without a text: in the specification it means the same text, elsewhere it is not
        enough."""
        for found in re.finditer(r"[Ss]ections? %s" % SECTION, both):
            if found.start() < len(line) and not re.search(r"\.md`? $|[A-Za-z]$", both[:found.start()]):
                if self.own:
                    self.numbers(self.own, both[both.index(" ", found.start()):])
                elif not re.search("RFC|ACPI|UEFI|Vulkan|WDK", line):
                    self.breach("cites a section without its text")

    def behaviours(self, line):
        """Checks required behaviours: GROUP-NN, then ", NN" or " to NN" for more of the same group."""
        for found in re.finditer(r"(?<![A-Za-z0-9_-])([A-Z]+)-([0-9][0-9]+)(?![A-Za-z0-9_])((?:(?:,| to| and) [0-9][0-9](?!\.?[0-9]))*)", line):
            if found[1] in self.tree.groups:
                for number in [found[2], *re.findall("[0-9]+", found[3])]:
                    if found[1] + "-" + number not in self.tree.behaviours:
                        self.breach("cites cases.md, which has no %s-%s" % (found[1], number))

    def exists(self, path):
        """Returns whether the path exists, from the root, the file's directory or one above it."""
        folder = os.path.dirname(self.path)
        while True:
            if os.path.normpath(os.path.join(folder, path)) in self.tree.paths:
                return True
            if not folder:
                return False
            folder = os.path.dirname(folder)

    def texts_cited(self, line, both):
        """Checks names of texts: *.md with what follows them."""
        for found in re.finditer(r"[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.md(?![A-Za-z0-9_])", both):
            path, behind = found[0], both[found.end():]
            name = os.path.basename(path)
            if found.start() >= len(line):
                break
            if name not in self.tree.names or ("/" in path and not self.exists(path)):
                self.breach("cites %s, which is not there" % path)
            elif name in HOME and not self.numbers(name, behind) and not self.prose and path == name and name != "cases.md":
                self.breach("cites %s without a section" % name)

    def files_named(self, text):
        """Checks names of files in comments and prose: with a directory the path must exist, otherwise the
        name."""
        if "." not in text:
            return
        for found in re.finditer(r"[A-Za-z0-9_./-]*[A-Za-z0-9_-]\.(?:c|h|sh|awk|def|tsv|hlsl|py)(?![A-Za-z0-9_*(]|\.[A-Za-z0-9])", text):
            path = found[0]
            if not text[:found.start()].endswith(tuple("<*}{$")) and not path.startswith(("/", "-", *FOREIGN)):
                if not (self.exists(path) if "/" in path else path in self.tree.names):
                    self.breach("names %s, which is not there" % path)

    def comments(self, line):
        """Returns the comments of one line of C; strings with comment marks do not occur."""
        parts = re.split(r"(/\*|\*/)", line)
        text = ""
        for part in parts:
            if part == "/*" and not self.commented or part == "*/" and self.commented:
                self.commented = part == "/*"
            elif self.commented:
                text += " " + part
        return text


GOOD = ("all of it is there (device.md 1, 4.2 and 6.1; ring.md 4; DEF-01, 02; cases.md DEF-02)", "a long comment (umd.md\n * 4, device.md 1)",
        "2 of them: half (0.5), version (1.4.2)", "see pci/source.c, source.c */ #include <missing.h> /*")
BAD = ("device.md 2", "device.md 7.1", "device.md 4.2, 4.3", "commands.md 4 and 5", "a long comment (umd.md\n * 15)", "the state of umd.md",
       "dropped (section 4)", "dropped (4.2)", "4.2, 6 DEV: dropped", "step 3 of 4.2: dropped", "DEF-03", "DEF-01, 03", "DEF-01 to 03", "design.md 4",
       "see pci/missing.c", "see missing.h", '*/ .spec = "legacy.md 9", /*', "commands.md 4 to 9")


def self_test():
    with tempfile.TemporaryDirectory() as root:
        def found(path, text):
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
            return len(Tree(root).check())

        text = "# Text\n## 1. One\n## 4. Four\n### 4.2 Part\nsee section 4.2 and (4.2), `ring.md` section 1\n"
        more = {"pci/device.md": "## 6. Steps\n| 6.1 | first |\n| 7.1 | of another number |\n",
                "tests/cases/cases.md": "- DEF-01. a / b / c\n- DEF-02. a / b / c\n"}
        for path in TEXTS:
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text + more.get(path, ""))
        wrong = [said for said in GOOD if found("pci/source.c", "/* %s */\n" % said) != 0]
        wrong += [said for said in BAD if found("pci/source.c", "/* %s */\n" % said) == 0]
        found("pci/source.c", "")
        wrong += [said for said, count in (("section 9", 1), ("(4.9) and `umd.md` section 7", 2)) if found("ring/ring.md", text + said) != count]
    for said in wrong:
        print("citations: a breach too many, or too few, in: " + said)
    return wrong


sys.exit(bool(self_test()) if sys.argv[1] == "--self-test" else any([print(breach) or True for breach in Tree(sys.argv[1]).check()]))
