"""The table of cases that the host tool carries (cases.c), made at build time from what has it: table.py ROOT ROWS-PROGRAM NM

Writes a C initialiser a case to stdout, in run order: id, section, file, line, sentence, legacy, model choice, together, on request.
ROWS-PROGRAM (agpu_catalogue_rows) prints the rows; NM names their bodies. The sentence is the first one of the comment above the body,
with the id's last word where the body serves several cases. A body whose name says all has no comment: then it is the id's own words
and the purpose of its file."""
import collections
import functools
import re
import subprocess
import sys

root, program, nm = sys.argv[1:]


def lines_of(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()


def sentence(comment):
    """The first sentence of a comment as one line; a dot inside brackets or a number ends none."""
    text = re.sub(r"^\s*/\*\s*|\s*\*/\s*$", "", comment)
    text = re.sub(r"\s*\([^()]*\.md [^()]*\)", "", re.sub(r"\s*\n\s*\*?\s*", " ", text))
    text = re.sub(r'^(.+?[^.\d])\.(?:\s+[A-Z`"].*|\s*)$', r"\1", text, flags=re.S)
    return re.sub(r"\s*\.?\s*$", "", text)


class Source:
    def __init__(self, path):
        with open(root + "/" + path, encoding="utf-8") as file:
            text = file.read()
        self.text = text.splitlines()

        def line_at(at):
            return 1 + text.count("\n", 0, at)

        self.purpose = re.sub(r"^\S+\.c: ", "", sentence(re.match(r"(/\*.*?\*/)?", text, re.S)[0]))
        self.line, self.comment, self.row = {}, {}, {}
        for found in re.finditer(r"^((?:/\*(?:(?!\*/).)*\*/\n)?)static void (\w+)\(struct agpu_test", text, re.M | re.S):
            self.line[found[2]] = line_at(found.end(2))
            if found[1] and not found[1].startswith("/* ----"):
                self.comment[found[2]] = sentence(found[1])
        table = re.search(r"^AGPU_CASE_TABLE", text, re.M)
        self.table = line_at(table.start()) if table else 1
        for found in re.finditer(r'"([a-z0-9_]+(?:\.[a-z0-9_]+)+)"', text):
            self.row.setdefault(found[1], line_at(found.start(1)))

    def row_of(self, case_id):
        """A row that a macro puts together has the end of the id alone, or its middle: the line of the row, and the body on it."""
        words = case_id.split(".")
        tails = [".".join(words[i:]) for i in range(len(words))]
        for _ in range(2):
            tails += [re.sub(r"_[^_.]*$", "", tail) for tail in tails]  # a suffix of one word or two: _d3d10_1
        tails += [re.sub(r"^[^_.]*_", "", tail) for tail in tails]  # a prefix
        for tail in (tail for tail in tails if len(tail) > 1):
            for i, line in enumerate(self.text):
                if '"' + tail + '"' in line or '".' + tail + '"' in line:
                    named = re.findall(r"\b[a-z]\w+\b", " ".join(self.text[i:i + 2]))
                    return i + 1, next((name for name in named if name in self.line), None)
        return None, None


name_at, catalogue = {}, None
for line in lines_of(nm, program):
    at, kind, name = (line.split() + ["", ""])[:3]
    if kind in ("t", "T"):
        name_at.setdefault(int(at, 16), name.split(".")[0])  # name.part.0: a compiler's
    if name == "agpu_catalogue":
        catalogue = int(at, 16)
rows = [line.split("\t") for line in lines_of(program)]
if catalogue is None or not rows:
    sys.exit("table.py: %s shows no agpu_catalogue in %s, or it knows no case" % (nm, program))
source_of = functools.lru_cache(None)(Source)
bodies = [name_at.get(catalogue + int(row[4]), "") for row in rows]
serves = collections.Counter((row[2], body) for row, body in zip(rows, bodies))
for (case_id, spec, path, flags, _), body in zip(rows, bodies):
    source = source_of(path)
    line = source.line.get(body, source.row.get(case_id))
    if line is None:
        row, named = source.row_of(case_id)
        body = named or body
        line = source.line.get(body, row or source.table)
    says = source.comment.get(body, "")
    if not says or re.fullmatch(r"[A-Z]+-\d+(?:\W+(?:to|and)?\W*[A-Z]*-?\d+)*", says):  # or a behaviour's number alone
        says = case_id.partition(".")[2].replace("_", " ").replace(".", " ") + ": " + source.purpose
    elif serves[path, body] > 1:
        says += " (" + case_id.rpartition(".")[2].replace("_", " ") + ")"
    says = re.sub(r'(["\\])', r"\\\1", says[:1].upper() + says[1:])
    print('{"%s", "%s", "%s", %d, "%s.", %s},' % (case_id, spec, path, line, says, ", ".join("true" if flag != "0" else "false" for flag in flags)))
