#!/usr/bin/python3
"""campaign_test.py SOURCE BUILD SUBJECT: tests/campaign over small jobs: outcomes that count, repeated jobs, and
continued campaigns."""
import json
import os
import shlex
import signal
import sqlite3
import subprocess
import sys
import tempfile

SOURCE, BUILD, SUBJECT = sys.argv[1:4]
work = tempfile.TemporaryDirectory()
out = work.name + "/campaign"
HERE = os.path.dirname(os.path.abspath(__file__))
WAIT_S = 120


def built(first_time=""):
    """Makes a build directory whose agpu_inprocess runs the shell text before the real one; $* are its
    arguments."""
    folder = work.name + "/build"
    if not os.path.exists(folder):
        os.makedirs(folder + "/tests/host")
        os.makedirs(folder + "/tests/host_platform")
        os.symlink(BUILD + "/tests/host/agpu", folder + "/tests/host/agpu")
        os.symlink(BUILD + "/variants", folder + "/variants")
    path = folder + "/tests/host_platform/agpu_inprocess"
    with open(path, "w") as file:
        file.write("#!/bin/sh\n%s\nexec %s \"$@\"\n" % (first_time, shlex.quote(BUILD + "/tests/host_platform/agpu_inprocess")))
    os.chmod(path, 0o755)
    return folder


def command(*words, build=BUILD):
    return [SOURCE + "/tests/campaign", "--build", build, "--out", out, *words]


def campaign(*words, status=0, build=BUILD):
    """Returns the output, with stderr after stdout. Fails if the exit status is another."""
    done = subprocess.run(command(*words, build=build), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=4 * WAIT_S, check=False)
    assert done.returncode == status, "%s: status %d, expected %d:\n%s" % (words, done.returncode, status, done.stdout)
    return done.stdout


def has(text, *parts):
    for part in parts:
        assert part in text, "expected %r in:\n%s" % (part, text)


def counted(expected_runs, expected_cases):
    """Checks that the history has this number of runs, each with each case once."""
    with sqlite3.connect(out + "/history.sqlite") as database:
        found = database.execute("SELECT count(*) FROM run").fetchone()[0], database.execute("SELECT count(*) FROM result").fetchone()[0]
    assert found == (expected_runs, expected_cases), "runs and results %s, expected %s" % (found, (expected_runs, expected_cases))


def cases(globs, *words):
    """Returns the number of cases."""
    listed = subprocess.run([BUILD + "/tests/host_platform/agpu_inprocess", "--list", "--filter", globs, *words], stdout=subprocess.PIPE,
                            text=True, check=True)
    return len(listed.stdout.splitlines())


# The first attempt at part 2 loses its job.py, the one at part 3 is killed itself.
DEATHS = """case "$*" in
*"--shard 2/3"*) mkdir "%(work)s/two" 2>/dev/null && kill -9 $PPID && exec sleep 60 ;;
*"--shard 3/3"*) mkdir "%(work)s/three" 2>/dev/null && kill -9 $$ ;;
esac""" % {"work": work.name}
QUICK = ("--firmware", "none", "--device", "model", "--filter", "ring.*,fence.*", "--parts", "3")


def here():
    build = built(DEATHS)
    text = campaign(*QUICK, "--jobs", "2", build=build)
    has(text, "3 of 3 jobs to do", "2 of 3 jobs to do, 2 of them again", "was killed", "3 jobs: 3 passed", "2 were begun more than once")
    counted(3, cases("ring.*,fence.*"))
    # Again: nothing runs, and nothing counts twice.
    text = campaign(*QUICK, build=build)
    assert "to do" not in text, text
    counted(3, cases("ring.*,fence.*"))
    # Another campaign or another build: finished jobs say nothing about it.
    has(campaign(*QUICK[:-1], "2", build=build, status=1), "another campaign", "--out")
    with open(build + "/tests/host_platform/agpu_inprocess", "a") as file:
        file.write("# newer\n")
    has(campaign(*QUICK, build=build, status=1), "another build")
    has(campaign("--parts", "0", status=2), "number from 1")
    has(campaign("--nothing", "x", status=2), "unknown option: --nothing")
    has(campaign("--firmware", "/nowhere:/none", "--list", status=1), "found no /nowhere")
    has(campaign("--firmware", "none", "--device", "./none.so", "--list", status=1), "no plug-in")


def bad():
    """A job that fails, one that is no run, one that always dies: each is named, and those with an answer are not
    repeated."""
    build = built('case "$*" in *"--shard 1/3"*) echo no record; exit 3 ;; *"--shard 2/3"*) kill -9 $$ ;; esac')
    text = campaign("--firmware", "none", "--device", "fault:copy_drops_tail", "--filter", "copy.buffer.*", "--parts", "3", "--tries", "2",
                    build=build, status=1)
    has(text, "BROKEN run.fault-copy_drops_tail.none.1of3", "LOST   run.fault-copy_drops_tail.none.2of3",
        "FAIL   run.fault-copy_drops_tail.none.3of3", "3 jobs: 0 passed, 1 failed, 1 broken, 1 lost; 1 were begun more than once")
    with open(out + "/summary.json") as file:
        found = [(one["verdict"], one["attempts"]) for one in json.load(file)["jobs"]]
    assert found == [("BROKEN", 1), ("LOST", 2), ("FAIL", 1)], found
    with sqlite3.connect(out + "/history.sqlite") as database:
        assert database.execute("SELECT fault FROM run").fetchall() == [("copy_drops_tail",)]
        assert "firmware none" in database.execute("SELECT setup FROM run").fetchone()[0]
    # What a job wrote decides, not the status with which a device ended it; and no output spoils the results of others.
    build = built('case "$*" in *"--shard 1/3"*) exit 0 ;; *"--shard 2/3"*) head -c 300000 /dev/urandom; exit 0 ;; esac')
    text = campaign(*QUICK, "--out", out + "3", build=build, status=1)
    has(text, "FAIL   run.model.none.1of3", "FAIL   run.model.none.2of3", "3 jobs: 1 passed, 2 failed", "the results of 3 jobs are in")
    # A job that takes too long is ended together with all its processes.
    out_of_time = campaign("--firmware", "none", "--device", "model", "--filter", "ring.*", "--limit", "1", "--tries", "1", "--out", out + "2",
                           build=slow(), status=1)
    has(out_of_time, "1 lost")


def slow():
    """The same, but the program waits forever."""
    path = work.name + "/build/tests/host_platform/agpu_inprocess"
    with open(path, "w") as file:
        file.write("#!/bin/sh\nsleep 1000\n")
    return work.name + "/build"


def twice():
    """An attempt that seemed lost ends after another one: the first to end counts."""
    gate = work.name + "/gate"
    os.mkfifo(gate)
    os.mkfifo(gate + ".in")
    build = built('mkdir "%(gate)s.first" 2>/dev/null && { echo in >"%(gate)s.in"; read -r _ <"%(gate)s"; }' % {"gate": gate})
    words = ("--firmware", "none", "--device", "model", "--filter", "ring.wrap.*")
    first = subprocess.Popen(command(*words, build=build), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with open(gate + ".in") as said:
        said.read()
    # It continues without its job.py.
    has(campaign(*words, build=build, status=1), "another tests/campaign works in")
    first.kill()
    first.wait()
    text = campaign(*words, build=build)
    has(text, "1 of 1 jobs to do, 1 of them again", "1 jobs: 1 passed")
    with open(out + "/jobs/0000/outcome") as file:
        assert json.load(file)["attempt"] == "attempt.2"
    with open(gate, "w") as go:
        go.write("go\n")
    # The late one has ended once it has an outcome, which is written last.
    late = subprocess.run(["timeout", str(WAIT_S), "sh", "-c", 'until [ -e "$0" ]; do sleep 0.05; done', out + "/jobs/0000/attempt.1/outcome"],
                          check=False)
    assert late.returncode == 0
    campaign(*words, build=build)
    with open(out + "/jobs/0000/outcome") as file:
        assert json.load(file)["attempt"] == "attempt.2"
    counted(1, cases("ring.wrap.*"))


def mutation():
    """A defect of the model as a case of a run."""
    text = campaign("mutate", "--fault", "buffer_backing_offset_ignored", "--as", "model", "--parts", "1")
    has(text, "1 jobs: 1 passed")
    with sqlite3.connect(out + "/history.sqlite") as database:
        found = database.execute("SELECT name.text, result.verdict FROM result JOIN name ON name.id = result.case_id").fetchall()
    assert found and all(name.startswith("mutate.model.") for name, _ in found), found


def fuzzing():
    """One target for one second; a search with a finding is a failed case."""
    text = campaign("fuzz", "--target", "words", "--seconds", "1", "--asan", BUILD)
    has(text, "fuzz.words PASS", "1 jobs: 1 passed")
    counted(1, 1)
    import results
    said = "#7\nSUMMARY: AddressSanitizer: heap-buffer-overflow words.c:7\nfuzz_words found a fault: the input is named above\n"
    os.mkdir(work.name + "/fault")
    assert not results.write(work.name + "/fault", "fuzz targets", "b", results.case_of_fuzzing("fuzz.words", 1, 2.5, said), 0, 2.5)
    done = subprocess.run([BUILD + "/tests/host/agpu", "report", work.name + "/fault", "--format", "junit", "--out", "-"],
                          stdout=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1, done.stdout
    has(done.stdout, "fuzz.words", "failures=\"1\"", "heap-buffer-overflow")


def on_cluster(cluster):
    gate = work.name + "/gate"
    os.mkfifo(gate)
    os.mkfifo(gate + ".in")
    build = built(DEATHS + '\ncase "$*" in *"--shard 1/3"*) mkdir "%(gate)s.first" && { echo in >"%(gate)s.in"; read -r _ <"%(gate)s"; } ;; '
                  'esac' % {"gate": gate})
    words = (*QUICK, "--slurm", "--sbatch=--no-kill")
    # Interrupted while a job runs: the array continues, and the next call waits for it.
    first = subprocess.Popen(command(*words, build=build), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             text=True, start_new_session=True)
    said = os.open(gate + ".in", os.O_RDONLY | os.O_NONBLOCK)
    assert cluster.wait(WAIT_S, said), "no job of the array has begun within %d s" % WAIT_S
    os.close(said)
    os.killpg(first.pid, signal.SIGINT)
    said = first.communicate(timeout=WAIT_S)[0]
    assert first.returncode == 130, "status %s: %s" % (first.returncode, said)
    second = subprocess.Popen(command(*words, build=build), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
    begun = []
    for line in second.stdout:
        begun.append(line)
        if "continues with job array" in line:
            with open(gate, "w") as go:
                go.write("go\n")
            break
    text = "".join(begun) + second.stdout.read()
    assert second.wait(timeout=WAIT_S) == 0, text
    has(text, "continues with job array", "2 of 3 jobs to do, 2 of them again", "3 jobs: 3 passed", "2 were begun more than once")
    counted(3, cases("ring.*,fence.*"))
    # Nothing left to submit.
    assert "job array" not in campaign(*words, build=build)
    # The error of a refused array quotes Slurm.
    has(campaign(*QUICK, "--slurm", "--sbatch=--partition=nowhere", "--out", out + "2", build=build, status=1), "sbatch took no job", "nowhere")


def slurm():
    import slurm_world
    try:
        with slurm_world.Cluster() as cluster:
            on_cluster(cluster)
    except slurm_world.Unusable as why:
        print("SKIP: no cluster of one node on this machine: %s" % why)
        sys.exit(77)


sys.path.insert(0, HERE)
{"here": here, "bad": bad, "twice": twice, "mutation": mutation, "fuzzing": fuzzing, "slurm": slurm}[SUBJECT]()
