#!/usr/bin/python3
"""postgres_test.py AGPU: the history in PostgreSQL: the tests of the file, on a real server; and what is a server's alone."""
import os
import subprocess
import sys
import tempfile

import postgres_world

AGPU = sys.argv[1]
HERE = os.path.dirname(os.path.abspath(__file__))
if not postgres_world.programs():
    print("SKIP: no PostgreSQL server here (Debian: postgresql)")
    sys.exit(77)
sys.path.insert(0, os.path.join(HERE, "..", "report"))
from results import Results  # noqa: E402

work = tempfile.TemporaryDirectory()


def agpu(*words, status=0, parts=()):
    done = subprocess.run([AGPU, *words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False)
    assert done.returncode == status, "%s: status %d, expected %d:\n%s" % (words, done.returncode, status, done.stdout)
    for part in parts:
        assert part in done.stdout, "expected %r in:\n%s" % (part, done.stdout)
    return done.stdout


def finished(name):
    made = Results("%s/results/%s" % (work.name, name))
    made.say("plan", "-", count=1, build="b " + name, device="board")
    made.case("ring.a")
    made.say("summary", "-", status="PASS", passed=1, failed=0, errors=0, skipped=0, timeouts=0, crashed=0, total=1, us=9)
    made.write()


with tempfile.TemporaryDirectory() as empty:
    if "without PostgreSQL" in subprocess.run([AGPU, "history", "--db", "postgresql:///none?host=" + empty], stderr=subprocess.PIPE, text=True,
                                              check=False).stderr:
        print("SKIP: this agpu was built without libpq-dev")
        sys.exit(77)
    agpu("history", "--db", "postgresql:///none?host=" + empty, status=1, parts=("no connection to the history", "No such file", "--db takes"))
with postgres_world.Server() as server:
    for subject in ("since", "long_ago", "flaky", "moved", "compared"):
        subprocess.run([sys.executable, HERE + "/history_test.py", AGPU, subject, server.database("of_" + subject)], check=True)
    # Two that come at once to an empty database: one makes the tables, and each run is there once.
    url = server.database("shared")
    for number in range(8):
        finished("%04d" % number)
    words = [AGPU, "history", "--results", work.name + "/results", "--db", url, "--runs"]
    for one in [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) for _ in range(4)]:
        said = one.communicate(timeout=60)[1]
        assert one.returncode == 0 and said == "", said
    assert server.sql("shared", "SELECT count(*), count(DISTINCT digest) FROM agpu_history.run") == "8|8"
    # Nothing outside its schema.
    assert server.sql("shared", "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == "0"
    # Who may only read gets the answers, and is told what is not taken in.
    server.sql("shared", "CREATE ROLE guest LOGIN; GRANT USAGE ON SCHEMA agpu_history TO guest;"
                         " GRANT SELECT ON ALL TABLES IN SCHEMA agpu_history TO guest")
    finished("0099")
    agpu(*words[1:4], "--db", server.url("shared", "guest"), "ring.a", parts=("PASS     8 runs",))
    agpu(*words[1:4], "--db", server.url("shared", "guest"), "--import", work.name + "/results/0099", status=1, parts=("can only be read",))
    # Another process writes: waited for, then said.
    psql = subprocess.Popen([postgres_world.programs() + "/psql", "-XAtqd", url], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    psql.stdin.write("BEGIN; LOCK TABLE agpu_history.run IN EXCLUSIVE MODE; SELECT 'held';\n")
    psql.stdin.flush()
    assert psql.stdout.readline() == "held\n"
    agpu("history", "--db", url, "--results", work.name + "/none", "--import", work.name + "/results/0099", status=1,
         parts=("another process holds the history postgresql://",))
    psql.communicate("ROLLBACK;\n", timeout=60)
    agpu(*words[1:], parts=("9 runs",))
    # Of another agpu, and of somebody else.
    server.sql("shared", "UPDATE agpu_history.about SET version = 2")
    agpu(*words[1:], status=1, parts=("has schema 2, this agpu knows 1",))
    server.sql("shared", "DROP SCHEMA agpu_history CASCADE; CREATE SCHEMA agpu_history; CREATE TABLE agpu_history.other(x INT)")
    agpu(*words[1:], status=1, parts=("some other database",))
    # The password is in no message.
    agpu("history", "--db", server.url("nowhere", "agpu:geheim"), status=1, parts=("nowhere",))
    assert "geheim" not in agpu("history", "--db", server.url("nowhere", "agpu:geheim"), status=1)
