/* test_host_results.c: records of a run while the disk is full. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "tests/host/report/results_file.h"
#include "tests/host/wire/record.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

static char folder[] = "/tmp/agpu-results-test-XXXXXX";
static struct agpu_results_file results;
static int below;

static int begin(void **state)
{
    (void)state;
    signal(SIGXFSZ, SIG_IGN); /* write() fails with EFBIG instead */
    strcpy(folder + sizeof folder - 7, "XXXXXX");
    return mkdtemp(folder) != NULL &&
                   agpu_results_open(&results, below = open(folder, O_RDONLY | O_DIRECTORY), 0)
               ? 0
               : -1;
}

/* Limits the size of files of this process. */
static void limit(uint64_t bytes)
{
    struct rlimit room;

    assert_int_equal(getrlimit(RLIMIT_FSIZE, &room), 0);
    room.rlim_cur = bytes < room.rlim_max ? bytes : room.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &room), 0);
}

static int end(void **state)
{
    (void)state;
    limit(RLIM_INFINITY);
    agpu_results_discard(&results);
    close(below);
    return remove_tree(folder);
}

static bool add(unsigned seq)
{
    char text[200];
    struct agpu_parsed_record record;

    snprintf(text, sizeof text, "log - level=info text=\"%0*u\"", 40 + (int)(seq % 90), seq);
    assert_null(agpu_record_parse(text, strlen(text), &record));
    return agpu_results_add(&results, &(struct agpu_received){.record = &record, .seq = seq});
}

/* Checks that the file has these records in order, each once. */
static void expect(unsigned count)
{
    char path[80];
    char line[1000];
    unsigned seq = 0;
    FILE *file;

    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    file = fopen(path, "r");
    assert_non_null(file);
    for (; fgets(line, sizeof line, file) != NULL; seq++) {
        char begins[32];

        snprintf(begins, sizeof begins, "{\"seq\":%u,", seq);
        assert_memory_equal(line, begins, strlen(begins));
        assert_int_equal(line[strlen(line) - 1], '\n');
    }
    fclose(file);
    assert_int_equal(seq, count);
}

FIXTURE(begin, end);

/* The disk is full in the middle of a record, for more records than usually wait. Later there is room again. */
TEST(nothing_is_lost)
{
    unsigned seq = 0;

    for (; seq < 100; seq++) {
        assert_true(add(seq));
    }
    assert_true(agpu_results_flush(&results));
    limit(results.written + 777);
    for (; seq < 2000; seq++) {
        assert_true(add(seq));
        agpu_results_flush(&results);
    }
    assert_false(agpu_results_flush(&results));
    assert_int_equal(errno, EFBIG);
    limit(RLIM_INFINITY);
    assert_true(agpu_results_flush(&results));
    assert_true(add(seq++));
    assert_true(agpu_results_commit(&results));
    expect(seq);
}

/* The number of waiting records is limited. Those that do not fit are reported one by one; all others arrive. */
TEST(what_waits_is_bounded)
{
    unsigned seq = 0, kept;

    limit(0);
    for (; seq < 100000 && add(seq); seq++) {
    }
    assert_in_range(seq, 5000, 20000);
    assert_int_equal(errno, EFBIG);
    assert_false(add(seq + 1));
    kept = seq;
    limit(RLIM_INFINITY);
    assert_true(agpu_results_commit(&results));
    expect(kept);
}

/* The disk stays full: that is an error, and the written part has a name that says so. */
TEST(it_stays_full)
{
    char path[80];

    for (unsigned seq = 0; seq < 10; seq++) {
        assert_true(add(seq));
    }
    assert_true(agpu_results_flush(&results));
    limit(results.written + 10);
    assert_true(add(10));
    assert_false(agpu_results_commit(&results));
    snprintf(path, sizeof path, "%s/results.jsonl", folder);
    assert_null(fopen(path, "r"));
    snprintf(path, sizeof path, "%s/results.jsonl.unsorted", folder);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fclose(file);
}
