/* test_bare_memory.c: pages and pool of agpu.elf on memory of the host, which is below 4 GiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "efi/bare/console.h"
#include "efi/bare/memory.h"

#define RAM_BYTES  (UINT64_C(16) << 20)
#define BLOCKS_MAX 200u

/* The pages of the program itself, which memory.c takes out of the map. */
extern uint8_t agpu_bare_begin[], agpu_bare_end[];
__asm__(".pushsection .bss\n.balign 4096\n.globl agpu_bare_begin, agpu_bare_end\n"
        "agpu_bare_begin: .skip 4096\nagpu_bare_end: .popsection");

static EFI_BOOT_SERVICES boot;
static uint64_t ram;

void agpu_bare_print(const char *format, ...)
{
    (void)format;
}

void agpu_bare_stop(const char *format, ...)
{
    print_error("stopped: %s\n", format);
    abort();
}

static uint64_t free_bytes(unsigned *ranges)
{
    static EFI_MEMORY_DESCRIPTOR map[4096];
    UINTN size = sizeof map, key, step;
    UINT32 version;
    uint64_t bytes = 0, end = 0;

    assert_int_equal(boot.GetMemoryMap(&size, map, &key, &step, &version), EFI_SUCCESS);
    *ranges = (unsigned)(size / step);
    for (unsigned i = 0; i < *ranges; i++) {
        assert_true(map[i].PhysicalStart >= end); /* sorted, without overlap */
        end = map[i].PhysicalStart + map[i].NumberOfPages * AGPU_BARE_PAGE;
        bytes += map[i].Type == EfiConventionalMemory ? map[i].NumberOfPages * AGPU_BARE_PAGE : 0;
    }
    return bytes;
}

/* Unsorted, overlapping and unaligned ranges, as broken loaders pass them. */
static int open_memory(void **state)
{
    static struct agpu_bare_info info;
    const uint64_t program = (uintptr_t)agpu_bare_begin;

    (void)state;
    ram = (uintptr_t)mmap(NULL, RAM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT,
                          -1, 0);
    assert_int_not_equal(ram, (uintptr_t)MAP_FAILED);
    info.ram[0] = (struct agpu_bare_range){ram + RAM_BYTES / 2, RAM_BYTES / 2};
    info.ram[1] = (struct agpu_bare_range){ram, RAM_BYTES / 2 + 5 * AGPU_BARE_PAGE};
    info.ram[2] = (struct agpu_bare_range){0, 0x9FC00};
    info.ram[3] = (struct agpu_bare_range){program, (uintptr_t)agpu_bare_end - program};
    info.ram_count = 4;
    agpu_bare_memory_open(&info);
    agpu_bare_memory_services(&boot);
    return 0;
}

static void pages_do_not_overlap_and_merge_again(void **state)
{
    struct {
        EFI_PHYSICAL_ADDRESS at;
        UINTN pages;
    } blocks[BLOCKS_MAX] = {{0}};
    unsigned ranges;

    (void)state;
    assert_int_equal(free_bytes(&ranges), RAM_BYTES);
    srand(2);
    for (unsigned round = 0; round < 20000; round++) {
        const unsigned i = (unsigned)rand() % BLOCKS_MAX;

        if (blocks[i].pages != 0) {
            const uint8_t *bytes = (const uint8_t *)(uintptr_t)blocks[i].at;

            assert_int_equal(bytes[0], i);
            assert_int_equal(bytes[blocks[i].pages * AGPU_BARE_PAGE - 1], i);
            assert_int_equal(boot.FreePages(blocks[i].at, blocks[i].pages), EFI_SUCCESS);
            assert_int_equal(boot.FreePages(blocks[i].at, blocks[i].pages), EFI_NOT_FOUND);
            blocks[i].pages = 0;
            continue;
        }
        blocks[i].pages = 1 + (UINTN)rand() % 30;
        if (boot.AllocatePages(AllocateAnyPages, EfiBootServicesData, blocks[i].pages, &blocks[i].at) !=
            EFI_SUCCESS) {
            blocks[i].pages = 0;
            continue;
        }
        assert_in_range(blocks[i].at, ram, ram + RAM_BYTES - blocks[i].pages * AGPU_BARE_PAGE);
        memset((void *)(uintptr_t)blocks[i].at, (int)i, blocks[i].pages * AGPU_BARE_PAGE);
    }
    for (unsigned i = 0; i < BLOCKS_MAX; i++) {
        if (blocks[i].pages != 0) {
            assert_int_equal(boot.FreePages(blocks[i].at, blocks[i].pages), EFI_SUCCESS);
        }
    }
    assert_int_equal(free_bytes(&ranges), RAM_BYTES);
    assert_int_equal(ranges, 2); /* the memory in one piece, and the program */
}

static void pages_where_the_caller_wants_them(void **state)
{
    EFI_PHYSICAL_ADDRESS at = ram + 16 * AGPU_BARE_PAGE, low = ram + 8 * AGPU_BARE_PAGE - 1, none = 0x1000;

    (void)state;
    assert_int_equal(boot.AllocatePages(AllocateAddress, EfiLoaderData, 4, &at), EFI_SUCCESS);
    assert_int_equal(boot.AllocatePages(AllocateAddress, EfiLoaderData, 4, &at), EFI_NOT_FOUND);
    assert_int_equal(boot.AllocatePages(AllocateMaxAddress, EfiLoaderData, 4, &low), EFI_SUCCESS);
    assert_int_equal(low, ram + 4 * AGPU_BARE_PAGE);
    assert_int_equal(boot.AllocatePages(AllocateAddress, EfiLoaderData, 1, &none),
                     EFI_NOT_FOUND); /* below 1 MiB */
    assert_int_equal(boot.AllocatePages(AllocateAnyPages, EfiLoaderData, RAM_BYTES / AGPU_BARE_PAGE, &none),
                     EFI_OUT_OF_RESOURCES);
    assert_int_equal(boot.FreePages(at, 4), EFI_SUCCESS);
    assert_int_equal(boot.FreePages(low, 4), EFI_SUCCESS);
}

static void pool_blocks_of_every_size(void **state)
{
    char *blocks[300];
    unsigned ranges;

    (void)state;
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < 300; i++) {
            assert_int_equal(boot.AllocatePool(EfiBootServicesData, 40 * i, (VOID **)&blocks[i]),
                             EFI_SUCCESS);
            assert_int_equal((uintptr_t)blocks[i] % 16, 0);
            memset(blocks[i], (int)i, 40 * i);
        }
        for (unsigned i = 0; i < 300; i++) {
            assert_true(i == 0 || (blocks[i][0] == (char)i && blocks[i][40 * i - 1] == (char)i));
            assert_int_equal(boot.FreePool(blocks[i]), EFI_SUCCESS);
        }
    }
    assert_int_equal(boot.FreePool(NULL), EFI_INVALID_PARAMETER);
    /* Small blocks keep their pages: at most those of one round. */
    assert_true(free_bytes(&ranges) > RAM_BYTES - 64 * AGPU_BARE_PAGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_do_not_overlap_and_merge_again),
        cmocka_unit_test(pages_where_the_caller_wants_them),
        cmocka_unit_test(pool_blocks_of_every_size),
    };

    return cmocka_run_group_tests(tests, open_memory, NULL);
}
