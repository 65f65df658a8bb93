/* play_memory.c: two copies of the capture's memory: the device's and the expected one. */
#include "tests/capture/play_memory.h"

#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"

/* An address without memory on any machine; low bits are kept, since devices check alignment first. */
#define NOWHERE (UINT64_C(1) << 62)

/* Limits for a mapping of the capture, and for all of them. */
#define REGION_MOST (UINT64_C(256) << 20)
#define TOTAL_MOST  (UINT64_C(512) << 20)

#define ENTRIES_MOST 65536u
#define SHOWN        8u

/* ---- outcomes ---- */

void agpu_play_differ(struct agpu_play *play, struct agpu_text *text)
{
    play->state = AGPU_PLAY_DIFFERS;
    agpu_text_begin(text, play->text, sizeof play->text);
    agpu_format(text, "record %ju", play->record);
    if (play->test[0] != '\0') {
        agpu_format(text, ", case %s", play->test);
    }
    if (play->submission != 0) {
        agpu_format(text, ", at or after submission %ju (fence %ju)", play->submission, play->fence);
    }
    agpu_text_string(text, ": ");
}

void agpu_play_refuse(struct agpu_play *play, const char *why)
{
    struct agpu_text text;

    agpu_play_differ(play, &text);
    play->state = AGPU_PLAY_IMPOSSIBLE;
    agpu_text_string(&text, why);
}

/* ---- addresses ---- */

static const struct agpu_play_region *find_region(const struct agpu_play *play, uint64_t address)
{
    for (uint32_t i = 0; i < play->region_count; i++) {
        if (address - play->regions[i].address < play->regions[i].size) {
            return &play->regions[i];
        }
    }
    return NULL;
}

static const struct agpu_play_region *find_room(const struct agpu_play *play, uint64_t address, uint64_t size)
{
    const struct agpu_play_region *region = find_region(play, address);

    return region != NULL && size <= region->size - (address - region->address) ? region : NULL;
}

uint64_t agpu_play_move(const struct agpu_play *play, uint64_t address, uint64_t size)
{
    const struct agpu_play_region *region = find_room(play, address, size);

    return region != NULL ? region->device_address + (address - region->address) : address | NOWHERE;
}

uint8_t *agpu_play_live(const struct agpu_play *play, uint64_t address, uint64_t size)
{
    const struct agpu_play_region *region = find_room(play, address, size);

    return region != NULL ? region->live + (address - region->address) : NULL;
}

const uint8_t *agpu_play_expected(const struct agpu_play *play, uint64_t address, uint64_t size)
{
    const struct agpu_play_region *region = find_room(play, address, size);

    return region != NULL ? region->expected + (address - region->address) : NULL;
}

/* ---- mappings ---- */

static void free_region(struct agpu_play *play, uint32_t index)
{
    struct agpu_play_region *region = &play->regions[index];

    play->platform->heap_free(play->platform->ctx, region->expected);
    if (!region->aperture) {
        play->platform->dma_free(play->platform->ctx, &region->dma);
    }
    play->regions[index] = play->regions[--play->region_count];
}

void agpu_play_forget(struct agpu_play *play)
{
    while (play->region_count != 0) {
        free_region(play, play->region_count - 1);
    }
    play->recorded_count = play->posted_count = play->range_count = 0;
    play->ranges_lost = false;
}

/* Allocates memory; false, with nothing allocated, if this machine has too little. */
static bool take_memory(struct agpu_play *play, struct agpu_play_region *region)
{
    const struct agpu_platform *platform = play->platform;
    struct agpu_bar_mapping mapping;

    if (region->aperture) {
        if (platform->bar_map == NULL ||
            !platform->bar_map(platform->ctx, play->function, play->aperture_bar, &mapping) ||
            mapping.size < region->size) {
            return false;
        }
        region->live = mapping.cpu;
        region->device_address = mapping.device_address;
    } else {
        if (platform->dma_alloc(platform->ctx, play->function, region->size, &region->dma) != AGPU_OK) {
            return false;
        }
        region->live = region->dma.cpu;
        region->device_address = region->dma.device_address;
    }
    region->expected = platform->heap_alloc(platform->ctx, region->size);
    if (region->expected == NULL && !region->aperture) {
        platform->dma_free(platform->ctx, &region->dma);
    }
    return region->expected != NULL;
}

/* Skips the rest of the case. */
static void leave_out(struct agpu_play *play, const char *why)
{
    agpu_play_refuse(play, why);
    play->state = AGPU_PLAY_GOES_ON;
    play->left_out = true;
}

static void map(struct agpu_play *play, const struct agpu_capture_map *recorded)
{
    struct agpu_play_region region = {
        .address = recorded->address, .size = recorded->size, .aperture = recorded->kind == AGPU_CAPTURE_BAR};
    uint64_t total = recorded->size;

    for (uint32_t i = 0; i < play->region_count; i++) {
        const struct agpu_play_region *other = &play->regions[i];

        total += other->size;
        if (recorded->address < other->address + other->size &&
            other->address < recorded->address + recorded->size) {
            agpu_play_refuse(play, "a mapping over another one");
            return;
        }
    }
    if (play->region_count == AGPU_PLAY_REGIONS || recorded->size > REGION_MOST || total > TOTAL_MOST) {
        leave_out(play, "it uses more memory than the image provides for a replay");
    } else if (!take_memory(play, &region)) {
        leave_out(play, region.aperture
                            ? "it uses the aperture in a BAR, which this device lacks or has smaller"
                            : "this machine has too little memory for the device");
    } else {
        play->regions[play->region_count++] = region;
    }
}

static void unmap(struct agpu_play *play, const struct agpu_capture_map *recorded)
{
    agpu_play_show(play);
    for (uint32_t i = 0; i < play->region_count; i++) {
        if (play->regions[i].address == recorded->address) {
            free_region(play, i);
            return;
        }
    }
}

/* ---- contents ---- */

static void add_range(struct agpu_play *play, const struct agpu_play_range *range)
{
    struct agpu_play_range *last = &play->ranges[play->range_count == 0 ? 0 : play->range_count - 1];

    if (play->range_count != 0 && range->allocation == 0 && last->allocation == 0 &&
        range->address == last->address + last->size) {
        last->size += range->size;
    } else if (play->range_count != 0 && range->address == last->address && range->size == last->size) {
        *last = *range;
    } else if (play->range_count == AGPU_PLAY_RANGES) {
        play->ranges_lost = true;
    } else {
        play->ranges[play->range_count++] = *range;
    }
}

/* Returns true for the words of ring and fence page that a working device writes. */
static bool is_devices(const struct agpu_play *play, uint64_t address)
{
    const uint64_t ring = play->pairs[0].address, fence = play->pairs[1].address;

    return play->enabled &&
           ((ring != 0 && address - (ring + offsetof(struct aerogpu_ring_header, head)) < 4) ||
            (fence != 0 && address - fence < sizeof(struct aerogpu_fence_page)));
}

static bool is_tail(const struct agpu_play *play, uint64_t address)
{
    const uint64_t ring = play->pairs[0].address;

    return ring != 0 && address - (ring + offsetof(struct aerogpu_ring_header, tail)) < 4;
}

/* Writes contents to memory. tails: only the tail's bytes, otherwise all others. Copies whole pieces between the
 * words by which both sides report progress. */
static void show_range(struct agpu_play *play, const struct agpu_play_recorded *range, bool tails)
{
    const struct agpu_play_region *region = find_room(play, range->address, range->size);
    const uint64_t ring = play->pairs[0].address, fence = play->pairs[1].address;

    if (region == NULL) {
        return;
    }
    for (uint64_t at = 0; at < range->size;) {
        const uint64_t address = range->address + at, from = address - region->address;
        uint64_t piece = 1;

        /* Outside the structures, copy everything at once. */
        if ((address < ring || address - ring >= sizeof(struct aerogpu_ring_header)) &&
            (address < fence || address - fence >= sizeof(struct aerogpu_fence_page))) {
            uint64_t end = range->size - at;

            end = ring > address && ring - address < end ? ring - address : end;
            end = fence > address && fence - address < end ? fence - address : end;
            if (!tails) {
                memcpy(region->live + from, region->expected + from, end);
            }
            at += end;
            continue;
        }
        if (!is_devices(play, address) && is_tail(play, address) == tails) {
            if (tails && address % 4 == 0 && range->size - at >= 4) {
                uint32_t tail;

                memcpy(&tail, region->expected + from, sizeof tail);
                __atomic_store_n((uint32_t *)(void *)(region->live + from), tail, __ATOMIC_RELEASE);
                piece = 4;
            } else {
                region->live[from] = region->expected[from];
            }
        }
        at += piece;
    }
}

/* Writes everything but the tail, beyond which the device reads nothing yet. */
static void show_early(struct agpu_play *play)
{
    const uint64_t tail = play->pairs[0].address + offsetof(struct aerogpu_ring_header, tail);
    uint32_t kept = 0;

    for (uint32_t i = 0; i < play->recorded_count; i++) {
        const struct agpu_play_recorded *recorded = &play->recorded[i];

        show_range(play, recorded, false);
        if (recorded->address < tail + 4 && tail < recorded->address + recorded->size &&
            kept < AGPU_PLAY_RANGES / 2) {
            play->recorded[kept++] = *recorded;
        }
    }
    play->recorded_count = kept;
}

static void note_bytes(struct agpu_play *play, const struct agpu_capture_item *item)
{
    const struct agpu_play_region *region = find_room(play, item->bytes->address, item->tail_size);
    const struct agpu_play_range range = {.address = item->bytes->address, .size = item->tail_size};

    if (region == NULL) {
        agpu_play_refuse(play, "contents of memory that is not mapped");
        return;
    }
    memcpy(region->expected + (range.address - region->address), item->tail, item->tail_size);
    if (item->type == AGPU_CAPTURE_CHANGED) {
        add_range(play, &range);
        return;
    }
    if (play->recorded_count == AGPU_PLAY_RANGES) {
        show_early(play);
    }
    play->recorded[play->recorded_count++] = (struct agpu_play_recorded){range.address, range.size};
}

void agpu_play_memory(struct agpu_play *play, const struct agpu_capture_item *item)
{
    switch (item->type) {
    case AGPU_CAPTURE_MAP:
        map(play, item->map);
        break;
    case AGPU_CAPTURE_UNMAP:
        unmap(play, item->map);
        break;
    case AGPU_CAPTURE_CONTENTS:
    case AGPU_CAPTURE_CHANGED:
        note_bytes(play, item);
        break;
    default:
        break;
    }
}

/* ---- submissions ---- */

/* Reads size bytes of a structure from the contents that will be shown. */
static bool read_expected(const struct agpu_play *play, uint64_t address, void *to, uint64_t size)
{
    const uint8_t *from = agpu_play_expected(play, address, size);

    if (from != NULL) {
        memcpy(to, from, size);
    }
    return from != NULL;
}

/* Writes size bytes of a translated structure where the device finds it. */
static void write_live(struct agpu_play *play, uint64_t address, const void *from, uint64_t size)
{
    uint8_t *to = agpu_play_live(play, address, size);

    if (to != NULL) {
        memcpy(to, from, size);
    }
}

/* Calls met for each entry of the table at address. */
static void walk_table(struct agpu_play *play, uint64_t address, uint32_t bytes,
                       const struct agpu_capture_submission *submission,
                       void (*met)(struct agpu_play *play, uint64_t address,
                                   struct aerogpu_alloc_entry *entry,
                                   const struct agpu_capture_submission *submission))
{
    struct aerogpu_alloc_table_header header;
    uint64_t at = sizeof header;

    if (bytes < sizeof header || !read_expected(play, address, &header, sizeof header) ||
        header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return;
    }
    for (uint32_t i = 0;
         i < header.entry_count && i < ENTRIES_MOST && at + sizeof(struct aerogpu_alloc_entry) <= bytes;
         i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;

        if (!read_expected(play, address + at, &entry, sizeof entry)) {
            return;
        }
        met(play, address + at, &entry, submission);
    }
}

/* Returns how many bytes of an entry's memory the capture has. */
static uint64_t room_of(const struct agpu_play *play, const struct aerogpu_alloc_entry *entry)
{
    const struct agpu_play_region *region = find_region(play, entry->gpa);
    const uint64_t room = region != NULL ? region->size - (entry->gpa - region->address) : 0;

    return entry->size_bytes < room ? entry->size_bytes : room;
}

static void move_entry(struct agpu_play *play, uint64_t address, struct aerogpu_alloc_entry *entry,
                       const struct agpu_capture_submission *submission)
{
    const bool known = find_region(play, entry->gpa) != NULL;

    (void)submission;
    if (known && room_of(play, entry) != entry->size_bytes) {
        entry->size_bytes = room_of(play, entry);
        play->cut = true;
    }
    entry->gpa = agpu_play_move(play, entry->gpa, 0);
    write_live(play, address, entry, sizeof *entry);
}

/* Returns the fetched bytes of a stream: the size in its header if the buffer is large enough for it; the device does
 * not fetch by the size of the buffer (ring.md 3). */
static uint64_t fetched_of(const struct agpu_play *play, const struct aerogpu_submit_desc *desc)
{
    struct aerogpu_cmd_stream_header header;

    if (!read_expected(play, desc->cmd_gpa, &header, sizeof header) || header.size_bytes < sizeof header ||
        header.size_bytes > desc->cmd_size_bytes) {
        return desc->cmd_size_bytes;
    }
    return header.size_bytes;
}

static void move_posted(struct agpu_play *play, const struct agpu_play_posted *posted)
{
    struct aerogpu_submit_desc desc;

    if (!read_expected(play, posted->descriptor_address, &desc, sizeof desc)) {
        return;
    }
    /* Stream and table are only read; the device must find one that ends outside of its memory. */
    desc.cmd_gpa = desc.cmd_gpa != 0 ? agpu_play_move(play, desc.cmd_gpa, fetched_of(play, &desc)) : 0;
    desc.alloc_table_gpa = desc.alloc_table_gpa != 0
                               ? agpu_play_move(play, desc.alloc_table_gpa, desc.alloc_table_size_bytes)
                               : 0;
    walk_table(play, posted->table_address, posted->table_bytes, NULL, move_entry);
    write_live(play, posted->descriptor_address, &desc, sizeof desc);
}

static void name_entry(struct agpu_play *play, uint64_t address, struct aerogpu_alloc_entry *entry,
                       const struct agpu_capture_submission *submission)
{
    const struct agpu_play_range range = {.address = entry->gpa,
                                          .size = room_of(play, entry),
                                          .allocation = entry->alloc_id,
                                          .first = entry->gpa,
                                          .submission = submission->number,
                                          .fence = submission->fence};

    (void)address;
    if ((entry->flags & AEROGPU_ALLOC_FLAG_READONLY) == 0 && range.size != 0) {
        add_range(play, &range);
    }
}

void agpu_play_post(struct agpu_play *play, const struct agpu_capture_submission *submission)
{
    if (play->posted_count == AGPU_PLAY_RANGES) {
        leave_out(play, "more submissions at a time than the image can play");
        return;
    }
    play->posted[play->posted_count++] = (struct agpu_play_posted){
        submission->descriptor_address, submission->table_address, submission->table_bytes};
    walk_table(play, submission->table_address, submission->table_bytes, submission, name_entry);
}

void agpu_play_show(struct agpu_play *play)
{
    for (uint32_t i = 0; i < play->recorded_count; i++) {
        show_range(play, &play->recorded[i], false);
    }
    for (uint32_t i = 0; i < play->posted_count; i++) {
        move_posted(play, &play->posted[i]);
    }
    if (play->platform->bar_order != NULL && play->recorded_count != 0) {
        play->platform->bar_order(play->platform->ctx);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < play->recorded_count; i++) {
        show_range(play, &play->recorded[i], true);
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    play->recorded_count = play->posted_count = 0;
}

/* ---- comparing ---- */

static bool in_fence_page_version(const struct agpu_play *play, uint64_t address)
{
    /* The page's version is the device's choice (ring.md 5). */
    return play->pairs[1].address != 0 &&
           address - (play->pairs[1].address + offsetof(struct aerogpu_fence_page, abi_version)) < 4;
}

static bool is_tolerated(const struct agpu_play *play, uint64_t address, uint8_t expected, uint8_t found)
{
    const int step = expected - found;

    return play->judge.faulty || (play->drawn && step >= -1 && step <= 1) ||
           in_fence_page_version(play, address);
}

static void put_bytes(struct agpu_text *text, const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size && i < SHOWN; i++) {
        agpu_format(text, " %02x", bytes[i]);
    }
}

/* Returns the newest table range that contains the address. */
static const struct agpu_play_range *named_range(const struct agpu_play *play, uint64_t address)
{
    for (uint32_t i = play->range_count; i > 0; i--) {
        const struct agpu_play_range *range = &play->ranges[i - 1];

        if (range->allocation != 0 && address - range->address < range->size) {
            return range;
        }
    }
    return NULL;
}

static void differ_memory(struct agpu_play *play, uint64_t address, const uint8_t *expected,
                          const uint8_t *found, uint64_t size)
{
    const struct agpu_play_range *named = named_range(play, address);
    uint64_t count = 0, last = 0;
    struct agpu_text text;

    for (uint64_t i = 0; i < size; i++) {
        if (expected[i] != found[i]) {
            count++;
            last = i;
        }
    }
    agpu_play_differ(play, &text);
    if (named != NULL) {
        agpu_format(&text, "bytes %ju to %ju of allocation %u of submission %ju, ", address - named->first,
                    address + last - named->first, named->allocation, named->submission);
    }
    agpu_format(&text, "memory at 0x%jx of the capture: expected", address);
    put_bytes(&text, expected, last + 1);
    agpu_text_string(&text, ", found");
    put_bytes(&text, found, last + 1);
    agpu_format(&text, "; %ju bytes differ", count);
}

static void compare_range(struct agpu_play *play, const struct agpu_play_range *range)
{
    const struct agpu_play_region *region = find_room(play, range->address, range->size);
    uint8_t *live, *expected;

    if (region == NULL) {
        return; /* unmapped since */
    }
    live = region->live + (range->address - region->address);
    expected = region->expected + (range->address - region->address);
    play->compared_bytes += range->size;
    if (memcmp(live, expected, range->size) == 0) {
        return;
    }
    for (uint64_t i = 0; i < range->size; i++) {
        if (live[i] == expected[i]) {
            continue;
        }
        if (!is_tolerated(play, range->address + i, expected[i], live[i])) {
            differ_memory(play, range->address + i, expected + i, live + i, range->size - i);
            return;
        }
        play->tolerated++;
        live[i] = expected[i]; /* continue with the captured contents */
    }
}

void agpu_play_compare(struct agpu_play *play)
{
    if (play->platform->bar_order != NULL) {
        play->platform->bar_order(play->platform->ctx);
    }
    for (uint32_t i = 0; i < play->range_count && play->state == AGPU_PLAY_GOES_ON; i++) {
        compare_range(play, &play->ranges[i]);
    }
    if (play->ranges_lost && play->state == AGPU_PLAY_GOES_ON) {
        leave_out(play, "the device changed more pieces of memory at a time than the image can compare");
    }
    play->range_count = 0;
    play->judge.faulty = false;
}

/* ---- reset ---- */

static uint32_t *header_word(const struct agpu_play *play, size_t offset)
{
    const uint64_t address = play->pairs[0].address + offset;

    return play->pairs[0].address != 0 && address % 4 == 0
               ? (uint32_t *)(void *)agpu_play_live(play, address, 4)
               : NULL;
}

void agpu_play_poison(struct agpu_play *play)
{
    uint32_t *head = header_word(play, offsetof(struct aerogpu_ring_header, head));
    const uint32_t *tail = header_word(play, offsetof(struct aerogpu_ring_header, tail));

    if (head != NULL && tail != NULL) {
        __atomic_store_n(head, *tail - 1, __ATOMIC_SEQ_CST);
    }
}

bool agpu_play_is_reset(const struct agpu_play *play)
{
    const uint32_t *head = header_word(play, offsetof(struct aerogpu_ring_header, head));
    const uint32_t *tail = header_word(play, offsetof(struct aerogpu_ring_header, tail));

    return head == NULL || tail == NULL ||
           __atomic_load_n(head, __ATOMIC_ACQUIRE) == __atomic_load_n(tail, __ATOMIC_ACQUIRE);
}
