/* dma.c: the promises of the platform about memory and time (platform.h). If they do not hold, no other case gives
 * evidence about the device. */
#include "pci/machine/wait.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/env.h"

#define PAGE 4096u

/* DMA memory must be page aligned, a whole number of pages, and zeroed. */
static void page_aligned_and_zeroed(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    static const size_t sizes[] = {1, PAGE, PAGE + 1, 64 * 1024};

    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct agpu_dma dma = {0};

        agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, sizes[i], &dma));
        agpu_check_eq_hex(t, dma.device_address % PAGE, 0);
        agpu_check(t, dma.device_address != 0);
        agpu_check_eq_u64(t, dma.size, (sizes[i] + PAGE - 1) / PAGE * PAGE);
        agpu_check_filled(t, dma.cpu, 0, dma.size);
        platform->dma_free(platform->ctx, &dma);
    }
}

/* Given a page of DMA memory that is written and freed, the next allocation must be all zeros. */
static void zeroed_again(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;

    for (unsigned round = 0; round < 4; round++) {
        struct agpu_dma dma = {0};

        agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, PAGE, &dma));
        agpu_check_filled(t, dma.cpu, 0, dma.size);
        ((uint8_t *)dma.cpu)[round] = 0xA5;
        platform->dma_free(platform->ctx, &dma);
    }
}

/* Two DMA allocations must not overlap in device addresses. */
static void dma_disjoint(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    struct agpu_dma a = {0};
    struct agpu_dma b = {0};

    agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, 3 * PAGE, &a));
    if (agpu_setup(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, PAGE, &b),
                   "second allocation", AGPU_HERE)) {
        agpu_check(t, b.device_address >= a.device_address + a.size ||
                          a.device_address >= b.device_address + b.size);
        platform->dma_free(platform->ctx, &b);
    }
    platform->dma_free(platform->ctx, &a);
}

/* Heap memory must be aligned to 16 bytes and zeroed; freeing NULL must be permitted. */
static void dma_heap(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    void *memory = platform->heap_alloc(platform->ctx, 1000);

    agpu_require_ok(t, memory ? AGPU_OK : AGPU_ERR_NO_MEMORY);
    agpu_check_eq_hex(t, (uintptr_t)memory % 16, 0);
    agpu_check_filled(t, memory, 0, 1000);
    platform->heap_free(platform->ctx, memory);
    platform->heap_free(platform->ctx, NULL);
}

/* The platform's clock must never run backwards and must advance during a wait. */
static void clock_advances(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    uint64_t first = platform->now_ns(platform->ctx);
    uint64_t last = first;
    bool rises = true;
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, platform, AGPU_RELAX_IDLE, 1000000);
    do {
        uint64_t now = platform->now_ns(platform->ctx);

        rises &= now >= last;
        last = now;
    } while (agpu_wait_again(&wait));
    agpu_check(t, rises);
    agpu_check(t, last - first >= 1000000);
}

static const struct agpu_case function_dma_cases[] = {
    {.id = "dma.alloc.page_aligned_and_zeroed",
     .spec = "pci/machine/platform.h",
     .needs = AGPU_NEED_FUNCTION,
     .run = page_aligned_and_zeroed},
    {.id = "dma.alloc.zeroed_again",
     .spec = "pci/machine/platform.h",
     .needs = AGPU_NEED_FUNCTION,
     .run = zeroed_again},
    {.id = "dma.alloc.disjoint",
     .spec = "pci/machine/platform.h",
     .needs = AGPU_NEED_FUNCTION,
     .run = dma_disjoint},
    {.id = "dma.machine.heap", .spec = "pci/machine/platform.h", .needs = AGPU_NEED_MACHINE, .run = dma_heap},
    {.id = "dma.machine.clock",
     .spec = "pci/machine/platform.h",
     .needs = AGPU_NEED_MACHINE,
     .run = clock_advances},
};

AGPU_CASE_TABLE(agpu_cases_function_dma, function_dma_cases);
