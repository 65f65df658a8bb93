/* shadow.c: pages, their copies, and differences. */
#include "tests/capture/shadow.h"

#include <string.h>

#include "tests/capture/difference.h"

#define PAGE      AGPU_SHADOW_PAGE
#define LINE      AGPU_DIFFERENCE_LINE
#define WHOLE     UINT64_MAX
#define CHUNK     (AGPU_SHADOW_CHUNK_PAGES * PAGE)
#define MET_BYTES (UINT64_C(2) << 20) /* mappings for memory found by piece() have this size and alignment */

/* ---- storage ---- */

static uint32_t table_size(uint32_t pages)
{
    uint32_t size = 64;

    while (size < 2 * pages) {
        size *= 2;
    }
    return size;
}

static uint32_t chunks_of(uint32_t pages)
{
    return (pages + AGPU_SHADOW_CHUNK_PAGES - 1) / AGPU_SHADOW_CHUNK_PAGES;
}

size_t agpu_shadow_bytes(uint32_t pages)
{
    return (size_t)CHUNK + (size_t)AGPU_SHADOW_REGIONS * sizeof(struct agpu_shadow_region) +
           (size_t)pages * (sizeof(struct agpu_shadow_page) + sizeof(uint32_t)) +
           (size_t)chunks_of(pages) * sizeof(uint8_t *) + (size_t)table_size(pages) * sizeof(uint32_t) + 16;
}

/* Frees only pages that were used since the last time: few, if much memory is followed. */
static void free_all_pages(struct agpu_shadow *shadow)
{
    for (uint32_t page = 0; page < shadow->taken_most; page++) {
        shadow->table[shadow->pages[page].place] = 0;
        shadow->free_pages[shadow->capacity - 1 - page] = page;
    }
    shadow->free_count = shadow->capacity;
    shadow->taken_most = 0;
}

/* Adds copies for the next pages. */
static void add_chunk(struct agpu_shadow *shadow, uint8_t *bytes)
{
    const uint32_t first = shadow->chunk_count * AGPU_SHADOW_CHUNK_PAGES;

    shadow->chunks[shadow->chunk_count++] = bytes;
    for (uint32_t i = 0; i < AGPU_SHADOW_CHUNK_PAGES && first + i < shadow->capacity; i++) {
        shadow->pages[first + i].copy = bytes + (size_t)i * PAGE;
    }
}

void agpu_shadow_init(struct agpu_shadow *shadow, void *storage, uint32_t pages,
                      const struct agpu_capture_heap *heap)
{
    uint8_t *at = (uint8_t *)storage + CHUNK;

    *shadow = (struct agpu_shadow){.capacity = pages, .table_mask = table_size(pages) - 1, .heap = *heap};
    shadow->chunks = (uint8_t **)(void *)at;
    at += chunks_of(pages) * sizeof *shadow->chunks;
    shadow->regions = (struct agpu_shadow_region *)(void *)at;
    at += AGPU_SHADOW_REGIONS * sizeof *shadow->regions;
    shadow->pages = (struct agpu_shadow_page *)(void *)at;
    at += (size_t)pages * sizeof *shadow->pages;
    shadow->table = (uint32_t *)(void *)at;
    at += table_size(pages) * sizeof *shadow->table;
    shadow->free_pages = (uint32_t *)(void *)at;
    memset(shadow->table, 0, ((size_t)shadow->table_mask + 1) * sizeof *shadow->table);
    for (uint32_t i = 0; i < pages; i++) {
        shadow->free_pages[i] = pages - 1 - i;
    }
    shadow->free_count = pages;
    memset(shadow->pages, 0, (size_t)pages * sizeof *shadow->pages);
    add_chunk(shadow, storage);
}

void agpu_shadow_close(struct agpu_shadow *shadow)
{
    while (shadow->chunk_count > 1) {
        shadow->heap.free(shadow->heap.ctx, shadow->chunks[--shadow->chunk_count]);
    }
}

/* ---- mappings, by address ---- */

/* Returns the first region that ends after address. */
static uint32_t region_place(const struct agpu_shadow *shadow, uint64_t address)
{
    uint32_t low = 0, high = shadow->region_count;

    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        const struct agpu_shadow_region *region = &shadow->regions[middle];

        if (region->address + region->size <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct agpu_shadow_region *agpu_shadow_find(struct agpu_shadow *shadow, uint64_t address)
{
    uint32_t *hint = &shadow->hints[address / PAGE % (sizeof shadow->hints / sizeof shadow->hints[0])];

    if (*hint >= shadow->region_count ||
        address - shadow->regions[*hint].address >= shadow->regions[*hint].size) {
        *hint = region_place(shadow, address);
        if (*hint >= shadow->region_count ||
            address - shadow->regions[*hint].address >= shadow->regions[*hint].size) {
            return NULL;
        }
    }
    return &shadow->regions[*hint];
}

bool agpu_shadow_map(struct agpu_shadow *shadow, const struct agpu_shadow_region *region)
{
    const uint32_t at = region_place(shadow, region->address);

    if (region->size == 0 || shadow->region_count == AGPU_SHADOW_REGIONS ||
        (at < shadow->region_count && shadow->regions[at].address < region->address + region->size)) {
        shadow->unfollowed++;
        return false;
    }
    memmove(&shadow->regions[at + 1], &shadow->regions[at],
            (size_t)(shadow->region_count - at) * sizeof *shadow->regions);
    shadow->regions[at] = *region;
    shadow->region_count++;
    shadow->generation++;
    return true;
}

/* ---- pages, by number ---- */

/* Sixteen consecutive pages are adjacent in the table, in one cache line of the processor. */
static uint32_t hash_of(const struct agpu_shadow *shadow, uint64_t number)
{
    const uint64_t row = number / 16 * UINT64_C(0x9E3779B97F4A7C15);

    return ((uint32_t)(row >> 32) * 16 + (uint32_t)(number % 16)) & shadow->table_mask;
}

/* Returns the page's place in the table, or the free one where it would be. */
static uint32_t page_place(const struct agpu_shadow *shadow, uint64_t number)
{
    uint32_t at = hash_of(shadow, number);

    while (shadow->table[at] != 0 && shadow->pages[shadow->table[at] - 1].number != number) {
        at = (at + 1) & shadow->table_mask;
    }
    return at;
}

static void drop_page(struct agpu_shadow *shadow, uint32_t at)
{
    uint32_t next = at;

    shadow->free_pages[shadow->free_count++] = shadow->table[at] - 1;
    shadow->table[at] = 0;
    /* Move up the following entries that were displaced from their place. */
    for (;;) {
        uint32_t home;

        next = (next + 1) & shadow->table_mask;
        if (shadow->table[next] == 0) {
            return;
        }
        home = hash_of(shadow, shadow->pages[shadow->table[next] - 1].number);
        if (((next - home) & shadow->table_mask) >= ((next - at) & shadow->table_mask)) {
            shadow->table[at] = shadow->table[next];
            shadow->pages[shadow->table[at] - 1].place = at;
            shadow->table[next] = 0;
            at = next;
        }
    }
}

void agpu_shadow_unmap(struct agpu_shadow *shadow, uint64_t address)
{
    const struct agpu_shadow_region *region = agpu_shadow_find(shadow, address);
    uint32_t index;

    if (region == NULL || region->address != address) {
        return;
    }
    index = (uint32_t)(region - shadow->regions);
    for (uint64_t page = address / PAGE;
         page <= (address + region->size - 1) / PAGE && shadow->free_count < shadow->capacity; page++) {
        const uint32_t at = page_place(shadow, page);

        if (shadow->table[at] != 0) {
            drop_page(shadow, at);
        }
    }
    shadow->region_count--;
    shadow->generation++;
    memmove(&shadow->regions[index], &shadow->regions[index + 1],
            (size_t)(shadow->region_count - index) * sizeof *shadow->regions);
}

void agpu_shadow_forget(struct agpu_shadow *shadow)
{
    if (shadow->free_count < shadow->capacity) {
        free_all_pages(shadow);
    }
    for (uint32_t i = 0; i < shadow->region_count; i++) {
        shadow->regions[i].zeroed = false;
    }
}

/* Returns true if a page is free and has room for its copy. */
static bool has_free_page(struct agpu_shadow *shadow)
{
    uint8_t *bytes;

    if (shadow->free_count == 0) {
        return false;
    }
    if (shadow->pages[shadow->free_pages[shadow->free_count - 1]].copy != NULL) {
        return true;
    }
    bytes = shadow->heap.alloc(shadow->heap.ctx, CHUNK); /* pages get copies in the order of numbers */
    if (bytes != NULL) {
        add_chunk(shadow, bytes);
    }
    return bytes != NULL;
}

/* Assigns a copy to a page that has none. The caller fills it: with zeros if all of it counts as recorded. */
static uint32_t take_page(struct agpu_shadow *shadow, uint64_t number, bool zeroed)
{
    uint32_t at = page_place(shadow, number), page;

    if (!has_free_page(shadow)) {
        agpu_shadow_forget(shadow);
        shadow->forgotten++;
        zeroed = false;
        at = page_place(shadow, number);
    }
    page = shadow->free_pages[--shadow->free_count];
    shadow->pages[page].number = number;
    shadow->pages[page].recorded = zeroed ? WHOLE : 0;
    shadow->pages[page].place = at;
    shadow->taken_most = page < shadow->taken_most ? shadow->taken_most : page + 1;
    shadow->table[at] = page + 1;
    return page;
}

/* ---- differences ---- */

/* Returns the CPU address of address, how much of size is contiguous there, and its mapping, which is created if
 * piece() finds the memory. NULL: it is not memory. */
static const uint8_t *locate(struct agpu_shadow *shadow, uint64_t address, uint64_t *size,
                             const struct agpu_shadow_region **region)
{
    const uint8_t *cpu;
    uint64_t piece;

    *region = agpu_shadow_find(shadow, address);
    if (*region != NULL && (*region)->cpu != NULL) {
        const uint64_t from = address - (*region)->address;

        *size = *size < (*region)->size - from ? *size : (*region)->size - from;
        return (*region)->cpu + from;
    }
    if (shadow->piece == NULL) {
        return NULL;
    }
    cpu = shadow->piece(shadow->ctx, address, &piece);
    if (cpu == NULL) {
        return NULL;
    }
    if (*region == NULL) {
        const struct agpu_shadow_region met = {
            .address = address & ~(MET_BYTES - 1), .size = MET_BYTES, .kind = AGPU_CAPTURE_UNKNOWN};

        if (!agpu_shadow_map(shadow, &met)) {
            return NULL;
        }
        shadow->met(shadow->ctx, &met);
        *region = agpu_shadow_find(shadow, address);
    }
    *size = *size < piece ? *size : piece;
    return cpu;
}

const uint8_t *agpu_shadow_pointer(struct agpu_shadow *shadow, uint64_t address, uint64_t size)
{
    const struct agpu_shadow_region *region;
    uint64_t piece = size;
    const uint8_t *cpu = size != 0 ? locate(shadow, address, &piece, &region) : NULL;

    return cpu != NULL && piece == size ? cpu : NULL;
}

/* Most of a capture's time is spent in the functions below. They start at a page boundary, and fit into one page of
 * code because rare paths are separate functions: an emulator looks up each jump to another page in a loop. */
#define IN_ONE_PAGE __attribute__((aligned(4096)))

/* Differences of a page that are recorded as one. */
struct span {
    uint32_t from, to; /* empty: none so far */
};

static void record_span(struct agpu_shadow *shadow, const struct agpu_shadow_page *page,
                        const struct span *span)
{
    if (span->from != span->to) {
        shadow->record(shadow->ctx, page->number * PAGE + span->from, page->copy + span->from,
                       span->to - span->from);
    }
}

static void add_to_span(struct agpu_shadow *shadow, const struct agpu_shadow_page *page, struct span *span,
                        uint32_t from, uint32_t to)
{
    if (span->from == span->to || from - span->to > shadow->join) {
        record_span(shadow, page, span);
        span->from = from;
    }
    span->to = to;
}

/* Returns how many bytes of live from offset up to end are in lines that are not recorded. */
static uint32_t unrecorded_bytes(const struct agpu_shadow_page *page, uint32_t offset, uint32_t end)
{
    uint32_t at = offset;

    while (at < end && (page->recorded >> at / LINE & 1) == 0) {
        at = (at | (LINE - 1)) + 1;
    }
    return (at < end ? at : end) - offset;
}

/* Returns a bit for each of the lines from the first up to end. */
static uint64_t lines_between(uint32_t first, uint32_t end)
{
    return first < end ? WHOLE >> (64 - (end - first)) << first : 0;
}

/* Copies a line, or a part of one. */
static void copy_line(uint8_t *to, const uint8_t *from, uint32_t size)
{
    if (size == LINE) {
        memcpy(to, from, LINE);
    } else {
        memcpy(to, from, size);
    }
}

bool agpu_shadow_has_recorded(const struct agpu_shadow *shadow, uint64_t address, const void *bytes,
                              uint32_t size)
{
    const uint32_t page = shadow->table[page_place(shadow, address / PAGE)];

    return page != 0 && (shadow->pages[page - 1].recorded >> address % PAGE / LINE & 1) != 0 &&
           memcmp(shadow->pages[page - 1].copy + address % PAGE, bytes, size) == 0;
}

/* Records what differs between live[0, size), at offset of the page, and its copy. Copies a line before recording it,
 * so that copy and record are equal, whatever the device does meanwhile. */
static __attribute__((noinline)) void compare_lines(struct agpu_shadow *shadow, uint32_t page,
                                                    uint32_t offset, const uint8_t *live, uint32_t size)
{
    struct agpu_shadow_page *entry = &shadow->pages[page];
    uint8_t *copy = entry->copy;
    struct span span = {0, 0};
    uint32_t at = offset;

    while (at < offset + size) {
        const uint32_t line_end = (at | (LINE - 1)) + 1;
        const uint32_t end = line_end < offset + size ? line_end : offset + size;
        const uint32_t unrecorded = unrecorded_bytes(entry, at, offset + size);

        if (unrecorded != 0) {
            memcpy(copy + at, live + (at - offset), unrecorded);
            entry->recorded |=
                lines_between((at + LINE - 1) / LINE, (at + unrecorded) / LINE); /* whole lines */
            add_to_span(shadow, entry, &span, at, at + unrecorded);
            at += unrecorded;
            continue;
        }
        const uint32_t dense =
            at % LINE != 0 ? 0
                           : agpu_difference_dense(live + (at - offset), copy + at,
                                                   entry->recorded == WHOLE ? offset + size - at : end - at);

        if (dense != 0) {
            memcpy(copy + at, live + (at - offset), dense);
            add_to_span(shadow, entry, &span, at, at + dense);
            at += dense;
            continue;
        }
        if (end - at != LINE || agpu_difference_in_line(live + (at - offset), copy + at) != 0) {
            uint32_t first = 0, last = end - at;
            uint8_t now[LINE];

            copy_line(now, live + (at - offset), end - at);
            agpu_difference_narrow(now, copy + at, &first, &last);
            copy_line(copy + at, now, end - at);
            if (first != last) {
                add_to_span(shadow, entry, &span, at + first, at + last);
            }
        }
        at = end;
    }
    record_span(shadow, entry, &span);
}

/* Records a page that began as zeros, the first time. */
static void record_first(struct agpu_shadow *shadow, uint32_t page, const uint8_t *live)
{
    static const uint8_t zeros[PAGE];
    const struct agpu_shadow_page *entry = &shadow->pages[page];
    struct span span = {0, 0};
    uint32_t at = 0;

    memcpy(entry->copy, live, PAGE);
    while (at < PAGE) {
        const uint8_t *now = entry->copy + at;
        const uint32_t dense = agpu_difference_dense(now, zeros, PAGE - at);
        uint32_t first = 0, last = LINE;

        if (dense != 0) {
            add_to_span(shadow, entry, &span, at, at + dense);
            at += dense;
            continue;
        }
        if (agpu_difference_set_in_line(now) != 0) {
            agpu_difference_narrow(now, zeros, &first, &last);
            add_to_span(shadow, entry, &span, at + first, at + last);
        }
        at += LINE;
    }
    record_span(shadow, entry, &span);
}

static bool is_whole(const struct agpu_shadow_page *page, uint32_t offset, uint32_t size)
{
    const uint64_t lines = lines_between(offset / LINE, (offset + size - 1) / LINE + 1);

    return (page->recorded & lines) == lines;
}

/* Compares a part of a page that is recorded. */
static inline void compare_recorded(struct agpu_shadow *shadow, uint32_t page, uint32_t offset,
                                    const uint8_t *live, uint32_t size)
{
    const uint32_t equal = agpu_difference_equal(live, shadow->pages[page].copy + offset, size);

    if (equal < size) {
        compare_lines(shadow, page, offset + equal, live + equal, size - equal);
    }
}

/* Compares a part of a page of which nothing is recorded. */
static void compare_unknown(struct agpu_shadow *shadow, uint64_t address, const uint8_t *live, uint32_t size,
                            bool zeroed)
{
    uint32_t page;

    if (zeroed && agpu_difference_is_zero(live, size)) {
        return;
    }
    page = take_page(shadow, address / PAGE, zeroed);
    if (shadow->pages[page].recorded == WHOLE) { /* otherwise unrecorded parts of the copy are not read */
        if (size == PAGE) {
            record_first(shadow, page, live);
            return;
        }
        memset(shadow->pages[page].copy, 0, PAGE);
    }
    compare_lines(shadow, page, (uint32_t)(address % PAGE), live, size);
}

/* Compares a part of one page. */
static inline void compare_part(struct agpu_shadow *shadow, uint64_t address, const uint8_t *live,
                                uint32_t size, bool zeroed)
{
    const uint32_t offset = (uint32_t)(address % PAGE);
    const uint32_t known = shadow->table[page_place(shadow, address / PAGE)];

    if (known == 0) {
        compare_unknown(shadow, address, live, size, zeroed);
    } else if (is_whole(&shadow->pages[known - 1], offset, size)) {
        compare_recorded(shadow, known - 1, offset, live, size);
    } else {
        compare_lines(shadow, known - 1, offset, live, size);
    }
}

/* Compares memory of one mapping. The mapping stops counting as zeros when pages run out, which may happen in the
 * middle of this. */
static void compare_piece(struct agpu_shadow *shadow, const struct agpu_shadow_region *region,
                          uint64_t address, const uint8_t *live, uint64_t size)
{
    while (size > 0) {
        const uint64_t left = PAGE - address % PAGE, part = left < size ? left : size;

        compare_part(shadow, address, live, (uint32_t)part, region->zeroed);
        address += part;
        live += part;
        size -= part;
    }
}

/* Returns true if the first and the last line are recorded, or their mapping began as zeros: then only differences
 * are missing. The lines in between are recorded as a whole anyway. */
static bool is_recorded(struct agpu_shadow *shadow, uint64_t address, uint64_t size)
{
    const uint64_t ends[] = {address, address + size - 1};
    const bool one = ends[0] / LINE == ends[1] / LINE;

    for (unsigned i = one; i < 2; i++) {
        const struct agpu_shadow_region *region = agpu_shadow_find(shadow, ends[i]);
        const uint32_t page = shadow->table[page_place(shadow, ends[i] / PAGE)];

        if (page == 0 ? region == NULL || !region->zeroed
                      : (shadow->pages[page - 1].recorded >> ends[i] % PAGE / LINE & 1) == 0) {
            return false;
        }
    }
    return true;
}

/* Fast path: returns true if the memory was in one recorded page of a mapping, and was compared. */
static bool compare_in_page(struct agpu_shadow *shadow, uint64_t address, uint64_t size)
{
    const uint32_t offset = (uint32_t)(address % PAGE);
    const struct agpu_shadow_region *region;
    uint32_t page;

    if (size == 0 || size > PAGE - offset) {
        return false;
    }
    region = agpu_shadow_find(shadow, address);
    if (region == NULL || region->cpu == NULL || region->size - (address - region->address) < size) {
        return false;
    }
    page = shadow->table[page_place(shadow, address / PAGE)];
    if (page == 0 || !is_whole(&shadow->pages[page - 1], offset, (uint32_t)size)) {
        return false;
    }
    compare_recorded(shadow, page - 1, offset, region->cpu + (address - region->address), (uint32_t)size);
    return true;
}

IN_ONE_PAGE bool agpu_shadow_compare(struct agpu_shadow *shadow, uint64_t address, uint64_t size)
{
    bool all = true;

    if (compare_in_page(shadow, address, size)) {
        return true;
    }
    if (size > UINT64_MAX - LINE - address) {
        size = size != 0 && address < UINT64_MAX - LINE ? UINT64_MAX - LINE - address : 0;
        all = false;
    }
    if (size != 0 && !is_recorded(shadow, address, size)) { /* lines are recorded as a whole the first time */
        size += address % LINE;
        address -= address % LINE;
        size = (size + LINE - 1) & ~(uint64_t)(LINE - 1);
    }
    while (size > 0) {
        const struct agpu_shadow_region *region;
        uint64_t piece = size;
        const uint8_t *live = locate(shadow, address, &piece, &region);

        if (live == NULL) {
            return false;
        }
        if (piece > region->size - (address - region->address)) {
            piece = region->size - (address - region->address);
        }
        compare_piece(shadow, region, address, live, piece);
        address += piece;
        size -= piece;
    }
    return all;
}
