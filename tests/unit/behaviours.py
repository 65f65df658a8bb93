"""behaviours.py ROOT AGPU_INPROCESS: checks that every required behaviour of cases.md is accounted for. The tables
under tests/ (cases.tsv, numbers.tsv) have rows of number, test, and note. A test is a case of the catalogue, a
function of a unit test in the table's directory or in one whose name continues the directory's, or a file of the
tree; "-" is none, and the note then gives the reason. Prints the coverage. Fails if a number has no row, or if a row
names a number or a test that does not exist."""
import collections
import glob
import os
import re
import subprocess
import sys

root, inprocess = sys.argv[1:]
wrong = []


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


ids = [line.split()[0] for line in subprocess.run([inprocess, "--list"], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()]
wrong += ["catalogue: expected an id of its own for each case, found %s %d times: rename one" % (case, count)
          for case, count in collections.Counter(ids).items() if count > 1]
numbers = re.findall(r"^- ([A-Z]+-[0-9]+)\.", read(root + "/tests/cases/cases.md"), re.M)
shown = {}  # number: True with a test, False with a reason
for table in sorted(glob.glob(root + "/tests/**/cases.tsv", recursive=True) + glob.glob(root + "/tests/**/numbers.tsv", recursive=True)):
    functions = set()
    for path in glob.glob(os.path.dirname(table) + "*/test_*.c"):
        functions.update(re.findall(r"^[A-Z_]*TEST(?:_WITH)?\((\w+)", read(path), re.M))
    for row in (line for line in read(table).splitlines() if line and not line.startswith("#")):
        number, test, note = (row.split("\t") + ["", ""])[:3]
        known = {".": ids, "/": ()}.get((re.findall(r"[/.]", test) or [""])[0], functions)
        if number not in numbers:
            wrong.append("%s: %s is no required behaviour of cases.md" % (table, number))
        elif test == "-" and not re.search("[a-z]{3}", note):
            wrong.append("%s: %s has neither a test nor a reason: name a test, or say why there is none" % (table, number))
        elif test != "-" and test not in known and not os.path.isfile(os.path.join(root, test)):
            wrong.append("%s: %s names %s, expected a case, a test that a test_*.c here runs, or a file: correct the row" % (table, number, test))
        else:
            shown[number] = shown.get(number, False) or test != "-"
wrong += ["%s has no row in any table: add one to tests/unit/*/cases.tsv or tests/cases/numbers.tsv" % number
          for number in numbers if number not in shown]
for group in dict.fromkeys(number.partition("-")[0] for number in numbers):
    of_group = [shown.get(number) for number in numbers if number.startswith(group + "-")]
    print("%-4s %3d: %3d tested, %2d with a reason" % (group, len(of_group), of_group.count(True), of_group.count(False)))
print("required behaviours: %d, tested %d, with a reason %d" % (len(numbers), sum(shown.values()), len(shown) - sum(shown.values())))
sys.exit("\n".join(wrong) if wrong else 0)
