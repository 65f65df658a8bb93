/* test_heap.c: the heap reuses freed memory, zeroed, and returns it to the firmware when required (heap.h). */
#include <stdlib.h>
#include <string.h>

#include "efi/heap.h"
#include "efi/machine.h"
#include "tests/unit/test.h"

#define MIB ((size_t)1 << 20)

EFI_BOOT_SERVICES *agpu_boot;

/* The firmware's pool. It aligns blocks to 8 bytes only. */
static struct {
    unsigned blocks, requests;
    size_t bytes, most; /* most: its capacity */
} pool;

static EFI_STATUS EFIAPI allocate_pool(EFI_MEMORY_TYPE type, UINTN size, VOID **out)
{
    assert_int_equal(type, EfiBootServicesData);
    pool.requests++;
    if (size > pool.most - pool.bytes) {
        return EFI_OUT_OF_RESOURCES;
    }
    size_t *block = malloc(size + 24);

    assert_non_null(block);
    *block = size;
    memset(block + 1, 0xAF, size); /* filled as EDK II does */
    pool.blocks++;
    pool.bytes += size;
    *out = block + 1; /* malloc aligns to 16 bytes */
    return EFI_SUCCESS;
}

static EFI_STATUS EFIAPI free_pool(VOID *memory)
{
    size_t *block = (size_t *)memory - 1;

    pool.blocks--;
    pool.bytes -= *block;
    free(block);
    return EFI_SUCCESS;
}

static int begin(void **state)
{
    static EFI_BOOT_SERVICES services;

    (void)state;
    services.AllocatePool = allocate_pool;
    services.FreePool = free_pool;
    agpu_boot = &services;
    memset(&pool, 0, sizeof pool);
    pool.most = SIZE_MAX / 2;
    return 0;
}

static int end(void **state)
{
    (void)state;
    agpu_heap_trim();
    return pool.blocks == 0 && pool.bytes == 0 ? 0 : -1;
}

static void assert_zero(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        assert_int_equal(bytes[i], 0);
    }
}

FIXTURE(begin, end);

/* Each block has room for its size, is zeroed and aligned, whatever it was used for. */
TEST(every_size_has_room)
{
    for (size_t size = 0; size < 5000; size++) {
        uint8_t *first = agpu_heap_alloc(NULL, size), *second = agpu_heap_alloc(NULL, size);

        assert_non_null(first);
        assert_non_null(second);
        assert_int_equal((uintptr_t)first % 16, 0);
        assert_int_equal((uintptr_t)second % 16, 0);
        assert_zero(first, size);
        assert_zero(second, size);
        memset(first, 1, size);
        memset(second, 2, size);
        for (size_t i = 0; i < size; i++) {
            assert_int_equal(first[i], 1); /* not overwritten by the other block */
        }
        agpu_heap_free(NULL, first);
        agpu_heap_free(NULL, second);
    }
}

TEST(freed_is_used_again)
{
    for (unsigned round = 0; round < 100; round++) {
        void *small = agpu_heap_alloc(NULL, 100), *large = agpu_heap_alloc(NULL, 3 * MIB);

        assert_non_null(small);
        assert_non_null(large);
        agpu_heap_free(NULL, small);
        agpu_heap_free(NULL, large);
    }
    assert_int_equal(pool.requests, 2);
    assert_int_equal(pool.blocks, 2);
    agpu_heap_trim();
    assert_int_equal(pool.blocks, 0);
    agpu_heap_free(NULL, NULL);
}

/* A free block serves only requests that are at most a fifth smaller, so that a small request does not take a large
 * block. */
TEST(little_is_in_vain)
{
    for (size_t size = 64; size < 64 * MIB; size += size / 7 + 1) {
        void *block = agpu_heap_alloc(NULL, size);

        assert_non_null(block);
        assert_in_range(pool.bytes, size, size + size / 4 + 48);
        agpu_heap_free(NULL, block);
        agpu_heap_trim();
    }
}

TEST(huge_goes_back_at_once)
{
    void *blocks[3];

    void *huge = agpu_heap_alloc(NULL, 65 * MIB);
    assert_non_null(huge);
    agpu_heap_free(NULL, huge);
    assert_int_equal(pool.blocks, 0);
    for (int i = 0; i < 3; i++) {
        blocks[i] = agpu_heap_alloc(NULL, 24 * MIB);
        assert_non_null(blocks[i]);
    }
    for (int i = 0; i < 3; i++) {
        agpu_heap_free(NULL, blocks[i]);
    }
    assert_int_equal(pool.blocks, 2); /* at most 64 MiB of free blocks are cached */
    assert_null(agpu_heap_alloc(NULL, SIZE_MAX));
    assert_null(agpu_heap_alloc(NULL, SIZE_MAX - 32));
}

TEST(what_waits_is_given_up_for_others)
{
    pool.most = 12 * MIB;
    void *block = agpu_heap_alloc(NULL, 8 * MIB);
    assert_non_null(block);
    assert_null(agpu_heap_alloc(NULL, 6 * MIB)); /* the block is in use */
    agpu_heap_free(NULL, block);
    block = agpu_heap_alloc(NULL, 6 * MIB);
    assert_non_null(block);
    assert_int_equal(pool.blocks, 1);
    agpu_heap_free(NULL, block);
}
