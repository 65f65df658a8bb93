/* capture_walk.c: walks the records of a capture in order. */
#include "tests/host/decode/capture_walk.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/register_table.h"
#include "tests/cases/choice/filter.h"

#define STREAM_MOST  (64u << 20)
#define ENTRIES_MOST 65536u

/* A record that is shown only if a following one is. Copies the structure, because the reader's is valid only within
 * its block. */
struct held_record {
    bool held;
    struct agpu_capture_item item;
    union {
        struct agpu_capture_device device;
        struct agpu_capture_case test;
    } structure;
};

struct capture_walk {
    const struct agpu_capture_choice *choice;
    const struct agpu_capture_view_output *output;
    struct agpu_capture_memory *memory;
    struct agpu_decoder *decoder;
    uint64_t problems;
    bool legacy;
    bool in_case;                     /* in the selected case */
    bool in_submission;               /* in the selected submission */
    uint64_t submission;              /* number of the last one */
    struct held_record device, test;  /* belong to the selected submission, if it follows */
    struct agpu_decode_output silent; /* for streams that are tracked but not shown */
};

const char *agpu_register_name(bool legacy, uint32_t space, uint64_t offset, char room[AGPU_REGISTER_NAME])
{
    const struct aerogpu_register *reg = space == 0 ? aerogpu_register_at(legacy, offset) : NULL;

    if (reg != NULL) {
        return reg->name;
    }
    if (space == AGPU_CAPTURE_CONFIG_SPACE) {
        snprintf(room, AGPU_REGISTER_NAME, "config+0x%" PRIx64, offset);
    } else {
        snprintf(room, AGPU_REGISTER_NAME, "BAR%u+0x%" PRIx64, space, offset);
    }
    return room;
}

/* ---- streams that are not shown: what they create is remembered ---- */

static void hide_stream(void *ctx, uint64_t offset, uint32_t size, uint32_t version)
{
    (void)ctx;
    (void)offset;
    (void)size;
    (void)version;
}

static void hide_packet(void *ctx, const struct agpu_decoded *packet)
{
    (void)ctx;
    (void)packet;
}

static void hide_member(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element)
{
    (void)ctx;
    (void)member;
    (void)bytes;
    (void)element;
}

static void hide_handle(void *ctx, uint32_t word, uint32_t handle, const char *what)
{
    (void)ctx;
    (void)word;
    (void)handle;
    (void)what;
}

static void hide_payload(void *ctx, const uint8_t *bytes, uint64_t size)
{
    (void)ctx;
    (void)bytes;
    (void)size;
}

static void hide_problem(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal)
{
    (void)ctx;
    (void)offset;
    (void)text;
    (void)rule;
    (void)fatal;
}

static void hide_end(void *ctx)
{
    (void)ctx;
}

/* ---- submissions ---- */

static bool is_shown(const struct capture_walk *walk)
{
    return walk->in_case && (walk->choice->submission == 0 || walk->in_submission) &&
           walk->submission >= walk->choice->first;
}

static void show_table(struct capture_walk *walk, const struct agpu_capture_submission *submission)
{
    const struct agpu_capture_view_output *output = walk->output;
    struct aerogpu_alloc_table_header header;
    uint64_t at = sizeof header;

    if (submission->table_bytes == 0) {
        return;
    }
    if (submission->table_bytes < sizeof header ||
        !agpu_capture_memory_read(walk->memory, submission->table_address, &header, sizeof header) ||
        header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        output->remark(output->ctx, "its allocation table cannot be read");
        return;
    }
    for (uint32_t i = 0; i < header.entry_count; i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;

        if (i == ENTRIES_MOST || at + sizeof entry > submission->table_bytes ||
            !agpu_capture_memory_read(walk->memory, submission->table_address + at, &entry, sizeof entry)) {
            output->remark(output->ctx, "its allocation table announces more entries than it has");
            return;
        }
        output->entry(output->ctx, &entry, i);
    }
}

static void show_stream(struct capture_walk *walk, const struct agpu_capture_submission *submission)
{
    const struct agpu_capture_view_output *output = walk->output;
    const bool shown = is_shown(walk);
    const struct agpu_decode_output *to = shown ? &output->stream : &walk->silent;
    uint32_t size = submission->cmd_bytes, header[3];
    uint8_t *copy = NULL;
    const uint8_t *stream;

    if (size == 0 || walk->legacy) {
        return;
    }
    /* The descriptor gives a capacity; the stream's header gives the used size. */
    if (size >= sizeof header &&
        agpu_capture_memory_read(walk->memory, submission->cmd_address, header, sizeof header) &&
        header[0] == AEROGPU_CMD_STREAM_MAGIC && header[2] >= 24 && header[2] < size) {
        size = header[2];
    }
    if (size > STREAM_MOST) {
        if (shown) {
            output->remark(output->ctx, "its command stream is larger than a device must accept");
        }
        return;
    }
    stream = agpu_capture_memory_pointer(walk->memory, submission->cmd_address, size);
    if (stream == NULL) {
        copy = malloc(size);
        if (copy == NULL) {
            output->remark(output->ctx, "no memory for its command stream");
            return;
        }
        if (!agpu_capture_memory_read(walk->memory, submission->cmd_address, copy, size) && shown) {
            output->remark(output->ctx,
                           "a part of its command stream is not in the capture; zeros stand for it");
        }
        stream = copy;
    }
    walk->problems += agpu_decode(walk->decoder, stream, size, 0, to) * shown;
    free(copy);
}

static bool begin_scope(struct capture_walk *walk)
{
    agpu_decoder_destroy(walk->decoder);
    walk->decoder = agpu_decoder_create();
    return walk->decoder != NULL;
}

/* ---- whose submission it is ---- */

static void hold_context(struct capture_walk *walk, const struct agpu_capture_item *item)
{
    struct held_record *held = item->type == AGPU_CAPTURE_DEVICE ? &walk->device : &walk->test;

    held->held = true;
    held->item = *item;
    held->item.tail = NULL; /* the text is part of the item */
    held->item.tail_size = 0;
    if (item->type == AGPU_CAPTURE_DEVICE) {
        held->structure.device = *item->device;
        held->item.device = &held->structure.device;
        walk->test.held = false;
    } else {
        held->structure.test = *item->test;
        held->item.test = &held->structure.test;
    }
}

static void show_context(struct capture_walk *walk, struct held_record *held)
{
    if (held->held) {
        walk->output->record(walk->output->ctx, &held->item, walk->legacy);
        held->held = false;
    }
}

/* Returns false when memory is exhausted. */
static bool show(struct capture_walk *walk, const struct agpu_capture_item *item)
{
    const struct agpu_capture_choice *choice = walk->choice;
    const bool is_context = item->type == AGPU_CAPTURE_DEVICE || item->type == AGPU_CAPTURE_CASE;

    if (item->type == AGPU_CAPTURE_DEVICE) {
        walk->legacy = item->device->generation == AGPU_CAPTURE_LEGACY;
        walk->in_submission = false;
        walk->submission = 0;
        walk->in_case = choice->test == NULL;
        if (!begin_scope(walk)) {
            return false;
        }
    } else if (item->type == AGPU_CAPTURE_CASE) {
        walk->in_case = choice->test == NULL || agpu_filter_match(choice->test, item->text);
        walk->in_submission = false;
    } else if (item->type == AGPU_CAPTURE_SUBMISSION) {
        walk->in_submission = item->submission->number == choice->submission;
        walk->submission = item->submission->number;
    }
    if (is_shown(walk)) {
        show_context(walk, &walk->device);
        show_context(walk, &walk->test);
        walk->output->record(walk->output->ctx, item, walk->legacy);
    } else if (walk->in_case && is_context && choice->submission != 0) {
        hold_context(walk, item);
    } else if (walk->in_case && is_context && choice->first != 0) {
        walk->output->record(walk->output->ctx, item, walk->legacy);
    }
    if (item->type == AGPU_CAPTURE_SUBMISSION && walk->decoder != NULL) {
        if (is_shown(walk)) {
            show_table(walk, item->submission);
            if (choice->shown != NULL) {
                ++*choice->shown;
            }
        }
        show_stream(walk, item->submission);
    }
    return true;
}

enum agpu_capture_next agpu_capture_walk(struct agpu_capture_reader *reader,
                                         const struct agpu_capture_choice *choice,
                                         const struct agpu_capture_view_output *output, uint64_t *problems,
                                         char *message, size_t message_size)
{
    struct capture_walk walk = {
        .choice = choice,
        .output = output,
        .memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST),
        .in_case = choice->test == NULL,
        .silent = {.stream = hide_stream,
                   .packet = hide_packet,
                   .member = hide_member,
                   .handle = hide_handle,
                   .payload = hide_payload,
                   .problem = hide_problem,
                   .packet_end = hide_end},
    };
    enum agpu_capture_next next;
    struct agpu_capture_item item;
    const char *wrong = NULL;

    message[0] = '\0';
    if (walk.memory == NULL) {
        snprintf(message, message_size, "no memory");
        return AGPU_CAPTURE_NEXT_WRONG;
    }
    while ((next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        wrong = agpu_capture_memory_apply(walk.memory, &item);
        if (wrong == NULL && !show(&walk, &item)) {
            wrong = "no memory";
        }
        if (wrong != NULL) {
            snprintf(message, message_size, "record %" PRIu64 ": %s", item.number, wrong);
            next = AGPU_CAPTURE_NEXT_WRONG;
            break;
        }
    }
    if (wrong == NULL) {
        snprintf(message, message_size, "%s", agpu_capture_error(reader));
    }
    *problems = walk.problems;
    agpu_decoder_destroy(walk.decoder);
    agpu_capture_memory_destroy(walk.memory);
    return next;
}

const char *agpu_way_name(uint32_t way)
{
    return way == AGPU_CAPTURE_WAY_MSI ? "MSI" : way == AGPU_CAPTURE_WAY_MSIX ? "MSI-X" : "INTA#";
}
