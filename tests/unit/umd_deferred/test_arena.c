/* test_arena.c: the memory of a command list (umd.md 15). */
#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/deferred/arena.h"

/* Blocks of each size are aligned, do not move, and keep their bytes. */
TEST(pieces_stay_apart)
{
    enum { PIECES = 400 };
    struct fake heap;
    struct agpu_arena arena = {NULL, NULL};
    uint8_t *pieces[PIECES];

    fake_init(&heap, AGPU_BACKING_HOST);
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < PIECES; i++) {
            const size_t bytes = i % 40 == 39 ? 70000 : 1 + i * 7 % 300;

            pieces[i] = agpu_arena_alloc(&arena, &heap.env, bytes);
            assert_non_null(pieces[i]);
            assert_int_equal((uintptr_t)pieces[i] % 16, 0);
            memset(pieces[i], (int)i, bytes);
        }
        for (size_t i = 0; i < PIECES; i++) {
            const size_t bytes = i % 40 == 39 ? 70000 : 1 + i * 7 % 300;

            for (size_t k = 0; k < bytes; k++) {
                assert_int_equal(pieces[i][k], (uint8_t)i);
            }
        }
        const size_t blocks = heap.live_blocks;
        agpu_arena_reset(&arena);
        assert_int_equal(heap.live_blocks, blocks); /* reused by the next list */
    }
    agpu_arena_free(&arena, &heap.env);
    assert_int_equal(heap.live_blocks, 0);
    fake_free(&heap);
}

/* The memory of one list is enough for the next. */
TEST(used_again)
{
    struct fake heap;
    struct agpu_arena arena = {NULL, NULL};

    fake_init(&heap, AGPU_BACKING_HOST);
    void *const first = agpu_arena_alloc(&arena, &heap.env, 100);
    void *const large = agpu_arena_alloc(&arena, &heap.env, 200000);
    const uint32_t blocks = heap.live_blocks;
    for (int round = 0; round < 100; round++) {
        agpu_arena_reset(&arena);
        assert_ptr_equal(agpu_arena_alloc(&arena, &heap.env, 100), first);
        assert_ptr_equal(agpu_arena_alloc(&arena, &heap.env, 200000), large);
        assert_int_equal(heap.live_blocks, blocks);
    }
    agpu_arena_free(&arena, &heap.env);
    assert_null(arena.current);
    fake_free(&heap);
}
