/* table_entries.c: valid allocation tables, used through each of their entries: strides, many entries, ids, addresses,
 * flags; and duplicates anywhere in long tables (ring.md 8). */
#include "ring/irq.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"

#include <string.h>

#define HEADER  ((uint32_t)sizeof(struct aerogpu_alloc_table_header))
#define ENTRY   ((uint32_t)sizeof(struct aerogpu_alloc_entry))
#define GARBAGE 0xE7

/* A table under construction, in memory of the case. */
struct long_table {
    uint8_t *bytes;
    uint64_t address;
    uint32_t stride, count;
};

static void entry_put(const struct long_table *table, uint32_t index, const struct aerogpu_alloc_entry *entry)
{
    memcpy(table->bytes + HEADER + (size_t)index * table->stride, entry, sizeof *entry);
}

static uint32_t entry_bytes(const struct long_table *table)
{
    return HEADER + table->count * table->stride;
}

/* Every entry names memory that nothing uses; the bytes between the entries, after their structure, are garbage. Ids
 * use all 32 bits. */
static void entries_begin(struct agpu_test *t, const struct long_table *table)
{
    const struct agpu_dma *other = &t->env->rig.memory[1];
    struct aerogpu_alloc_table_header header = {
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = entry_bytes(table),
        .entry_count = table->count,
        .entry_stride_bytes = table->stride,
    };

    memset(table->bytes, GARBAGE, entry_bytes(table));
    memcpy(table->bytes, &header, sizeof header);
    for (uint32_t i = 0; i < table->count; i++) {
        entry_put(table, i,
                  &(struct aerogpu_alloc_entry){.alloc_id = 0x1000 + i * 0x9E3779B1u,
                                                .gpa = other->device_address,
                                                .size_bytes = 4096});
    }
}

static struct aerogpu_alloc_entry proof_entry(const struct agpu_test *t)
{
    const struct agpu_dma *memory = &t->env->rig.memory[AGPU_PROOF_MEMORY];

    return (struct aerogpu_alloc_entry){
        .alloc_id = AGPU_PROOF_ALLOC, .gpa = memory->device_address, .size_bytes = memory->size};
}

/* Submits work with this table. */
static bool submit_under(struct agpu_test *t, const struct long_table *table, uint32_t slot, uint32_t value,
                         struct aerogpu_submit_desc *desc)
{
    struct agpu_submission submission;

    agpu_rig_begin_over(&t->env->rig);
    agpu_put_proof(t, slot, value);
    if (!agpu_check(t, agpu_rig_finish(&t->env->rig, &submission))) {
        return false;
    }
    submission.table_address = table->address;
    submission.table_size = entry_bytes(table);
    return agpu_check_ok(t, agpu_ring_describe(&submission, desc));
}

/* Checks that work is done whose memory is named by the entry at this position. */
static bool work_by_entry(struct agpu_test *t, const struct long_table *table, uint32_t position,
                          uint32_t slot)
{
    const struct aerogpu_alloc_entry entry = proof_entry(t);
    struct aerogpu_submit_desc desc;

    entries_begin(t, table);
    entry_put(table, position, &entry);
    return submit_under(t, table, slot, position, &desc) &&
           agpu_check_ok(t, agpu_ring_post_desc(&t->env->ring, &desc)) &&
           (agpu_doorbell(&t->env->ring), true) &&
           agpu_check_ok(t, agpu_fence_wait(&t->env->ring, desc.signal_fence)) &&
           agpu_check_place2(t, "ERROR_COUNT; table entries:", table->count, "used entry", position,
                             agpu_error_count(t->env), 0) &&
           agpu_check_proof(t, slot, position);
}

/* Given table strides of 32 to 4096 bytes, odd ones too, work must find its memory through each of five entries. */
static void table_strides(struct agpu_test *t)
{
    static const uint32_t strides[] = {32, 36, 40, 48, 64, 96, 128, 33, 4096};
    struct long_table table = {
        .bytes = t->env->rig.memory[0].cpu, .address = t->env->rig.memory[0].device_address, .count = 5};
    uint32_t slot = 0;

    agpu_return_unless(agpu_proof_begin(t));
    for (unsigned i = 0; i < sizeof strides / sizeof strides[0]; i++) {
        table.stride = strides[i];
        for (uint32_t position = 0; position < table.count; position++) {
            agpu_return_unless(work_by_entry(t, &table, position, slot++));
        }
    }
}

/* The device must find entries in tables up to more than 64 KiB, at each end and around sizes at which a smaller table
 * may be cut. */
static void table_counts(struct agpu_test *t)
{
    static const uint32_t counts[] = {1, 8, 9, 16, 17, 64, 255, 256, 257, 1000, 2047, 2048, 2100, 4097};
    const struct agpu_platform *platform = t->env->platform;
    const uint32_t bytes = HEADER + 4097 * ENTRY;
    struct agpu_dma memory = {0};
    uint32_t slot = 0;
    bool ok = true;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, bytes, &memory));
    for (unsigned i = 0; i < sizeof counts / sizeof counts[0] && ok; i++) {
        struct long_table table = {memory.cpu, memory.device_address, ENTRY, counts[i]};

        ok = work_by_entry(t, &table, counts[i] - 1, slot++) && work_by_entry(t, &table, 0, slot++) &&
             work_by_entry(t, &table, counts[i] / 2, slot++);
    }
    platform->dma_free(platform->ctx, &memory);
}

/* The device must read a table at any address, also across a page boundary. */
static void table_alignment(struct agpu_test *t)
{
    static const uint32_t offsets[] = {8, 16, 40, 4096 - 8, 4096 - 24, 4096 - 40, 4096 - 64, 4, 1, 4096 - 3};
    const struct agpu_dma *memory = &t->env->rig.memory[0];

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        struct long_table table = {(uint8_t *)memory->cpu + offsets[i], memory->device_address + offsets[i],
                                   ENTRY, 4};

        agpu_return_unless(work_by_entry(t, &table, i % 4, i));
    }
}

/* Given two entries with the same alloc_id anywhere in a table of up to 300, the device must refuse the submission and
 * do none of its work. */
static void table_long_duplicates(struct agpu_test *t)
{
    static const struct {
        uint32_t count, first, second;
    } tables[] = {{3, 0, 2},   {3, 0, 1},    {3, 1, 2},     {8, 0, 7},     {9, 0, 8},      {9, 3, 7},
                  {16, 0, 15}, {40, 39, 38}, {300, 0, 299}, {300, 17, 20}, {300, 150, 280}};
    struct long_table table = {
        .bytes = t->env->rig.memory[0].cpu, .address = t->env->rig.memory[0].device_address, .stride = ENTRY};

    agpu_return_unless(agpu_proof_begin(t));
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        struct aerogpu_alloc_entry entry = proof_entry(t);
        struct aerogpu_submit_desc desc;

        table.count = tables[i].count;
        entries_begin(t, &table);
        entry_put(&table, tables[i].first, &entry);
        entry.gpa = t->env->rig.memory[1].device_address;
        entry_put(&table, tables[i].second, &entry);
        agpu_return_unless(submit_under(t, &table, i, i, &desc));
        agpu_return_unless(agpu_run_faulty_desc(t, &desc, AEROGPU_ERROR_CMD_DECODE));
        agpu_return_unless(agpu_check_no_proof(t, i));
    }
}

/* ---- ids, flags and addresses: a copy with write-back into memory named by one entry, beside others ---- */

#define BYTES  256u
#define HANDLE 0x51u

static bool write_through(struct agpu_test *t, uint32_t id, uint64_t address, uint64_t size, uint32_t flags,
                          uint32_t seed, uint8_t *expected)
{
    struct agpu_rig *rig = &t->env->rig;

    agpu_fill_pattern(expected, BYTES, seed);
    agpu_rig_alloc_range(rig, id, address, size, flags);
    agpu_put_create_buffer(rig, HANDLE, BYTES, id, 0);
    agpu_put_create_buffer(rig, HANDLE + 1, BYTES, 0, 0);
    agpu_put_upload(rig, HANDLE + 1, 0, expected, BYTES);
    agpu_put_copy_buffer(rig, HANDLE, 0, HANDLE + 1, 0, BYTES, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_put_destroy(rig, HANDLE);
    agpu_put_destroy(rig, HANDLE + 1);
    return agpu_run_clean(t);
}

/* The device must compare whole ids: ids that agree in all but one part name different memory, in either order in the
 * table. */
static void table_whole_ids(struct agpu_test *t)
{
    static const uint32_t ids[] = {0x00000001, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF,
                                   0x00010001, 0x01000001, 0x00000101, 0x0000FFFF, 0x55AA0001};
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[BYTES];

    for (unsigned used = 0; used < sizeof ids / sizeof ids[0]; used++) {
        memset(rig->memory[0].cpu, GARBAGE, 4096);
        memset(rig->memory[1].cpu, GARBAGE, 4096);
        for (unsigned i = 0; i < used; i++) { /* the others name memory that must stay; half come before */
            agpu_rig_alloc(rig, ids[i], &rig->memory[1], AEROGPU_ALLOC_FLAG_NONE);
        }
        agpu_return_unless(
            write_through(t, ids[used], rig->memory[0].device_address, 4096, 0, used, expected));
        agpu_return_unless(agpu_check_eq_mem(t, rig->memory[0].cpu, expected, BYTES));
        agpu_return_unless(agpu_check_filled(t, rig->memory[1].cpu, GARBAGE, 4096));
    }
}

/* Flags other than READONLY must be ignored. */
static void table_other_flags(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[BYTES];

    for (unsigned bit = 1; bit < 32; bit++) {
        memset(rig->memory[0].cpu, GARBAGE, 4096);
        agpu_return_unless(
            write_through(t, 7, rig->memory[0].device_address, 4096, 1u << bit, bit, expected));
        agpu_return_unless(agpu_check_eq_mem(t, rig->memory[0].cpu, expected, BYTES));
    }
}

/* The device must accept any 64-bit size of an entry; memory after the used part is not accessed. */
static void table_entry_sizes(struct agpu_test *t)
{
    static const uint64_t sizes[] = {
        BYTES, BYTES + 1, 65536, UINT32_MAX, UINT64_C(1) << 32, (UINT64_C(1) << 32) + 4, UINT64_C(1) << 48};
    struct agpu_rig *rig = &t->env->rig;
    uint8_t expected[BYTES];

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        memset(rig->memory[0].cpu, GARBAGE, 4096);
        if (!write_through(t, 7, rig->memory[0].device_address, sizes[i], 0, 200 + i, expected)) {
            agpu_check_place(t, "ERROR_COUNT with an entry of bytes", sizes[i], agpu_error_count(t->env), 0);
            return;
        }
        agpu_return_unless(agpu_check_eq_mem(t, rig->memory[0].cpu, expected, BYTES));
    }
}

/* Given an allocation that starts and ends at any address, the device must write exactly its bytes. */
static void table_unaligned_entries(struct agpu_test *t)
{
    static const uint32_t offsets[] = {0, 4096, 64, 8, 4, 2, 1, 511, 2048, 4095, 4096 - 128, 8191};
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *bytes = rig->memory[0].cpu;
    uint8_t expected[BYTES];

    for (unsigned i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        const uint32_t at = offsets[i];

        memset(bytes, GARBAGE, 3 * 4096);
        agpu_return_unless(
            write_through(t, 7, rig->memory[0].device_address + at, BYTES, 0, 100 + i, expected));
        agpu_return_unless(agpu_check_eq_mem(t, bytes + at, expected, BYTES));
        agpu_return_unless(agpu_check_filled(t, bytes, GARBAGE, at));
        agpu_return_unless(agpu_check_filled(t, bytes + at + BYTES, GARBAGE, 3 * 4096 - at - BYTES));
    }
}

#define WORK (AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_TRANSFER)
#define ENTRY_CASE(name, function)                                                                           \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 8", .needs = AGPU_NEED_RING, .features = WORK, .run = (function)      \
    }

static const struct agpu_case ring_table_entries_cases[] = {
    ENTRY_CASE("error.table.strides_are_fine", table_strides),
    ENTRY_CASE("error.table.counts_are_fine", table_counts),
    ENTRY_CASE("error.table.alignment_is_fine", table_alignment),
    ENTRY_CASE("error.table.long_duplicates", table_long_duplicates),
    ENTRY_CASE("error.table.ids_are_whole", table_whole_ids),
    ENTRY_CASE("error.table.other_flags_are_fine", table_other_flags),
    ENTRY_CASE("error.table.entry_sizes_are_fine", table_entry_sizes),
    ENTRY_CASE("error.table.unaligned_entries_are_fine", table_unaligned_entries),
};

AGPU_CASE_TABLE(agpu_cases_ring_table_entries, ring_table_entries_cases);
