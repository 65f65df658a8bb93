/* screen.c: lays out the canvas and schedules drawing. */
#include "efi/screen.h"

#include <string.h>

#include "efi/canvas.h"
#include "efi/clock.h"
#include "efi/net/net.h"
#include "efi/tally.h"

#define DRAW_EVERY_NS (200 * AGPU_NS_PER_MS)
/* The pause after drawing is at least this many times the duration of drawing. */
#define DRAW_SHARE 30

#define FAILURES_MAX 32
#define LABEL_WIDTH  10

enum screen_row {
    ROW_TITLE,
    ROW_DEVICE,
    ROW_NETWORK,
    ROW_BAR = 4,
    ROW_TOTALS,
    ROW_NOW,
    ROW_BIG = 8,
    ROW_BEHIND_BIG = ROW_BIG + AGPU_BIG_ROWS + 1,
};

/* A screen with fewer rows has no big letters, to leave space for failures. */
#define ROWS_FOR_BIG (ROW_BEHIND_BIG + 8)

static const char *build_id;
static struct agpu_summary totals;
static char device[96], running[96], verdict[AGPU_CANVAS_COLUMNS_MAX];
static enum agpu_colour verdict_colour;
static char failures[FAILURES_MAX]
                    [AGPU_CANVAS_COLUMNS_MAX]; /* ring; the next entry is failure_count % FAILURES_MAX */
static unsigned failure_count;
static struct agpu_group_tally tally;
static uint64_t next_draw_ns;
static bool open;

static void copy_line(char *to, size_t capacity, const char *from)
{
    struct agpu_text text;

    agpu_text_begin(&text, to, capacity);
    if (from != NULL) {
        agpu_text_string(&text, from);
    }
}

/* Returns the value after " key=" in a record, up to the next blank, or to the end if rest (for a reason). */
static struct agpu_span value_of(struct agpu_span record, const char *key, bool rest)
{
    size_t length = strlen(key);

    for (size_t i = 0; i + length <= record.size; i++) {
        if (memcmp(record.at + i, key, length) != 0) {
            continue;
        }
        struct agpu_span value = {record.at + i + length, record.size - i - length}, word;
        return !rest && agpu_span_cut(&value, ' ', &word) ? word : value;
    }
    return (struct agpu_span){"", 0};
}

static void append_span(struct agpu_text *text, struct agpu_span span)
{
    for (size_t i = 0; i < span.size; i++) {
        agpu_text_char(text, span.at[i]);
    }
}

/* Collects ends that are neither PASS nor SKIP. */
static void screen_sink_packet(void *ctx, const char *packet, size_t length)
{
    struct agpu_span record = {packet, length}, header, type, id;

    (void)ctx;
    if (length && packet[length - 1] == '\n') {
        record.size--;
    }
    if (!agpu_span_cut(&record, ';', &header) || !agpu_span_cut(&record, ' ', &type) ||
        !agpu_span_is(type, "end") || !agpu_span_cut(&record, ' ', &id)) {
        return;
    }
    struct agpu_span status = value_of(record, "status=", false);
    const bool bad = !agpu_span_is(status, "PASS") && !agpu_span_is(status, "SKIP");
    agpu_tally_add(&tally, id.at, id.size, bad);
    if (!bad) {
        return;
    }
    struct agpu_text text;
    agpu_text_begin(&text, failures[failure_count % FAILURES_MAX], sizeof failures[0]);
    agpu_text_char(&text, ' ');
    append_span(&text, status);
    while (text.length < LABEL_WIDTH) {
        agpu_text_char(&text, ' ');
    }
    append_span(&text, id);
    agpu_text_string(&text, "  ");
    struct agpu_span reason = value_of(record, "reason=", true);
    for (size_t i = 0; i < reason.size; i++) {
        if (reason.at[i] != '"') {
            agpu_text_char(&text, reason.at[i]);
        }
    }
    failure_count++;
}

void agpu_screen_open(struct agpu_stream *stream, const char *build, bool serial_free)
{
    build_id = build;
    open = agpu_canvas_open(serial_free);
    if (open) {
        agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "screen", .packet = screen_sink_packet});
    }
}

void agpu_screen_progress(void *ctx, const struct agpu_progress *progress)
{
    (void)ctx;
    totals = *progress->summary;
    copy_line(device, sizeof device, progress->device);
    copy_line(running, sizeof running, progress->running);
    agpu_screen_poll();
}

static void begin_labelled(struct agpu_text *text, char *buffer, size_t capacity, const char *label)
{
    agpu_text_begin(text, buffer, capacity);
    agpu_format(text, " %s", label);
    while (text->length < LABEL_WIDTH) {
        agpu_text_char(text, ' ');
    }
}

static void lay_out_identity(char *buffer, size_t capacity)
{
    struct agpu_text text;

    begin_labelled(&text, buffer, capacity, "AeroGPU bring-up");
    agpu_format(&text, "   build %s", build_id);
    while (text.length < agpu_canvas_columns() && !text.truncated) {
        agpu_text_char(&text, ' ');
    }
    agpu_canvas_row(ROW_TITLE, AGPU_TITLE, buffer);
    begin_labelled(&text, buffer, capacity, "device");
    agpu_text_string(&text, device[0] ? device : "not known yet");
    agpu_canvas_row(ROW_DEVICE, AGPU_PLAIN, buffer);
    begin_labelled(&text, buffer, capacity, "network");
    agpu_net_describe(&text);
    agpu_canvas_row(ROW_NETWORK, AGPU_PLAIN, buffer);
}

static void lay_out_bar(char *buffer, size_t capacity)
{
    struct agpu_text text;
    unsigned width = agpu_canvas_columns() - 38;
    unsigned done = totals.planned ? (unsigned)((uint64_t)width * totals.ended / totals.planned) : 0;

    agpu_text_begin(&text, buffer, capacity);
    agpu_text_string(&text, " [");
    for (unsigned i = 0; i < width; i++) {
        agpu_text_char(&text, i < done ? '#' : '.');
    }
    agpu_format(&text, "] %u/%u  %ju s", totals.ended, totals.planned, totals.elapsed_us / 1000000);
    if (totals.elapsed_us > 1000000) {
        agpu_format(&text, "  %ju/s", totals.ended * UINT64_C(1000000) / totals.elapsed_us);
    }
    agpu_canvas_row(ROW_BAR, AGPU_PLAIN, buffer);
}

static void lay_out_totals(char *buffer, size_t capacity)
{
    struct agpu_text text;

    agpu_text_begin(&text, buffer, capacity);
    for (enum agpu_result i = AGPU_PASS; i < AGPU_RESULT_COUNT; i++) {
        agpu_format(&text, "%s%s %u", i == AGPU_PASS ? " " : "  ", agpu_result_count_key(i),
                    totals.counts[i]);
    }
    agpu_canvas_row(ROW_TOTALS, totals.worst > AGPU_SKIP ? AGPU_BAD : AGPU_GOOD, buffer);
    begin_labelled(&text, buffer, capacity, verdict[0] ? "" : "now");
    agpu_text_string(&text, verdict[0] ? verdict : running);
    agpu_canvas_row(ROW_NOW, verdict[0] ? verdict_colour : AGPU_PLAIN, buffer);
}

/* Progress and failures, readable from two metres: "87% 3 BAD", at the end "PASS" or "BAD 3". */
static void lay_out_big(char *buffer, size_t capacity)
{
    char word[24];
    struct agpu_text text;

    agpu_text_begin(&text, word, sizeof word);
    if (verdict[0]) {
        agpu_text_string(&text, verdict_colour == AGPU_GOOD ? "PASS" : "BAD");
    } else {
        agpu_format(&text, "%ju%%", totals.planned ? totals.ended * UINT64_C(100) / totals.planned : 0);
    }
    if (totals.ended != 0 && failure_count != 0) {
        agpu_format(&text, " %u%s", failure_count, verdict[0] ? "" : " BAD");
    }
    const bool wide = agpu_big_width(word, true) + 1 < agpu_canvas_columns();
    for (unsigned row = 0; row < AGPU_BIG_ROWS; row++) {
        agpu_text_begin(&text, buffer, capacity);
        agpu_text_char(&text, ' ');
        agpu_big_row(&text, word, row, wide);
        agpu_canvas_row(ROW_BIG + row, failure_count != 0 ? AGPU_BAD : AGPU_GOOD, buffer);
    }
}

/* Lays out the groups with their counts, from this row on; returns the row after them. */
static unsigned lay_out_groups(char *buffer, size_t capacity, unsigned row)
{
    unsigned next = 0;

    for (; row + 2 < agpu_canvas_rows(); row++) {
        struct agpu_text text;

        agpu_text_begin(&text, buffer, capacity);
        if (!agpu_tally_line(&tally, &next, agpu_canvas_columns(), &text)) {
            break;
        }
        agpu_canvas_row(row, AGPU_PLAIN, buffer);
    }
    return row;
}

/* Lays out the failures, newest at the bottom. */
static void lay_out_failures(unsigned first)
{
    unsigned room = agpu_canvas_rows() > first + 1 ? agpu_canvas_rows() - first - 1 : 0;
    unsigned kept = failure_count < FAILURES_MAX ? failure_count : FAILURES_MAX;
    unsigned count = kept < room ? kept : room;

    for (unsigned i = 0; i < count; i++) {
        agpu_canvas_row(first + i, AGPU_BAD, failures[(failure_count - count + i) % FAILURES_MAX]);
    }
}

static void draw_screen(void)
{
    char buffer[AGPU_CANVAS_COLUMNS_MAX + 1];
    uint64_t began = agpu_clock_ns(NULL);
    unsigned first = ROW_BIG;

    lay_out_identity(buffer, sizeof buffer);
    lay_out_bar(buffer, sizeof buffer);
    lay_out_totals(buffer, sizeof buffer);
    if (agpu_canvas_rows() >= ROWS_FOR_BIG) {
        lay_out_big(buffer, sizeof buffer);
        first = ROW_BEHIND_BIG;
    }
    for (unsigned row = first; row < agpu_canvas_rows(); row++) {
        agpu_canvas_row(row, AGPU_PLAIN, ""); /* an earlier run may have had more groups and failures */
    }
    lay_out_failures(lay_out_groups(buffer, sizeof buffer, first) + 1);
    agpu_canvas_flush();
    uint64_t ended = agpu_clock_ns(NULL), pause = (ended - began) * DRAW_SHARE;
    next_draw_ns = ended + (pause > DRAW_EVERY_NS ? pause : DRAW_EVERY_NS);
}

void agpu_screen_poll(void)
{
    if (open && agpu_clock_ns(NULL) >= next_draw_ns) {
        draw_screen();
    }
}

void agpu_screen_restart(void)
{
    memset(&tally, 0, sizeof tally);
    failure_count = 0;
}

void agpu_screen_now(const char *text)
{
    if (open) {
        copy_line(running, sizeof running, text);
        draw_screen();
    }
}

void agpu_screen_finish(const char *text, bool good)
{
    if (!open) {
        return;
    }
    copy_line(verdict, sizeof verdict, text);
    verdict_colour = good ? AGPU_GOOD : AGPU_BAD;
    draw_screen();
}

void agpu_screen_close(void)
{
    open = false;
    agpu_canvas_close();
}
