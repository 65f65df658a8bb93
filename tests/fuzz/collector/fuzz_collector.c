/* fuzz_collector.c: fuzz target of the collector: datagrams and console bytes of a machine or an attacker,
 * through to the reports in the result directory. An input is a list of items separated by a byte 1E. Its first byte
 * says the kind: u a datagram; i a record, p a piece of a file of the lossless stream; d bytes of the debug
 * console, s of the serial port. t lets one millisecond pass for each byte that follows. r restarts the
 * machine. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/host/report/replay.h"
#include "tests/host/report/text.h"
#include "tests/host/run/session.h"
#include "tests/unit/remove_tree.h"

#define SEPARATOR 0x1E

static char folder[64];

static void remove_folder(void)
{
    if (remove_tree(folder) != 0) {
        fprintf(stderr, "%s is left\n", folder);
    }
}

/* Discards the output for the terminal. */
static void prepare(void)
{
    if (folder[0] != '\0') {
        return;
    }
    snprintf(folder, sizeof folder, "/dev/shm/agpu-fuzz-XXXXXX");
    if (mkdtemp(folder) == NULL || freopen("/dev/null", "we", stdout) == NULL) {
        abort();
    }
    atexit(remove_folder);
}

/* Reports are read on terminals: a sender's bytes must not appear unescaped. */
static void is_printable(const char *name)
{
    static char all[4 << 20];
    char path[120];
    int fd;
    ssize_t size;

    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    size = fd >= 0 ? read(fd, all, sizeof all) : -1;
    if (size < 0) {
        abort();
    }
    close(fd);
    for (ssize_t i = 0; i < size;) {
        const size_t length = all[i] == '\n' ? 1 : agpu_utf8_length(all + i, (size_t)(size - i));

        if (length == 0 || (all[i] != '\n' && (unsigned char)all[i] < ' ') || all[i] == 0x7F ||
            (length == 2 && (unsigned char)all[i] == 0xC2 && (unsigned char)all[i + 1] < 0xA0)) {
            fprintf(stderr, "%s has the byte %02x at %zd\n", name, (unsigned char)all[i], i);
            abort();
        }
        i += (ssize_t)length;
    }
}

/* Reports written again from results.jsonl must be the same. */
static void same_again(enum agpu_verdict verdict, size_t problems)
{
    struct agpu_replay replay;
    char path[120];

    snprintf(path, sizeof path, "%s/out/results.jsonl", folder);
    if (problems == AGPU_PROBLEMS_MAX) { /* the reason may be one that was dropped */
        return;
    }
    if (!agpu_replay_load(&replay, path)) {
        abort();
    }
    if ((replay.run.verdict == AGPU_VERDICT_PASS) != (verdict == AGPU_VERDICT_PASS)) {
        fprintf(stderr, "the run was %s and is %s when it is read again\n", agpu_verdict_name(verdict),
                agpu_verdict_name(replay.run.verdict));
        abort();
    }
    agpu_replay_free(&replay);
}

static void take_item(struct agpu_session *session, char kind, const char *bytes, size_t size, uint64_t *now)
{
    switch (kind) {
    case 'u':
        agpu_session_packet(session, bytes, size, *now);
        break;
    case 'i':
    case 'p':
        agpu_session_item(session, "boot",
                          &(struct agpu_intake_item){.kind = kind == 'p' ? AGPU_ITEM_PIECE : AGPU_ITEM_RECORD,
                                                     .bytes = bytes,
                                                     .size = size},
                          *now);
        break;
    case 'd':
        agpu_session_stream(session, AGPU_SOURCE_DEBUGCON, bytes, size, *now);
        break;
    case 's':
        agpu_session_stream(session, AGPU_SOURCE_SERIAL, bytes, size, *now);
        break;
    case 'r':
        agpu_collector_end(session->collector, AGPU_ENDING_STOPPED, "it stopped");
        agpu_collector_resume(session->collector, *now);
        break;
    default:
        *now += size * 1000;
        agpu_session_tick(session, *now);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct agpu_session session;
    struct agpu_collector_config config = {
        .silence_us = 20000000, .case_timeout_us = 60000000, .memory_max = 1 << 20};
    const char *at = (const char *)data, *end = at + size;
    uint64_t now = agpu_now_us();
    char out[80];

    prepare();
    snprintf(out, sizeof out, "%s/out", folder);
    if (!agpu_session_open(&session, out, "", &config)) {
        abort();
    }
    while (at < end) {
        const char *next = memchr(at, SEPARATOR, (size_t)(end - at));

        next = next != NULL ? next : end;
        now += 1000;
        take_item(&session, *at, at + 1, next > at ? (size_t)(next - at) - 1 : 0, &now);
        at = next + 1;
    }
    if (!agpu_session_finish(&session, 0, now)) {
        abort();
    }
    const struct agpu_run *run = agpu_collector_run(session.collector);
    const enum agpu_verdict verdict = run->verdict;
    const size_t problems = run->problem_count;
    if (run->memory > run->memory_max) {
        abort();
    }
    agpu_session_close(&session);
    is_printable("junit.xml");
    is_printable("ktap.txt");
    is_printable("summary.json");
    is_printable("results.jsonl");
    is_printable("netconsole.log");
    is_printable("console.log");
    same_again(verdict, problems);
    return 0;
}
