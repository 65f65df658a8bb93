/* collector_fixture.h: a collector whose output is recorded, and helpers that feed it records. */
#ifndef AGPU_TESTS_UNIT_HOST_COLLECTOR_FIXTURE_H
#define AGPU_TESTS_UNIT_HOST_COLLECTOR_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/host/wire/collector.h"

#define SECOND UINT64_C(1000000)

/* A run of two cases, record by record. */
#define PLAN2   "plan - count=2 format=2 build=b device=d"
#define START_A "start ring.a index=1"
#define PASS_A  "end ring.a status=PASS us=5"
#define START_B "start ring.b index=2"
#define PASS_B  "end ring.b status=PASS us=5"
#define ALL_2   "summary - status=PASS passed=2 failed=0 errors=0 skipped=0 timeouts=0 crashed=0 total=2 us=9"

/* The collector's output. */
struct collector_fixture {
    struct agpu_collector *collector;
    uint64_t now;
    char order[400]; /* sequence numbers in the order of the output */
    char done[200];  /* results of cases */
    char noise[200];
};

extern struct collector_fixture fx;

void begin(const struct agpu_collector_config *bounds);
int teardown(void **state);
/* Feeds one record of a source, with time stamp seq ms. */
bool from(enum agpu_source source, unsigned seq, const char *text);
void udp(unsigned seq, const char *text);
void dbg(unsigned seq, const char *text);
void stream(unsigned seq, const char *text); /* an item of the lossless stream of boot "b" */
struct agpu_run *finish(void);
const struct agpu_case_result *find(const struct agpu_run *run, const char *id);
void expect(const struct agpu_run *run, const char *id, enum agpu_verdict verdict);
bool has_problem(const struct agpu_run *run, const char *part);
void a_good_run(void (*say)(unsigned seq, const char *text));

#endif
