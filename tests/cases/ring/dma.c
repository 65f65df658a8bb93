/* dma.c: the bytes that the device reads and writes in guest memory: around page boundaries, at odd addresses, in all
 * sizes, many times (ring.md 8, commands.md 6). */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"

#include <string.h>

#define PAGE  4096u
#define SPAN  (AGPU_RIG_MEMORY_BYTES - 2 * PAGE) /* size of the resource under test */
#define EDGES (SPAN / PAGE)

#define SOURCE 1u /* used as handles, as allocation ids and as indices of rig memories */
#define TARGET 2u

/* Four contents whose bytes differ from each other and from 0 at every offset. The top bits of a wrong byte identify
 * its origin: memory that the CPU wrote without telling the device, the device's own copy, the source, new data. */
enum content { GUEST = 0x00, COPY = 0x40, DATA = 0x80, FRESH = 0xC0 };

static uint8_t content_byte(enum content content, uint32_t at)
{
    return (uint8_t)((uint32_t)content | ((at * 2654435761u) >> 26) | (content == GUEST ? 1 : 0));
}

static void fill_content(uint8_t *bytes, uint32_t size, enum content content)
{
    for (uint32_t i = 0; i < size; i++) {
        bytes[i] = content_byte(content, i);
    }
}

/* Reports the first byte that differs, with its offset. */
static bool check_bytes(struct agpu_test *t, const char *what, const uint8_t *found, const uint8_t *expected,
                        uint32_t size, uint32_t round)
{
    uint32_t at = 0;

    if (memcmp(found, expected, size) == 0) {
        return true;
    }
    while (found[at] == expected[at]) {
        at++;
    }
    return agpu_check_place2(t, what, at, "round", round, found[at], expected[at]);
}

static uint8_t *dma_bytes(const struct agpu_test *t, uint32_t memory)
{
    return t->env->rig.memory[memory].cpu;
}

/* Creates a buffer over SPAN bytes that start `off` bytes after the first page of its memory. */
static void put_span(struct agpu_test *t, uint32_t handle, uint32_t off)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_rig_alloc_range(rig, handle, rig->memory[handle].device_address + PAGE + off, SPAN,
                         AEROGPU_ALLOC_FLAG_NONE);
}

static bool make_spans(struct agpu_test *t, uint32_t source_off, uint32_t target_off)
{
    struct agpu_rig *rig = &t->env->rig;

    put_span(t, SOURCE, source_off);
    put_span(t, TARGET, target_off);
    agpu_put_create_buffer(rig, SOURCE, SPAN, SOURCE, 0);
    agpu_put_create_buffer(rig, TARGET, SPAN, TARGET, 0);
    agpu_put_dirty(rig, SOURCE, 0, SPAN);
    agpu_put_dirty(rig, TARGET, 0, SPAN);
    return agpu_run_clean(t);
}

static bool drop_spans(struct agpu_test *t)
{
    agpu_put_destroy(&t->env->rig, SOURCE);
    agpu_put_destroy(&t->env->rig, TARGET);
    return agpu_run_clean(t);
}

/* ---- writes ---- */

/* The device must write exactly the ranges of the copies: of many lengths around every page boundary of the target,
 * from unaligned sources. Compares the whole memory; bytes that the CPU wrote around the ranges must remain. */
static void write_edges(struct agpu_test *t)
{
    static const uint32_t offsets[] = {0, 1, 2, 3, 4, 7, 36, 2049};
    const struct agpu_platform *platform = t->env->platform;
    uint8_t *target = dma_bytes(t, TARGET);
    uint8_t *expected = platform->heap_alloc(platform->ctx, AGPU_RIG_MEMORY_BYTES);
    uint32_t step = 0;
    bool ok = true;

    agpu_require_ok(t, expected != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    fill_content(dma_bytes(t, SOURCE) + PAGE, SPAN, DATA);
    for (uint32_t k = 0; k < sizeof offsets / sizeof offsets[0] && ok; k++) {
        fill_content(target, AGPU_RIG_MEMORY_BYTES, COPY);
        ok = make_spans(t, 0, offsets[k]);
        for (uint32_t round = 0; round < 3 && ok; round++) {
            fill_content(target, AGPU_RIG_MEMORY_BYTES, GUEST);
            memcpy(expected, target, AGPU_RIG_MEMORY_BYTES);
            put_span(t, SOURCE, 0);
            put_span(t, TARGET, offsets[k]);
            for (uint32_t edge = 1; edge < EDGES; edge++, step++) {
                const uint32_t size = 4 + 4 * (step % 131) + (step % 7 == 0 ? 2048 : 0);
                const uint32_t before = 4 * (step * 5 % (size / 4 + 2)); /* bytes before the page boundary */
                const uint32_t at = edge * PAGE - before - (offsets[k] & ~3u) % PAGE % 64;
                const uint32_t from = step * 52 % (SPAN - size) & ~3u;

                agpu_put_copy_buffer(&t->env->rig, TARGET, at, SOURCE, from, size,
                                     AEROGPU_COPY_FLAG_WRITEBACK_DST);
                for (uint32_t i = 0; i < size; i++) {
                    expected[PAGE + offsets[k] + at + i] = content_byte(DATA, from + i);
                }
            }
            ok = agpu_run_clean(t) &&
                 check_bytes(t, "written memory at", target, expected, AGPU_RIG_MEMORY_BYTES, k * 16 + round);
        }
        ok = ok && drop_spans(t);
    }
    platform->heap_free(platform->ctx, expected);
}

/* ---- reads ---- */

/* The device must read dirty ranges anew, of any place and length around every page boundary. It may read more than the
 * range, so bytes beside a range may be old or new. */
static void read_edges(struct agpu_test *t)
{
    static const uint32_t offsets[] = {0, 1, 2, 3, 5, 2048};
    const struct agpu_platform *platform = t->env->platform;
    uint8_t *source = dma_bytes(t, SOURCE);
    const uint8_t *target = dma_bytes(t, TARGET) + PAGE;
    uint8_t *dirty = platform->heap_alloc(platform->ctx, SPAN);
    uint32_t step = 0;
    bool ok = true;

    agpu_require_ok(t, dirty != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    for (uint32_t k = 0; k < sizeof offsets / sizeof offsets[0] && ok; k++) {
        uint8_t *base = source + PAGE + offsets[k];

        for (uint32_t round = 0; round < 2 && ok; round++) {
            memset(dirty, 0, SPAN);
            fill_content(source, AGPU_RIG_MEMORY_BYTES,
                         GUEST); /* around the buffer; must never appear in the result */
            fill_content(base, SPAN, COPY);
            ok = make_spans(t, offsets[k], 0);
            fill_content(base, SPAN, FRESH);
            put_span(t, SOURCE, offsets[k]);
            put_span(t, TARGET, 0);
            for (uint32_t edge = 1; edge < EDGES; edge++, step++) {
                const uint32_t size = 1 + step % 19 + (step % 5 == 0 ? 60 + step : 0);
                const uint32_t at = edge * PAGE - offsets[k] % 64 - step * 3 % (size + 2);

                agpu_put_dirty(&t->env->rig, SOURCE, at, size);
                memset(dirty + at, 1, size);
            }
            agpu_put_copy_buffer(&t->env->rig, TARGET, 0, SOURCE, 0, SPAN, AEROGPU_COPY_FLAG_WRITEBACK_DST);
            ok = ok && agpu_run_clean(t);
            for (uint32_t i = 0; i < SPAN && ok; i++) {
                const uint8_t fresh = content_byte(FRESH, i);

                if (target[i] != fresh && (dirty[i] || target[i] != content_byte(COPY, i))) {
                    ok = agpu_check_place2(t, "byte of a buffer read from", i + PAGE + offsets[k],
                                           "dirty:", dirty[i], target[i], fresh);
                }
            }
            ok = ok && drop_spans(t);
        }
    }
    platform->heap_free(platform->ctx, dirty);
}

/* ---- large ---- */

#define LARGEST ((1u << 20) + 65536u + 12u)

/* Copies one size class, one read and one write, and checks every byte. */
static bool copy_large(struct agpu_test *t, const struct agpu_dma *from, const struct agpu_dma *to,
                       const uint8_t *expected, uint32_t size)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint8_t *written = to->cpu;
    bool ok;

    memset(to->cpu, 0, size + PAGE);
    agpu_rig_alloc(rig, SOURCE, from, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(rig, TARGET, to, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, SOURCE, size, SOURCE, 0);
    agpu_put_create_buffer(rig, TARGET, size, TARGET, 0);
    agpu_put_dirty(rig, SOURCE, 0, size);
    ok = agpu_run_clean(t);
    memset(to->cpu, 0x3C, size + PAGE); /* not announced to the device */
    agpu_rig_alloc(rig, SOURCE, from, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(rig, TARGET, to, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(rig, TARGET, 0, SOURCE, 0, size, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    ok = ok && agpu_run_clean(t) && check_bytes(t, "large copy at", written, expected, size, size);
    ok = ok && agpu_check_fill(t, written + size, 0x3C, PAGE, "page after a large copy", AGPU_HERE);
    agpu_put_destroy(rig, SOURCE);
    agpu_put_destroy(rig, TARGET);
    return ok && agpu_run_clean(t);
}

/* Copies with write-back around 64 KiB, 128 KiB and 1 MiB must move exactly their bytes. */
static void large_sizes(struct agpu_test *t)
{
    static const uint32_t sizes[] = {65536 - 4,      65536,    65536 + 4,      131072 + 4,
                                     (1u << 20) - 4, 1u << 20, (1u << 20) + 4, LARGEST};
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_pci_ref *ref = &t->env->function.found.ref;
    struct agpu_dma from = {0}, to = {0};
    bool ok = true;

    agpu_require_ok(t, platform->dma_alloc(platform->ctx, ref, LARGEST + PAGE, &from));
    if (agpu_setup(t, platform->dma_alloc(platform->ctx, ref, LARGEST + PAGE, &to), "second block",
                   AGPU_HERE)) {
        agpu_fill_pattern(from.cpu, LARGEST, 5);
        for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0] && ok; i++) {
            ok = copy_large(t, &from, &to, from.cpu, sizes[i]);
        }
        platform->dma_free(platform->ctx, &to);
    }
    platform->dma_free(platform->ctx, &from);
}

/* ---- many ---- */

/* Given whole pages read repeatedly with new contents, a line of each written back must have the newest: one stale or
 * lost transfer in a thousand shows. */
static void many_transfers(struct agpu_test *t)
{
    enum { PAGES = EDGES, ROUNDS = 80, LINE = 64 };
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *source = dma_bytes(t, SOURCE) + PAGE;
    uint8_t *target = dma_bytes(t, TARGET) + PAGE;

    agpu_return_unless(make_spans(t, 0, 0));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        memset(target, 0, PAGES * LINE);
        put_span(t, SOURCE, 0);
        put_span(t, TARGET, 0);
        for (uint32_t page = 0; page < PAGES; page++) {
            for (uint32_t i = 0; i < LINE; i++) {
                source[page * PAGE + i] = (uint8_t)(round * 31 + page * 7 + i);
            }
            agpu_put_dirty(rig, SOURCE, page * PAGE, PAGE);
            agpu_put_copy_buffer(rig, TARGET, page * LINE, SOURCE, page * PAGE, LINE,
                                 AEROGPU_COPY_FLAG_WRITEBACK_DST);
        }
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(agpu_time_left(t));
        for (uint32_t page = 0; page < PAGES; page++) {
            agpu_return_unless(check_bytes(t, "line of a page read and written back at", target + page * LINE,
                                           source + page * PAGE, LINE, round));
        }
    }
}

/* The device must not cache guest memory: it reads the same page repeatedly, each time with new contents. */
static void same_page(struct agpu_test *t)
{
    enum { ROUNDS = 40 };
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *source = dma_bytes(t, SOURCE) + PAGE;
    uint8_t *target = dma_bytes(t, TARGET) + PAGE;

    agpu_return_unless(make_spans(t, 0, 0));
    for (uint32_t round = 0; round < ROUNDS; round++) {
        agpu_fill_pattern(source, PAGE, round);
        memset(target, 0, PAGE);
        put_span(t, SOURCE, 0);
        put_span(t, TARGET, 0);
        agpu_put_dirty(rig, SOURCE, 0, PAGE);
        agpu_put_copy_buffer(rig, TARGET, 0, SOURCE, 0, PAGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
        agpu_return_unless(agpu_run_clean(t));
        agpu_return_unless(check_bytes(t, "page read again at", target, source, PAGE, round));
    }
}

#define WORK (AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)
#define DMA_CASE(name, section, bits, function)                                                              \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (bits), .run = (function)      \
    }

static const struct agpu_case ring_dma_cases[] = {
    DMA_CASE("dma.write.page_edges", "commands.md 6.4", WORK, write_edges),
    DMA_CASE("dma.read.page_edges", "commands.md 6.2", WORK, read_edges),
    DMA_CASE("dma.copy.large_sizes", "commands.md 6.4", WORK, large_sizes),
    DMA_CASE("dma.read.same_page", "commands.md 6.2", WORK, same_page),
    DMA_CASE("dma.copy.many", "commands.md 6.4", WORK, many_transfers),
};

AGPU_CASE_TABLE(agpu_cases_ring_dma, ring_dma_cases);
