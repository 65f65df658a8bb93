/* test_host_devices.c: a run with several devices: the device of each case, one verdict per device, and the verdict of
 * the run. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <jansson.h>

#include "tests/host/report/report_json.h"
#include "tests/host/report/report_junit.h"
#include "tests/host/wire/run_verdict.h"
#include "tests/unit/host/collector_fixture.h"
#include "tests/unit/test.h"

#define SUMMARY(device, status, passed, failed, total)                                                       \
    "summary - " device "status=" status " passed=" passed " failed=" failed                                 \
    " errors=0 skipped=0 timeouts=0 crashed=0 total=" total " us=1"

/* Two devices with one case each; the second fails. Feeds the first `last` records. */
static struct agpu_run *two_devices(unsigned last)
{
    static const char *const records[] = {
        "plan - at=00:04.0 count=1 format=2 build=b device=\"A3A0:0001 00:04.0 abi=1.4\"",
        "start ring.a device=00:04.0 index=1",
        "end ring.a device=00:04.0 status=PASS us=5",
        SUMMARY("device=00:04.0 ", "PASS", "1", "0", "1"),
        "plan - at=00:05.0 count=1 format=2 build=b device=\"A3A0:0001 00:05.0 abi=1.4\"",
        "start ring.a device=00:05.0 index=1",
        "check ring.a device=00:05.0 expr=\"a == b\" file=f.c line=1",
        "end ring.a device=00:05.0 status=FAIL us=5 reason=\"a == b\"",
        SUMMARY("device=00:05.0 ", "FAIL", "0", "1", "1"),
        SUMMARY("", "FAIL", "1", "1", "2"),
    };

    begin(NULL);
    for (unsigned i = 0; i < sizeof records / sizeof records[0] && i <= last; i++) {
        udp(i, records[i]);
    }
    return finish();
}

FIXTURE(NULL, teardown);

TEST(each_has_its_verdict)
{
    const struct agpu_run *run = two_devices(99);

    expect(run, "00:04.0/ring.a", AGPU_VERDICT_PASS);
    expect(run, "00:05.0/ring.a", AGPU_VERDICT_FAIL);
    assert_int_equal(run->device_count, 2);
    assert_string_equal(run->devices[0]->name, "00:04.0");
    assert_string_equal(run->devices[1]->device, "A3A0:0001 00:05.0 abi=1.4");
    assert_int_equal(run->devices[0]->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(run->devices[1]->verdict, AGPU_VERDICT_FAIL);
    assert_int_equal(run->verdict, AGPU_VERDICT_FAIL);
    assert_int_equal(run->planned, 2);
    assert_int_equal(run->problem_count, 0);
    assert_false(run->repeated); /* the same case on another device is not a second round */
}

/* The first device passed, and the machine stopped before the second: neither the second device nor the run is a
 * PASS. */
TEST(one_that_was_not_reached)
{
    const struct agpu_run *run = two_devices(4);

    assert_int_equal(run->devices[0]->verdict, AGPU_VERDICT_PASS);
    assert_int_equal(run->devices[1]->verdict, AGPU_VERDICT_ERROR);
    assert_int_equal(run->verdict, AGPU_VERDICT_CRASH); /* stopped without a summary */
}

/* The summary of one device does not end the run. */
TEST(running_case_is_seen_after_a_summary)
{
    const struct agpu_run *run = two_devices(5);

    expect(run, "00:05.0/ring.a", AGPU_VERDICT_CRASH);
    assert_int_equal(run->devices[1]->verdict, AGPU_VERDICT_CRASH);
}

TEST(hostile_names_are_ignored)
{
    const struct agpu_run *run;

    begin(NULL);
    udp(0, "plan - at=\"../x\" count=1 format=2 build=b device=d");
    udp(1, "start ring.a device=\"\\x1b[2J\" index=1");
    udp(2, "end ring.a device=\"a/b\" status=PASS us=5");
    udp(3, SUMMARY("device=\"\" ", "PASS", "1", "0", "1"));
    run = finish();
    assert_int_equal(run->device_count, 0);
    expect(run, "ring.a", AGPU_VERDICT_PASS);
    assert_true(has_problem(run, "a record has an invalid device name"));
}

static char *written(bool (*report)(FILE *out, const struct agpu_report *report), struct agpu_run *run)
{
    const struct agpu_report finished = {
        .run = run, .stats = agpu_collector_stats(fx.collector), .gaps = agpu_collector_gaps(fx.collector)};
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    assert_true(report(out, &finished));
    fclose(out);
    return text;
}

TEST(reports_distinguish_them)
{
    struct agpu_run *run = two_devices(99);
    char *text = written(agpu_report_json, run);
    json_t *root = json_loads(text, 0, NULL), *devices;

    assert_non_null(root);
    devices = json_object_get(root, "devices");
    assert_int_equal(json_array_size(devices), 2);
    assert_string_equal(json_string_value(json_object_get(json_array_get(devices, 0), "verdict")), "PASS");
    assert_string_equal(json_string_value(json_object_get(json_array_get(devices, 1), "verdict")), "FAIL");
    assert_int_equal(json_integer_value(json_object_get(json_array_get(devices, 1), "failed")), 1);
    json_decref(root);
    free(text);

    text = written(agpu_report_junit, run);
    assert_non_null(strstr(text, "<testsuite name=\"00:04.0/ring\""));
    assert_non_null(strstr(text, "<testsuite name=\"00:05.0/ring\""));
    assert_non_null(strstr(text, "classname=\"00:05.0/ring\" name=\"00:05.0/ring.a\""));
    assert_non_null(strstr(text, "<property name=\"verdict.00:05.0\" value=\"FAIL\"/>"));
    free(text);
}
