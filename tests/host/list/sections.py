"""The sections of the specification that the host tool carries (sections.c): sections.py ROOT OUT.inc PAGE.md...

Writes a C initialiser a numbered section, sorted by name: name ("device.md 4.4"), title, place, lines of its text. A section
has its subsections' text too. The place has the anchor that Markdown viewers make of the heading."""
import os
import re
import sys


def literal(text):
    if not text.isascii() or len(text) > 4000:
        sys.exit("sections.py: a C string literal has at most 4000 characters, all ASCII: " + text[:80])
    return '"%s"' % re.sub(r'(["\\?])', r"\\\1", text)


root, out, *pages = sys.argv[1:]
rows = []
for page in pages:
    with open(page, encoding="utf-8") as file:
        lines = file.read().splitlines()
    headings = [(i, found) for i, line in enumerate(lines) if (found := re.match(r"(##+) (([0-9.]*[0-9])\.? .*)", line))]
    for k, (start, found) in enumerate(headings):
        end = next((i for i, other in headings[k + 1:] if len(other[1]) <= len(found[1])), len(lines))
        anchor = re.sub(r"[^\w\- ]", "", found[2].lower()).replace(" ", "-")
        text = "\n".join(lines[start + 1:end]).strip("\n").split("\n")
        rows.append(("%s %s" % (os.path.basename(page), found[3]), found[2], "%s#%s" % (os.path.relpath(page, root), anchor), text))
with open(out, "w", encoding="utf-8") as file:
    for name, title, place, text in sorted(rows):
        file.write("{%s, %s, %s, (const char *const[]){%s, NULL}},\n" % (literal(name), literal(title), literal(place), ", ".join(map(literal, text))))
