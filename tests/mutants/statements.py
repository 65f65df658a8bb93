"""statements.py: umd-port/statements.tsv: statements of the references about the driver. A row is statement, case, file,
code, mistake, with tabs between: the code occurs once in the file, and the case fails when the mistake replaces it. Or it
is a statement and "cannot apply outside Windows: " with the reason.

statements.py check ROOT AGPU_INPROCESS checks that cases, files and code exist. statements.py judge ROOT BUILD [I/N] makes
the mistake of each Nth row, from the Ith on, and runs its case: tests/mutate_driver --statements makes all."""
import concurrent.futures
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from programs import Build, CATALOGUE, run

TABLE = "umd-port/statements.tsv"
CANNOT = "cannot apply outside Windows: "


def rows_of(root):
    lines = open(os.path.join(root, TABLE), encoding="ascii").read().splitlines()
    return [(number, line.split("\t")) for number, line in enumerate(lines, 1) if line and line[0] != "#"]


def check(root, inprocess):
    cases = {line.split()[0] for way in ((), ("--abi", "legacy"))
             for line in subprocess.run([inprocess, "--list", *way], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()}
    bad = 0
    for number, row in rows_of(root):
        wrong = None
        if len(row) == 2 and row[1].startswith(CANNOT) and row[1].endswith("."):
            continue
        if len(row) != 5 or not all(row):
            wrong = "expected statement, case, file, code and mistake with tabs between, or statement and \"%s\" with the " \
                    "reason and a point, found %d fields" % (CANNOT, len(row))
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


COMMAND = ["--clock", "manual", "--quiet", "--filter"]


def judge_row(build, row):
    with tempfile.TemporaryDirectory() as place:
        made = objects_with(build, row, place)
        if not made:
            return "does not compile"
        program = os.path.join(place, "agpu_inprocess")
        done = build.link(CATALOGUE, program, made, "-s")
        if done.returncode != 0:
            return done.stderr
        return None if run([program, *COMMAND, row[1]], place) != 0 else "%s passes with the mistake" % row[1]


def judge(root, folder, part="1/1"):
    start, step = map(int, part.split("/"))
    build, bad = Build(root, folder), 0
    rows = [(number, row) for number, row in rows_of(root) if len(row) == 5][start - 1::step]
    plain = [os.path.join(build.folder, CATALOGUE), *COMMAND, ",".join(sorted({row[1] for _, row in rows}))]
    if run(plain, build.folder) != 0:
        print("expected the cases to pass without a mistake: run %s" % " ".join(plain))
        return 1
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for (number, row), wrong in zip(rows, pool.map(lambda r: judge_row(build, r[1]), rows)):
            if wrong:
                print("%s:%d: %s: %s" % (TABLE, number, row[0], wrong), flush=True)
                bad += 1
    print("%d statements, each with a mistake that its case notices but for %d" % (len(rows), bad))
    return 1 if bad else 0


root, folder, *part = sys.argv[2:]
sys.exit({"check": check, "judge": judge}[sys.argv[1]](os.path.abspath(root), os.path.abspath(folder), *part))
