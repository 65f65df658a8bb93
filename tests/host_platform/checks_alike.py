#!/usr/bin/python3
"""checks_alike.py AGPU_INPROCESS: a case makes the same checks whatever ran before it, in whatever order, alone or in a shard, and
however the clock runs. Compares checks= of the end records of the whole catalogue with those of other runs, for both
generations of the device."""
import concurrent.futures
import os
import re
import subprocess
import sys

END = re.compile(r"^[^;\n]*;end (\S+) status=(\w+) us=\d+ checks=(\d+)", re.MULTILINE)
SHARDS, ALONE_EVERY = 7, 40


def ends_of(*options):
    """{case: (status, checks)} of one run."""
    done = subprocess.run([sys.argv[1], "--records", *options], capture_output=True, text=True, errors="replace", timeout=200, check=False)
    ends = {case: (status, int(checks)) for case, status, checks in END.findall(done.stdout)}
    if done.returncode != 0 or not ends:
        bad = [case for case, (status, _) in ends.items() if status not in ("PASS", "SKIP")]
        sys.exit("checks_alike: agpu_inprocess %s: exit status %d, %d cases, expected 0 and some; failed: %s" % (
            " ".join(options), done.returncode, len(ends), " ".join(bad)))
    return ends


def differences(whole, other, same_clock):
    """Sentences. On the real clock a case may be skipped that lets minutes pass."""
    return ["%s: %s with %d checks in the whole run, %s with %d here" % (case, *whole[case], *other[case])
            for case in other
            if whole[case] != other[case] and (same_clock or "SKIP" not in (whole[case][0], other[case][0]))]


def main():
    assert differences({"a": ("PASS", 3)}, {"a": ("PASS", 4)}, False) and not differences({"a": ("SKIP", 0)}, {"a": ("PASS", 4)}, False)
    wrong = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for abi in "1.4", "legacy":
            device = ("--abi", abi)
            manual = device + ("--clock", "manual")
            whole = ends_of(*manual)
            wrong += ["%s passed without a check" % case for case, end in whole.items() if end == ("PASS", 0)]
            # One run with the other order of each pair of cases, and with the other clock.
            runs = [(device, ("--shuffle", "reverse"))]
            runs += [(manual, ("--shard", "%d/%d" % (shard, SHARDS), "--shuffle", "7")) for shard in range(1, SHARDS + 1)]
            runs += [(manual, ("--filter", case)) for case in sorted(whole)[::ALONE_EVERY] if whole[case][0] == "PASS"]
            for (first, more), other in zip(runs, pool.map(lambda run: ends_of(*run[0], *run[1]), runs)):
                wrong += [" ".join(first + more) + ": " + line for line in differences(whole, other, first == manual)]
    print("\n".join(wrong))
    sys.exit(bool(wrong))


main()
