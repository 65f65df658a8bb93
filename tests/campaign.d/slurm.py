"""slurm.py: rounds of jobs as job arrays of Slurm."""
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ARRAY_MAX = 1000  # Slurm's MaxArraySize is 1001 by default
STATE = "slurm.arrays"


class Refused(Exception):
    """Slurm refused or failed; the text says why."""


def ask(*words):
    """Runs a client of Slurm. Returns exit status, standard output, standard error."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    except FileNotFoundError as error:
        raise Refused("there is no %s here: --slurm needs Slurm's client programs (Debian: slurm-client)" % words[0]) from error
    return done.returncode, done.stdout.strip(), done.stderr.strip()


def submit(campaign, numbers, limit_s, at_once, words):
    """Submits one array for these jobs. Returns its number. A node that fails returns its job to the queue."""
    count = 1 + sum(name.startswith("array.") and name.endswith(".sh") for name in os.listdir(campaign))
    listed = "%s/array.%d" % (campaign, count)
    with open(listed, "w", encoding="utf-8") as file:
        file.write("".join("%d\n" % number for number in numbers))
    with open(listed + ".sh", "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\nexec python3 %s %s \"$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" %s)\"\n"
                   % tuple(shlex.quote(path) for path in (HERE + "/job.py", campaign, listed)))
    status, number, said = ask("sbatch", "--parsable", "--job-name=agpu-campaign", "--requeue", "--chdir=" + campaign,
                               "--array=0-%d%s" % (len(numbers) - 1, "%%%d" % at_once if at_once else ""),
                               "--time=%d" % (limit_s // 60 + 2), "--output=%s/slurm-%%A_%%a.log" % campaign, *words, listed + ".sh")
    if status != 0:
        raise Refused("sbatch took no job: " + said)
    return number.partition(";")[0]


def wait(number, words):
    """Waits until nothing of the array runs or waits, however it ended: for a job that may start only then."""
    status, _, said = ask("sbatch", "--wait", "--quiet", "--job-name=agpu-campaign-end", "--dependency=afterany:" + number,
                          "--output=/dev/null", "--time=2", *words, "--wrap", "exit 0")
    if status != 0:
        raise Refused("waiting for job array %s failed: %s; the same command continues" % (number, said))


def is_known(number):
    """Returns whether anything of the array still runs or waits."""
    status, rows, said = ask("squeue", "--noheader", "--jobs=" + number, "--format=%i")
    if status != 0 and "Invalid job id" not in said: # Slurm has forgotten the array
        raise Refused("cannot query job array %s: squeue: %s; the same command tries again"
                      % (number, said or "status %d" % status))
    return status == 0 and rows != ""


def do_round(campaign, numbers, limit_s, at_once, words):
    """Submits all of them and waits until all have ended. Stores the numbers of submitted arrays, so that a call
    after an interrupt continues with those instead of submitting the same again."""
    state = "%s/%s" % (campaign, STATE)
    arrays = []
    if os.path.exists(state):
        with open(state, encoding="utf-8") as file:
            arrays = [number for number in file.read().split() if is_known(number)]
    if arrays:
        print("tests/campaign: continues with job array %s" % " ".join(arrays), file=sys.stderr)
    else:
        for first in range(0, len(numbers), ARRAY_MAX):
            arrays.append(submit(campaign, numbers[first:first + ARRAY_MAX], limit_s, at_once, words))
            with open(state, "w", encoding="utf-8") as file:
                file.write(" ".join(arrays) + "\n")
        print("tests/campaign: job array %s for %d jobs; scancel %s ends it" % (" ".join(arrays), len(numbers), " ".join(arrays)),
              file=sys.stderr)
    for number in arrays:
        wait(number, words)
    os.remove(state)
