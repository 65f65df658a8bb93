/* submit.c: submissions under load: a full ring, fence numbers past 2^32, streams larger than a DMA buffer, memory that
 * is freed while the device reads it (vidmm.md 3.6, 6). */
#include <string.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/rig/rounds.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/umd_textures.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE 4096u
#define T    AEROGPU_FEATURE_TRANSFER
/* Bytes: no setting makes the limit of a stream smaller than this. */
#define SMALLEST_LIMIT (256u << 10)

static const struct agpu_kmd *vidmm_submit_kmd(struct agpu_test *t)
{
    return agpu_runtime_kmd(t->env->umd.runtime);
}

static void many_buffers(struct agpu_runtime_config *config)
{
    config->command_buffers = 330; /* more than the ring has slots */
    config->command_buffer_bytes = 4096;
    config->allocation_list = 16;
}

/* Given 320 submissions without a wait in between, more than the ring has slots, all must complete and the device must
 * not be lost. */
static void ring_full(struct agpu_test *t)
{
    const uint32_t works = 320;
    uint64_t first = vidmm_submit_kmd(t)->submitted;

    for (uint32_t i = 0; i < works; i++) {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
    }
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->submitted - first, works);
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->completed, vidmm_submit_kmd(t)->submitted);
    agpu_check_hr(t, agpu_runtime_device_lost(t->env->umd.runtime_device), S_OK);
}

/* Given more submissions than slots and a device that appears slow, the driver must wait while the ring is full, and
 * lose nothing. */
static void ring_full_slow_device(struct agpu_test *t)
{
    struct agpu_client_memory source, target;
    const uint32_t slots = 256, works = slots + 44;
    uint8_t data[SIZE];
    uint32_t submits;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &source) && agpu_client_alloc(t, SIZE, &target));
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    submits = agpu_gate_counts().submits;
    agpu_gate_crawl(t, 2, slots);
    for (uint32_t i = 0; i < works; i++) {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
    }
    agpu_fill_pattern(data, SIZE, 3);
    agpu_return_unless(agpu_client_write(t, &source, 0, data, SIZE));
    agpu_client_copy(&target, &source);
    agpu_return_unless(agpu_client_submit(t));
    agpu_check(t, agpu_gate_counts().full > 0);
    agpu_return_unless(agpu_client_check(t, &target, data, SIZE)); /* after all that */
    agpu_check(t, agpu_gate_counts().submits - submits >= works + 1);
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->completed, vidmm_submit_kmd(t)->submitted);
}

static void window_of_buffers(struct agpu_runtime_config *config)
{
    config->command_buffers = AGPU_VIDMM_WINDOW + 64u;
    config->command_buffer_bytes = 4096;
}

/* Given a device that stops and is then slow, the driver's queue must take as many submissions as it has places, no
 * more, and wait. Each submission must complete. */
static void queue_full(struct agpu_test *t)
{
    const struct agpu_kmd *kmd = vidmm_submit_kmd(t);
    uint32_t most = 0;

    agpu_gate_hold(t);
    for (uint32_t i = 0; i < AGPU_VIDMM_WINDOW + 48u; i++) {
        if (i == AGPU_VIDMM_WINDOW) {
            agpu_gate_crawl(t, 2, 0);
        }
        agpu_part(t, "submission %u: the driver's queue took %u, expected %u", i + 1, kmd->pending_count,
                  AGPU_VIDMM_WINDOW);
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        most = kmd->pending_count > most ? kmd->pending_count : most;
    }
    agpu_part(t, "the driver's queue");
    agpu_check_eq_u64(t, most, AGPU_VIDMM_WINDOW);
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, kmd->counters.completions, kmd->counters.submits);
}

/* A thousand small submissions must each use one fence number, and all must complete. */
static void thousand_small(struct agpu_test *t)
{
    uint64_t last = vidmm_submit_kmd(t)->submitted;
    struct agpu_rounds rounds;

    for (agpu_rounds_begin(&rounds, t, 1000); agpu_rounds_next(&rounds);) {
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        agpu_check_eq_u64(t, vidmm_submit_kmd(t)->submitted, last + 1);
        last = vidmm_submit_kmd(t)->submitted;
        agpu_return_unless(agpu_check(t, vidmm_submit_kmd(t)->completed <= vidmm_submit_kmd(t)->submitted));
    }
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->completed, last);
}

/* Windows numbers fences with 32 bits; the device counts with 64. */
static void near_the_wrap(struct agpu_runtime_config *config)
{
    config->kmd.first_fence = 0xFFFFFFF0u;
}

/* Submissions must work while the fence numbers pass 2^32, each with its own copied bytes. */
static void fence_wraps(struct agpu_test *t)
{
    struct agpu_client_memory source, target;
    uint8_t data[SIZE];
    uint64_t before = 0;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &source) && agpu_client_alloc(t, SIZE, &target));
    agpu_return_unless(agpu_client_submit(t));
    for (uint32_t i = 0; i < 40; i++) {
        agpu_fill_pattern(data, SIZE, i);
        agpu_return_unless(agpu_client_write(t, &source, 0, data, SIZE));
        agpu_client_copy(&target, &source);
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_check(t, vidmm_submit_kmd(t)->submitted > before));
        before = vidmm_submit_kmd(t)->submitted;
        agpu_return_unless(agpu_client_check(t, &target, data, SIZE));
    }
    agpu_check(t, vidmm_submit_kmd(t)->submitted > UINT32_MAX);
    agpu_check(t, vidmm_submit_kmd(t)->completed > UINT32_MAX);
}

static void small_buffers(struct agpu_runtime_config *config)
{
    config->command_buffers = 4;
    config->command_buffer_bytes = 4096;
}

/* One recorded stream in many DMA buffers must arrive completely and in order. */
static void split_stream(struct agpu_test *t)
{
    uint8_t *data = agpu_scratch(0);
    D3D10DDI_HRESOURCE buffer = agpu_make_default(t, 1024, NULL);
    D3D10DDI_HRESOURCE copy = agpu_make_default(t, 1024, NULL);
    uint64_t before;

    agpu_assert(t, buffer.pDrvPrivate && copy.pDrvPrivate);
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_fill_pattern(data, 1024, 5);
    before = vidmm_submit_kmd(t)->submitted;
    for (uint32_t i = 0; i < 200; i++) { /* about 10 KiB of packets */
        agpu_umd_copy(t, copy, buffer);
        agpu_umd_copy(t, buffer, copy);
    }
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    agpu_check(t, vidmm_submit_kmd(t)->submitted - before >= 3);
    t->env->umd.context.pfnResourceUpdateSubresourceUP(t->env->umd.device, buffer, 0, NULL, data, 0, 0);
    for (uint32_t i = 0; i < 100; i++) {
        agpu_umd_copy(t, i % 2 ? buffer : copy, i % 2 ? copy : buffer);
    }
    agpu_check_contents(t, copy, data, 1024);
}

/* Given uploads that exceed a DMA buffer, each copy must read its own bytes. */
static void split_uploads(struct agpu_test *t)
{
    uint8_t *data = agpu_scratch(0);
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, 2048, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE copies[6];

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    for (uint32_t i = 0; i < 6; i++) {
        copies[i] = agpu_make_default(t, 2048, NULL);
        agpu_assert(t, copies[i].pDrvPrivate != NULL);
    }
    for (uint32_t i = 0; i < 6; i++) {
        agpu_fill_pattern(data, 2048, 10 + i);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, 2048));
        agpu_umd_copy(t, copies[i], dynamic);
    }
    for (uint32_t i = 0; i < 6; i++) {
        agpu_fill_pattern(data, 2048, 10 + i);
        agpu_return_unless(agpu_check_contents(t, copies[i], data, 2048));
    }
}

static void short_lists(struct agpu_runtime_config *config)
{
    config->allocation_list = 8;
}

/* Given more resources than one allocation list can name, the driver must submit in between. */
static void split_list(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffers[40];
    uint8_t data[256];

    for (uint32_t i = 0; i < 40; i++) {
        agpu_fill_pattern(data, sizeof data, i);
        buffers[i] = agpu_make_default(t, sizeof data, data);
        agpu_assert(t, buffers[i].pDrvPrivate != NULL);
    }
    for (uint32_t i = 0; i + 1 < 40; i += 2) {
        agpu_umd_copy(t, buffers[i], buffers[i + 1]);
    }
    for (uint32_t i = 0; i < 40; i++) {
        agpu_fill_pattern(data, sizeof data, i | 1u);
        agpu_return_unless(agpu_check_contents(t, buffers[i], data, sizeof data));
    }
}

/* Memory destroyed while the device reads it must stay allocated until the copy is done. */
static void destroy_while_busy(struct agpu_test *t)
{
    struct agpu_client_memory source, target;
    struct agpu_client_memory next;
    uint8_t data[SIZE];
    uint64_t committed;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &source) && agpu_client_alloc(t, SIZE, &target));
    agpu_return_unless(agpu_client_submit(t));
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_fill_pattern(data, SIZE, 7);
    agpu_return_unless(agpu_client_write(t, &source, 0, data, SIZE));
    agpu_client_copy(&target, &source);
    agpu_gate_hold(t);
    agpu_return_unless(agpu_client_submit(t));
    committed = vidmm_submit_kmd(t)->vm.segments[0].committed;
    agpu_client_free(t, &source);
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->vm.segments[0].committed,
                      committed); /* the device may still read it */
    agpu_check_hr(t, agpu_client_lock(&source, AGPU_LOCK_IGNORESYNC), E_INVALIDARG); /* gone for the client */
    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_only(SIZE, &next), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&next, AGPU_LOCK_WRITE), S_OK));
    agpu_check(t, next.data != source.data);
    memset(next.data, 0xFF, SIZE);
    agpu_client_unlock(&next);
    agpu_gate_open(t);
    agpu_return_unless(agpu_client_check(t, &target, data, SIZE));
}

/* Sources destroyed right after their copies were recorded must still be copied. */
static void destroyed_by_the_driver(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE copies[8];

    /* Each source is destroyed right after its copy was recorded, and its memory is requested again at once. */
    for (uint32_t i = 0; i < 8; i++) {
        D3D10DDI_HRESOURCE source;

        agpu_fill_pattern(data, SIZE, 20 + i);
        source = agpu_make_default(t, SIZE, data);
        copies[i] = agpu_make_default(t, SIZE, NULL);
        agpu_assert(t, source.pDrvPrivate && copies[i].pDrvPrivate);
        agpu_umd_copy(t, copies[i], source);
        agpu_umd_destroy(t, source);
    }
    for (uint32_t i = 0; i < 8; i++) {
        agpu_fill_pattern(data, SIZE, 20 + i);
        agpu_return_unless(agpu_check_contents(t, copies[i], data, SIZE));
    }
}

#define ALLOCATIONS 90u /* not divisible by 7 */

/* Many buffers, created and destroyed in any order, must keep their contents. */
static void many_allocations(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE buffers[ALLOCATIONS];
    uint8_t data[64];

    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < ALLOCATIONS; i++) {
            agpu_fill_pattern(data, sizeof data, round * 1000 + i);
            buffers[i] = agpu_make_default(t, sizeof data, data);
            agpu_assert(t, buffers[i].pDrvPrivate != NULL);
        }
        for (uint32_t i = 0; i < ALLOCATIONS; i += 12) {
            agpu_fill_pattern(data, sizeof data, round * 1000 + i);
            agpu_return_unless(agpu_check_contents(t, buffers[i], data, sizeof data));
        }
        for (uint32_t i = 0; i < ALLOCATIONS; i++) {
            agpu_umd_destroy(t, buffers[(i * 7) % ALLOCATIONS]);
        }
    }
}

/* The ring state for a debugger must be consistent while work passes through the ring. */
static void ring_state(struct agpu_test *t)
{
    const struct aerogpu_ring_header *header = agpu_ring_header(&t->env->ring);
    uint32_t head = 0, tail = 0;

    for (uint32_t i = 0; i < 40; i++) {
        const volatile uint32_t *device_head = &header->head;
        const struct aerogpu_submit_desc *desc;
        uint32_t seen;

        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        seen = *device_head;
        agpu_check(t, header->tail > tail && seen >= head && seen <= header->tail);
        agpu_check(t, header->tail - seen <= header->entry_count);
        tail = header->tail;
        head = seen;
        desc = (const struct aerogpu_submit_desc *)(const void *)((const uint8_t *)(header + 1) +
                                                                  (size_t)((tail - 1) % header->entry_count) *
                                                                      header->entry_stride_bytes);
        agpu_check_eq_u64(t, desc->signal_fence, vidmm_submit_kmd(t)->submitted);
        agpu_check(t, desc->cmd_gpa != 0 && desc->cmd_size_bytes != 0);
        agpu_check(t, (desc->alloc_table_gpa != 0) == (desc->alloc_table_size_bytes != 0));
    }
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
}

/* A stream larger than its buffer must be refused without a submission, and the next one must work. */
static void larger_than_the_buffer(struct agpu_test *t)
{
    uint64_t before = vidmm_submit_kmd(t)->submitted;
    uint32_t length = 0;

    while (length < 65536) { /* does not fit in the buffer: refused, and nothing of it submitted */
        agpu_client_packet(AEROGPU_CMD_NOP, 4096);
        length += 4096;
    }
    agpu_check(t, FAILED(agpu_client_render()));
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->submitted, before);
    agpu_client_nop();
    agpu_client_submit(t);
}

/* The limit is below the smallest that is supported, so that it must be raised to that. */
static void small_largest(struct agpu_runtime_config *config)
{
    config->kmd.max_dma_bytes = 1;
    config->command_buffer_bytes = SMALLEST_LIMIT + 4096u;
}

/* A stream of as many bytes as the limit must run; one of 4 bytes more must be refused without a submission. */
static void largest_stream(struct agpu_test *t)
{
    uint64_t before;

    agpu_client_fill(SMALLEST_LIMIT);
    agpu_return_unless(agpu_client_submit(t));
    before = vidmm_submit_kmd(t)->submitted;
    agpu_client_fill(SMALLEST_LIMIT + 4u);
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    agpu_check_eq_u64(t, vidmm_submit_kmd(t)->submitted, before);
}

static void two_tables(struct agpu_runtime_config *config)
{
    config->kmd.max_meta_records = 2;
}

static void bytes_of_two_tables(struct agpu_runtime_config *config)
{
    config->kmd.max_meta_bytes = 2ull * agpu_table_bytes(1);
}

/* Given as many unfinished tables as the limit, another submission with a list must fail, and one without a list must
 * run. When they have completed, as many must be possible again. */
static void tables_limited(struct agpu_test *t)
{
    struct agpu_client_memory memory;

    agpu_return_unless(agpu_check_hr(t, agpu_client_alloc_only(SIZE, &memory), S_OK));
    for (uint32_t round = 0; round < 2; round++) {
        agpu_gate_hold(t);
        for (uint32_t i = 0; i < 3; i++) {
            agpu_client_list(memory.allocation, false);
            agpu_client_nop();
            agpu_return_unless(agpu_check_hr(t, agpu_client_render(), i < 2 ? S_OK : E_OUTOFMEMORY));
        }
        agpu_client_nop();
        agpu_return_unless(agpu_client_submit(t));
        agpu_gate_open(t);
        agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    }
}

static const struct agpu_case vidmm_submit_cases[] = {
    AGPU_STACK_CASE("vidmm.submit.ring_full", "vidmm.md 6.4", 0, 0, .body = ring_full, .client = true,
                    .configure = many_buffers),
    AGPU_STACK_CASE("vidmm.submit.ring_full_slow_device", "vidmm.md 6.4", T, 0, .body = ring_full_slow_device,
                    .gate = true, .client = true, .configure = many_buffers),
    AGPU_STACK_CASE("vidmm.submit.queue_full", "vidmm.md 6.1", 0, 0, .body = queue_full, .gate = true,
                    .client = true, .configure = window_of_buffers),
    AGPU_STACK_CASE("vidmm.submit.thousand_small", "vidmm.md 6.3", 0, 0, .body = thousand_small,
                    .client = true),
    AGPU_STACK_CASE("vidmm.submit.fence_wraps", "vidmm.md 6.3", T, 0, .body = fence_wraps, .client = true,
                    .configure = near_the_wrap),
    AGPU_STACK_CASE("vidmm.submit.split_stream", "umd.md 12.3", T, 0, .body = split_stream,
                    .configure = small_buffers),
    AGPU_STACK_CASE("vidmm.submit.split_uploads", "umd.md 12.3", T, 0, .body = split_uploads,
                    .configure = small_buffers),
    AGPU_STACK_CASE("vidmm.submit.split_list", "umd.md 12.2", T, 0, .body = split_list,
                    .configure = short_lists),
    AGPU_STACK_CASE("vidmm.submit.ring_state", "ring.md 1", 0, 0, .body = ring_state, .client = true),
    AGPU_STACK_CASE("vidmm.submit.larger_than_the_buffer", "umd.md 12.3", 0, 0,
                    .body = larger_than_the_buffer, .gate = true, .client = true),
    AGPU_STACK_CASE("vidmm.submit.largest", "vidmm.md 6.1", 0, 0, .body = largest_stream, .client = true,
                    .configure = small_largest),
    AGPU_STACK_CASE("vidmm.submit.most_tables", "vidmm.md 6.1", 0, 0, .body = tables_limited, .gate = true,
                    .client = true, .configure = two_tables),
    AGPU_STACK_CASE("vidmm.submit.most_table_bytes", "vidmm.md 6.1", 0, 0, .body = tables_limited,
                    .gate = true, .client = true, .configure = bytes_of_two_tables),
    AGPU_STACK_CASE("vidmm.destroy.while_busy", "vidmm.md 3.6", T, 0, .body = destroy_while_busy,
                    .gate = true, .client = true),
    AGPU_STACK_CASE("vidmm.destroy.by_the_driver", "vidmm.md 3.6", T, 0, .body = destroyed_by_the_driver, ),
    AGPU_STACK_CASE("vidmm.create.many_allocations", "vidmm.md 3", T, 0, .body = many_allocations, ),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_submit, vidmm_submit_cases);
