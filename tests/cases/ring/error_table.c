/* error_table.c: faults in the allocation table, and tables that are unusual but valid (ring.md 3.1, 8). */
#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/proof.h"

/* A table of two entries, one for the work in the stream and another one; damaged after it is complete. A third valid
 * entry follows it. */
struct bad_table {
    struct aerogpu_alloc_table_header *header;
    struct aerogpu_alloc_entry *entries;
    struct aerogpu_submit_desc *desc;
};

struct table_fault {
    void (*damage)(const struct bad_table *table);
    uint32_t code; /* AEROGPU_ERROR_NONE: valid */
};

static void error_table_nothing(const struct bad_table *table)
{
    (void)table;
}

static void error_table_bad_magic(const struct bad_table *table)
{
    table->header->magic = 0;
}

static void error_table_bad_major(const struct bad_table *table)
{
    table->header->abi_version += 0x10000;
}

static void error_table_newer_minor(const struct bad_table *table)
{
    table->header->abi_version |= 0xFFFF;
}

static void error_table_oldest_minor(const struct bad_table *table)
{
    table->header->abi_version &= 0xFFFF0000;
}

static void error_table_size_below_header(const struct bad_table *table)
{
    table->header->size_bytes = 23;
}

static void size_over_descriptor(const struct bad_table *table)
{
    table->header->size_bytes = table->desc->alloc_table_size_bytes + 1;
}

static void error_table_size_over_limit(const struct bad_table *table)
{
    /* The descriptor has the same size, so only the limit of 16 MiB is exceeded. */
    table->desc->alloc_table_size_bytes = (16u << 20) + 4;
    table->header->size_bytes = (16u << 20) + 4;
}

static void count_over_size(const struct bad_table *table)
{
    table->header->entry_count = 3;
}

static void count_over_header(const struct bad_table *table)
{
    table->header->size_bytes -= 1;
}

static void count_over_header_in_room(const struct bad_table *table)
{
    table->header->entry_count = 3;
    table->desc->alloc_table_size_bytes += (uint32_t)sizeof *table->entries;
}

static void count_overflows(const struct bad_table *table)
{
    table->header->entry_count = 0x08000001; /* times 32 is 2^32 + 32 */
}

static void count_without_header(const struct bad_table *table)
{
    table->header->entry_count = 3;
    table->header->size_bytes = 96;
    table->desc->alloc_table_size_bytes = 96;
}

static void error_table_stride_small(const struct bad_table *table)
{
    table->header->entry_stride_bytes = 31;
}

static void stride_zero(const struct bad_table *table)
{
    table->header->entry_stride_bytes = 0;
}

static void id_zero(const struct bad_table *table)
{
    table->entries[1].alloc_id = 0;
}

static void entry_size_zero(const struct bad_table *table)
{
    table->entries[1].size_bytes = 0;
}

static void entry_wraps(const struct bad_table *table)
{
    table->entries[1].gpa = UINT64_MAX - 15;
}

static void entry_ends_at_2_64(const struct bad_table *table)
{
    table->entries[1].gpa = 0 - table->entries[1].size_bytes;
}

static void error_table_duplicate(const struct bad_table *table)
{
    table->entries[1].alloc_id = table->entries[0].alloc_id;
}

static void duplicate_first(const struct bad_table *table)
{
    table->entries[0].alloc_id = table->entries[1].alloc_id;
}

static void duplicate_identical(const struct bad_table *table)
{
    table->entries[1] = table->entries[0];
}

static void error_table_no_entries(const struct bad_table *table)
{
    table->header->entry_count = 0;
}

/* The device checks the header even without entries. */
static void stride_small_for_none(const struct bad_table *table)
{
    table->header->entry_count = 0;
    table->header->entry_stride_bytes = 31;
}

static void fewer_bytes_than_descriptor(const struct bad_table *table)
{
    /* The device must ignore bytes after size_bytes, even if they would be a bad entry. */
    table->header->entry_count = 1;
    table->header->size_bytes -= (uint32_t)sizeof *table->entries;
    table->entries[1].alloc_id = 0;
}

static void error_table_larger_stride(const struct bad_table *table)
{
    /* One entry of 64 bytes; the device must ignore its second half. */
    table->header->entry_count = 1;
    table->header->entry_stride_bytes = 64;
    table->entries[1] = (struct aerogpu_alloc_entry){0};
}

static void error_table_overlapping(const struct bad_table *table)
{
    table->entries[1].gpa = table->entries[0].gpa;
}

static void unknown_flags(const struct bad_table *table)
{
    table->entries[0].flags = 0xFFFFFFFE;
    table->entries[0].reserved0 = UINT64_MAX;
    table->header->reserved0 = UINT32_MAX;
}

static void kernel_range_id(const struct bad_table *table)
{
    table->entries[1].alloc_id = 0xFFFFFFFF;
}

static void error_table_address_zero(const struct bad_table *table)
{
    table->entries[1].gpa = 0;
}

/* With these faults the work has no memory to write to. */
static bool without_entries(const struct table_fault *fault)
{
    return fault->damage == error_table_no_entries || fault->damage == stride_small_for_none;
}

/* Given one unusual value in an allocation table, the device must refuse the table with the documented error, or use it
 * where the value is valid; the next submission must work. */
static void error_table_run(struct agpu_test *t)
{
    const struct table_fault *fault = t->test_case->arg;
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    struct aerogpu_submit_desc desc;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_put_proof_memory(t);
    agpu_rig_alloc(rig, 2, &rig->memory[1], AEROGPU_ALLOC_FLAG_NONE);
    if (!without_entries(fault)) {
        agpu_put_proof(t, 0, 0x600D);
    } else {
        agpu_rig_packet(rig, AEROGPU_CMD_NOP, 8);
    }
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    agpu_assert_ok(t, agpu_ring_describe(&submission, &desc));
    *agpu_rig_table_entry(rig, 2) =
        (struct aerogpu_alloc_entry){.alloc_id = 3, .gpa = rig->memory[0].device_address, .size_bytes = 4096};
    fault->damage(&(struct bad_table){agpu_rig_table_header(rig), agpu_rig_table_entry(rig, 0), &desc});
    if (fault->code != AEROGPU_ERROR_NONE) {
        agpu_run_faulty_desc(t, &desc, fault->code);
        agpu_check_no_proof(t, 0);
    } else {
        agpu_return_unless(agpu_submit_wait(t, &submission));
        agpu_check_no_errors_counted(t);
        if (!without_entries(fault)) {
            agpu_check_proof(t, 0, 0x600D);
        }
    }
    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 1, 0x7E57);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_proof(t, 1, 0x7E57);
}

#define TABLE_CASE(name, function, expected)                                                                 \
    {                                                                                                        \
        .id = (name), .spec = "ring.md 8", .needs = AGPU_NEED_RING,                                          \
        .features = AEROGPU_FEATURE_ERROR_INFO | AEROGPU_FEATURE_TRANSFER, .run = error_table_run,           \
        .arg = &(const struct table_fault){function, expected},                                              \
    }

static const struct agpu_case ring_error_table_cases[] = {
    /* nothing is damaged */
    TABLE_CASE("error.table.baseline", error_table_nothing, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.oldest_minor_is_fine", error_table_oldest_minor, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.newer_minor_is_fine", error_table_newer_minor, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.no_entries_is_fine", error_table_no_entries, AEROGPU_ERROR_NONE),
    /* after the header's size there is an invalid entry */
    TABLE_CASE("error.table.bytes_behind_are_fine", fewer_bytes_than_descriptor, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.larger_stride_is_fine", error_table_larger_stride, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.overlap_is_fine", error_table_overlapping, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.unknown_flags_are_fine", unknown_flags, AEROGPU_ERROR_NONE),
    /* an alloc_id of FFFFFFFF */
    TABLE_CASE("error.table.kernel_ids_are_fine", kernel_range_id, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.entry_address_zero_is_fine", error_table_address_zero, AEROGPU_ERROR_NONE),
    TABLE_CASE("error.table.bad_magic", error_table_bad_magic, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.bad_major", error_table_bad_major, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.size_below_header", error_table_size_below_header, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.size_over_descriptor", size_over_descriptor, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.size_over_limit", error_table_size_over_limit, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.count_over_size", count_over_size, AEROGPU_ERROR_OOB),
    /* the header's size is a byte too small for the entries, the descriptor's is not */
    TABLE_CASE("error.table.count_over_header", count_over_header, AEROGPU_ERROR_OOB),
    /* the header's size is an entry too small, the descriptor has space for it */
    TABLE_CASE("error.table.count_over_header_in_room", count_over_header_in_room, AEROGPU_ERROR_OOB),
    /* 96 bytes hold three entries, but beside the header only two and a quarter */
    TABLE_CASE("error.table.count_without_header", count_without_header, AEROGPU_ERROR_OOB),
    /* entry_count times 32 is 2^32 + 32 */
    TABLE_CASE("error.table.count_overflows", count_overflows, AEROGPU_ERROR_OOB),
    TABLE_CASE("error.table.stride_small", error_table_stride_small, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.stride_small_without_entries", stride_small_for_none, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.stride_zero", stride_zero, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.id_zero", id_zero, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.entry_size_zero", entry_size_zero, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.entry_wraps", entry_wraps, AEROGPU_ERROR_OOB),
    TABLE_CASE("error.table.entry_ends_at_2_64", entry_ends_at_2_64, AEROGPU_ERROR_OOB),
    TABLE_CASE("error.table.duplicate_id", error_table_duplicate, AEROGPU_ERROR_CMD_DECODE),
    /* the first entry has the id of the second */
    TABLE_CASE("error.table.duplicate_first", duplicate_first, AEROGPU_ERROR_CMD_DECODE),
    TABLE_CASE("error.table.duplicate_identical", duplicate_identical, AEROGPU_ERROR_CMD_DECODE),
};

AGPU_CASE_TABLE(agpu_cases_ring_error_table, ring_error_table_cases);
