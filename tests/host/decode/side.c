/* side.c: lists the submissions of a view, and walks them. */
#include "tests/host/decode/side.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

/* Limit of entries, so that a hostile file cannot use more memory. */
#define SUBMISSIONS_MOST (4u << 20)
#define CASES_MOST       65536u
/* Number of stream bytes in the checksum that identifies a submission. */
#define SUMMED_MOST (256u << 10)

/* ---- the list ---- */

static uint64_t sum_of(const struct agpu_capture_memory *memory, const struct agpu_capture_item *item)
{
    const struct agpu_capture_submission *submission = item->submission;
    const uint32_t bytes = submission->cmd_bytes < SUMMED_MOST ? submission->cmd_bytes & ~7u : SUMMED_MOST;
    const uint8_t *stream =
        bytes != 0 ? agpu_capture_memory_pointer(memory, submission->cmd_address, bytes) : NULL;
    uint64_t sum = AGPU_CAPTURE_SUM_SEED;

    sum = agpu_capture_sum_word(sum, submission->cmd_address);
    sum = agpu_capture_sum_word(sum, submission->table_address);
    sum = agpu_capture_sum_word(sum, (uint64_t)submission->cmd_bytes << 32 | submission->table_bytes);
    sum = agpu_capture_sum_word(sum, (uint64_t)submission->flags << 32 | submission->context);
    sum = agpu_capture_sum(sum, item->tail, item->tail_size & ~7u);
    return stream != NULL ? agpu_capture_sum(sum, stream, bytes) : sum;
}

static bool grow(void **array, size_t *capacity, size_t count, size_t size, size_t most)
{
    if (count == *capacity) {
        const size_t more = *capacity != 0 ? 2 * *capacity : 256;
        void *grown = more <= 2 * most ? realloc(*array, more * size) : NULL;

        if (grown == NULL) {
            return false;
        }
        *array = grown;
        *capacity = more;
    }
    return true;
}

static bool add_submission(struct agpu_side *side, const struct agpu_capture_item *item, size_t scope)
{
    const struct agpu_capture_submission *submission = item->submission;
    size_t capacity = side->capacity;

    if (!grow((void **)&side->posted, &side->capacity, side->count, sizeof *side->posted, SUBMISSIONS_MOST) ||
        !grow((void **)&side->views, &capacity, side->count, sizeof *side->views, SUBMISSIONS_MOST)) {
        return false;
    }
    side->posted[side->count] = (struct agpu_posted){.number = submission->number,
                                                     .fence = submission->fence,
                                                     .address = submission->descriptor_address,
                                                     .sum = side->alone ? 0 : sum_of(side->memory, item),
                                                     .scope = scope,
                                                     .follows = side->follows};
    side->views[side->count++] = (struct agpu_posted_view){.number = submission->number,
                                                           .record = item->number,
                                                           .fence = submission->fence,
                                                           .address = submission->descriptor_address,
                                                           .slot = submission->slot,
                                                           .stream_bytes = submission->cmd_bytes,
                                                           .table_bytes = submission->table_bytes,
                                                           .posted_ns = item->time_ns};
    return true;
}

/* Marks submissions up to this number as completed: the last ones are new. */
static void note_back(struct agpu_side *side, const struct agpu_capture_item *item)
{
    for (size_t i = side->count; i > 0 && side->views[i - 1].back_ns == 0 && side->count - i < 65536; i--) {
        if (side->views[i - 1].number <= item->back->finished) {
            side->views[i - 1].back_ns = item->time_ns;
        }
    }
    if (side->count != 0 && item->back->pending == 0 &&
        item->back->finished == side->views[side->count - 1].number) {
        side->posted[side->count - 1].rests = true;
    }
}

static bool add_test(struct agpu_side *side, const char *id)
{
    if (!grow((void **)&side->tests, &side->test_capacity, side->test_count, sizeof *side->tests,
              CASES_MOST)) {
        return false;
    }
    memcpy(side->tests[side->test_count++], id, sizeof *side->tests);
    return true;
}

bool agpu_side_list_record(struct agpu_side *side, const struct agpu_capture_item *item, char *message,
                           size_t message_size)
{
    const char *wrong;
    bool room = true;

    if (item->function != side->function) {
        return true;
    }
    wrong = side->alone ? NULL : agpu_capture_memory_apply(side->memory, item);
    if (wrong != NULL) {
        snprintf(message, message_size, "record %" PRIu64 ": %s", item->number, wrong);
        return false;
    }
    if (item->type == AGPU_CAPTURE_DEVICE && item->device->view != side->view) {
        snprintf(message, message_size, "expected %s view (%s), found the other view",
                 side->view == AGPU_CAPTURE_GUEST ? "the guest's" : "the device's",
                 side->view == AGPU_CAPTURE_GUEST ? "agpu run --capture"
                                                  : "--device-capture, agpu vdev --capture");
        return false;
    }
    if (item->type == AGPU_CAPTURE_CASE) {
        room = add_test(side, item->text);
        side->follows = item->test->index == side->next_index;
        side->next_index = item->test->index + 1;
    } else if (item->type == AGPU_CAPTURE_SUBMISSION) {
        room = add_submission(side, item, side->test_count);
    } else if (item->type == AGPU_CAPTURE_BACK) {
        note_back(side, item);
    } else if (item->type == AGPU_CAPTURE_LOST && side->lost[0] == '\0') {
        snprintf(side->lost, sizeof side->lost, "record %" PRIu64 ": %.120s", item->number, item->text);
    }
    if (!room) {
        snprintf(message, message_size, "it has more submissions than can be compared");
    }
    return room;
}

bool agpu_side_list(struct agpu_side *side, char *message, size_t message_size)
{
    struct agpu_capture_item item;
    enum agpu_capture_next next;
    bool good = true;

    if (!agpu_side_open(side, message, message_size)) {
        return false;
    }
    while (good && (next = agpu_capture_next(side->reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        good = agpu_side_list_record(side, &item, message, message_size);
    }
    if (good && next != AGPU_CAPTURE_NEXT_DONE) {
        snprintf(message, message_size, "%s", agpu_capture_error(side->reader));
        good = false;
    }
    return good;
}

/* ---- the walk ---- */

bool agpu_side_open(struct agpu_side *side, char *message, size_t message_size)
{
    agpu_capture_close(side->reader);
    agpu_capture_memory_destroy(side->memory);
    side->at = 0;
    side->mixed = side->resting = false;
    side->registers_read = 0;
    side->write_count = 0;
    side->writes_lost = false;
    side->memory = NULL;
    side->reader = agpu_capture_open(side->path, message, message_size);
    if (side->reader == NULL) {
        return false;
    }
    agpu_capture_choose(side->reader, side->function);
    side->memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    if (side->memory == NULL) {
        snprintf(message, message_size, "no memory");
    }
    return side->memory != NULL;
}

static void add_write(struct agpu_side *side, uint64_t offset, uint64_t value)
{
    if (side->write_count == AGPU_SIDE_WRITES) {
        side->writes_lost = true;
        return;
    }
    side->writes[side->write_count++] = (struct agpu_side_write){offset, value};
}

/* The bus may split an access of 8 bytes into two, and merge two into one. */
static void note_access(struct agpu_side *side, const struct agpu_capture_access *access)
{
    if (access->write == 0 || access->space != 0) {
        return;
    }
    for (uint32_t i = 0; i < access->count && !side->writes_lost; i++) {
        if (access->size == 8) {
            add_write(side, access->offset, (uint32_t)access->value);
            add_write(side, access->offset + 4, access->value >> 32);
        } else {
            add_write(side, access->offset, access->value);
        }
    }
}

static void note_registers(struct agpu_side *side, const struct agpu_capture_item *item)
{
    static const uint32_t offsets[SIDE_REGISTERS] = {
        [SIDE_ERROR_COUNT] = AEROGPU_MMIO_REG_ERROR_COUNT,
        [SIDE_ERROR_CODE] = AEROGPU_MMIO_REG_ERROR_CODE,
        [SIDE_ERROR_FENCE] = AEROGPU_MMIO_REG_ERROR_FENCE_LO,
    };

    if (side->registers_read != 0) {
        return; /* keep the values at rest: later ones are not comparable */
    }
    for (uint32_t i = 0; i < item->registers->count && !side->legacy; i++) {
        struct agpu_capture_register recorded;

        memcpy(&recorded, item->tail + i * sizeof recorded, sizeof recorded);
        for (size_t r = 0; r < SIDE_REGISTERS; r++) {
            if (recorded.offset == offsets[r]) {
                side->registers[r] = recorded.value;
                side->registers_read |= 1u << r;
            }
        }
    }
}

static void follow(struct agpu_side *side, const struct agpu_capture_item *item)
{
    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        side->legacy = item->device->generation == AGPU_CAPTURE_LEGACY;
        side->mixed = false;
        break;
    case AGPU_CAPTURE_ACCESS:
        note_access(side, item->access);
        break;
    case AGPU_CAPTURE_CONTENTS:
        side->mixed = side->mixed || (item->bytes->flags & AGPU_CAPTURE_MIXED) != 0;
        break;
    case AGPU_CAPTURE_SUBMISSION:
        side->submission = *item->submission;
        side->descriptor_bytes =
            item->tail_size < sizeof side->descriptor ? item->tail_size : (uint32_t)sizeof side->descriptor;
        memcpy(side->descriptor, item->tail, side->descriptor_bytes);
        side->at++;
        side->resting = false;
        break;
    case AGPU_CAPTURE_BACK:
        side->fence = item->back->fence;
        side->resting = item->back->pending == 0 && item->back->finished == side->submission.number;
        side->mixed = side->mixed && item->back->pending != 0;
        side->registers_read = side->resting ? 0 : side->registers_read;
        break;
    case AGPU_CAPTURE_REGISTERS:
        note_registers(side, item);
        break;
    default:
        break;
    }
}

bool agpu_side_go(struct agpu_side *side, size_t index, bool rest, char *message, size_t message_size)
{
    struct agpu_capture_item item;
    bool registers = false; /* the register values read at rest are recorded after it */

    while (side->at <= index || (rest && !side->resting) || registers) {
        const char *wrong = "the file has changed";
        const bool rested = side->resting;

        if (agpu_capture_next(side->reader, &item) != AGPU_CAPTURE_NEXT_RECORD ||
            (wrong = agpu_capture_memory_apply(side->memory, &item)) != NULL) {
            snprintf(message, message_size, "%s: %s", side->path, wrong);
            return false;
        }
        follow(side, &item);
        registers = rest && !rested && side->resting;
    }
    return true;
}

void agpu_side_close(struct agpu_side *side)
{
    agpu_capture_close(side->reader);
    agpu_capture_memory_destroy(side->memory);
    free(side->posted);
    free(side->views);
    free(side->tests);
}
