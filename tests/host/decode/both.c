/* both.c: compares pair by pair what was sent with what arrived, and the device's results with what came back. */
#include "tests/host/decode/both.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/choice/filter.h"
#include "tests/host/decode/capture_walk.h"
#include "tests/host/decode/side.h"

#define ENTRIES_MOST 65536u
#define PIECE        4096u
#define LINE         64u
/* Limit of compared memory per allocation. */
#define MEMORY_MOST (256u << 20)
/* Limits of ranges in use by work in progress, and of lines with differing results so far. */
#define RANGES_MOST 65536u
#define LINES_MOST  256u

struct named_range {
    uint64_t address, size;
    uint32_t allocation;
};

/* A line whose results differ between the two views. If the driver wrote there next, the device's view may already
 * include that. */
struct line {
    uint64_t address, first; /* address: of the allocation */
    uint32_t allocation, bytes;
    uint8_t guest[LINE], device[LINE];
};

struct both {
    struct agpu_side guest, device;
    const struct agpu_both_output *output;
    struct agpu_both_counts *counts;
    struct agpu_both_pair pair; /* not reported yet: the next pair shows its results */
    bool held;
    bool writing; /* a pair of this case was found, and from it on the writes match */
    struct named_range *ranges;
    size_t range_count;
    struct line *lines;
    size_t line_count;
    char *message;
    size_t message_size;
};

/* ---- differences ---- */

static void differ(struct both *both, const char *part, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void differ(struct both *both, const char *part, const char *format, ...)
{
    struct agpu_both_pair *pair = &both->pair;
    va_list arguments;

    if (pair->differences < AGPU_BOTH_SHOWN) {
        struct agpu_both_difference *shown = &pair->shown[pair->differences];

        shown->part = part;
        va_start(arguments, format);
        vsnprintf(shown->text, sizeof shown->text, format, arguments);
        va_end(arguments);
    }
    pair->differences++;
}

static void write_bytes(char *text, const uint8_t *bytes, uint64_t size)
{
    text[0] = '\0';
    for (uint64_t i = 0; i < size && i < 8; i++) {
        snprintf(text + 3 * i, 4, " %02x", bytes[i]);
    }
}

/* Returns the index of the first differing byte, size when there is none. */
static uint64_t first_difference(const uint8_t *left, const uint8_t *right, uint64_t size)
{
    uint64_t i = 0;

    while (i < size && left[i] == right[i]) {
        i++;
    }
    return i;
}

static void differ_number(struct both *both, const char *part, const char *what, uint64_t guest,
                          uint64_t device)
{
    if (guest != device) {
        differ(both, part, "%s: the guest has 0x%" PRIx64 ", the device 0x%" PRIx64, what, guest, device);
    }
}

static void compare_descriptors(struct both *both)
{
    const struct agpu_side *guest = &both->guest, *device = &both->device;
    const struct agpu_capture_submission *left = &guest->submission, *right = &device->submission;
    const uint32_t size = guest->descriptor_bytes < device->descriptor_bytes ? guest->descriptor_bytes
                                                                             : device->descriptor_bytes;
    const uint64_t before = both->pair.differences;
    const uint64_t at = first_difference(guest->descriptor, device->descriptor, size);

    differ_number(both, "descriptor", "its address", left->descriptor_address, right->descriptor_address);
    differ_number(both, "descriptor", "ring index", left->slot, right->slot);
    differ_number(both, "descriptor", "fence", left->fence, right->fence);
    differ_number(both, "descriptor", "flags", left->flags, right->flags);
    differ_number(both, "descriptor", "context", left->context, right->context);
    differ_number(both, "descriptor", "address of the stream", left->cmd_address, right->cmd_address);
    differ_number(both, "descriptor", "bytes of the stream", left->cmd_bytes, right->cmd_bytes);
    differ_number(both, "descriptor", "address of the table", left->table_address, right->table_address);
    differ_number(both, "descriptor", "bytes of the table", left->table_bytes, right->table_bytes);
    if (before == both->pair.differences && at < size) {
        char here[32], there[32];

        write_bytes(here, guest->descriptor + at, size - at);
        write_bytes(there, device->descriptor + at, size - at);
        differ(both, "descriptor", "byte %" PRIu64 ": the guest has%s, the device%s", at, here, there);
    }
}

/* Reads a piece from both views. Returns false when one of them does not know all of it. */
static bool read_both(struct both *both, uint64_t address, uint8_t *left, uint8_t *right, uint64_t size)
{
    return agpu_capture_memory_read(both->guest.memory, address, left, size) &&
           agpu_capture_memory_read(both->device.memory, address, right, size);
}

/* Calls met for each line of [address, address + size) that differs, where both views know it. */
static void walk_lines(struct both *both, const struct named_range *range,
                       void (*met)(struct both *both, const struct named_range *range, uint64_t address,
                                   const uint8_t *left, const uint8_t *right, uint32_t size))
{
    const uint64_t most = range->size < MEMORY_MOST ? range->size : MEMORY_MOST;
    uint8_t left[PIECE], right[PIECE];

    for (uint64_t at = 0; at < most;) {
        const uint64_t address = range->address + at;
        uint64_t size = PIECE - address % PIECE;

        size = size < most - at ? size : most - at;
        if (read_both(both, address, left, right, size) && memcmp(left, right, size) == 0) {
            at += size;
            continue;
        }
        for (uint64_t end = at + size; at < end;) {
            uint64_t piece = LINE - (range->address + at) % LINE;

            piece = piece < end - at ? piece : end - at;
            if (read_both(both, range->address + at, left, right, piece) && memcmp(left, right, piece) != 0) {
                met(both, range, range->address + at, left, right, (uint32_t)piece);
            }
            at += piece;
        }
    }
}

/* Describes the location of a byte in a stream. */
static void place_in_stream(struct both *both, uint64_t at, char *text, size_t size)
{
    const struct agpu_capture_submission *submission = &both->guest.submission;
    uint64_t packet = sizeof(struct aerogpu_cmd_stream_header);
    uint32_t header[2];

    snprintf(text, size, "%s", at < packet ? " (in its header)" : "");
    while (packet <= at && packet + sizeof header <= submission->cmd_bytes &&
           agpu_capture_memory_read(both->guest.memory, submission->cmd_address + packet, header,
                                    sizeof header) &&
           header[1] >= sizeof header) {
        if (at - packet < header[1]) {
            const char *name = aerogpu_packet_name(header[0]);

            snprintf(text, size, " (byte %" PRIu64 " of %s at 0x%" PRIx64 ")", at - packet,
                     name != NULL ? name : "an unknown packet", packet);
            return;
        }
        packet += header[1];
    }
}

static void differ_bytes(struct both *both, const char *part, const char *place, uint64_t offset,
                         const uint8_t *left, const uint8_t *right, uint32_t size)
{
    const uint64_t at = first_difference(left, right, size);
    char here[32], there[32];

    write_bytes(here, left + at, size - at);
    write_bytes(there, right + at, size - at);
    differ(both, part, "byte %" PRIu64 "%s: the guest has%s, the device%s", offset + at, place, here, there);
}

static void met_stream(struct both *both, const struct named_range *range, uint64_t address,
                       const uint8_t *left, const uint8_t *right, uint32_t size)
{
    const uint64_t offset = address - range->address;
    char place[80];

    place_in_stream(both, offset + first_difference(left, right, size), place, sizeof place);
    differ_bytes(both, "stream", place, offset, left, right, size);
}

static void met_table(struct both *both, const struct named_range *range, uint64_t address,
                      const uint8_t *left, const uint8_t *right, uint32_t size)
{
    differ_bytes(both, "table", "", address - range->address, left, right, size);
}

static void met_memory(struct both *both, const struct named_range *range, uint64_t address,
                       const uint8_t *left, const uint8_t *right, uint32_t size)
{
    char place[60];

    snprintf(place, sizeof place, " of allocation %u", range->allocation);
    differ_bytes(both, "memory", place, address - range->address, left, right, size);
}

static void met_result(struct both *both, const struct named_range *range, uint64_t address,
                       const uint8_t *left, const uint8_t *right, uint32_t size)
{
    struct line *line = &both->lines[both->line_count];

    if (both->line_count == LINES_MOST) {
        return;
    }
    both->line_count++;
    *line = (struct line){
        .address = address, .first = range->address, .allocation = range->allocation, .bytes = size};
    memcpy(line->guest, left, size);
    memcpy(line->device, right, size);
}

/* ---- what was sent ---- */

/* Compares the ranges in the table; stores those that the device may write until memory is at rest. */
static void compare_table(struct both *both, bool memory)
{
    const struct agpu_capture_submission *submission = &both->guest.submission;
    const struct named_range table = {submission->table_address, submission->table_bytes, 0};
    struct aerogpu_alloc_table_header header;

    walk_lines(both, &table, met_table);
    if (submission->table_bytes < sizeof header ||
        !agpu_capture_memory_read(both->guest.memory, table.address, &header, sizeof header) ||
        header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return;
    }
    for (uint64_t i = 0, at = sizeof header;
         i < header.entry_count && i < ENTRIES_MOST && at + sizeof(struct aerogpu_alloc_entry) <= table.size;
         i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;
        struct named_range range;

        if (!agpu_capture_memory_read(both->guest.memory, table.address + at, &entry, sizeof entry)) {
            return;
        }
        range = (struct named_range){entry.gpa, entry.size_bytes, entry.alloc_id};
        if (memory) {
            walk_lines(both, &range, met_memory);
        }
        if ((entry.flags & AEROGPU_ALLOC_FLAG_READONLY) == 0 && both->range_count < RANGES_MOST) {
            both->ranges[both->range_count++] = range;
        }
    }
}

static void compare_sent(struct both *both)
{
    const struct agpu_capture_submission *submission = &both->guest.submission;
    const struct named_range stream = {submission->cmd_address, submission->cmd_bytes, 0};
    const bool memory = !both->guest.mixed && !both->device.mixed;

    both->counts->mixed += !memory;
    compare_descriptors(both);
    if (both->pair.differences == 0) {
        if (memory) {
            walk_lines(both, &stream, met_stream);
        }
        compare_table(both, memory);
    }
}

/* Compares the register writes up to here, as far as both views have them. */
static void compare_writes(struct both *both)
{
    struct agpu_side *guest = &both->guest, *device = &both->device;
    const size_t count = guest->write_count < device->write_count ? guest->write_count : device->write_count;
    char room[AGPU_REGISTER_NAME];

    if (!both->writing || guest->writes_lost || device->writes_lost) {
        guest->write_count = device->write_count = 0;
        guest->writes_lost = device->writes_lost = false;
        both->writing = true;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const struct agpu_side_write *left = &guest->writes[i], *right = &device->writes[i];

        if (left->offset != right->offset || left->value != right->value) {
            char name[AGPU_REGISTER_NAME];

            snprintf(name, sizeof name, "%s", agpu_register_name(guest->legacy, 0, left->offset, room));
            differ(both, "accesses",
                   "after the previous submission: the guest wrote %s = 0x%" PRIx64
                   ", the device was asked for %s = 0x%" PRIx64,
                   name, left->value, agpu_register_name(guest->legacy, 0, right->offset, room),
                   right->value);
            both->writing = false;
            return;
        }
    }
    guest->write_count -= count;
    device->write_count -= count;
    memmove(guest->writes, guest->writes + count, guest->write_count * sizeof guest->writes[0]);
    memmove(device->writes, device->writes + count, device->write_count * sizeof device->writes[0]);
}

/* ---- what came back ---- */

/* Called when memory is at rest in both views. */
static void compare_results(struct both *both)
{
    both->line_count = 0;
    for (size_t i = 0; i < both->range_count; i++) {
        walk_lines(both, &both->ranges[i], met_result);
    }
    both->range_count = 0;
    if (both->guest.fence != both->device.fence) {
        differ(both, "fence",
               "completed when the device was idle: the guest read %" PRIu64 ", the device had %" PRIu64,
               both->guest.fence, both->device.fence);
    }
}

/* At the next pair: results that equal the driver's next bytes, seen early, are not differences. */
static void settle_results(struct both *both)
{
    for (size_t i = 0; i < both->line_count; i++) {
        const struct line *line = &both->lines[i];
        uint8_t now[LINE];
        const bool known = agpu_capture_memory_read(both->guest.memory, line->address, now, line->bytes);
        bool early = known;
        char place[60];

        for (uint32_t b = 0; b < line->bytes; b++) {
            early = early && (line->guest[b] == line->device[b] || now[b] == line->device[b]);
        }
        if (!early) {
            snprintf(place, sizeof place, " of allocation %u", line->allocation);
            differ_bytes(both, "result", place, line->address - line->first, line->guest, line->device,
                         line->bytes);
        }
    }
    both->line_count = 0;
}

static void compare_registers(struct both *both)
{
    static const char *const names[SIDE_REGISTERS] = {"ERROR_COUNT", "ERROR_CODE", "ERROR_FENCE_LO"};

    for (unsigned i = 0; i < SIDE_REGISTERS; i++) {
        if ((both->guest.registers_read & both->device.registers_read & 1u << i) != 0) {
            differ_number(both, "registers", names[i], both->guest.registers[i], both->device.registers[i]);
        }
    }
}

/* ---- in order ---- */

static void report_held(struct both *both, bool rested)
{
    if (!both->held) {
        return;
    }
    settle_results(both);
    if (rested) {
        compare_registers(both);
    }
    both->held = false;
    both->counts->differing += both->pair.differences != 0;
    both->output->pair(both->output->ctx, &both->pair);
}

static void report_single(struct both *both, const struct agpu_posted_view *view, bool guest)
{
    struct agpu_both_pair pair = {0};

    *(guest ? &pair.guest : &pair.device) = *view;
    both->output->pair(both->output->ctx, &pair);
}

/* Reports the device's submissions before its submission `end` that have no partner. inside: within the guest's
 * case. */
static void report_device_only(struct both *both, size_t from, size_t end, bool inside)
{
    if (from == end) {
        return;
    }
    if (!inside) {
        both->counts->outside += end - from;
        both->output->outside(both->output->ctx, end - from, both->device.views[from].number,
                              both->device.views[end - 1].number);
        return;
    }
    for (size_t i = from; i < end; i++) {
        both->counts->device_only++;
        report_single(both, &both->device.views[i], false);
    }
}

static bool walk_pair(struct both *both, size_t index, bool *rested)
{
    const struct agpu_posted *posted = &both->guest.posted[index];
    const bool rests = posted->rests && both->device.posted[posted->partner].rests;

    if (!agpu_side_go(&both->guest, index, false, both->message, both->message_size) ||
        !agpu_side_go(&both->device, posted->partner, false, both->message, both->message_size)) {
        return false;
    }
    report_held(both, *rested);
    both->pair = (struct agpu_both_pair){.guest = both->guest.views[index],
                                         .device = both->device.views[posted->partner]};
    both->held = true;
    both->counts->pairs++;
    compare_writes(both);
    compare_sent(both);
    *rested = rests;
    if (rests) {
        if (!agpu_side_go(&both->guest, index, true, both->message, both->message_size) ||
            !agpu_side_go(&both->device, posted->partner, true, both->message, both->message_size)) {
            return false;
        }
        compare_results(both);
    }
    return true;
}

static bool is_wanted(const struct both *both, size_t scope, const char *test)
{
    return test == NULL || (scope != 0 && agpu_filter_match(test, both->guest.tests[scope - 1]));
}

static bool walk(struct both *both, const char *test)
{
    size_t next = 0;                  /* index in the device's list */
    bool rested = false, met = false; /* met: a pair of this case */
    size_t scope = AGPU_NO_PARTNER;

    for (size_t i = 0; i < both->guest.count; i++) {
        const struct agpu_posted *posted = &both->guest.posted[i];
        const bool first = posted->scope != scope, paired = posted->partner != AGPU_NO_PARTNER;

        if (!is_wanted(both, posted->scope, test)) {
            next = paired ? posted->partner + 1 : next;
            continue;
        }
        if (first) {
            report_held(both, rested);
            both->writing = met = false;
            both->range_count = 0;
        }
        if (paired && posted->partner > next) {
            report_held(both, rested);
            report_device_only(both, test == NULL || met ? next : posted->partner, posted->partner, met);
        }
        if (first && posted->scope != 0) {
            both->output->test(both->output->ctx, both->guest.tests[posted->scope - 1]);
        }
        scope = posted->scope;
        met = met || paired;
        if (!paired) {
            report_held(both, rested);
            both->counts->guest_only++;
            report_single(both, &both->guest.views[i], true);
            continue;
        }
        if (!walk_pair(both, i, &rested)) {
            return false;
        }
        next = posted->partner + 1;
    }
    report_held(both, rested);
    if (test == NULL) {
        report_device_only(both, next, both->device.count, false);
    }
    return true;
}

static bool list(struct both *both, struct agpu_side *side)
{
    char why[300], text[360];

    if (!agpu_side_list(side, why, sizeof why)) {
        snprintf(both->message, both->message_size, "%s: %s", side->path, why);
        return false;
    }
    if (side->lost[0] != '\0') {
        snprintf(text, sizeof text, "%s is not complete: %s", side->path, side->lost);
        both->output->remark(both->output->ctx, text);
    }
    return agpu_side_open(side, both->message, both->message_size);
}

bool agpu_both(const char *guest_path, uint32_t function, const char *device_path, const char *test,
               const struct agpu_both_output *output, struct agpu_both_counts *counts, char *message,
               size_t message_size)
{
    struct both *both = calloc(1, sizeof *both);
    bool good = false;

    *counts = (struct agpu_both_counts){0};
    snprintf(message, message_size, "no memory");
    if (both == NULL) {
        return false;
    }
    both->guest = (struct agpu_side){.path = guest_path, .view = AGPU_CAPTURE_GUEST, .function = function};
    both->device = (struct agpu_side){.path = device_path, .view = AGPU_CAPTURE_WIRE};
    both->output = output;
    both->counts = counts;
    both->message = message;
    both->message_size = message_size;
    both->ranges = calloc(RANGES_MOST, sizeof *both->ranges);
    both->lines = calloc(LINES_MOST, sizeof *both->lines);
    if (both->ranges != NULL && both->lines != NULL && list(both, &both->guest) &&
        list(both, &both->device)) {
        counts->guest = both->guest.count;
        counts->device = both->device.count;
        agpu_pair(both->guest.posted, both->guest.count, both->device.posted, both->device.count);
        good = walk(both, test);
    }
    agpu_side_close(&both->guest);
    agpu_side_close(&both->device);
    free(both->ranges);
    free(both->lines);
    free(both);
    return good;
}
