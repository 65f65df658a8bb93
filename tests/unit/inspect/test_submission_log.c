/* test_submission_log.c: the writer of --submission-log: order, limits, and its report of dropped lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/vdev/submission_log.h"
#include "tests/unit/test.h"

struct log_fixture {
    char folder[64];
    char path[96];
};

static int setup(void **state)
{
    struct log_fixture *fixture = calloc(1, sizeof *fixture);

    assert_non_null(fixture);
    strcpy(fixture->folder, "/tmp/agpu-log-XXXXXX");
    assert_non_null(mkdtemp(fixture->folder));
    snprintf(fixture->path, sizeof fixture->path, "%s/log", fixture->folder);
    *state = fixture;
    return 0;
}

static int teardown(void **state)
{
    struct log_fixture *fixture = *state;

    unlink(fixture->path);
    rmdir(fixture->folder);
    free(fixture);
    return 0;
}

static struct agpu_line_writer *open_writer(const struct log_fixture *fixture, size_t queue, uint64_t limit)
{
    char message[256];

    struct agpu_line_writer *writer =
        agpu_line_writer_open(fixture->path, queue, limit, message, sizeof message);

    assert_non_null(writer);
    return writer;
}

static void put(struct agpu_line_writer *writer, unsigned number)
{
    char line[32];
    const int length = snprintf(line, sizeof line, "%u\n", number);

    agpu_line_writer_line(writer, line, (size_t)length);
}

FIXTURE(setup, teardown);

/* The file has each accepted line in order, then the count of dropped ones. */
TEST(taken_is_written)
{
    const struct log_fixture *fixture = *state;
    struct agpu_line_writer *writer = open_writer(fixture, 100, 1u << 30);
    const unsigned count = 200000;
    struct agpu_line_writer_stats stats;
    unsigned long last = 0;
    uint64_t lines = 0;
    char line[64];
    FILE *file;

    for (unsigned i = 1; i <= count; i++) {
        put(writer, i);
    }
    stats = agpu_line_writer_close(writer);
    assert_int_equal(stats.error, 0);
    assert_int_equal(stats.lines + stats.dropped, count);
    assert_true(stats.lines > 0);
    file = fopen(fixture->path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) != NULL && line[0] != '{') {
        const unsigned long number = strtoul(line, NULL, 10);

        assert_true(number > last);
        last = number;
        lines++;
    }
    assert_int_equal(lines, stats.lines);
    if (stats.dropped > 0) {
        char expected[64];

        snprintf(expected, sizeof expected, "{\"dropped\":%llu}\n", (unsigned long long)stats.dropped);
        assert_string_equal(line, expected);
    }
    fclose(file);
}

/* Without pressure the writer drops nothing and adds nothing. It replaces an old file. */
TEST(complete)
{
    const struct log_fixture *fixture = *state;
    struct agpu_line_writer_stats stats;
    struct agpu_line_writer *writer;
    struct stat status;

    for (unsigned round = 0; round < 2; round++) {
        writer = open_writer(fixture, 1u << 20, 1u << 20);
        for (unsigned i = 0; i < 100; i++) {
            put(writer, i + 100);
        }
        stats = agpu_line_writer_close(writer);
        assert_int_equal(stats.lines, 100);
        assert_int_equal(stats.dropped, 0);
        assert_int_equal(stat(fixture->path, &status), 0);
        assert_int_equal(status.st_size, 400);
    }
}

/* The file ends at its limit. A line longer than the queue is dropped. */
TEST(limits)
{
    const struct log_fixture *fixture = *state;
    struct agpu_line_writer *writer = open_writer(fixture, 1000, 40);
    struct agpu_line_writer_stats stats;
    char longest[1001];

    for (unsigned i = 0; i < 15; i++) {
        put(writer, i + 100);
    }
    memset(longest, 'x', sizeof longest);
    agpu_line_writer_line(writer, longest, sizeof longest);
    stats = agpu_line_writer_close(writer);
    assert_int_equal(stats.lines, 10);
    assert_int_equal(stats.dropped, 6);
}

/* The disk refuses a write: the writer stores the error, drops later lines, and does not block. */
TEST(disk_full)
{
    const struct log_fixture *fixture = *state;
    struct agpu_line_writer *writer = open_writer(fixture, 1000, 1u << 30);
    const struct rlimit small = {0, RLIM_INFINITY};
    struct agpu_line_writer_stats stats;
    struct rlimit before;

    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    for (unsigned i = 0; i < 100000; i++) {
        put(writer, i);
    }
    stats = agpu_line_writer_close(writer);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(stats.error, EFBIG);
    assert_true(stats.dropped > 0);
}

TEST(cannot_open)
{
    const struct log_fixture *fixture = *state;
    char message[256];

    assert_null(agpu_line_writer_open("/no/such/folder/log", 100, 100, message, sizeof message));
    assert_non_null(strstr(message, "No such file"));
    assert_int_equal(mkfifo(fixture->path, 0600), 0); /* the FIFO has no reader: no waiting */
    assert_null(agpu_line_writer_open(fixture->path, 100, 100, message, sizeof message));
    assert_null(agpu_line_writer_open("/dev/null", 100, 100, message, sizeof message));
    assert_non_null(strstr(message, "ordinary file"));
    assert_int_equal(agpu_line_writer_close(NULL).lines, 0);
}
