#!/usr/bin/python3
"""prose.py SOURCE_DIR: checks comments and strings in C, and Markdown, against tests/handbook/style.md, as far as a program
can. prose.tsv beside this file has the number of findings that each directory still may have; a directory that it does not
name is clean. Fails where there are more, and names the numbers that can be lowered.
    --list DIR    prints the findings below DIR (from the root of the tree), as FILE:LINE: RULE: TEXT
    --update      writes the numbers of today into prose.tsv
    --self-test   shows that each rule finds its example, and nothing in good text"""
import os
import re
import sys

WIDTH, WORDS_MAX = 120, 35
TABLE = os.path.join(os.path.dirname(os.path.realpath(__file__)), "prose.tsv")
ROOT = TABLE.removesuffix("/tests/unit/prose.tsv")
EXAMPLES = ("tests/handbook/style.md",)  # contains what it forbids
NOT_OURS = ("build", ".git", "corpus")
TOKEN = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
WORDS = "[Ww]hat|[Oo]f|[Ww]here|[Ww]ho|[Aa]s|[Ss]o (?:many|long)|[Bb]ehind|[Ww]hether|[Ff]or who"
OPENER = re.compile(r"(?:[\w./-]+\.(?:c|h|def): *(?:%s)|(?=[A-Z])(?:%s))\b" % (WORDS, WORDS))
MOMENT = ("(?:boot|call|case|completion|day|error|failure|flush|frame|interrupt|moment|present|reset|restart|run|submission|test|"
          "timeout|wait)s?")
PHRASES = (("a person", r"(?i)\b(?:somebody|nobody|whoever|for who)\b"),
           ("behind, of time", r"(?i)\bbehind\s+(?:(?:an?|the|its|that|this|each|every|one|\w+ed|last|first)\s+)*%s\b" % MOMENT),
           ("goes on", r"(?i)\bgo(?:es)?\s+on\b(?!\s+(?:an?|the|its|top)\b)"))


def paragraphs(lines):
    """Yields (first line, text) of each paragraph: an empty line, an item of a list or a row of a table starts
    another."""
    first, text = 0, []
    for number, line in enumerate(lines):
        alone = re.search(r"^\s{4,}\S|^\s*[|#]|\S {3,}\S", line)
        if text and (not line.strip() or alone or re.match(r"\s*(?:[-*]|\d+\.)\s", line)):
            yield first, "\n".join(text)
            text = []
        if alone:
            yield from ((number, cell) for cell in re.split(r"\||\s{3,}", line))
        elif line.strip():
            first = first if text else number
            text.append(line)
    yield first, "\n".join(text)


def prose(lines):
    """Yields (line, rule, text) of each finding in text without comment marks."""
    for first, text in paragraphs(lines):
        for rule, phrase in PHRASES:
            for found in re.finditer(phrase, text):
                yield first + text.count("\n", 0, found.start()), rule, " ".join(found[0].split())
        for found in re.finditer(r"(?:[^.!?]|[.!?](?=[^\s\"')]))+", text):
            words = re.findall(r"\S*\w\S*", found[0])
            if len(words) > WORDS_MAX:
                start = found.start() + len(found[0]) - len(found[0].lstrip())
                yield first + text.count("\n", 0, start), "%d words in a sentence" % len(words), " ".join(words[:6]) + " ..."


def too_long(first, lines):
    for number, line in enumerate(lines, first):
        if len(line) > WIDTH:
            yield number, "%d columns" % len(line), line.strip()[:40] + "..."


def markdown(text):
    for block in (r"(?ms)^```.*?^```", r"(?s)<!--.*?-->", r"(?:(?<=\n\n)|\A)(?: {4}[^\n]*(?:\n\n(?= {4}))?\n?)+"):
        text = re.sub(block, lambda found: "\n" * found[0].count("\n"), text)
    yield from too_long(0, ["" if line.startswith(("|", "#", "![", "<")) else line for line in text.split("\n")])
    yield from prose(re.sub(r"`[^`\n]*`", lambda code: re.sub(r"\S", "x", code[0]), text).split("\n"))


def code(text):
    source = text.split("\n")
    for comment in TOKEN.finditer(text):
        first = text.count("\n", 0, comment.start())
        if comment[0][0] == '"':
            string = comment[0][1:-1]
            if " " in string and OPENER.match(string):
                yield first, "opener", string[:50]
            yield from ((first, rule, said) for _, rule, said in prose([string]))
        if comment[0][0] != "/":
            continue
        lines = [re.sub(r"^\s*\*(?!\S)", "", line) for line in comment[0][2:].removesuffix("*/").split("\n")]
        if OPENER.match(" ".join(lines).strip()):
            yield first, "opener", " ".join(lines).strip()[:50]
        yield from too_long(first, source[first:first + len(lines)])
        yield from ((first + number, rule, said) for number, rule, said in prose(lines))


def directory(path):
    parts = os.path.dirname(path).split("/")
    return path if parts in ([""], ["tests"]) else "/".join(parts[:2] if parts[0] == "tests" else parts[:1])


def findings(root):
    """Returns {directory: [text of a finding]}."""
    by_directory = {}
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in NOT_OURS)
        for path in (os.path.relpath(os.path.join(folder, name), root) for name in sorted(files)):
            if path.endswith((".c", ".h", ".def", ".md")) and path not in EXAMPLES:
                with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
                    found = (markdown if path.endswith(".md") else code)(file.read())
                by_directory.setdefault(directory(path), []).extend(
                    "%s:%d: %s: %s" % (path, line + 1, rule, text) for line, rule, text in sorted(found))
    return by_directory


def check(root):
    with open(TABLE, encoding="utf-8") as file:
        allowed = {name: int(count) for name, count in (line.split("\t") for line in file if not line.startswith("#"))}
    found, failed = findings(root), False
    for name in sorted(found.keys() | allowed.keys()):
        count, most = len(found.get(name, [])), allowed.get(name, 0)
        failed = failed or count > most
        if count != most:
            print("prose: %s has %d findings, %d are allowed: tests/unit/prose.py %s" % (
                name, count, most, "--list %s shows them" % name if count > most else "--update lowers the number"))
    return failed


GOOD = ("/* Returns the slot for index, in bytes (ring.md 4). It goes on the list behind the header; as before. */ int a; // of b",
        "char *s = \"/* What */ is behind the ring\"; char q = '\"'; /* ring.c: free-running indices. */")
BAD = (("opener", "int a; /* What it is */"), ("opener", "/* ring.c: of the slots\n * so */"), ("opener", "// So many of them"),
       ("a person", "/* The lock is held by\n * nobody. */"), ("a person", "/* Reads it, for who asks */"),
       ("behind, of time", "/* Polls behind the last\n * reset. */"), ("goes on", "/* The run goes\n * on. */"),
       ("opener", 'char *s = "What it is";'), ("a person", 'char *s = "/* nobody */";'),
       ("36 words in a sentence", "/* " + "word\n * " * 36 + "*/"), ("121 columns", "/* " + "x" * 115 + " */"))
BAD_MARKDOWN = (("a person", "Text that\nsomebody wrote"), ("goes on", "| a | it goes on |"), ("121 columns", "x" * 121),
                ("36 words in a sentence", "* item\n* " + "word\n  " * 36))
GOOD_MARKDOWN = ("    somebody in a block\n\n    goes on\n", "`nobody` in code, and [a link](x.md)", "| " + "x" * 121 + " |",
                 "* " + "word " * 20 + "\n* " + "word " * 20)


def self_test():
    wrong = [text for text in GOOD if list(code(text))] + [text for text in GOOD_MARKDOWN if list(markdown(text))]
    for check_text, examples in ((code, BAD), (markdown, BAD_MARKDOWN)):
        wrong += [text for rule, text in examples if [found[1] for found in check_text(text)] != [rule]]
    for text in wrong:
        print("prose: a finding too many, or too few, in: " + text)
    return bool(wrong)


def main(mode, below):  # returns whether it failed
    if mode == "--self-test":
        return self_test()
    if mode == "--list":
        texts = [text for texts in findings(ROOT).values() for text in texts if text.startswith((below + "/", below + ":"))]
        print("".join(text + "\n" for text in texts), end="")
        return False
    if mode != "--update":
        return check(mode)
    with open(TABLE, "w", encoding="utf-8") as file:
        file.write("# directory, findings that it may have (prose.py --update)\n")
        file.writelines("%s\t%d\n" % (name, len(texts)) for name, texts in sorted(findings(ROOT).items()) if texts)


sys.exit(main(sys.argv[1], sys.argv[-1].rstrip("/")))
