/* capture_in.c: converts records to steps. Addresses become places: the memory in allocation tables is moved into a
 * program's regions. */
#include "tests/host/compare/capture_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/host/capture/functions.h"
#include "tests/host/capture/memory.h"
#include "tests/host/capture/reader.h"

#define RANGES_MOST  256u
#define ENTRIES_MOST 1024u
#define TABLE_MOST   (sizeof(struct aerogpu_alloc_table_header) + ENTRIES_MOST * 64u)
#define STEPS_MOST   200000u
#define BYTES_MOST   (256u << 20)

/* A range of the capture's memory, and its place in the program. */
struct moved_range {
    uint64_t address, size;
    uint32_t region, offset;
};

struct lifting {
    struct agpu_capture_memory *memory;
    struct agpu_gen_program *program; /* NULL in the first pass, which only collects ranges */
    struct moved_range ranges[RANGES_MOST];
    uint32_t range_count;
    uint64_t ring_gpa, fence_gpa, placed_fence, placed_ring;
    uint32_t fb_lo, since_doorbell;
    uint64_t last_fence;
    bool fb_staged, ring_set;
    char *text;
};

static bool refuse(struct lifting *lifting, const char *why)
{
    snprintf(lifting->text, AGPU_CMP_TEXT, "%s", why);
    return false;
}

/* ---- places ---- */

static const struct moved_range *find_range(const struct lifting *lifting, uint64_t address, uint64_t size)
{
    for (uint32_t i = 0; i < lifting->range_count; i++) {
        const struct moved_range *range = &lifting->ranges[i];

        if (address >= range->address && address - range->address <= range->size &&
            size <= range->size - (address - range->address)) {
            return range;
        }
    }
    return NULL;
}

/* Adds a range; merges overlapping ones. */
static bool add_range(struct lifting *lifting, uint64_t address, uint64_t size)
{
    if (size == 0 || size > AGPU_GEN_DATA_BYTES || address + size < address ||
        find_range(lifting, address, size) != NULL) {
        return true; /* empty, or unusable by any device: an error in the captured submission */
    }
    for (uint32_t i = 0; i < lifting->range_count; i++) {
        struct moved_range *range = &lifting->ranges[i];

        if (address <= range->address + range->size && range->address <= address + size) {
            const uint64_t end =
                address + size > range->address + range->size ? address + size : range->address + range->size;

            range->address = address < range->address ? address : range->address;
            range->size = end - range->address;
            return true;
        }
    }
    if (lifting->range_count == RANGES_MOST) {
        return refuse(lifting, "it uses more pieces of memory than a program of agpu compare can have");
    }
    lifting->ranges[lifting->range_count++] = (struct moved_range){.address = address, .size = size};
    return true;
}

static bool place_ranges(struct lifting *lifting)
{
    uint64_t used[AGPU_GEN_DATA_COUNT] = {0};

    for (uint32_t i = 0; i < lifting->range_count; i++) {
        struct moved_range *range = &lifting->ranges[i];
        uint32_t region = 0;

        /* Keeps the offset within the page. */
        while (region < AGPU_GEN_DATA_COUNT &&
               ((used[region] + 4095) & ~4095ull) + range->address % 4096 + range->size >
                   AGPU_GEN_DATA_BYTES) {
            region++;
        }
        if (region == AGPU_GEN_DATA_COUNT) {
            snprintf(
                lifting->text, AGPU_CMP_TEXT,
                "its submissions use more than the %u MiB of memory that a program has: choose another case",
                (unsigned)(AGPU_GEN_DATA_COUNT * AGPU_GEN_DATA_BYTES >> 20));
            return false;
        }
        range->region = region;
        range->offset = (uint32_t)(((used[region] + 4095) & ~4095ull) + range->address % 4096);
        used[region] = range->offset + range->size;
    }
    return true;
}

/* ---- submissions ---- */

static void put_patch(struct lifting *lifting, enum agpu_gen_where where, uint32_t offset, uint32_t size,
                      uint64_t value)
{
    const struct agpu_gen_patch patch = {
        .where = (uint8_t)where, .size = (uint8_t)size, .offset = (uint16_t)offset, .value = value};

    agpu_gen_patch_add(lifting->program, &patch);
}

/* Adds patches for words in which the structure differs from what a program writes by itself. */
static void put_odd_words(struct lifting *lifting, enum agpu_gen_where where, const void *is,
                          const void *usual, uint32_t size)
{
    for (uint32_t at = 0; at + 4 <= size; at += 4) {
        uint32_t a, b;

        memcpy(&a, (const uint8_t *)is + at, sizeof a);
        memcpy(&b, (const uint8_t *)usual + at, sizeof b);
        if (a != b) {
            put_patch(lifting, where, at, 4, a);
        }
    }
}

static void lift_stream(struct lifting *lifting, const struct agpu_capture_submission *from)
{
    static uint8_t bytes[AGPU_GEN_STREAM_MAX];
    struct aerogpu_cmd_stream_header header,
        usual = {.magic = AEROGPU_CMD_STREAM_MAGIC, .abi_version = AEROGPU_ABI_VERSION_U32};
    uint32_t size = from->cmd_bytes;

    if (from->cmd_address == 0 && from->cmd_bytes == 0) {
        return;
    }
    if (from->cmd_bytes < sizeof header ||
        !agpu_capture_memory_read(lifting->memory, from->cmd_address, &header, sizeof header)) {
        put_patch(lifting, AGPU_GEN_IN_DESC, offsetof(struct aerogpu_submit_desc, cmd_gpa), 8,
                  from->cmd_address);
        put_patch(lifting, AGPU_GEN_IN_DESC, offsetof(struct aerogpu_submit_desc, cmd_size_bytes), 4,
                  from->cmd_bytes);
        return;
    }
    if (header.size_bytes >= sizeof header && header.size_bytes < size) {
        size = header.size_bytes; /* bytes after the stream are ignored */
    }
    size = size - (uint32_t)sizeof header < sizeof bytes ? size - (uint32_t)sizeof header
                                                         : (uint32_t)sizeof bytes;
    size &= ~3u;
    agpu_capture_memory_read(lifting->memory, from->cmd_address + sizeof header, bytes, size);
    if (size > 0) {
        memcpy(agpu_gen_bytes_add(lifting->program, size), bytes, size);
    } else {
        lifting->program->steps[lifting->program->step_count - 1].size = 8;
    }
    usual.size_bytes = (uint32_t)sizeof header + size;
    put_odd_words(lifting, AGPU_GEN_IN_STREAM, &header, &usual, sizeof header);
    if (from->cmd_bytes < header.size_bytes) {
        put_patch(lifting, AGPU_GEN_IN_DESC, offsetof(struct aerogpu_submit_desc, cmd_size_bytes), 4,
                  from->cmd_bytes);
    }
}

static bool is_whole_table(const struct aerogpu_alloc_table_header *header, uint32_t bytes)
{
    return header->entry_stride_bytes >= sizeof(struct aerogpu_alloc_entry) &&
           header->entry_stride_bytes <= 64 && header->entry_count <= ENTRIES_MOST &&
           header->size_bytes <= bytes &&
           sizeof *header + (uint64_t)header->entry_count * header->entry_stride_bytes <= header->size_bytes;
}

static bool lift_entry(struct lifting *lifting, const struct aerogpu_alloc_entry *from, uint32_t number)
{
    const struct moved_range *range;
    struct agpu_gen_entry entry = {.id = from->alloc_id, .flags = from->flags, .size = from->size_bytes};

    if (lifting->program == NULL) {
        return add_range(lifting, from->gpa, from->size_bytes);
    }
    range = find_range(lifting, from->gpa, from->size_bytes);
    if (range != NULL) {
        entry.region = range->region;
        entry.offset = range->offset + (uint32_t)(from->gpa - range->address);
    }
    agpu_gen_entry_add(lifting->program, &entry);
    if (range == NULL) {
        put_patch(lifting, AGPU_GEN_IN_TABLE,
                  (uint32_t)(sizeof(struct aerogpu_alloc_table_header) + number * sizeof *from +
                             offsetof(struct aerogpu_alloc_entry, gpa)),
                  8, from->gpa);
    }
    return true;
}

static bool lift_table(struct lifting *lifting, const struct agpu_capture_submission *from)
{
    static uint8_t bytes[TABLE_MOST];
    struct aerogpu_alloc_table_header header, usual;
    const uint32_t size = from->table_bytes < sizeof bytes ? from->table_bytes : (uint32_t)sizeof bytes;
    bool whole;

    if (from->table_address == 0 && from->table_bytes == 0) {
        return true;
    }
    if (size < sizeof header ||
        !agpu_capture_memory_read(lifting->memory, from->table_address, bytes, sizeof header)) {
        if (lifting->program != NULL) {
            put_patch(lifting, AGPU_GEN_IN_DESC, offsetof(struct aerogpu_submit_desc, alloc_table_gpa), 8,
                      from->table_address);
            put_patch(lifting, AGPU_GEN_IN_DESC, offsetof(struct aerogpu_submit_desc, alloc_table_size_bytes),
                      4, from->table_bytes);
        }
        return true;
    }
    agpu_capture_memory_read(lifting->memory, from->table_address, bytes, size);
    memcpy(&header, bytes, sizeof header);
    whole = is_whole_table(&header, size);
    for (uint32_t i = 0; whole && i < header.entry_count; i++) {
        struct aerogpu_alloc_entry entry;

        memcpy(&entry, bytes + sizeof header + i * header.entry_stride_bytes, sizeof entry);
        if (!lift_entry(lifting, &entry, i)) {
            return false;
        }
    }
    if (lifting->program == NULL) {
        return true;
    }
    if (!whole || header.entry_count == 0) { /* add an entry, so that there is something to damage */
        agpu_gen_entry_add(lifting->program, &(struct agpu_gen_entry){.id = 1, .size = 4096});
    }
    usual = header;
    usual.magic = AEROGPU_ALLOC_TABLE_MAGIC;
    usual.abi_version = AEROGPU_ABI_VERSION_U32;
    put_odd_words(lifting, AGPU_GEN_IN_TABLE, &header, &usual, sizeof header);
    if (!whole) {
        put_patch(lifting, AGPU_GEN_IN_TABLE, offsetof(struct aerogpu_alloc_table_header, size_bytes), 4,
                  header.size_bytes);
        put_patch(lifting, AGPU_GEN_IN_TABLE, offsetof(struct aerogpu_alloc_table_header, entry_count), 4,
                  header.entry_count);
        put_patch(lifting, AGPU_GEN_IN_TABLE, offsetof(struct aerogpu_alloc_table_header, entry_stride_bytes),
                  4, header.entry_stride_bytes);
    }
    return true;
}

static bool lift_submission(struct lifting *lifting, const struct agpu_capture_item *item)
{
    const struct agpu_capture_submission *from = item->submission;
    uint32_t desc_size = sizeof(struct aerogpu_submit_desc);
    struct agpu_gen_step *step;

    if (from->generation != AGPU_CAPTURE_VERSIONED) {
        return refuse(lifting, "it is from the retired device, which executes no packets");
    }
    if (lifting->program == NULL) {
        return lift_table(lifting, from);
    }
    step = agpu_gen_step_add(lifting->program, AGPU_GEN_SUBMIT);
    step->fence = from->fence;
    step->flags = from->flags;
    step->context = from->context;
    step->invalid = true; /* unknown, so assume that it may be */
    lift_stream(lifting, from);
    if (!lift_table(lifting, from)) {
        return false;
    }
    if (item->tail_size >= sizeof desc_size) {
        memcpy(&desc_size, item->tail, sizeof desc_size);
    }
    if (desc_size != sizeof(struct aerogpu_submit_desc)) {
        put_patch(lifting, AGPU_GEN_IN_DESC, 0, 4, desc_size);
    }
    lifting->last_fence = from->fence > lifting->last_fence ? from->fence : lifting->last_fence;
    lifting->since_doorbell++;
    return true;
}

/* ---- accesses and memory ---- */

static void lift_ring(struct lifting *lifting)
{
    struct aerogpu_ring_header header;
    struct agpu_gen_step *step;

    if (lifting->fence_gpa != lifting->placed_fence && lifting->fence_gpa != 0) {
        step = agpu_gen_step_add(lifting->program, AGPU_GEN_ADDRESS_WRITE);
        step->size = 8;
        step->region = AGPU_GEN_FENCE;
        step->offset = AEROGPU_MMIO_REG_FENCE_GPA_LO;
        step->value = lifting->fence_gpa % 4096;
        lifting->placed_fence = lifting->fence_gpa;
    }
    if (!agpu_capture_memory_read(lifting->memory, lifting->ring_gpa, &header, sizeof header) ||
        header.entry_count == 0 || header.entry_count > 512 || header.entry_stride_bytes < 64 ||
        header.entry_stride_bytes > 64 + 255 ||
        64 + (uint64_t)header.entry_count * header.entry_stride_bytes > AGPU_GEN_RING_BYTES) {
        return;
    }
    step = agpu_gen_step_add(lifting->program, AGPU_GEN_RING_SET);
    step->value = header.entry_count;
    step->size = (uint8_t)(header.entry_stride_bytes - 64);
    step->fence = header.tail;
    lifting->ring_set = true;
    lifting->placed_ring = lifting->ring_gpa;
}

static void lift_frame(struct lifting *lifting, uint32_t offset, uint32_t value)
{
    const bool upper = offset == AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI;
    const struct moved_range *range = find_range(lifting, (uint64_t)value << 32 | lifting->fb_lo, 1);
    struct agpu_gen_step *step;

    if (!upper) {
        lifting->fb_lo = value;
        return;
    }
    step = agpu_gen_step_add(lifting->program, AGPU_GEN_ADDRESS_WRITE);
    step->size = 8;
    step->offset = AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO;
    step->region = (uint8_t)(range != NULL ? range->region : AGPU_GEN_REGIONS);
    step->value = range != NULL ? range->offset + (lifting->fb_lo - (uint32_t)range->address)
                                : (uint64_t)value << 32 | lifting->fb_lo;
}

static void lift_register(struct lifting *lifting, const struct agpu_capture_access *access)
{
    const uint32_t offset = (uint32_t)access->offset, value = (uint32_t)access->value;
    struct agpu_gen_step *step;

    switch (offset) {
    case AEROGPU_MMIO_REG_RING_GPA_LO:
        lifting->ring_gpa = (lifting->ring_gpa & ~0xFFFFFFFFull) | value;
        return;
    case AEROGPU_MMIO_REG_RING_GPA_HI:
        lifting->ring_gpa = (lifting->ring_gpa & 0xFFFFFFFF) | (uint64_t)value << 32;
        return;
    case AEROGPU_MMIO_REG_FENCE_GPA_LO:
        lifting->fence_gpa = (lifting->fence_gpa & ~0xFFFFFFFFull) | value;
        return;
    case AEROGPU_MMIO_REG_FENCE_GPA_HI:
        lifting->fence_gpa = (lifting->fence_gpa & 0xFFFFFFFF) | (uint64_t)value << 32;
        return;
    case AEROGPU_MMIO_REG_RING_SIZE_BYTES:
        return;
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO:
    case AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_HI:
        lift_frame(lifting, offset, value);
        return;
    case AEROGPU_MMIO_REG_DOORBELL:
        step = agpu_gen_step_add(lifting->program, AGPU_GEN_DOORBELL);
        step->value = lifting->since_doorbell > 0 ? lifting->last_fence : 0;
        lifting->since_doorbell = 0;
        return;
    case AEROGPU_MMIO_REG_RING_CONTROL:
        if ((value & AEROGPU_RING_CONTROL_RESET) != 0) {
            step = agpu_gen_step_add(lifting->program, AGPU_GEN_REGISTER_WRITE);
            step->offset = offset;
            step->value = AEROGPU_RING_CONTROL_RESET;
            lifting->last_fence = 0;
        }
        if ((value & AEROGPU_RING_CONTROL_ENABLE) != 0) {
            lift_ring(lifting);
        } else if ((value & AEROGPU_RING_CONTROL_RESET) == 0) {
            agpu_gen_step_add(lifting->program, AGPU_GEN_REGISTER_WRITE)->offset = offset;
        }
        return;
    default:
        step = agpu_gen_step_add(lifting->program, AGPU_GEN_REGISTER_WRITE);
        step->offset = offset;
        step->size = access->size;
        step->value = access->value;
        return;
    }
}

static void lift_contents(struct lifting *lifting, const struct agpu_capture_item *item)
{
    const struct agpu_capture_bytes *bytes = item->bytes;

    for (uint32_t i = 0; i < lifting->range_count; i++) {
        const struct moved_range *range = &lifting->ranges[i];
        const uint64_t from = bytes->address > range->address ? bytes->address : range->address;
        const uint64_t end_a = bytes->address + bytes->size, end_b = range->address + range->size;
        const uint64_t end = end_a < end_b ? end_a : end_b;

        if (from < end) {
            struct agpu_gen_step *step = agpu_gen_step_add(lifting->program, AGPU_GEN_MEMORY);

            step->region = (uint8_t)range->region;
            step->offset = range->offset + (uint32_t)(from - range->address);
            memcpy(agpu_gen_bytes_add(lifting->program, (uint32_t)(end - from)),
                   item->tail + (from - bytes->address), end - from);
        }
    }
}

static bool lift(struct lifting *lifting, const struct agpu_capture_item *item)
{
    const char *wrong = agpu_capture_memory_apply(lifting->memory, item);

    if (wrong != NULL) {
        return refuse(lifting, wrong);
    }
    if (item->type == AGPU_CAPTURE_SUBMISSION) {
        return lift_submission(lifting, item);
    }
    if (lifting->program == NULL) {
        return true;
    }
    if (item->type == AGPU_CAPTURE_CONTENTS) {
        lift_contents(lifting, item);
    } else if (item->type == AGPU_CAPTURE_ACCESS && item->access->write != 0 && item->access->space == 0) {
        lift_register(lifting, item->access);
    }
    if (lifting->program->step_count > STEPS_MOST || lifting->program->byte_count > BYTES_MOST) {
        return refuse(lifting, "it has more steps than a program of agpu compare can have");
    }
    return true;
}

/* ---- the file ---- */

/* Selects the case: the first failed one, else the first. If the file is cut off or damaged, one that ended before
 * that. */
static bool choose_case(struct agpu_capture_reader *reader, const char *filter, char name[AGPU_CMP_TEXT],
                        char text[AGPU_CMP_TEXT])
{
    struct agpu_capture_item item;
    char first[AGPU_CMP_TEXT] = "", now[AGPU_CMP_TEXT] = "";
    enum agpu_capture_next next = AGPU_CAPTURE_NEXT_DONE;
    bool ended = false;

    name[0] = '\0';
    agpu_capture_choose_cases(reader, filter);
    while (name[0] == '\0' && (next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_CASE) {
            snprintf(now, sizeof now, "%s", item.text);
            if (first[0] == '\0') {
                snprintf(first, sizeof first, "%s", item.text);
            }
        } else if (item.type == AGPU_CAPTURE_CASE_END) {
            ended = true;
            if (item.test->failed != 0) {
                snprintf(name, AGPU_CMP_TEXT, "%s", now);
            }
        }
    }
    if (name[0] == '\0' && !ended && next != AGPU_CAPTURE_NEXT_DONE) {
        snprintf(text, AGPU_CMP_TEXT, "%s", agpu_capture_error(reader));
        return false;
    }
    if (name[0] == '\0') {
        snprintf(name, AGPU_CMP_TEXT, "%s", first);
    }
    if (name[0] == '\0' && !agpu_capture_lacks_cases(reader, text, AGPU_CMP_TEXT)) {
        snprintf(text, AGPU_CMP_TEXT, "it has no cases");
    }
    return name[0] != '\0';
}

/* Makes one pass over the records of the case. */
static bool pass(const char *path, uint32_t function, const char *name, struct lifting *lifting)
{
    struct agpu_capture_reader *reader = agpu_capture_open(path, lifting->text, AGPU_CMP_TEXT);
    struct agpu_capture_item item;
    enum agpu_capture_next next = AGPU_CAPTURE_NEXT_DONE;
    bool inside = false, over = false, good = reader != NULL;

    lifting->memory = good ? agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST) : NULL;
    if (good) {
        agpu_capture_choose(reader, function);
    }
    if (good && lifting->memory == NULL) {
        good = refuse(lifting, "no memory");
    }
    while (good && !over && (next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_CASE) {
            over = inside;
            inside = strcmp(item.text, name) == 0;
            agpu_capture_memory_clear(lifting->memory);
        } else if (item.type == AGPU_CAPTURE_CASE_END) {
            over = inside;
        } else if (inside) {
            good = lift(lifting, &item);
        }
    }
    /* A truncated case is refused: its failure may be in the missing part. */
    if (good && !over && next != AGPU_CAPTURE_NEXT_RECORD && next != AGPU_CAPTURE_NEXT_DONE) {
        snprintf(lifting->text, AGPU_CMP_TEXT, "%s", agpu_capture_error(reader));
        good = false;
    }
    agpu_capture_memory_destroy(lifting->memory);
    agpu_capture_close(reader);
    lifting->memory = NULL;
    return good;
}

bool agpu_cmp_capture_read(const char *path, uint32_t function, const char *filter,
                           struct agpu_gen_program *program, char name[AGPU_CMP_TEXT],
                           char text[AGPU_CMP_TEXT])
{
    struct agpu_capture_reader *reader = agpu_capture_open(path, text, AGPU_CMP_TEXT);
    struct lifting *lifting = calloc(1, sizeof *lifting);
    bool good = reader != NULL && lifting != NULL;

    if (good) {
        agpu_capture_choose(reader, function);
        good = choose_case(reader, filter, name, text);
    }
    agpu_capture_close(reader);
    if (good) {
        lifting->text = text;
        good = pass(path, function, name, lifting) && place_ranges(lifting);
    }
    if (good) {
        agpu_gen_program_clear(program);
        program->legacy = false;
        lifting->program = program;
        good = pass(path, function, name, lifting);
    }
    if (good && !lifting->ring_set) {
        good = refuse(lifting, "the case starts no ring: nothing can be left out of it");
    }
    if (good) {
        agpu_gen_step_add(program, AGPU_GEN_COMPARE);
    }
    free(lifting);
    return good;
}
