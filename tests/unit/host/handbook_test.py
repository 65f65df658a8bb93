#!/usr/bin/python3
"""handbook_test.py SOURCE BUILD: checks the pages of tests/handbook. The comment above each block marks it: run
(its lines are run, in a copy of the tree that has this build and no results), says (a block above printed this), help
(options and files of the tree are looked up, nothing is run), text. Links must lead somewhere, and each page must be
in the index. Commands that need the image and QEMU are left out and reported if these are missing (77)."""
import os
import re
import shlex
import subprocess
import sys
import tempfile

SOURCE, BUILD = map(os.path.realpath, sys.argv[1:3])
PAGES = os.path.join(SOURCE, "tests/handbook")
LINES_MAX = 90
OTHERS = {"cc", "cmake", "ctest", "dd", "gdb", "mcopy", "mount", "ninja", "printf", "sudo", "sudoedit", "umount"}
NAMES = sorted(name for name in os.listdir(PAGES) if name.endswith(".md"))
wrong, left_out, helps = [], [], {}


def say(page, text):
    wrong.append("%s: %s" % (page, text))


def blocks_of(page, text):
    """Yields (mark, lines) of each block, in order."""
    lines, at, mark = text.split("\n"), 0, None
    while at < len(lines):
        line = lines[at]
        if re.fullmatch(r"<!-- .* -->", line):
            mark = line[5:-4]
            if not re.fullmatch(r"run(, status \d+)?|says|help|text", mark):
                say(page, "line %d: no such mark: %s" % (at + 1, mark))
        elif line.startswith("    ") and (at == 0 or lines[at - 1] == ""):
            block = []
            while at < len(lines) and (lines[at].startswith("    ") or lines[at] == ""):
                block.append(lines[at][4:])
                at += 1
            if mark is None:
                say(page, "line %d: a block without a mark above it" % (at + 1 - len(block)))
            yield mark or "text", [line for line in block if line]
            mark = None
            continue
        elif line and mark is not None:
            say(page, "line %d: a mark without a block below it" % (at + 1))
            mark = None
        at += 1


def prepare(tree):
    """Prepares a copy of the tree with this build: nothing is built in it, and results go into a directory of its
    own."""
    os.makedirs(tree + "/build")
    os.makedirs(tree + "/tests")
    os.symlink(BUILD, tree + "/build/host")
    if os.path.isdir(os.path.join(SOURCE, "build/image")):
        os.symlink(os.path.join(SOURCE, "build/image"), tree + "/build/image")
    for folder, names in ((SOURCE, os.listdir(SOURCE)), (SOURCE + "/tests", os.listdir(SOURCE + "/tests"))):
        for name in names:
            to = tree + folder[len(SOURCE):] + "/" + name
            if name not in ("build", "tests", "lib.sh", "deps", ".git"):
                os.symlink(os.path.join(folder, name), to)
    with open(tree + "/tests/lib.sh", "w") as file:
        file.write(". %s/tests/lib.sh\nagpu_root=%s\nagpu_logs=%s/build/log\nbuild() { :; }\n" % (SOURCE, tree, tree))
    with open(tree + "/tests/deps", "w") as file:
        file.write("#!/bin/bash\nfor name in AGPU_QEMU AGPU_OVMF_CODE AGPU_OVMF_VARS; do\n"
                   "printf '%s=%q\\n' $name \"${!name}\"; done\n")
    os.chmod(tree + "/tests/deps", 0o755)


def can_boot(tree):
    return os.path.exists(tree + "/build/image/efi/agpu.img") and "AGPU_QEMU" in os.environ


def run(page, tree, line, status, alone):
    """Returns the output, or None if the command was left out: it needs a boot, or the results of one."""
    if not alone or (line.startswith("tests/run ") and not can_boot(tree)):
        left_out.append(line)
        return None
    environment = {**os.environ, "LC_ALL": "C"}
    environment.pop("AGPU_RUN_AGAIN", None)
    done = subprocess.run(["bash", "-c", line], cwd=tree, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", timeout=300, check=False)
    if done.returncode != status:
        say(page, "%s: status %d, expected %d:\n%s" % (line, done.returncode, status, done.stdout[-3000:]))
    return done.stdout


def check_said(page, said, lines):
    for line in lines:
        parts = [re.sub(r"(\d+\\?\.)?\d+", r"[0-9.]+", re.escape(part)) for part in line.rstrip().split("...")]
        if not re.search("^" + ".*".join(parts), said, re.M):
            say(page, "was not said: %s\nin:\n%s" % (line, said[-3000:]))


def help_of(words):
    """Returns the command's --help text, or None if there is no such command."""
    if words[0].startswith("tests/"):
        command = [os.path.join(SOURCE, words[0]), "--help"]
    elif words[0].endswith("/agpu_inprocess"):
        command = [os.path.join(BUILD, "tests/host_platform/agpu_inprocess"), "--help"]
    else:
        command = [os.path.join(BUILD, "tests/host/agpu"), words[1], "--help"]
    key = tuple(command)
    if key not in helps:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)
        helps[key] = done.stdout if done.returncode == 0 else None
    return helps[key]


def check_options(page, line, words, known):
    if known is None:
        say(page, "there is no such command: %s" % line)
        return
    for word in words:
        name = word.split("=")[0]
        if name.startswith("--") and name != "--" and name != "--help" and not re.search(re.escape(name) + r"\b", known):
            say(page, "%s does not know %s" % (line, name))


def check_command(page, line):
    words = shlex.split(line, comments=True)
    if not words:
        return
    if words[0] == "sudo":
        words = words[1:]
    name = os.path.basename(words[0])
    if name == "agpu" and len(words) > 1:
        check_options(page, line, words[2:], help_of(words))
    elif name == "agpu_inprocess":
        check_options(page, line, words[1:], help_of(words))
    elif words[0].startswith("tests/"):
        if not os.access(os.path.join(SOURCE, words[0]), os.X_OK):
            say(page, "there is no %s" % words[0])
            return
        at = words.index("--") if "--" in words else len(words)
        check_options(page, line, words[1:at], help_of(words))
        check_options(page, line, words[at + 1:], help_of(["agpu", "run"]))
    elif not words[0].startswith("build/") and name not in OTHERS:
        say(page, "%s: a program that nobody here has heard of" % line)
    for word in words:
        if re.match(r"(tests|efi|pci|ring|mm|umd-port)/[^*]*$", word) and not os.path.exists(os.path.join(SOURCE, word)):
            say(page, "%s: there is no %s" % (line, word))
        if word.startswith("build/host/") and not os.path.exists(BUILD + word[len("build/host"):]):
            say(page, "%s: this build makes no %s" % (line, word))


def check_links(page, text):
    for link in re.findall(r"\]\(([^)#]+)\)", text):
        if "://" not in link and not os.path.exists(os.path.join(PAGES, link)):
            say(page, "leads nowhere: %s" % link)


def check_page(page, tree):
    with open(os.path.join(PAGES, page)) as file:
        text = file.read()
    if text.count("\n") > LINES_MAX:
        say(page, "%d lines: a page has at most %d" % (text.count("\n"), LINES_MAX))
    check_links(page, text)
    said = ""  # of all blocks so far; None: one was left out
    for mark, lines in blocks_of(page, text):
        if mark.startswith("run"):
            status = int(mark.split()[-1]) if "status" in mark else 0
            for number, line in enumerate(lines, 1):
                part = run(page, tree, line, status if number == len(lines) else 0, said is not None)
                said = said + part if said is not None and part is not None else None
        elif mark == "says" and said is not None:
            check_said(page, said, lines)
        elif mark == "help":
            for line in lines:
                for command in re.split(r" && | \| ", line):
                    check_command(page, command)


with open(os.path.join(PAGES, "README.md")) as file:
    index = file.read()
for name in NAMES:
    if name != "README.md" and "](%s)" % name not in index:
        say(name, "is not in the index, tests/handbook/README.md")
with tempfile.TemporaryDirectory() as folder:
    for name in NAMES:
        os.makedirs(os.path.join(folder, name))
        prepare(os.path.join(folder, name, "tree"))
        check_page(name, os.path.join(folder, name, "tree"))
for text in wrong:
    print(text)
if not wrong and left_out:
    print("skipped, for want of the image or QEMU (tests/check has both):\n  " + "\n  ".join(left_out))
sys.exit(1 if wrong else 77 if left_out else 0)
