/* test_host_hostile.c: no field of a record can make a terminal or the reader of a report treat it as more than text.
 * Each field of each record type, and the consoles, get escape sequences, C1 controls, NUL, invalid UTF-8, markup and
 * quotes. The test then checks every output. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <jansson.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/report/text.h"
#include "tests/host/run/session.h"
#include "tests/unit/remove_tree.h"
#include "tests/unit/test.h"

/* Hostile bytes as an image escapes them, and raw. A quoted value must not have a raw control character, so NOISE goes
 * into the consoles only. */
#define ESCAPED "\"\\x1b[2J\\x9b31m\\xc2\\x9b1m\\x00\\xff\\xf0\\x28 <script>&'\\\"]]>--> #1 \\x07\\x0d\\x0a\""
#define RAW     "\xff\xc2\x9b\xf0\x28<b>&']]>#"
#define NOISE   "\x1b[2J\x9b\x31m\x1b]0;title\x07\x0d\xff<script>"

static char folder[] = "/tmp/agpu_hostile_XXXXXX";
static struct agpu_session session;
static uint64_t now = 1000000;
static unsigned sequence;

static void record(const char *text)
{
    char packet[1400];

    const int length = snprintf(packet, sizeof packet, "6,%u,%u,-;%s\n", sequence, sequence * 1000, text);

    assert_in_range(length, 1, (int)sizeof packet - 1);
    sequence++;
    agpu_session_packet(&session, packet, (size_t)length, now += 1000);
}

/* Feeds the text twice: "@" is replaced by hostile bytes, first escaped, then raw. */
static void hostile(const char *text)
{
    static const char *const kinds[] = {ESCAPED, RAW};
    char line[1300];

    for (unsigned kind = 0; kind < 2; kind++) {
        size_t used = 0;

        for (const char *c = text; *c != '\0'; c++) {
            const char part[2] = {*c, '\0'};

            used += (size_t)snprintf(line + used, sizeof line - used, "%s", *c == '@' ? kinds[kind] : part);
            assert_true(used < sizeof line);
        }
        record(line);
    }
}

static void every_field(void)
{
    hostile("plan - count=6 build=@ device=@ more=@");
    record("start ring.a index=1");
    hostile("check ring.a expr=@ file=@ line=3 expected=@ actual=@ note=@");
    hostile("metric ring.a name=@ value=1 unit=ns");
    hostile("metric ring.a name=doorbell_to_fence_ns_p50 value=@ unit=ns");
    hostile("metric ring.a name=doorbell_to_fence_ns_p50 value=7 unit=@");
    hostile("choice ring.a name=@ value=@");
    hostile("log ring.a level=@ text=@");
    hostile("log ring.a level=warning text=@");
    hostile("heartbeat ring.a elapsed_us=1 more=@");
    hostile("artifact ring.a name=@ size=3 offset=0 data=QUJD");
    hostile("artifact ring.a name=x.bin size=3 offset=0 data=@");
    hostile("end ring.a status=FAIL us=5 reason=@ cause=@");
    record("start ring.b index=2");
    hostile("end ring.b status=SKIP us=5 reason=@ blocked_by=@");
    record("start ring.c index=3");
    hostile("end ring.c status=@ us=5");
    hostile("log - level=exception vector=@ rip=@ text=@");
    record("start ring.d index=4");
    record("end ring.d status=PASS us=5");
    hostile(
        "summary - status=@ passed=1 failed=1 errors=0 skipped=1 timeouts=0 crashed=0 total=3 us=9 more=@");
    hostile("@ - a=1");
    hostile("start @ index=5");
    hostile("start ring.e @=5");
    agpu_session_packet(&session, NOISE "\n", sizeof NOISE, now);
    agpu_session_stream(&session, AGPU_SOURCE_SERIAL, NOISE "\n", sizeof NOISE, now);
    agpu_session_stream(&session, AGPU_SOURCE_DEBUGCON, NOISE "\n", sizeof NOISE, now);
    agpu_session_log(&session, "vdev", NOISE, sizeof NOISE - 1);
}

static char *file_text(const char *name, size_t *size)
{
    char path[300];
    char *text = NULL;
    FILE *in;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    in = fopen(path, "rb");
    if (in == NULL) {
        fail_msg("%s is not there", path);
        return NULL;
    }
    fseek(in, 0, SEEK_END);
    *size = (size_t)ftell(in);
    rewind(in);
    text = malloc(*size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, *size, in), *size);
    text[*size] = '\0';
    fclose(in);
    assert_true(*size > 0);
    return text;
}

/* Checks for valid UTF-8 without control characters other than the line feed. */
static void check_plain(const char *name)
{
    size_t size, length;
    char *text = file_text(name, &size);

    for (size_t at = 0; at < size; at += length) {
        const unsigned char c = (unsigned char)text[at];

        length = agpu_utf8_length(text + at, size - at);
        if (length == 0 || (c < 0x20 && c != '\n') || c == 0x7f ||
            (length == 2 && c == 0xc2 && (unsigned char)text[at + 1] < 0xa0)) {
            fail_msg("%s: byte %zu is a raw 0x%02x, behind \"%.*s\"", name, at, c, at < 40 ? (int)at : 40,
                     text + (at < 40 ? 0 : at - 40));
        }
    }
    free(text);
}

static void check_markup(const char *name)
{
    size_t size;
    char *text = file_text(name, &size);

    assert_null(strstr(text, "<script"));
    assert_null(strstr(text, "<b>"));
    assert_null(strstr(text, "]]>"));
    free(text);
}

/* Checks that each line, or the whole file, is valid JSON. */
static void check_json(const char *name, bool lines)
{
    size_t size;
    char *text = file_text(name, &size);
    char *save = NULL;

    for (char *line = lines ? strtok_r(text, "\n", &save) : text; line != NULL;
         line = lines ? strtok_r(NULL, "\n", &save) : NULL) {
        json_error_t error;
        json_t *json = json_loads(line, JSON_ALLOW_NUL, &error);

        if (json == NULL) {
            fail_msg("%s: %s in %s", name, error.text, line);
        }
        json_decref(json);
    }
    free(text);
}

static int remove_folder(void **state)
{
    (void)state;
    return remove_tree(folder);
}

FIXTURE(NULL, remove_folder);

TEST(nothing_gets_through)
{
    struct agpu_collector_config config = {0};
    char terminal[300];
    int shown, saved;

    assert_non_null(mkdtemp(folder));
    snprintf(terminal, sizeof terminal, "%s/terminal", folder);
    fflush(stdout);
    saved = dup(STDOUT_FILENO);
    shown = open(terminal, O_WRONLY | O_CREAT | O_EXCL, 0600);
    assert_true(saved >= 0 && shown >= 0 && dup2(shown, STDOUT_FILENO) == STDOUT_FILENO);
    assert_true(agpu_session_open(&session, folder, "", &config));
    every_field();
    agpu_session_tick(&session, now += 1000);
    agpu_session_finish(&session, 0, now + 1000);
    agpu_session_close(&session);
    fflush(stdout);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    close(shown);

    static const char *const files[] = {"terminal", "results.jsonl", "summary.json",  "junit.xml",
                                        "ktap.txt", "console.log",   "netconsole.log"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        check_plain(files[i]);
    }
    check_markup("junit.xml");
    check_json("results.jsonl", true);
    check_json("summary.json", false);
}
