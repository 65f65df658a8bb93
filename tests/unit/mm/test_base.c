/* test_base.c: memory counters, segments, pools. */
#include <stdlib.h>
#include <string.h>

#include "fake_machine.h"
#include "mm/base/memory.h"
#include "mm/base/slab.h"
#include "mm/kmd/dma_pool.h"
#include "tests/unit/test.h"

TEST(memory_is_counted)
{
    struct fake_mm_machine machine;
    struct agpu_memory memory;
    struct agpu_dma dma[3];
    void *blocks[3];

    fake_machine_init(&machine);
    memory = fake_memory(&machine);
    for (unsigned i = 0; i < 3; i++) {
        blocks[i] = agpu_memory_alloc(&memory, 100 * (i + 1));
        assert_true(agpu_memory_alloc_dma(&memory, 4096 * (i + 1), &dma[i]));
        assert_true(dma[i].size == 4096 * (i + 1));
        assert_int_equal(memory.heap_blocks, i + 1);
        assert_int_equal(memory.dma_blocks, i + 1);
        assert_int_equal(memory.heap_allocs, i + 1);
    }
    assert_int_equal(memory.heap_bytes, 600);
    assert_int_equal(memory.dma_bytes, 6 * 4096);
    agpu_memory_free(&memory, blocks[1], 200);
    agpu_memory_free_dma(&memory, &dma[1]);
    assert_null(dma[1].cpu);
    assert_int_equal(memory.heap_bytes, 400);
    assert_int_equal(memory.dma_bytes, 4 * 4096);
    assert_int_equal(memory.heap_blocks, 2);
    assert_int_equal(memory.dma_blocks, 2);
    agpu_memory_free_dma(&memory, &dma[1]); /* already freed */
    agpu_memory_free(&memory, NULL, 200);
    assert_int_equal(memory.dma_blocks, 2);
    assert_int_equal(memory.heap_blocks, 2);
    assert_null(agpu_memory_alloc(&memory, 0));
    assert_false(agpu_memory_alloc_dma(&memory, 0, &dma[1]));
    assert_int_equal(memory.dma_blocks, 2);
    agpu_memory_free(&memory, blocks[0], 100);
    agpu_memory_free(&memory, blocks[2], 300);
    agpu_memory_free_dma(&memory, &dma[0]);
    agpu_memory_free_dma(&memory, &dma[2]);
    assert_int_equal(memory.heap_bytes | memory.dma_bytes | memory.heap_blocks | memory.dma_blocks, 0);
    assert_int_equal(memory.heap_allocs, 3); /* counts all allocations ever made */
    fake_machine_check_empty(&machine);
}

/* A segment starts empty, whatever its memory contained. */
TEST(segments_begin_empty)
{
    struct fake_mm_machine machine;
    struct agpu_memory memory;
    struct agpu_segment segment;
    struct agpu_placement at;

    fake_machine_init(&machine);
    memory = fake_memory(&machine);
    memset(&segment, 0xEE, sizeof segment);
    agpu_segment_init(&segment, &memory, (1u << 20) + 5);
    assert_int_equal(segment.budget, 1u << 20);
    assert_int_equal(segment.committed | segment.held | segment.idle_zones | segment.committed_peak, 0);
    assert_int_equal(agpu_segment_alloc(&segment, 1u << 20, 0, &at), AGPU_SEGMENT_OK);
    assert_int_equal(segment.committed_peak, 1u << 20);
    agpu_segment_free(&segment, at.range);
    agpu_segment_fini(&segment);
    assert_int_equal(segment.committed | segment.held | segment.committed_peak, 0);
    fake_machine_check_empty(&machine);
}

/* A pool starts empty, whatever its memory contained, and again after its end. */
TEST(pools_begin_empty)
{
    struct fake_mm_machine machine;
    struct agpu_memory memory;
    struct agpu_dma_pool pool;

    fake_machine_init(&machine);
    memory = fake_memory(&machine);
    memset(&pool, 0xEE, sizeof pool);
    agpu_dma_pool_init(&pool, &memory);
    for (unsigned again = 0; again < 2; again++) {
        const uint32_t block = agpu_dma_pool_alloc(&pool, 5000);

        assert_int_equal(block, 1);
        assert_int_equal(agpu_dma_pool_at(&pool, block)->size, 8192);
        agpu_dma_pool_free(&pool, block);
        assert_int_equal(agpu_dma_pool_alloc(&pool, 8192), block); /* reused by size */
        agpu_dma_pool_free(&pool, block);
        agpu_dma_pool_fini(&pool);
    }
    fake_machine_check_empty(&machine);
}

TEST(pages_are_rounded)
{
    assert_true(agpu_page_round(0) == 0);
    assert_true(agpu_page_round(1) == 4096);
    assert_true(agpu_page_round(4096) == 4096);
    assert_true(agpu_page_round(4097) == 8192);
    assert_true(agpu_page_round(UINT64_MAX - 4095) == UINT64_MAX - 4095);
    assert_true(agpu_page_round(UINT64_MAX - 4094) == UINT64_MAX);
    assert_true(agpu_page_round(UINT64_MAX) == UINT64_MAX);
}
