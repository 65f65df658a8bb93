#!/usr/bin/python3
"""job.py CAMPAIGN NUMBER: one attempt at one job of a campaign, here or on a node of a cluster. The caller reads
the outcome from CAMPAIGN/jobs/NUMBER/outcome; without that file the job is not done. The first attempt to end creates
it, and no other can: nothing counts twice, even if an attempt that seemed lost ends after all."""
import json
import os
import signal
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import results  # noqa: E402

REPORT_S = 300
# A job ended by one of these signals has no answer. One that ended itself, by a fault in its memory, has.
FROM_OUTSIDE = (signal.SIGHUP, signal.SIGINT, signal.SIGKILL, signal.SIGTERM, signal.SIGXCPU)


def job_folder(campaign, number):
    return "%s/jobs/%04d" % (campaign, number)


def outcome(campaign, number):
    """Returns the outcome of the job, or None."""
    try:
        with open(job_folder(campaign, number) + "/outcome", encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def attempts(campaign, number):
    """Returns the number of attempts so far."""
    try:
        return sum(name.startswith("attempt.") for name in os.listdir(job_folder(campaign, number)))
    except FileNotFoundError:
        return 0


def begin(campaign, number):
    """Makes a directory of this attempt's own."""
    count = attempts(campaign, number)
    while True:
        count += 1
        folder = "%s/attempt.%d" % (job_folder(campaign, number), count)
        try:
            os.makedirs(folder)
            return folder
        except FileExistsError:
            pass


def run(command, limit_s, environment, log):
    """Runs the command. Returns its exit status, above 128 for a crash; None: killed, or out of time. The command
    does not outlive this process."""
    with open(log, "wb") as output:
        child = subprocess.Popen(["setpriv", "--pdeathsig", "KILL", "--", *command], stdin=subprocess.DEVNULL, stdout=output,
                                 stderr=subprocess.STDOUT, start_new_session=True, env={**os.environ, **environment})

        def stop(*_):
            os.killpg(child.pid, signal.SIGKILL)
            os._exit(1)
        signal.signal(signal.SIGTERM, stop)
        try:
            status = child.wait(timeout=limit_s)
        except subprocess.TimeoutExpired:
            output.write(b"campaign: killed after %d s: --limit\n" % limit_s)
            os.killpg(child.pid, signal.SIGKILL)
            status = child.wait()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    ended_by = -status if status < 0 else status - 128
    return None if ended_by in FROM_OUTSIDE else status if status >= 0 else 128 + ended_by


def collect(job, build, folder, status, started, log):
    """Makes a result directory of the job's output. Returns its verdict."""
    seconds = time.time() - started
    good = status == 0
    if "report" in job:
        words = [word.replace("{out}", folder).replace("{log}", log) for word in job["report"]]
        with open(folder + "/report.log", "wb") as said:
            report = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT, timeout=REPORT_S, check=False)
        # A program that a device ends with status 0 has not passed: its records decide.
        good = good and report.returncode == 0
    elif job["kind"] == "mutate" and os.path.exists(folder + "/mutate.json"):
        good = results.write(folder, "defects of the model", build, results.cases_of_mutation(folder), started, seconds) and good
    elif job["kind"] == "fuzz":
        with open(log, encoding="utf-8", errors="replace") as file:
            found = results.case_of_fuzzing(job["name"], status, seconds, file.read())
        results.write(folder, "fuzz targets", build, found, started, seconds)
    if status > 1 or not os.path.exists(folder + "/results.jsonl"):
        return "BROKEN"
    if job.get("setting"):
        results.set_environment(folder, job["setting"])
    return "PASS" if good else "FAIL"


def main(campaign, number):
    with open(campaign + "/plan.json", encoding="utf-8") as file:
        plan = json.load(file)
    job = plan["jobs"][number]
    if outcome(campaign, number) is not None:
        return 0
    folder = begin(campaign, number)
    log, started = folder + "/log", time.time()
    status = run([word.replace("{out}", folder) for word in job["command"]], job["limit_s"], job.get("environment", {}), log)
    if status is None:
        return 1
    try:
        verdict = collect(job, plan["build"], folder, status, started, log)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, ArithmeticError, subprocess.SubprocessError) as error:
        with open(folder + "/report.log", "a", encoding="utf-8") as said:
            said.write("campaign: no results can be made of the job's output: %r\n" % error)
        verdict = "BROKEN"
    with open(folder + "/outcome", "w", encoding="utf-8") as file:
        json.dump({"verdict": verdict, "status": status, "attempt": os.path.basename(folder), "host": os.uname().nodename,
                   "seconds": round(time.time() - started, 3)}, file)
        file.flush()
        os.fsync(file.fileno())
    try:
        os.link(folder + "/outcome", job_folder(campaign, number) + "/outcome")
    except FileExistsError:
        pass  # another attempt was first
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2])))
