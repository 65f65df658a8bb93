/* records.c: private data of allocations, and the allocator of pages (vidmm.md 2, 3.1). */
#include <string.h>

#include "mm/base/range.h"
#include "mm/runtime/device.h"
#include "mm/vidmm/segment.h"
#include "ring/protocol/aerogpu_wddm_alloc.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_buffers.h"

#define PROCESS 3u /* none of the rig's */

/* The kernel must read private data of its own driver only, with a known version and size, an id of the driver's half,
 * and the sharing of the call. LockCb must return the pitch and the rows in it, or in its older members. */
static void private_data_read(struct agpu_test *t)
{
    static const struct {
        uint32_t magic, version, bytes, alloc_id, flags;
        uint64_t token, reserved0;
        uint32_t pitch, height, format;
        bool shared;
        HRESULT result;
        uint32_t locked_pitch, locked_slice;
    } rows[] = {
#define GOOD .magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC, .version = 2, .bytes = 64, .alloc_id = 7
        {GOOD, .result = S_OK},
        {GOOD, .pitch = 256, .height = 3, .result = S_OK, .locked_pitch = 256, .locked_slice = 768},
        {GOOD, .pitch = 256, .height = 99, .result = S_OK, .locked_pitch = 256, .locked_slice = 5000},
        {GOOD, .reserved0 = 512, .height = 2, .result = S_OK, .locked_pitch = 512, .locked_slice = 1024},
        {GOOD, .pitch = 5000, .height = 1, .result = S_OK, .locked_pitch = 5000, .locked_slice = 5000},
        {GOOD, .pitch = 5001, .height = 1, .result = E_INVALIDARG},
        {GOOD, .pitch = 64, .height = 6, .format = 70, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 128},
        {GOOD, .pitch = 64, .height = 8, .format = 99, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 128},
        {GOOD, .pitch = 64, .height = 8, .format = 84, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 128},
        {GOOD, .pitch = 64, .height = 5, .format = 94, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 128},
        {GOOD, .pitch = 64, .height = 8, .format = 69, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 512},
        {GOOD, .pitch = 64, .height = 8, .format = 85, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 512},
        {GOOD, .pitch = 64, .height = 8, .format = 93, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 512},
        {GOOD, .pitch = 64, .height = 8, .format = 100, .result = S_OK, .locked_pitch = 64,
         .locked_slice = 512},
        {GOOD, .pitch = 64, .reserved0 = AEROGPU_WDDM_ALLOC_PRIV_DESC_PACK(21, 16, 5), .result = S_OK,
         .locked_pitch = 64, .locked_slice = 320},
        {GOOD, .token = 1, .result = E_INVALIDARG},
        {GOOD, .shared = true, .result = E_INVALIDARG},
        {GOOD, .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED, .result = E_INVALIDARG},
        {GOOD, .flags = AEROGPU_WDDM_ALLOC_PRIV_FLAG_IS_SHARED, .shared = true, .result = S_OK},
#undef GOOD
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 2, 64, 0, .result = E_INVALIDARG},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 2, 64, 0x7FFFFFFF, .result = S_OK},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 2, 64, 0x80000000, .result = E_INVALIDARG},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 1, 40, 7, .reserved0 = 256, .result = S_OK, .locked_pitch = 256},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 2, 63, 7, .result = E_INVALIDARG},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 3, 64, 7, .result = E_INVALIDARG},
        {AEROGPU_WDDM_ALLOC_PRIV_MAGIC, 1, 39, 7, .result = E_FAIL},
        {1, 9, 64, 0, .result = S_OK}, /* of another driver: not read */
        {1, 9, 64, 0, .shared = true, .result = E_INVALIDARG},
        {0, 0, 0, 0, .result = S_OK},
        {0, 0, 0, 0, .shared = true, .result = E_FAIL},
    };
    const D3DDDI_DEVICECALLBACKS *cb = agpu_runtime_device_callbacks();
    struct agpu_runtime_device *device = agpu_runtime_device_create(t->env->umd.runtime, PROCESS);

    agpu_assert(t, device != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct aerogpu_wddm_alloc_priv_v2 blob = {.magic = rows[i].magic,
                                                  .version = rows[i].version,
                                                  .alloc_id = rows[i].alloc_id,
                                                  .flags = rows[i].flags,
                                                  .share_token = rows[i].token,
                                                  .reserved0 = rows[i].reserved0,
                                                  .row_pitch_bytes = rows[i].pitch,
                                                  .height = rows[i].height,
                                                  .format = rows[i].format};
        D3DDDI_ALLOCATIONINFO info = {
            .Size = 5000, .SupportedReadSegmentSet = 1, .SupportedWriteSegmentSet = 1};
        D3DDDICB_ALLOCATE args = {
            .NumAllocations = 1, .pAllocationInfo = &info, .Flags = {.CreateShared = rows[i].shared}};
        D3DDDICB_LOCK lock = {0};

        info.pPrivateDriverData = &blob;
        info.PrivateDriverDataSize = rows[i].bytes;
        agpu_part(t, "row %zu", i);
        agpu_check_hr(t, cb->pfnAllocateCb(device, &args), rows[i].result);
        if (info.hAllocation == 0) {
            continue;
        }
        lock.hAllocation = info.hAllocation;
        agpu_check_hr(t, cb->pfnLockCb(device, &lock), S_OK);
        agpu_check_eq_u64(t, lock.Pitch, rows[i].locked_pitch);
        agpu_check_eq_u64(t, lock.SlicePitch, rows[i].locked_slice);
        agpu_check_eq_u64(t, blob.share_token != 0, rows[i].shared);
        agpu_check_hr(t, cb->pfnUnlockCb(device, &(D3DDDICB_UNLOCK){1, &info.hAllocation}), S_OK);
        agpu_check_hr(t,
                      cb->pfnDeallocateCb(device, &(D3DDDICB_DEALLOCATE){.NumAllocations = 1,
                                                                         .HandleList = &info.hAllocation}),
                      S_OK);
    }
    agpu_runtime_device_destroy(device);
}

/* ---- tables of records ---- */

#define SLAB_RECORDS (20u * AGPU_SLAB_CHUNK_RECORDS) /* more chunks than their arrays hold at first */

/* Records of a table must be zero when new, keep their contents while the table grows, and be used again in the order
 * in which they were freed, up to the limit. */
static void slab_records(struct agpu_test *t)
{
    struct agpu_memory *memory = (struct agpu_memory *)(uintptr_t)agpu_runtime_memory(t->env->umd.runtime);
    const uint64_t blocks = memory->heap_blocks, bytes = memory->heap_bytes;
    struct agpu_slab slab;

    agpu_slab_init(&slab, memory, 24, SLAB_RECORDS);
    for (uint32_t i = 1; i <= SLAB_RECORDS; i++) {
        const uint32_t index = agpu_slab_alloc(&slab);

        agpu_return_unless(agpu_check_eq_u64(t, index, i) && agpu_slab_known(&slab, index));
        uint64_t *record = agpu_slab_at(&slab, index);
        agpu_return_unless((record[0] | record[1] | record[2]) == 0 || agpu_check(t, false));
        agpu_return_unless(((uintptr_t)record & 7) == 0 || agpu_check(t, false));
        record[0] = record[1] = record[2] = i;
    }
    agpu_check_eq_u64(t, agpu_slab_alloc(&slab), AGPU_SLAB_NONE);
    agpu_check(t, !agpu_slab_known(&slab, 0) && !agpu_slab_known(&slab, SLAB_RECORDS + 1));
    agpu_check_eq_u64(t, slab.live, SLAB_RECORDS);
    for (uint32_t i = 1; i <= SLAB_RECORDS; i++) {
        const uint64_t *record = agpu_slab_at(&slab, i);

        agpu_return_unless((record[0] == i && record[1] == i && record[2] == i) || agpu_check(t, false));
    }
    for (uint32_t round = 0; round < 3; round++) {
        static const uint32_t order[] = {7, 3, 600, 5};

        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
            agpu_slab_free(&slab, order[i]);
        }
        agpu_check_eq_u64(t, slab.live, SLAB_RECORDS - 4);
        for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
            agpu_check_eq_u64(t, agpu_slab_alloc(&slab), order[i]);
            agpu_check_eq_u64(t, ((uint64_t *)agpu_slab_at(&slab, order[i]))[1], order[i]);
            agpu_check_eq_u64(t, ((uint32_t *)agpu_slab_at(&slab, order[i]))[1], 0); /* the list's */
        }
        agpu_check_eq_u64(t, agpu_slab_alloc(&slab), AGPU_SLAB_NONE);
    }
    agpu_slab_fini(&slab);
    agpu_check_eq_u64(t, memory->heap_blocks, blocks);
    agpu_check_eq_u64(t, memory->heap_bytes, bytes);
}

/* ---- the allocator of pages ---- */

#define RANGE_PAGES 4096u
#define RANGE_ZONES 2u
#define RANGE_HELD  96u

/* Returns the largest run of free pages in a zone. */
static uint32_t longest_free(const uint8_t *used)
{
    uint32_t longest = 0, run = 0;

    for (uint32_t page = 0; page < RANGE_PAGES; page++) {
        run = used[page] ? 0 : run + 1;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* Ranges of pages, allocated and freed in a fixed random order beside a map, must be aligned, in a zone and disjoint. A
 * request fails only if no free run is an eighth larger. Finally each zone must be one free range. */
static void ranges_match_a_map(struct agpu_test *t)
{
    static uint8_t used[RANGE_ZONES][RANGE_PAGES];
    static const uint32_t first[RANGE_ZONES] = {0, 0xFFFFF800u}; /* page numbers wrap */
    struct agpu_memory *memory = (struct agpu_memory *)(uintptr_t)agpu_runtime_memory(t->env->umd.runtime);
    struct agpu_range_allocator a;
    uint32_t held[RANGE_HELD], count = 0, random = 1, zones[RANGE_ZONES];
    uint64_t free_pages = (uint64_t)RANGE_ZONES * RANGE_PAGES;

    memset(used, 0, sizeof used);
    agpu_range_init(&a, memory);
    agpu_check_eq_u64(t, agpu_range_add_zone(&a, 0, 0, 0), AGPU_SLAB_NONE);
    agpu_check_eq_u64(t, agpu_range_add_zone(&a, 0, 0, AGPU_RANGE_MAX_PAGES + 1), AGPU_SLAB_NONE);
    for (uint32_t i = 0; i < RANGE_ZONES; i++) {
        zones[i] = agpu_range_add_zone(&a, i, first[i], RANGE_PAGES);
    }
    agpu_check_eq_u64(t, agpu_range_alloc(&a, 0, 1), AGPU_SLAB_NONE);
    agpu_check_eq_u64(t, agpu_range_alloc(&a, 1, 0), AGPU_SLAB_NONE);
    agpu_check_eq_u64(t, agpu_range_alloc(&a, AGPU_RANGE_MAX_PAGES + 1, 1), AGPU_SLAB_NONE);
    agpu_check_eq_u64(t, agpu_range_alloc(&a, RANGE_PAGES + 1, 1), AGPU_SLAB_NONE);
    for (uint32_t step = 0; step < 4000 && t->result == AGPU_PASS; step++) {
        random = random * 1664525u + 1013904223u;
        const uint32_t pages = 1 + (random >> 8) % (step % 4 == 0 ? 700 : 24),
                       align = 1u << (random >> 28) % 6;

        if (count == RANGE_HELD || (count != 0 && (random >> 20) % 5 < 2)) {
            const uint32_t at = (random >> 12) % count;
            const struct agpu_range *range = agpu_range_at(&a, held[at]);

            memset(&used[range->zone][range->first - first[range->zone]], 0, range->pages);
            free_pages += range->pages;
            agpu_range_free(&a, held[at]);
            held[at] = held[--count];
        } else {
            const uint32_t index = agpu_range_alloc(&a, pages, align);

            if (index == AGPU_SLAB_NONE) { /* nothing much larger may be free */
                const uint32_t enough = (pages + align - 1) + (pages + align - 1) / 8 + 1;

                agpu_check(t, longest_free(used[0]) < enough && longest_free(used[1]) < enough);
                continue;
            }
            const struct agpu_range *range = agpu_range_at(&a, index);
            const uint32_t offset = range->first - first[range->zone];

            agpu_check(t, range->pages == pages && range->first % align == 0 && range->zone < RANGE_ZONES &&
                              offset < RANGE_PAGES && pages <= RANGE_PAGES - offset);
            agpu_return_unless(t->result == AGPU_PASS);
            for (uint32_t page = 0; page < pages; page++) {
                agpu_return_unless(!used[range->zone][offset + page] || agpu_check(t, false));
            }
            memset(&used[range->zone][offset], 1, pages);
            free_pages -= pages;
            held[count++] = index;
        }
        agpu_check_eq_u64(t, a.free_pages, free_pages);
    }
    while (count != 0) {
        zones[agpu_range_at(&a, held[count - 1])->zone] = agpu_range_free(&a, held[count - 1]);
        count--;
    }
    for (uint32_t i = 0; i < RANGE_ZONES; i++) {
        const struct agpu_range *range = agpu_range_at(&a, zones[i]);

        agpu_check(t, range->first == first[i] && range->pages == RANGE_PAGES &&
                          range->before == AGPU_SLAB_NONE && range->after == AGPU_SLAB_NONE && !range->used);
        agpu_range_remove_zone(&a, zones[i]);
    }
    agpu_check_eq_u64(t, a.free_pages, 0);
    agpu_check_eq_u64(t, agpu_range_alloc(&a, 1, 1), AGPU_SLAB_NONE);
    agpu_check_eq_u64(t, a.ranges.live, 0);
    agpu_range_fini(&a);
}

/* ---- zones of a segment ---- */

/* A segment must take memory in zones as large as those that it has, from 512 KiB to 8 MiB and within its budget, and
 * keep one idle zone. Memory is zero, and aligned as asked. */
static void zones_grow(struct agpu_test *t)
{
    static const struct {
        uint32_t kib, align_kib; /* kib 0: frees the placement of row align_kib */
        enum agpu_segment_result result;
        uint32_t held_kib, committed_kib;
    } rows[] = {
        {4, 0, AGPU_SEGMENT_OK, 512, 4},
        {508, 0, AGPU_SEGMENT_OK, 512, 512},
        {4, 0, AGPU_SEGMENT_OK, 1024, 516},
        {600, 0, AGPU_SEGMENT_OK, 2048, 1116},
        {2048, 0, AGPU_SEGMENT_OK, 4096, 3164},
        {4096, 0, AGPU_SEGMENT_OK, 8192, 7260},
        {4, 4, AGPU_SEGMENT_OK, 8192, 7264},
        {1024, 0, AGPU_SEGMENT_OK, 16384, 8288},
        {7424, 0, AGPU_SEGMENT_OK, 24576, 15712}, /* the largest zone, and the budget exactly */
        {7424, 0, AGPU_SEGMENT_OK, 32000, 23136}, /* no more than needed */
        {1444, 0, AGPU_SEGMENT_OVER_BUDGET, 32000, 23136},
        {1440, 0, AGPU_SEGMENT_OK, 32000, 24576},
        {24580, 0, AGPU_SEGMENT_OVER_BUDGET, 32000, 24576},
        {0, 9, AGPU_SEGMENT_OK, 32000, 17152}, /* its zone stays */
        {0, 8, AGPU_SEGMENT_OK, 23808, 9728},  /* the second idle one does not */
        {0, 5, AGPU_SEGMENT_OK, 19712, 5632},
        {7424, 0, AGPU_SEGMENT_OK, 19712, 13056},
        {64, 2048, AGPU_SEGMENT_OK, 19712, 13120},
    };
    struct agpu_memory *memory = (struct agpu_memory *)(uintptr_t)agpu_runtime_memory(t->env->umd.runtime);
    const uint64_t blocks = memory->dma_blocks;
    struct agpu_placement places[sizeof rows / sizeof rows[0]];
    struct agpu_segment segment;

    agpu_segment_init(&segment, memory, (24576u << 10) + 5);
    for (uint32_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint32_t bytes = rows[i].kib << 10;

        if (bytes == 0) {
            agpu_segment_free(&segment, places[rows[i].align_kib].range);
        } else {
            agpu_check_place(t, "result of the row", i,
                             (uint32_t)agpu_segment_alloc(&segment, bytes - 1,
                                                          (uint64_t)rows[i].align_kib << 10, &places[i]),
                             (uint32_t)rows[i].result);
            if (rows[i].result == AGPU_SEGMENT_OK && t->result == AGPU_PASS) {
                agpu_check_filled(t, places[i].cpu, 0, bytes);
                memset(places[i].cpu, 0xA5, bytes);
                agpu_check_eq_u64(
                    t, places[i].device_address % ((rows[i].align_kib != 0 ? rows[i].align_kib : 4) << 10),
                    0);
            }
        }
        agpu_check_place(t, "KiB of the zones after row", i, (uint32_t)(segment.held >> 10),
                         rows[i].held_kib);
        agpu_check_place(t, "KiB in use after row", i, (uint32_t)(segment.committed >> 10),
                         rows[i].committed_kib);
        agpu_check_eq_u64(t, segment.committed_peak >> 10, i < 11 ? segment.committed >> 10 : 24576);
        if (t->result != AGPU_PASS) {
            break;
        }
    }
    agpu_segment_fini(&segment);
    agpu_check_eq_u64(t, memory->dma_blocks, blocks);
}

static const struct agpu_case vidmm_records_cases[] = {
    AGPU_STACK_CASE("vidmm.records.private_data", "vidmm.md 3.1", 0, 0, .body = private_data_read),
    AGPU_STACK_CASE("vidmm.records.slab", "vidmm.md 3", 0, 0, .body = slab_records),
    AGPU_STACK_CASE("vidmm.records.ranges", "vidmm.md 2", 0, 0, .body = ranges_match_a_map),
    AGPU_STACK_CASE("vidmm.records.zones", "vidmm.md 2", 0, 0, .body = zones_grow),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_records, vidmm_records_cases);
