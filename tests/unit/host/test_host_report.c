/* test_host_report.c: the reports: each format stays valid, whatever bytes a broken device or image puts into a
 * text. */
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <jansson.h>

#include "tests/host/json_out.h"
#include "tests/host/report/artifacts.h"
#include "tests/host/report/record_json.h"
#include "tests/host/report/report.h"
#include "tests/host/run/guest_config.h"
#include "tests/host/run/run_options.h"
#include "tests/host/run/qemu_args.h"
#include "tests/host/run/tpm.h"
#include "tests/host/report/text.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/report/report_ktap.h"
#include "tests/unit/test.h"

static struct agpu_run run;
static struct agpu_source_stats stats;
static struct agpu_gaps gaps;
static struct agpu_report report;
static struct agpu_parsed_record record;
static char *text;

static void say(uint64_t seq, const char *line)
{
    assert_null(agpu_record_parse(line, strlen(line), &record));
    agpu_run_record(&run, &record, 0, seq, seq * 1000);
}

static int setup(void **state)
{
    (void)state;
    agpu_run_init(&run);
    memset(&gaps, 0, sizeof gaps);
    report = (struct agpu_report){.run = &run,
                                  .stats = &stats,
                                  .gaps = &gaps,
                                  .wall_s = 2.5,
                                  .boot_to_entry_s = 1.5,
                                  .entry_to_first_record_s = -1,
                                  .started_at = 86400};
    say(0, "plan - count=4 format=2 build=b device=\"<d & \\\"e\\\"\\xff>\"");
    say(1, "start ring.a index=1");
    say(2, "check ring.a expr=\"a < b && \\\"c\\\"\" file=f.c line=3 expected=\"\\x1b[2J\" actual=\"]]>\"");
    say(3, "end ring.a status=FAIL us=1500000 reason=\"a < b && \\\"c\\\"\"");
    say(4, "start ring.b index=2");
    say(5, "end ring.b status=PASS us=1");
    say(6, "start fence.a index=3");
    say(7, "end fence.a status=SKIP us=1 reason=\"no #1 & <x>\"");
    say(8, "start fence.b index=4");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    agpu_run_free(&run);
    free(text);
    text = NULL;
    return 0;
}

static void write_with(bool (*writer)(FILE *out, const struct agpu_report *report))
{
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_true(writer(out, &report));
    fclose(out);
}

static void conclude(void)
{
    agpu_run_end(&run, AGPU_ENDING_DEVICE_DIED, "device model ended: signal 9");
    agpu_run_conclude(&run, 9000000);
}

FIXTURE(setup, teardown);

TEST(junit)
{
    conclude();
    write_with(agpu_report_junit);
    static const char expected[] =
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        "<testsuites name=\"agpu\" tests=\"5\" failures=\"1\" errors=\"2\" skipped=\"1\" "
        "time=\"10.492002\">\n"
        "  <testsuite name=\"run\" timestamp=\"1970-01-02T00:00:00\" tests=\"1\" failures=\"0\" errors=\"1\" "
        "skipped=\"0\" time=\"0.000000\">\n"
        "    <properties>\n"
        "      <property name=\"build\" value=\"b\"/>\n"
        "      <property name=\"device\" value=\"&lt;d &amp; &quot;e&quot;\\xff&gt;\"/>\n"
        "    </properties>\n"
        "    <testcase classname=\"run\" name=\"run.complete\" time=\"0\">\n"
        "      <error type=\"CRASH\" message=\"device model ended: signal 9\"/>\n"
        "      <system-err>device model ended: signal 9\n"
        "no summary record arrived\n"
        "</system-err>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"ring\" timestamp=\"1970-01-02T00:00:00\" tests=\"2\" failures=\"1\" "
        "errors=\"0\" "
        "skipped=\"0\" time=\"1.500001\">\n"
        "    <testcase classname=\"ring\" name=\"ring.a\" time=\"1.500000\">\n"
        "      <failure type=\"FAIL\" message=\"a &lt; b &amp;&amp; &quot;c&quot;: expected \\x1b[2J, actual "
        "]]&gt; "
        "(f.c:3)\">a &lt; b &amp;&amp; &quot;c&quot;: expected \\x1b[2J, actual ]]&gt; (f.c:3)\n"
        "</failure>\n"
        "    </testcase>\n"
        "    <testcase classname=\"ring\" name=\"ring.b\" time=\"0.000001\"/>\n"
        "  </testsuite>\n"
        "  <testsuite name=\"fence\" timestamp=\"1970-01-02T00:00:00\" tests=\"2\" failures=\"0\" "
        "errors=\"1\" "
        "skipped=\"1\" time=\"8.992001\">\n"
        "    <testcase classname=\"fence\" name=\"fence.a\" time=\"0.000001\">\n"
        "      <skipped message=\"no #1 &amp; &lt;x&gt;\"/>\n"
        "    </testcase>\n"
        "    <testcase classname=\"fence\" name=\"fence.b\" time=\"8.992000\">\n"
        "      <error type=\"CRASH\" message=\"device model ended: signal 9\"/>\n"
        "    </testcase>\n"
        "  </testsuite>\n"
        "</testsuites>\n";
    assert_string_equal(text, expected);
}

TEST(ktap)
{
    conclude();
    write_with(agpu_report_ktap);
    static const char expected[] = "KTAP version 1\n"
                                   "# build b\n"
                                   "# device <d & \"e\"\\xff>\n"
                                   "# device model ended: signal 9\n"
                                   "# no summary record arrived\n"
                                   "# not run: 1 because no #1 & <x>\n"
                                   "1..5\n"
                                   "# a < b && \"c\": expected \\x1b[2J, actual ]]> (f.c:3)\n"
                                   "not ok 1 ring.a\n"
                                   "ok 2 ring.b\n"
                                   "ok 3 fence.a # SKIP no  1 & <x>\n"
                                   "not ok 4 fence.b # ERROR CRASH: device model ended: signal 9\n"
                                   "not ok 5 run.complete # ERROR device model ended: signal 9\n"
                                   "# Totals: pass:1 fail:1 xfail:0 xpass:0 skip:1 error:2\n";
    assert_string_equal(text, expected);
}

TEST(summary)
{
    say(9, "metric ring.a name=t value=5 unit=us");
    say(10, "metric ring.b name=t value=6 unit=us");
    say(11, "metric ring.b name=many value=1 unit=us");
    say(12, "metric ring.b name=many value=3.5 unit=us");
    gaps = (struct agpu_gaps){.count = 1, .missing = 2, .list = {{.boot = 0, .first = 4, .last = 5}}};
    agpu_report_environment(&report, "host", "%s", "a\xff");
    agpu_report_environment(&report, "abi", "%s", "");
    conclude();
    write_with(agpu_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(root);
    static const struct {
        const char *key;
        int value;
    } counts[] = {{"passed", 1},   {"failed", 1},  {"errors", 0}, {"skipped", 1},
                  {"timeouts", 0}, {"crashed", 1}, {"total", 4},  {"not_run", 0}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        assert_int_equal(json_integer_value(json_object_get(root, counts[i].key)), counts[i].value);
    }
    assert_true(json_real_value(json_object_get(root, "wall_s")) == 2.5);
    assert_true(json_is_null(json_object_get(root, "entry_to_first_record_s")));
    const json_t *metrics = json_object_get(root, "metrics");
    assert_int_equal(json_integer_value(json_object_get(metrics, "t")), 5);
    assert_int_equal(json_integer_value(json_object_get(metrics, "ring.b.t")), 6);
    assert_int_equal(json_integer_value(json_object_get(metrics, "many_p50")), 1);
    assert_true(json_real_value(json_object_get(metrics, "many_p99")) == 3.5);
    const json_t *environment = json_object_get(root, "environment");
    assert_string_equal(json_string_value(json_object_get(environment, "host")), "a\\xff");
    assert_string_equal(json_string_value(json_object_get(environment, "device")), "<d & \"e\"\\xff>");
    assert_null(json_object_get(environment, "abi"));
    assert_int_equal(json_integer_value(json_object_get(json_object_get(root, "gaps"), "missing")), 2);
    json_decref(root);
}

TEST(records_survive_json)
{
    static const char line[] = "log - level=info text=\"a\\x00\\xff\\\"\" n=-5 q=\"7\"";
    assert_null(agpu_record_parse(line, sizeof line - 1, &record));
    struct agpu_received received = {
        .seq = 3, .t_us = 4, .host_us = 105, .boot = 1, .source = AGPU_SOURCE_SERIAL, .record = &record};
    static char made[AGPU_RECORD_LINE_MAX];
    const size_t length = agpu_record_line(&received, 100, made);
    made[length - 1] = '\0'; /* replaces the newline */
    assert_string_equal(made,
                        "{\"seq\":3,\"t_us\":4,\"type\":\"log\",\"id\":\"-\",\"level\":\"info\","
                        "\"text\":\"a\\u0000\\\\xff\\\"\",\"n\":-5,\"q\":\"7\",\"boot\":1,\"via\":\"serial\","
                        "\"host_us\":5}");
    json_t *object = json_loads(made, JSON_ALLOW_NUL, NULL);
    assert_non_null(object);
    static struct agpu_parsed_record back;
    struct agpu_record_scratch scratch;
    struct agpu_received again;
    assert_null(agpu_record_from_json(object, &again, &back, &scratch));
    assert_int_equal(again.boot, 1);
    assert_int_equal(back.field_count, 4);
    assert_int_equal(agpu_record_field(&back, "n")->number, -5);
    assert_false(agpu_record_field(&back, "q")->is_number);
    json_object_del(object, "level");
    assert_non_null(agpu_record_from_json(object, &again, &back, &scratch));
    json_decref(object);
}

/* A line buffer has room for each record that can be parsed. A larger record is refused. */
TEST(lines_of_records_are_bounded)
{
    static char longest[AGPU_RECEIVED_TEXT_MAX], more[2 * AGPU_RECORD_LINE_MAX];
    static char room[AGPU_RECORD_LINE_MAX + 16];
    const struct agpu_received received = {.record = &record};
    const int used = snprintf(longest, sizeof longest, "log - level=info text=");

    memset(longest + used, 0xFF, sizeof longest - (size_t)used);
    assert_null(agpu_record_parse(longest, sizeof longest, &record));
    assert_true(agpu_record_line(&received, 0, room) > 5 * (sizeof longest - (size_t)used));
    memset(more, '\n', sizeof more);
    memset(room, 'x', sizeof room);
    record = (struct agpu_parsed_record){.type = AGPU_RECORD_LOG, .id = "-", .field_count = 1};
    record.fields[0] = (struct agpu_field){.key = "text", .text = more, .length = sizeof more};
    assert_int_equal(agpu_record_line(&received, 0, room), 0);
    for (size_t i = AGPU_RECORD_LINE_MAX; i < sizeof room; i++) {
        assert_int_equal(room[i], 'x');
    }
}

TEST(json_is_safe_where_it_stands)
{
    json_t *made = agpu_json_text("</script>&\x7f\xff\xe2\x80\xa8", 15);
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_true(agpu_json_page(made, out, JSON_ENCODE_ANY));
    assert_true(agpu_json_out(made, out, JSON_ENCODE_ANY));
    fclose(out);
    assert_string_equal(text, "\"\\u003c/script\\u003e\\u0026\\u007f\\\\xff\\u2028\""
                              "\"</script>&\\u007f\\\\xff\\u2028\"");
    json_decref(made);
}

TEST(knows_utf8)
{
    assert_int_equal(agpu_utf8_length("\xc3\xa4", 2), 2);
    assert_int_equal(agpu_utf8_length("\xe2\x82\xac", 3), 3);
    assert_int_equal(agpu_utf8_length("\xf0\x9f\x98\x80", 4), 4);
    assert_int_equal(agpu_utf8_length("\xc0\x80", 2), 0);         /* overlong */
    assert_int_equal(agpu_utf8_length("\xe0\x80\x80", 3), 0);     /* overlong */
    assert_int_equal(agpu_utf8_length("\xed\xa0\x80", 3), 0);     /* surrogate */
    assert_int_equal(agpu_utf8_length("\xf4\x90\x80\x80", 4), 0); /* past U+10FFFF */
    assert_int_equal(agpu_utf8_length("\xe2\x82", 2), 0);         /* truncated */
    size_t size;
    FILE *out = open_memstream(&text, &size);
    static const char raw[] = "\x1b[01;31mred\x1b[0m\x1b=\t\xc2\x9b\xff\xc3\xa4";
    agpu_text_write_console(out, raw, sizeof raw - 1);
    fclose(out);
    assert_string_equal(text, "red\\x09\\xc2\\x9b\\xff\xc3\xa4");
}

TEST(decodes_base64)
{
    unsigned char out[16];
    assert_int_equal(agpu_base64_decode("", 0, out), 0);
    assert_int_equal(agpu_base64_decode("aGVsbG8=", 8, out), 5);
    assert_memory_equal(out, "hello", 5);
    assert_int_equal(agpu_base64_decode("aA==", 4, out), 1);
    assert_int_equal(agpu_base64_decode("//++", 4, out), 3);
    assert_int_equal(agpu_base64_decode("aGVsbG8", 7, out), -1);
    assert_int_equal(agpu_base64_decode("a===", 4, out), -1);
    assert_int_equal(agpu_base64_decode("aA==aA==", 8, out), -1);
    assert_int_equal(agpu_base64_decode("a*==", 4, out), -1);
}

TEST(artifact_names_stay_in_the_folder)
{
    char name[256];
    assert_true(agpu_artifact_file_name("ring.a", "../../etc/passwd", name, sizeof name));
    assert_string_equal(name, "ring.a-.._.._etc_passwd");
    assert_true(agpu_artifact_file_name("-", "a b.png", name, sizeof name));
    assert_string_equal(name, "--a_b.png");
    char longest[300];
    memset(longest, 'a', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_false(agpu_artifact_file_name("x", longest, name, sizeof name));
}

TEST(artifacts_are_bounded)
{
    struct agpu_artifacts artifacts = {.folder = -1};
    static const char *const bad[] = {
        "artifact a name=n size=3 offset=1 data=AAAA",           /* past the end */
        "artifact a name=n size=99999999999 offset=0 data=AAAA", /* too large */
        "artifact a name=n size=3 offset=4 data=AAAA",
        "artifact a name=n size=3 offset=0 data=A",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(agpu_record_parse(bad[i], strlen(bad[i]), &record));
        assert_non_null(agpu_artifacts_add(&artifacts, &record));
    }
}

/* The JUnit test case of a case contains its log records, whatever their bytes, up to a limit. */
TEST(junit_logs)
{
    say(9, "log ring.b level=debug text=\"Map <handle>=3\"");
    say(10, "log - level=info text=\"of no case\"");
    say(11, "log ring.b level=debug text=\"two\\x0alines\"");
    say(12, "log ring.a level=debug text=\"failed\\x0a[[ATTACHMENT|/etc/passwd]]\"");
    for (uint64_t i = 0; i < 2000; i++) {
        say(13 + i, "log fence.b level=debug text=0123456789012345678901234567890123456789");
    }
    conclude();
    write_with(agpu_report_junit);
    assert_non_null(strstr(text, "name=\"ring.b\" time=\"0.000001\">\n"
                                 "      <system-out>Map &lt;handle&gt;=3\ntwo\nlines\n</system-out>\n"
                                 "    </testcase>\n"));
    assert_non_null(
        strstr(text, "</failure>\n      <system-out>failed\n[(ATTACHMENT|/etc/passwd]]\n</system-out>\n"));
    assert_non_null(strstr(text, "and 1201 more log records, in results.jsonl\n</system-out>"));
    assert_null(strstr(text, "of no case"));
}

/* Each report lists each choice of the device once. */
TEST(choices)
{
    say(9, "choice ring.b name=bad_tail value=\"work <dropped>\"");
    say(10, "choice ring.b name=bad_tail value=\"work <dropped>\"");
    say(11, "choice fence.b name=stale value=7");
    conclude();
    assert_int_equal(run.choice_count, 2);
    write_with(agpu_report_junit);
    assert_non_null(strstr(text, "<property name=\"choice.bad_tail\" value=\"work &lt;dropped&gt;\"/>\n"
                                 "      <property name=\"choice.stale\" value=\"7\"/>\n    </properties>\n"));
    free(text);
    write_with(agpu_report_ktap);
    assert_non_null(strstr(text, "# choice bad_tail: work <dropped>\n# choice stale: 7\n"));
    free(text);
    write_with(agpu_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *list = json_object_get(root, "choices");
    assert_int_equal(json_array_size(list), 2);
    const json_t *first = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(first, "id")), "ring.b");
    assert_string_equal(json_string_value(json_object_get(first, "name")), "bad_tail");
    assert_string_equal(json_string_value(json_object_get(first, "value")), "work <dropped>");
    json_decref(root);
}

TEST(not_tried)
{
    say(9, "end ring.b status=SKIP us=1 skip=bar1_map reason=\"a machine that maps BAR1\"");
    say(10, "end fence.b status=SKIP us=1 skip=blocked blocked_by=fence reason=\"blocked by fence: x\"");
    say(11, "end ring.a status=FAIL us=1 cause=fence reason=x");
    conclude();
    write_with(agpu_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    assert_int_equal(json_integer_value(json_object_get(root, "untried")), 2);
    const json_t *reasons = json_object_get(root, "skip_reasons");
    assert_int_equal(json_array_size(reasons), 3);
    const json_t *first = json_array_get(reasons, 0);
    assert_string_equal(json_string_value(json_object_get(first, "reason")), "a machine that maps BAR1");
    assert_int_equal(json_integer_value(json_object_get(first, "count")), 1);
    assert_true(json_is_true(json_object_get(first, "allowed")));
    assert_string_equal(json_string_value(json_object_get(json_array_get(reasons, 2), "blocked_by")),
                        "fence");
    const json_t *cause = json_array_get(json_object_get(root, "causes"), 0);
    assert_string_equal(json_string_value(json_object_get(cause, "cause")), "fence");
    assert_int_equal(json_integer_value(json_object_get(cause, "blocked")), 1);
    const json_t *failures = json_object_get(root, "failure_groups");
    assert_int_equal(json_array_size(failures), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(failures, 0), "blocked")), 1);
    json_decref(root);
}

/* A group is what most cases share, which need not be their first check; the place of a byte does not split it. */
TEST(groups_of_a_shared_check)
{
    say(9, "check ring.a expr=\"bytes: byte 0x14 looks like zero\" file=f.c line=3");
    say(10, "check fence.b expr=\"something of its own\" file=f.c line=4");
    say(11, "check fence.b expr=\"bytes: byte 0x1f\" file=f.c line=3");
    say(12, "end fence.b status=FAIL us=1 reason=x");
    conclude();
    write_with(agpu_report_json);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    const json_t *failures = json_object_get(root, "failure_groups");
    assert_int_equal(json_array_size(failures), 1);
    assert_int_equal(json_integer_value(json_object_get(json_array_get(failures, 0), "count")), 2);
    json_decref(root);
}

TEST(config_text)
{
    struct agpu_run_options options = {.filter = "ring.*",
                                       .require = "default,-vblank",
                                       .expect = "abi=1.3",
                                       .allow_skips = "no_depth,3",
                                       .trace = "calls,caps",
                                       .cfg = {"ip=10.0.2.15/24", "x={udp-port}y"},
                                       .cfg_count = 2};
    text = agpu_run_config_text(&options, 4711, "ring.a");
    assert_string_equal(
        text,
        "# written by agpu run\nnetconsole=+6665@/,4711@10.0.2.2/\nstream=on\nserial=spare\nfilter=ring.*\n"
        "require=default,-vblank\nexpect=abi=1.3\nallow_skips=no_depth,3\n"
        "trace=calls,caps\nresume=0\nat_end=poweroff\nip=10.0.2.15/24\nx=4711y\nafter=ring.a\n");
}

/* A machine whose debug console the host reads gets serial=spare, unless the user sets serial=, control is on, or the
 * machine is the user's own command. */
TEST(config_text_of_serial)
{
    struct agpu_run_options options = {.cfg = {"serial=auto"}};
    text = agpu_run_config_text(&options, 0, NULL);
    assert_non_null(strstr(text, "\nserial=spare\n"));
    free(text);
    options.cfg_count = 1;
    text = agpu_run_config_text(&options, 0, NULL);
    assert_null(strstr(text, "serial=spare"));
    free(text);
    options.cfg_count = 0;
    options.ctl = "on";
    text = agpu_run_config_text(&options, 0, NULL);
    assert_null(strstr(text, "serial=spare"));
    free(text);
    options.ctl = NULL;
    options.machine = "true";
    text = agpu_run_config_text(&options, 0, NULL);
    assert_null(strstr(text, "serial=spare"));
}

/* Each report names the expected device profile, if the image states it. */
TEST(judged_as)
{
    say(9, "plan - count=4 format=2 build=b device=\"A3A0:0001 00:03.0 abi=1.4 features=0x3f\" judged=any "
           "require=default,-shaders");
    conclude();
    write_with(agpu_report_json);
    json_t *root = json_loads(text, 0, NULL);
    const json_t *judged = json_object_get(root, "judged_as");
    assert_string_equal(json_string_value(json_object_get(judged, "device")), "any");
    assert_string_equal(json_string_value(json_object_get(judged, "abi")), "1.4");
    assert_string_equal(json_string_value(json_object_get(judged, "require")), "default,-shaders");
    json_decref(root);
    free(text);
    write_with(agpu_report_junit);
    assert_non_null(strstr(text, "<property name=\"judged.device\" value=\"any\"/>"));
}

TEST(paths_with_commas)
{
    struct agpu_qemu_machine machine = {.qemu = "q",
                                        .accel = "tcg",
                                        .memory_mib = 256,
                                        .ovmf_code = "/a,b",
                                        .ovmf_vars = "v",
                                        .tpm = "/t,",
                                        .socket = "/s\"x"};
    struct agpu_qemu_args args;
    assert_true(agpu_qemu_args_build(&args, &machine));
    bool code = false;
    bool socket = false;
    bool tpm = false;
    for (size_t i = 0; i < args.count; i++) {
        code = code || strcmp(args.argv[i], "if=pflash,format=raw,unit=0,readonly=on,file=/a,,b") == 0;
        socket = socket || strcmp(args.argv[i], "{\"driver\":\"vfio-user-pci\",\"socket\":{\"type\":\"unix\","
                                                "\"path\":\"/s\\\"x\"},\"x-msg-timeout\":3600000}") == 0;
        tpm = tpm || strcmp(args.argv[i], "passthrough,id=tpm,cancel-path=/dev/null,path=/t,,") == 0;
    }
    assert_true(code);
    assert_true(tpm);
    assert_true(socket);
    agpu_qemu_args_free(&args);
}

/* The list of QEMU decides, unless the user's own options mention a TPM. */
TEST(tpm_where_qemu_has_it)
{
    char with[] = "/tmp/test_host_report_XXXXXX";
    char *const other[] = {"-name", "mine", NULL}, *const own[] = {"-device", "tpm-crb,tpmdev=mine", NULL};
    const int fd = mkstemp(with);

    assert_true(fd >= 0);
    assert_true(dprintf(fd, "#!/bin/sh\necho ' passthrough   Passthrough TPM backend driver' >&2\n") > 0);
    assert_int_equal(fchmod(fd, 0700), 0);
    close(fd);
    assert_true(agpu_tpm_is_possible(with, NULL));
    assert_true(agpu_tpm_is_possible(with, other));
    assert_false(agpu_tpm_is_possible(with, own));
    unlink(with);
    assert_false(agpu_tpm_is_possible(with, NULL));
    assert_false(agpu_tpm_is_possible("/bin/echo", NULL)); /* it does not list TPMs, it repeats the request */
}
