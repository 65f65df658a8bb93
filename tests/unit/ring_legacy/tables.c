/* tables.c: see tables.h. */
#include "tests/unit/ring_legacy/tables.h"

#include "ring/alloc_table.h"

static uint64_t memory[8192];

static struct aerogpu_alloc_table_header *header(const struct agpu_submission *submission)
{
    return (struct aerogpu_alloc_table_header *)(uintptr_t)submission->table;
}

struct agpu_submission table_submission(uint32_t entries, uint64_t fence)
{
    struct agpu_submission submission = {.context_id = 1, .fence = fence};
    struct agpu_alloc_table table;

    if (entries == 0) {
        return submission;
    }
    agpu_alloc_table_begin(&table, memory, sizeof memory);
    for (uint32_t i = 0; i < entries; i++) {
        agpu_alloc_table_add(&table, i + 1, TABLE_ADDRESS(i), TABLE_SIZE(i), AEROGPU_ALLOC_FLAG_READONLY);
    }
    submission.table_size = agpu_alloc_table_finish(&table);
    submission.table_address = 0x77000;
    submission.table = memory;
    return submission;
}

void table_make_present(struct agpu_submission *submission)
{
    submission->flags |= AEROGPU_SUBMIT_FLAG_PRESENT;
}

void table_overcount(const struct agpu_submission *submission)
{
    header(submission)->entry_count++;
}

void table_restride(const struct agpu_submission *submission)
{
    header(submission)->entry_stride_bytes += 8;
}

void table_make_huge(const struct agpu_submission *submission, uint32_t entry)
{
    ((struct aerogpu_alloc_entry *)(header(submission) + 1))[entry].size_bytes = UINT64_C(1) << 32;
}
