"""The table of cases that the host tool carries (cases.c), made at build time from what has it: table.py ROOT ROWS-PROGRAM NM

Writes a C initialiser a case to stdout, in run order: id, section, file, line, sentence, legacy, model choice, together, on request.
ROWS-PROGRAM (agpu_catalogue_rows) prints the rows; NM names their bodies. The sentence is the first one of the comment above the body.
Where a body serves several cases, it ends with a comment in front of the row, or with the words of the id that differ, in brackets."""
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


def differing(words, lists):
    """The words between the first and the last that all lists have in common."""
    same = 0
    while len({tuple(other[:same + 1]) for other in lists}) == 1 and same < len(words):
        same += 1
    lists, last = [other[same:] for other in lists], 0
    while min(map(len, lists)) > last and len({other[-1 - last] for other in lists}) == 1:
        last += 1
    return words[same:len(words) - last]


class Source:
    def __init__(self, path):
        with open(root + "/" + path, encoding="utf-8") as file:
            text = file.read()
        self.whole, self.text = text, text.splitlines()

        def line_at(at):
            return 1 + text.count("\n", 0, at)

        self.line, self.comment = {}, {}
        for found in re.finditer(r"^((?:/\*(?:(?!\*/).)*\*/\n)?)static void (\w+)\(struct agpu_test", text, re.M | re.S):
            self.line[found[2]] = line_at(found.end(2))
            if found[1] and not found[1].startswith("/* ----"):
                self.comment[found[2]] = sentence(found[1])
        table = re.search(r"^AGPU_CASE_TABLE", text, re.M)
        self.table = line_at(table.start()) if table else 1

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
                    text = re.match(r"(?:.*[^)},],?\n)*.*", "\n".join(self.text[i:i + 8]))[0]
                    macro = re.search(r"^#define %s\((?:.*\\\n)*.*" % re.match(r"\W*(\w*)", text)[1], self.whole, re.M)
                    text += macro[0] if macro else ""
                    named = re.findall(r"\.body = (\w+)", text) + re.findall(r"\b[a-z]\w+\b", text)
                    return i + 1, next((name for name in named if name in self.line), None)
        return None, None

    def comment_before(self, row):
        """The sentence of the comment that ends on the line in front of a row."""
        above = "\n".join(self.text[:(row or 1) - 1])
        found = re.search(r"/\*(?:(?!\*/).)*\*/\Z", above, re.S)
        return sentence(found[0]) if found else None


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
cases, served = [], collections.defaultdict(list)
for case_id, spec, path, flags, at in rows:
    body = name_at.get(catalogue + int(at), "")
    row, named = source_of(path).row_of(case_id)
    if body not in source_of(path).line:  # a fixture's: the row names the one that it calls
        body = named or body
    cases.append((case_id, spec, path, flags, row, body))
    served[path, body].append(re.split("[._]", case_id))
for case_id, spec, path, flags, row, body in cases:
    source, ids = source_of(path), served[path, body]
    says = source.comment.get(body, "")
    aspect = source.comment_before(row) or " ".join(differing(re.split("[._]", case_id), ids))
    if says and len(ids) > 1 and aspect:
        says += " (%s)" % aspect
    says = re.sub(r'(["\\])', r"\\\1", says[:1].upper() + says[1:])
    print('{"%s", "%s", "%s", %d, "%s.", %s},' % (case_id, spec, path, source.line.get(body, row or source.table), says,
                                                ", ".join("true" if flag != "0" else "false" for flag in flags)))
