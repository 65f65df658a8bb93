#!/usr/bin/python3
"""campaign.py ROOT BUILD OUT [OPTIONS] -- KIND...: the work of tests/campaign, which explains the options."""
import argparse
import concurrent.futures
import fcntl
import json
import os
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import job  # noqa: E402
import plan as planner  # noqa: E402
import slurm  # noqa: E402

IMPORTS_AT_ONCE = 200
MISSES_SHOWN = 50


def say(text):
    print("tests/campaign: " + text, file=sys.stderr, flush=True)


def number(text):
    if not text.isdigit() or not 1 <= int(text) <= 1000000:
        raise argparse.ArgumentTypeError("needs a number from 1 to 1000000, not %r" % text)
    return int(text)


def parse(words):
    parser = argparse.ArgumentParser(prog="tests/campaign", usage="see tests/campaign --help", add_help=False)
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--slurm", action="store_true")
    for name in ("device", "firmware", "sbatch"):
        parser.add_argument("--" + name, action="append", default=[])
    for name in ("filter", "db", "asan"):
        parser.add_argument("--" + name)
    parser.add_argument("--as", dest="as_whom", choices=("both", "model", "any"), default="both")
    for name in ("fault", "target"):
        parser.add_argument("--" + name, default="*")
    for name, default in (("parts", None), ("jobs", None), ("seconds", 60), ("tries", 3), ("limit", 3600)):
        parser.add_argument("--" + name, type=number, default=default)
    parser.add_argument("kinds", nargs="+")
    return parser.parse_args(words)


class Campaign:
    """A directory with a list of jobs, and their progress."""

    def __init__(self, folder, text, options, agpu):
        self.folder, self.options, self.agpu = folder, options, agpu
        self.jobs = json.loads(text)["jobs"]
        self.lock = open(folder + "/.lock", "a", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise planner.Unusable("another tests/campaign works in %s: wait for it, or name another --out" % folder) from error
        self.keep(text)

    def keep(self, text):
        """Writes the list once: finished jobs of another list say nothing about this one."""
        path = self.folder + "/plan.json"
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                if file.read() != text:
                    raise planner.Unusable("%s has another campaign, of other options or another build: name another --out, "
                                           "or remove it" % self.folder)
            return
        with open(path + ".part", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + ".part", path)

    def left(self):
        """Returns the jobs that are not done and may be tried again."""
        return [n for n in range(len(self.jobs)) if job.outcome(self.folder, n) is None]

    def do_here(self, numbers):
        """Runs all jobs, several at a time, each in a process of its own, so that no job can harm the
        others."""
        running, stopping = set(), []

        def one(n):
            if stopping:
                return
            child = subprocess.Popen([sys.executable, HERE + "/job.py", self.folder, str(n)], start_new_session=True)
            running.add(child)
            if stopping:  # interrupted in the meantime, before this one
                child.terminate()
            child.wait()
            running.discard(child)
            done = job.outcome(self.folder, n)
            say("%s %s" % (self.jobs[n]["name"], "%s in %.1f s" % (done["verdict"], done["seconds"]) if done else "was killed"))

        def stop(signum, _):
            stopping.append(signum)
            for child in list(running):
                child.terminate()
        old = {signum: signal.signal(signum, stop) for signum in (signal.SIGINT, signal.SIGTERM)}
        with concurrent.futures.ThreadPoolExecutor(self.options.jobs or len(os.sched_getaffinity(0))) as pool:
            list(pool.map(one, numbers))
        for signum, handler in old.items():
            signal.signal(signum, handler)
        if stopping:
            say("interrupted: the same command continues")
            sys.exit(128 + stopping[0])

    def do_all(self):
        """Runs rounds until all jobs are done or out of attempts."""
        for _ in range(self.options.tries):
            numbers = self.left()
            if not numbers:
                return
            again = sum(job.attempts(self.folder, n) > 0 for n in numbers)
            say("%d of %d jobs to do%s" % (len(numbers), len(self.jobs), ", %d of them again" % again if again else ""))
            if self.options.slurm:
                slurm.do_round(self.folder, numbers, self.options.limit, self.options.jobs, self.options.sbatch)
            else:
                self.do_here(numbers)

    def merge(self):
        """Imports the counting attempt of each job into the history, once per run. Returns False with a line on
        stderr."""
        database = self.options.db or self.folder + "/history.sqlite"
        folders = ["%s/%s" % (job.job_folder(self.folder, n), done["attempt"]) for n in range(len(self.jobs))
                   if (done := job.outcome(self.folder, n)) is not None and done["verdict"] != "BROKEN"]
        for first in range(0, len(folders), IMPORTS_AT_ONCE):
            words = [word for folder in folders[first:first + IMPORTS_AT_ONCE] for word in ("--import", folder)]
            done = subprocess.run([self.agpu, "history", "--db", database, "--results", self.folder + "/none", "--runs", *words],
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
            if done.returncode != 0 or done.stderr:
                say("results could not be added to %s: %s" % (database, (done.stderr or done.stdout).strip()))
                return False
        say("the results of %d jobs are in %s: agpu history --db FILE shows it" % (len(folders), database))
        return True

    def tell(self):
        """Prints the outcome and writes summary.json. Returns True if all is well."""
        done = [job.outcome(self.folder, n) for n in range(len(self.jobs))]
        count = {verdict: sum((one or {"verdict": "LOST"})["verdict"] == verdict for one in done)
                 for verdict in ("PASS", "FAIL", "BROKEN", "LOST")}
        repeated = sum(job.attempts(self.folder, n) > 1 for n in range(len(self.jobs)))
        bad = [n for n, one in enumerate(done) if one is None or one["verdict"] != "PASS"]
        for n in bad[:MISSES_SHOWN]:
            print("%-6s %s  %s" % (done[n]["verdict"] if done[n] else "LOST", self.jobs[n]["name"], job.job_folder(self.folder, n)))
        if len(bad) > MISSES_SHOWN:
            print("... and %d more: summary.json has all" % (len(bad) - MISSES_SHOWN))
        print("%d jobs: %d passed, %d failed, %d broken, %d lost; %d were begun more than once"
              % (len(done), count["PASS"], count["FAIL"], count["BROKEN"], count["LOST"], repeated))
        with open(self.folder + "/summary.json.part", "w", encoding="utf-8") as file:
            json.dump({**{verdict.lower(): value for verdict, value in count.items()}, "repeated": repeated,
                       "jobs": [{"name": self.jobs[n]["name"], "attempts": job.attempts(self.folder, n), **(one or {"verdict": "LOST"})}
                                for n, one in enumerate(done)]}, file, indent=1)
        os.rename(self.folder + "/summary.json.part", self.folder + "/summary.json")
        return not bad


def main():
    if sys.argv[1] == "--parse":  # only checks the words, before anything is built
        parse(sys.argv[2:])
        return 0
    root, build, out = sys.argv[1:4]
    options = parse(sys.argv[4:])
    try:
        text = planner.make(root, build, options, options.kinds)
        if options.list:
            for entry in json.loads(text)["jobs"]:
                print(entry["name"], *entry["command"])
            return 0
        campaign = Campaign(out, text, options, build + "/tests/host/agpu")
        campaign.do_all()
    except (planner.Unusable, slurm.Refused) as error:
        say(str(error))
        return 1
    except KeyboardInterrupt:
        say("interrupted: the same command continues" + (", also with the job array that waits" if options.slurm else ""))
        return 130
    merged = campaign.merge()
    return 0 if campaign.tell() and merged else 1


if __name__ == "__main__":
    sys.exit(main())
