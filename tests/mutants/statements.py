"""statements.py: umd-port/statements.tsv: statements of the references about the driver. A row is statement, case, file,
code, mistake, with tabs between: the code occurs once in the file, and the case fails when the mistake replaces it.

statements.py check ROOT AGPU_INPROCESS checks that cases, files and code exist. statements.py judge ROOT BUILD makes each
mistake, and runs its case: tests/mutate_driver --statements."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import Build, CATALOGUE, run

TABLE = "umd-port/statements.tsv"


def rows_of(root):
    lines = open(os.path.join(root, TABLE), encoding="ascii").read().splitlines()
    return [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line and line[0] != "#"]


def check(root, inprocess):
    cases = {line.split()[0] for way in ((), ("--abi", "legacy"))
             for line in subprocess.run([inprocess, "--list", *way], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()}
    bad = 0
    for number, row in rows_of(root):
        wrong = None
        if len(row) != 5 or not all(row):
            wrong = "expected statement, case, file, code and mistake with tabs between, found %d fields" % len(row)
        elif row[1] not in cases:
            wrong = "found no case %s" % row[1]
        elif not os.path.isfile(os.path.join(root, row[2])):
            wrong = "found no file %s" % row[2]
        elif open(os.path.join(root, row[2])).read().count(row[3]) != 1:
            wrong = "expected this once in %s: %s" % (row[2], row[3])
        if wrong:
            print("%s:%d: %s: correct the row" % (TABLE, number, wrong))
            bad += 1
    print("%d statements, %d problems" % (len(rows_of(root)), bad))
    return 1 if bad else 0


def objects_with(build, row, place):
    """Compiles the row's file with the mistake, or every file of the layers that may include the header."""
    name, source = row[2], os.path.join(place, row[2])
    os.makedirs(os.path.dirname(source))
    with open(os.path.join(build.root, name)) as file:
        text = file.read()
    with open(source, "w") as file:
        file.write(text.replace(row[3], row[4]))
    users = [name] if name.endswith(".c") else [
        n for n in build.compile if '"%s"' % name in open(os.path.join(build.root, n)).read()]
    made = []
    for user in users:
        made.append(os.path.join(place, user.replace("/", "_") + ".o"))
        words = build.compile_words(user, source if user == name else os.path.join(build.root, user), made[-1])
        words.insert(next(i for i, word in enumerate(words) if word.startswith("-I")), "-I" + place)
        done = subprocess.run(words, cwd=build.folder, capture_output=True, text=True)
        if done.returncode != 0:
            return None
    return made


def judge_row(build, row):
    with tempfile.TemporaryDirectory() as place:
        made = objects_with(build, row, place)
        if not made:
            return "does not compile"
        program = os.path.join(place, "agpu_inprocess")
        done = build.link(CATALOGUE, program, made, "-s")
        if done.returncode != 0:
            return done.stderr
        command = ["--clock", "manual", "--quiet", "--filter", row[1]]
        if run([os.path.join(build.folder, CATALOGUE), *command], place) != 0:
            return "%s fails without a mistake" % row[1]
        return None if run([program, *command], place) != 0 else "%s passes with the mistake" % row[1]


def judge(root, folder):
    build, rows, bad = Build(root, folder), rows_of(root), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (number, row), wrong in zip(rows, pool.map(lambda r: judge_row(build, r[1]), rows)):
            if wrong:
                print("%s:%d: %s: %s" % (TABLE, number, row[0], wrong), flush=True)
                bad += 1
    print("%d statements, each with a mistake that its case notices but for %d" % (len(rows), bad))
    return 1 if bad else 0


sys.exit({"check": check, "judge": judge}[sys.argv[1]](*map(os.path.abspath, sys.argv[2:])))
