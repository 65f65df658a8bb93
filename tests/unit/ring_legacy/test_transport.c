/* test_transport.c: submissions of the memory manager on the legacy ring: the table becomes the descriptor's
 * list (legacy.md 4). */
#include "ring/legacy_transport.h"
#include "tests/unit/ring_legacy/fixture.h"
#include "tests/unit/ring_legacy/tables.h"

static struct agpu_transport transport;

static int setup(void **state)
{
    fixture_setup_ring(state);
    transport = agpu_legacy_transport(&fixture.ring);
    return 0;
}

static enum agpu_status submit(const struct agpu_submission *submission)
{
    return transport.submit(transport.ctx, submission);
}

static void check_list(uint32_t index, uint32_t count)
{
    const struct aerogpu_legacy_submission_desc_header *header = fixture_descriptor(index);

    const struct aerogpu_legacy_submission_desc_allocation *list =
        (const struct aerogpu_legacy_submission_desc_allocation *)(header + 1);

    assert_int_equal(fixture_entry(index)->desc_size, 32 + 24 * count);
    assert_int_equal(header->allocation_count, count);
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(list[i].alloc_id, i + 1);
        assert_int_equal(list[i].gpa, TABLE_ADDRESS(i));
        assert_int_equal(list[i].size_bytes, TABLE_SIZE(i));
    }
}

FIXTURE(setup, fixture_teardown);

TEST(passes_on_the_table)
{
    struct agpu_submission submission = table_submission(3, 1);

    assert_int_equal(submit(&submission), AGPU_OK);
    check_list(0, 3);
    assert_int_equal(fixture.writes[fixture.write_count - 1].reg, AEROGPU_LEGACY_REG_RING_DOORBELL);
    submission = table_submission(0, 2);
    assert_int_equal(submit(&submission), AGPU_OK);
    check_list(1, 0);
}

TEST(long_lists)
{
    const uint32_t fits = (AGPU_LEGACY_DESCRIPTOR_BYTES - 32) / 24;
    unsigned live = fixture.machine.dma_live;
    struct agpu_submission submission;

    submission = table_submission(fits, 1);
    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(fixture.machine.dma_live, live);
    submission = table_submission(fits + 1, 2);
    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(fixture.machine.dma_live, live + 1);
    check_list(0, fits);
    check_list(1, fits + 1);
    fixture_consume();
    /* Several laps later the entry still has its memory, and nothing more is allocated. */
    for (uint64_t fence = 3; fence <= 21; fence++) {
        uint32_t count = fence % 5 == 2 ? 200 : 1;

        submission = table_submission(count, fence);
        assert_int_equal(submit(&submission), AGPU_OK);
        check_list((uint32_t)((fence - 1) % 5), count);
        fixture_consume();
    }
    assert_int_equal(fixture.machine.dma_live, live + 1);
}

TEST(no_memory_for_a_long_list)
{
    struct agpu_submission submission = table_submission(100, 1);

    fixture.machine.dma_failing = 1;
    assert_int_equal(submit(&submission), AGPU_ERR_NO_MEMORY);
    assert_int_equal(fixture.ring.tail, 0);
    assert_int_equal(fixture.ring.last_submitted, 0);
    fixture.machine.dma_failing = 0;
    assert_int_equal(submit(&submission), AGPU_OK);
    check_list(0, 100);
}

TEST(types)
{
    struct agpu_submission submission = table_submission(0, 1);

    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(fixture_descriptor(0)->type, AEROGPU_LEGACY_SUBMIT_RENDER);
    submission.fence = 2;
    submission.context_id = 0;
    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(fixture_descriptor(1)->type, AEROGPU_LEGACY_SUBMIT_PAGING);
    submission.fence = 3;
    table_make_present(&submission);
    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(fixture_descriptor(2)->type, AEROGPU_LEGACY_SUBMIT_PRESENT);
}

TEST(refuses)
{
    struct agpu_submission submission = table_submission(3, 1);

    submission.table = NULL;
    assert_int_equal(submit(&submission), AGPU_ERR_INVALID);
    submission = table_submission(3, 1);
    submission.table_size = 8;
    assert_int_equal(submit(&submission), AGPU_ERR_INVALID);
    submission = table_submission(3, 1);
    table_overcount(&submission);
    assert_int_equal(submit(&submission), AGPU_ERR_INVALID);
    submission = table_submission(3, 1);
    table_restride(&submission);
    assert_int_equal(submit(&submission), AGPU_ERR_INVALID);
    submission = table_submission(3, 1);
    table_make_huge(&submission, 2);
    assert_int_equal(submit(&submission), AGPU_ERR_INVALID);
    assert_int_equal(fixture.write_count, 0);
    assert_int_equal(fixture.ring.tail, 0);
    assert_int_equal(fixture.ring.last_submitted, 0);
}

TEST(full_then_completes)
{
    struct agpu_submission submission;
    uint64_t completed;

    for (uint64_t fence = 1; fence <= 4; fence++) {
        assert_true(transport.has_room(transport.ctx));
        submission = table_submission(1, fence);
        assert_int_equal(submit(&submission), AGPU_OK);
    }
    assert_false(transport.has_room(transport.ctx));
    submission = table_submission(1, 5);
    assert_int_equal(submit(&submission), AGPU_ERR_BUSY);
    fixture_consume();
    assert_int_equal(transport.completed_fence(transport.ctx, &completed), AGPU_OK);
    assert_int_equal(completed, 4);
    assert_int_equal(submit(&submission), AGPU_OK);
    assert_int_equal(transport.reset(transport.ctx), AGPU_OK);
    assert_int_equal(transport.completed_fence(transport.ctx, &completed), AGPU_OK);
    assert_int_equal(completed, 0);
}
