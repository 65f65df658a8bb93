"""rows.py: the rows of verdict_test.py: Row(NAME, START, STATUS, WORDS, ...).

START is one of
  ("records", STREAM, OPTIONS...)   agpu report --serial of these records
  ("machine", STREAM, SCRIPT, OPTIONS...)   agpu run --machine, of a machine that bash is: SCRIPT, "cat records" when there is none
  ("agpu", "WORDS")                 agpu with these words
  ("inprocess", "WORDS")            agpu_inprocess with these words
  ("shell", "-c", SCRIPT)           bash, with $AGPU, $INPROCESS, $IMAGE and $SOURCE
STATUS is the exit status, WORDS are in the output or in summary.json."""
from kinds import (A, B, BAD_IDS, case, case_of_round, device, digest, GOOD, GOOD_IDS, IDS, inprocess, lines,
                   machine, NEW, numbered, OLD, one_per_boot, past, plan, records, refused, rerun, Row, skipped, summary)

ROWS = [
    # A good one: all others are refused for their contents, not for how they are started.
    records("good", 0, GOOD),
    records("good_skip", 1, plan(1) + case("ring.a", 1, "SKIP", " reason=x") + summary(0, skipped=1, status="SKIP"), '"verdict": "SKIP"'),
    # Records that are lost, cut, or contradictory.
    records("nothing", 1, "", "no case ran"),
    records("no_plan", 1, A + summary(1), "no plan record arrived"),
    records("no_summary", 1, plan(2) + A + B, "the records stop without a summary"),
    records("cut_in_a_case", 1, plan(2) + A + "start ring.b index=2\n", '"verdict": "CRASH"'),
    records("cut_in_a_line", 1, plan(2) + A + "start ring.b index=2\n=6,4,40"),
    records("empty_plan", 1, plan(0) + summary(0), "no case ran"),
    records("not_run", 1, plan(3) + A + B + summary(2), "1 of 3 planned cases never started"),
    records("lost_end", 1, plan(2) + "start ring.a index=1\n@3 start ring.b index=2\nend ring.b status=PASS us=1\n" + summary(2),
            "its end record never arrived"),
    records("lost_plan", 1, "@1 " + A + B + summary(2), "no plan record arrived"),
    records("lost_check", 1, plan(2) + "start ring.a index=1\n@3 end ring.a status=FAIL us=1 failed_checks=1\n" + B
            + summary(1, 1, status="FAIL"), '"verdict": "FAIL"'),
    records("more_than_planned", 1, plan(1) + A + B + summary(2), "2 cases ran, the plan has 1"),
    records("twice", 1, plan(2) + A + A + summary(2), "1 of 2 planned cases never started"),
    records("garbled", 1, plan(2) + A + "=6,3,9,-;start ring\x01.b in\n=6,4,9,-;end ri\n@5 " + summary(2)),
    records("unknown_status", 1, plan(1) + case("ring.a", 1, "FINE") + summary(1), '"verdict": "ERROR"'),
    records("failed_check", 1, plan(1) + "start ring.a index=1\ncheck ring.a expr=x file=f.c line=1 expected=1 actual=2\n"
            "end ring.a status=PASS us=1\n" + summary(1), '"verdict": "FAIL"'),
    records("fail", 1, plan(2) + A + case("ring.b", 2, "FAIL") + summary(1, 1, status="FAIL"), '"verdict": "FAIL"'),
    records("fail_and_pass_in_rounds", 1, plan(1) + case("ring.a", 1, "FAIL") + "start ring.a index=1 round=2\n"
            "end ring.a status=PASS us=1\n" + summary(1, 1), '"verdict": "FAIL"'),
    records("summary_passes", 1, plan(2) + A + case("ring.b", 2, "FAIL") + summary(1, 1), '"verdict": "FAIL"'),
    records("summary_is_worse", 1, plan(2) + A + B + summary(2, status="ERROR"), '"verdict": "ERROR"'),
    records("summary_counts_others", 1, plan(2) + A + B + summary(1, skipped=1), "the image counted 2 cases, 1 of them passed"),
    records("summary_of_one", 1, plan(2) + A + B + summary(1), "the image counted 1 cases"),
    records("restart", 1, GOOD + "=6,0,5,-;plan - count=2 format=2 build=b device=d", "started again"),
    records("exception", 1, plan(2) + A + "start ring.b index=2\n=!!!! X64 Exception Type - 0E(#PF - Page-Fault)  "
            "CPU Apic ID - 00000000 !!!!", "Page-Fault"),
    records("quarantine_expired", 1, plan(1) + case("ring.a", 1, "FAIL", ' quarantine=expired quarantine_until=20200101 reason=x')
            + summary(0, 1, status="FAIL"), '"verdict": "FAIL"'),
    # The same from a machine: its end counts too.
    machine("good", 0, GOOD_IDS, "cat records"),
    machine("stops", 1, plan(2) + case("ring.wrap.slots", 1), "cat records", "powered off before the summary"),
    machine("is_killed", 1, plan(2) + case("ring.wrap.slots", 1), "cat records; kill -KILL $$", "signal 9"),
    machine("fails", 1, plan(2) + case("ring.wrap.slots", 1), "cat records; exit 3", "exit status 3"),
    machine("is_silent", 1, plan(2) + "start ring.a index=1\n", "cat records; sleep 9", "no record, heartbeat included",
            more=("--silence", "0.2")),
    machine("does_not_boot", 1, "", "sleep 9", "no plan record within", more=("--boot-timeout", "0.2")),
    machine("takes_too_long", 1, plan(2) + A, "cat records; sleep 9", '"kind": "run_timeout"', more=("--timeout", "0.2")),
    machine("starts_again", 1, plan(2) + A, "cat records records", '"verdict": "CRASH"'),
    machine("is_resumed_for_ever", 1, plan(9) + "start ring.a index=1\n", "cat records; kill -SEGV $$", "restarted 1 times",
            more=("--restarts", "1")),
    machine("is_interrupted", 130, plan(2) + A, "cat records; kill -INT $PPID; sleep 9", '"verdict": "INTERRUPTED"'),
    machine("is_terminated", 143, GOOD_IDS.replace("summary", "log"), "cat records; kill -TERM $PPID; sleep 9", '"verdict": "INTERRUPTED"'),
    # A stranger on the network finishes a run that the machine did not.
    machine("a_stranger_passes", 1, plan(2) + A, "cat records; for text in '3,30,-,run=x.b1;start ring.b index=2' "
            "'4,40,-,run=x.b1;end ring.b status=PASS us=9' '5,50,-;%s'; do echo \"6,$text\" >/dev/udp/127.0.0.1/$1; done; sleep 0.1"
            % summary(2).strip(), "datagrams without this run's token"),
    # The image ran with other words than agpu run wrote.
    *[machine("ran_with_other_" + name, status, plan(2, NEW + had) + IDS + summary(2), "cat records", said, more=asked.split(" "))
      for name, status, asked, had, said in (
        ("require", 1, "--require transfer", "", "ran with require=, expected require=transfer"),
        ("require_by_cfg", 1, "--cfg require=transfer", " require=default", "ran with require=default, expected require=transfer"),
        ("expect", 1, "--expect abi=legacy", "", "ran with expect=any, expected expect=abi=legacy"),
        ("allow_skips", 1, "--allow-skips 3", " allow_skips=all", "ran with allow_skips=all, expected allow_skips=3"),
        ("words_than_none", 0, "--require transfer --expect any,abi=1.4", " require=transfer expect=abi=1.4", '"verdict": "PASS"'))],
    # An image that cannot parse a line of agpu.cfg reports it and ends the run as ERROR.
    machine("configuration_not_understood", 1, 'log - level=error text="agpu.cfg line 3: no such key"\n' + plan(2) + IDS
            + summary(2, status="ERROR"), "cat records", "agpu.cfg line 3: no such key", '"verdict": "ERROR"'),
    # --failed-from requires the same device and machine.
    rerun("same", 1, "--cfg evidence=full", "--failed-from was", "with the options of was: agpu run", "--cfg evidence=full",
          '"filter": "ring.wrap.slots"'),
    rerun("same_words_again", 1, "--require none", "--failed-from was --require none --keep", '"filter": "ring.wrap.slots"'),
    rerun("never_started", 1, "--filter ring.wrap.slots,ring.submit.empty", "--failed-from was",
          '"filter": "ring.submit.empty,ring.wrap.slots"', bad=plan(2) + case("ring.submit.empty", 1, "FAIL")),
    rerun("never_started_unknown", 1, "", "--failed-from was", "2 cases of was never started", "do not name them",
          '"filter": "ring.submit.empty"', bad=plan(3) + case("ring.submit.empty", 1, "FAIL")),
    rerun("none_is_known", 2, "", "--failed-from was", "2 cases of was never started", "do not name them",
          bad=plan(3) + case("ring.submit.empty", 1)),
    rerun("nothing_failed", 2, "", "--failed-from good", "no case failed in good"),
    rerun("no_results", 2, "", "--failed-from none", "no results in none"),
    rerun("other_cfg", 2, "", "--failed-from was --cfg evidence=full", "did not have it"),
    rerun("other_require", 2, "--require none", "--failed-from was --require default", "did not have it"),
    rerun("other_abi", 2, "", "--failed-from was --abi 1.0", "did not have it"),
    rerun("other_device", 2, "", "--failed-from was --device model", "did not have it"),
    rerun("other_fault", 2, "", "--failed-from was --fault copy_drops_tail", "did not have it"),
    rerun("other_words", 2, "", "--failed-from was -- -smp 2", "had other words for QEMU"),
    rerun("not_by_agpu_run", 2, "", "--failed-from listened", "does not have its options"),
    Row("rerun.device_is_gone", ("shell", "-c", "mkdir was; cp results.jsonl summary.json was; exec $AGPU run --image $IMAGE "
                                 "--failed-from was --out out"), 2, ("gone.so: cannot open", "cannot be created"), False,
        files={"results.jsonl": lines(BAD_IDS), "summary.json": '{"commands": {"words": ["--device", "./gone.so"]}}'}),
    Row("rerun.fault_is_gone", ("shell", "-c", "mkdir was; cp results.jsonl summary.json was; exec $AGPU run --image $IMAGE "
                                "--failed-from was --out out"), 2, ("the fault gone",), False,
        files={"results.jsonl": lines(BAD_IDS), "summary.json": '{"commands": {"words": ["--fault", "gone"]}, '
                                                                '"environment": {"fault": "gone"}}'}),
    Row("rerun.fault_is_in_no_word", ("shell", "-c", "mkdir was; cp results.jsonl summary.json was; exec $AGPU run --image $IMAGE "
                                     "--failed-from was --out out"), 2, ('device with the fault "copy_bytes"',), False,
        files={"results.jsonl": lines(BAD_IDS), "summary.json": '{"commands": {"words": []}, "environment": {"fault": "copy_bytes"}}'}),
    Row("rerun.no_such_folder", ("shell", "-c", "exec $SOURCE/tests/run --rerun-failed ./none"), 2, ("no results in ./none",)),
    # A full disk: the reports that can be written show ERROR.
    Row("disk.html", ("shell", "-c", 'ulimit -f 8; trap "" XFSZ; $AGPU report --serial records --out out >said; status=$?; cat said; '
                      'grep -q "report  " said || exit $status'), 1,
        ("report.html could not be written: File too large", '"verdict": "ERROR"'), True, files={"records": numbered(GOOD)}),
    Row("disk.junit", ("shell", "-c", "mkdir -p out/junit.xml.part; exec $AGPU report --serial records --out out"), 1,
        ("junit.xml could not be written: File exists", '"verdict": "ERROR"'), True, files={"records": numbered(GOOD)}),
    Row("disk.name", ("shell", "-c", "mkdir -p out/metrics.csv; $AGPU report --serial records --out out; status=$?; "
                      "rmdir out/metrics.csv; exit $status"), 1,
        ("metrics.csv could not be written: Is a directory", '"verdict": "ERROR"'), True, files={"records": numbered(GOOD)}),
    Row("disk.stale_junit", ("shell", "-c", "$AGPU report --serial records --out out; mkdir out/junit.xml.part; "
                             "$AGPU report out; status=$?; test ! -e out/junit.xml || exit 9; exit $status"), 1,
        ("junit.xml could not be written",), True, files={"records": numbered(GOOD)}),
    Row("disk.said_again", ("shell", "-c", "mkdir -p out/junit.xml.part; $AGPU report --serial records --out out; rmdir out/junit.xml.part; "
                            "exec $AGPU report out"), 1,
        ("junit.xml could not be written",), True, files={"records": numbered(GOOD)}),
    # Skips are accepted by their code, from the host's own table.
    records("skip_acceptable", 0, plan(2) + A + skipped(2, "functions") + summary(1, skipped=1, more=" untried=0"), '"skip": "functions"'),
    records("skip_reworded", 1, plan(2) + A + skipped(2, "no_depth", "a machine that (not required) (model choice)")
            + summary(1, skipped=1, status="SKIP", more=" untried=1"), '"verdict": "SKIP"'),
    records("skip_without_code", 1, plan(2) + A + skipped(2) + summary(1, skipped=1), "the image reports PASS, but 1 of 2"),
    records("skip_of_unknown_code", 1, plan(2) + A + skipped(2, "because") + summary(1, skipped=1), "the image reports PASS"),
    records("skip_allowed_by_the_image", 1, plan(2) + A + skipped(2, "no_depth", more=" allowed=1") + summary(1, skipped=1),
            "the image reports PASS"),
    records("skip_allowed_by_configuration", 0, plan(2, " allow_skips=no_depth") + A + skipped(2, "no_depth") + summary(1, skipped=1)),
    records("skip_allowed_by_number", 0, plan(2, " allow_skips=1") + A + skipped(2, "no_depth") + summary(1, skipped=1, more=" untried=1")),
    records("skip_blocked", 1, plan(2, " allow_skips=all") + A + skipped(2, "functions", more=" blocked_by=fence")
            + summary(1, skipped=1), "the image reports PASS"),
    records("skip_blocked_by_number", 1, plan(2, " allow_skips=1") + A + skipped(2, "blocked", more=" blocked_by=fence")
            + summary(1, skipped=1, more=" untried=1"), "the image reports PASS"),
    records("skip_without_code_by_number", 1, plan(2, " allow_skips=1") + A + skipped(2) + summary(1, skipped=1, more=" untried=1"),
            "the image reports PASS"),
    records("skip_counted_by_the_image", 1, plan(2) + A + B + summary(2, more=" untried=2"), "counted 2 cases that could not be run, 0 are known"),
    records("skip_old_device", 1, plan(2, OLD) + A + skipped(2, "abi") + summary(1, skipped=1), "the image reports PASS"),
    records("skip_old_device_expected", 0, plan(2, OLD + " expect=abi=1.0") + A + skipped(2, "abi") + summary(1, skipped=1, more=" untried=0")),
    records("skip_all", 1, plan(2) + case("ring.a", 1, "SKIP", " skip=functions") + skipped(2, "functions") + summary(0, skipped=2),
            "the image reports PASS, but 0 of 2"),
    records("skip_all_owned_up", 1, plan(1) + case("ring.a", 1, "SKIP", " skip=functions") + summary(0, skipped=1, status="SKIP"),
            '"verdict": "SKIP"'),
    records("skip_with_failed_check", 1, plan(2) + A + "start ring.b index=2\ncheck ring.b expr=x file=f.c line=1 expected=1 actual=2\n"
            "end ring.b status=SKIP us=1 skip=functions\n" + summary(1, skipped=1), '"verdict": "FAIL"'),
    # The device does not choose its own expectations.
    records("feature_missing", 1, plan(2, " require=transfer missing=transfer") + A + B + summary(2), "required features are missing: transfer"),
    records("expect_met", 0, plan(2, OLD + " expect=abi=1.0") + A + B + summary(2)),
    records("expect_another", 1, plan(2, OLD + " expect=abi=1.4") + A + B + summary(2), "expected a device of abi=1.4, found ABI 1.0"),
    records("expect_older", 1, plan(2, NEW + " expect=abi=1.3") + A + B + summary(2), "found ABI 1.4"),
    records("expect_nothing", 1, plan(2, OLD) + A + B + summary(2, status="SKIP"), "the device has ABI 1.0"),
    records("expect_any", 1, plan(2, OLD + " expect=any") + A + B + summary(2), "the device has ABI 1.0"),
    records("expect_nothing_of_the_newest", 0, plan(2, NEW) + A + B + summary(2)),
    records("expect_legacy", 1, plan(2, NEW + " expect=abi=legacy") + A + B + summary(2), "expected a device of abi=legacy"),
    records("expect_of_an_unknown_abi", 1, plan(2, " expect=abi=1.4") + A + B + summary(2), "found ABI unknown"),
    records("expect_of_all_together", 0, device("00:03.0", "d", " expect=abi=1.4") + device("together", None, " expect=abi=1.4") + summary(2)),
    records("expect_of_two_devices", 1, device("00:03.0", "d", " expect=abi=1.4") + device("00:04.0", "old", " expect=abi=1.4")
            + summary(2), "found ABI 1.0"),
    # The cases that ran must be those of the plan.
    records("plan_shrinks", 1, plan(3) + A + plan(2) + B + summary(2), 'one plan record has count="3", a later one "2"'),
    # A later boot does not undo an earlier one.
    *[one_per_boot("plan_changes_" + name, first, second, said) for name, first, second, said in (
        ("abi", OLD + " expect=abi=1.0", NEW + " expect=abi=1.0", 'has abi="1.0", a later one "1.4"'),
        ("expect", NEW + " expect=abi=1.4", NEW, 'has expect="abi=1.4", a later one "any"'),
        ("missing", " missing=transfer", "", "required features are missing: transfer"),
        ("require", " require=default", " require=none", 'has require="default", a later one "none"'),
        ("allow_skips", "", " allow_skips=all", 'has allow_skips="", a later one "all"'),
        ("digest", " digest=1", " digest=%d" % digest("ring.wrap.slots", "ring.submit.empty"), 'has digest="1", a later one'))],
    one_per_boot("passes", "", "", '"verdict": "PASS"', status=0),
    one_per_boot("summary_of_an_earlier_boot", "", "", '"verdict": "FAIL"', first_status="FAIL"),
    records("summary_of_an_earlier_plan", 1, GOOD.replace("status=PASS passed", "status=FAIL passed") + summary(2), '"verdict": "FAIL"'),
    records("plan_digest", 0, plan(2, " digest=%d" % digest("ring.a", "ring.b")) + A + B + summary(2)),
    records("plan_has_other_names", 1, plan(2, " digest=%d" % digest("ring.a", "ring.c")) + A + B + summary(2),
            "differ from those in the plan"),
    records("index_after_the_last", 1, plan(2) + A + case("ring.b", 3) + summary(2), "ring.b started with index 3, the plan has 2 cases"),
    records("index_of_two_cases", 1, plan(2) + A + case("ring.b", 1) + summary(2), "started with the same index 1"),
    records("index_changes", 1, plan(2) + A + "start ring.a index=2\nend ring.a status=PASS us=1\n" + B + summary(2), "with index 1 and with index 2"),
    records("index_in_rounds", 0, plan(2) + case_of_round("ring.a", 1, 1) + case_of_round("ring.b", 2, 1) + case_of_round("ring.b", 1, 2)
            + case_of_round("ring.a", 2, 2) + summary(4)),
    inprocess("require_whatever_the_filter", 1, "--abi 1.0 --require transfer --filter buffer.copy.*", "missing=transfer",
              "status=FAIL us=0 checks=0 reason=\"TRANSFER is required of this device"),
    inprocess("require_of_a_case_that_needs_it_not", 1, "--abi 1.0 --require transfer --filter ring.submit.empty", "passed=1 skipped=0"),
    inprocess("require_of_another_shard", 1, "--abi 1.4-cursor --shard 1/1000", "missing=cursor", "status=FAIL passed=2 skipped=0"),
    inprocess("require_of_a_run_that_draws_nothing", 1, "--abi 1.0 --require default,shaders --filter ring.wrap.*",
              "drawing is required of this device", "status=FAIL passed=5 skipped=0"),
    inprocess("require_of_a_run_that_only_asks", 1, "--device model,render=off --filter render.refused.index_format",
              "drawing is required of this device", "status=FAIL passed=1 skipped=0"),
    inprocess("rounds_of_a_case_that_uses_the_device_up", 0, "--abi legacy --repeat 2 --filter fence.legacy.never_wraps,ring.legacy.*",
              "skip=last"),
    inprocess("expect_our_model", 0, "--abi 1.0 --filter ring.submit.*", "expect=abi=1.0"),
    inprocess("expect_any_of_an_old_one", 1, "--abi 1.0 --expect any --filter ring.submit.*", "status=SKIP passed="),
    inprocess("expect_another_abi", 1, "--abi 1.3 --expect abi=1.4 --filter ring.submit.*", "found ABI 1.3"),
    inprocess("expect_legacy", 0, "--abi legacy --filter ring.legacy.*", "expect=abi=legacy"),
    inprocess("expect_wrong_word", 2, "--expect abi=1.5", "expected abi=1.0 to abi=1.4"),
    inprocess("expect_of_more_devices", 2, "--expect abi=1.4,abi=1.0", "found 2 words for 1"),
    inprocess("allow_skips_wrong_word", 2, "--allow-skips no_dept", "expected all, a number of skips"),
    # Words that would have been ignored.
    refused("expect", "--expect abi=1.9", "expected abi=1.0 to abi=1.4"),
    refused("expect_of_more_devices", "--expect abi=1.4,abi=1.0", "found 2 words for 1"),
    refused("expect_of_more_devices_by_cfg", "--devices 2 --cfg expect=any,any,any", "found 3 words for 2"),
    refused("allow_skips", "--allow-skips no_dept", "the nearest: no_depth"),
    refused("allow_skips_glob", "--allow-skips *", "expected all, a number of skips"),
    refused("require", "--require none,shadrs", "the nearest: shaders"),
    refused("repeat", "--repeat 1O0", "expected 0..1000000 rounds"),
    refused("trace", "--trace clals", "the nearest: calls"),
    refused("shuffle", "--shuffle x", "expected 0..4294967295"),
    refused("cfg_key", "--cfg fliter=ring.*", "the nearest: filter"),
    refused("cfg_value", "--cfg at_end=poweroof", "the nearest: poweroff"),
    refused("cfg_filter", "--cfg filter=rong.*", "the nearest: ring.*"),
    refused("cfg_control", "--cfg control=wait", "expected key= beside it"),
    refused("abi", "--abi 9.9", "the nearest: 1."),
    refused("abi_feature", "--abi 1.4-cusror", "expected 1.0 to 1.4"),
    refused("device_not_there", "--device ./nope.so", "./nope.so: cannot open"),
    refused("device_option", "--device model,abi=9", 'option "abi=9"'),
    refused("device_behind_another", "--device model --device ./nope.so", "./nope.so: cannot open"),
    refused("fault", "--fault copy_drop_tail", "the nearest: copy_drops_tail"),
    refused("filter", "--filter rong.*", "the nearest: ring.*"),
    refused("filter_one_of_two", "--filter ring.*,rong.*", 'no case for a versioned device matches "rong.*"'),
    refused("filter_unwanted", "--filter ring.*,!rong.*", 'no case matches "rong.*"'),
    refused("filter_bare", "ring.wrap.slost", "ring.wrap.slots"),
    refused("filter_of_the_other_generation", "--abi legacy --filter ring.*,legacy.*", "the nearest"),
    refused("tag", "--tag quik", "expected tags"),
    refused("shard", "--shard 3/2", "expected I/N"),
    refused("shard_of_none", "--filter ring.wrap.slots --shard 2/2", "matches filter, tags and shard together"),
    refused("budget", "--budget register_raed_ns_p50<=9", "the nearest: register_read_ns_p50"),
    refused("quarantine", "--quarantine nope", "nope: No such file"),
    refused("option", "--reqiure none", "unrecognized option"),
    Row("inprocess.filter", ("inprocess", "--filter ring.*,rong.*"), 2, ("the nearest: ring.*",)),
    Row("inprocess.abi", ("inprocess", "--abi 9.9"), 2, ("expected 1.0 to 1.4",)),
    Row("cfg.control", ("agpu", "cfg agpu.cfg control=on"), 1, ("expected key= beside it", "stays as it was"), files={"agpu.cfg": ""}),
    Row("cfg.unset_key", ("agpu", "cfg agpu.cfg --unset key"), 1, ("expected key= beside it",),
        files={"agpu.cfg": "control=wait\nkey=%064d\n" % 1}),
    Row("cfg.filter", ("agpu", "cfg agpu.cfg filter=rong.*"), 1, ("the nearest: ring.*",), files={"agpu.cfg": ""}),
    Row("cfg.check", ("agpu", "cfg agpu.cfg --check"), 1, ("agpu.cfg:1: no such key; the nearest: filter",),
        files={"agpu.cfg": "fliter=ring.*\n"}),
    # Past runs.
    past("compare_gone", 1, plan(2) + A + B + summary(2), plan(1) + A + summary(1), "compare-runs a b", "1 only in the first"),
    past("compare_new", 0, plan(1) + A + summary(1), plan(2) + A + B + summary(2), "compare-runs a b", "1 only in the second"),
    past("compare_worse", 1, GOOD, GOOD.replace("ring.b status=PASS", "ring.b status=FAIL"), "compare-runs a b", "1 worse"),
    past("fault_is_hidden", 0, GOOD, GOOD, "history --results . --runs", "1 runs, the last ones",
         "1 runs of devices with a deliberate fault (--fault) are not among these", fault="copy_drops_tail"),
]
