/* test_kmd.c: fences, ring, limits and queries of the kernel driver (vidmm.md 2, 6.3 - 6.6, 10): KMD cases. */
#include <string.h>

#include "mm/kmd/query.h"
#include "stack.h"
#include "tests/unit/test.h"

/* Numbers start at 1 and are never reused. */
STACK_TEST(contexts_have_numbers)
{
    struct agpu_kmd *kmd = stack_kmd(s);
    struct agpu_kmd_context contexts[3];
    const uint32_t first = kmd->next_context;

    assert_int_equal(first, 2); /* the stack has one context */
    for (uint32_t i = 0; i < 3; i++) {
        agpu_kmd_context_add(kmd, &contexts[i], 1);
        assert_int_equal(contexts[i].id, first + i);
        assert_true(contexts[i].last_fence == kmd->completed);
        assert_ptr_equal(kmd->contexts, &contexts[i]);
    }
    agpu_kmd_context_remove(kmd, &contexts[1]);
    assert_ptr_equal(contexts[2].next, &contexts[0]);
    agpu_kmd_context_add(kmd, &contexts[1], 1);
    assert_int_equal(contexts[1].id, first + 3);
    for (uint32_t i = 0; i < 3; i++) {
        agpu_kmd_context_remove(kmd, &contexts[i]);
    }
}

STACK_TEST(KMD_05_segments)
{
    struct agpu_vidmm *vm = stack_vm(s);
    struct agpu_segment_report report;
    struct agpu_memory_report memory_report = agpu_query_memory(vm);

    assert_int_equal(memory_report.segment_count, 1);
    assert_int_equal(memory_report.paging_segment, 1);
    assert_int_equal(memory_report.paging_size, 0);
    assert_int_equal(memory_report.paging_private_size, 16);
    assert_int_equal(memory_report.local_bytes, 0);
    assert_int_equal(memory_report.non_local_bytes, 512u << 20);
    assert_false(agpu_query_segment(vm, 0, &report));
    assert_false(agpu_query_segment(vm, 2, &report));
    assert_true(agpu_query_segment(vm, 1, &report));
    assert_true(report.aperture && report.cpu_visible && report.cache_coherent);
    assert_int_equal(report.base_address, 0);
    struct agpu_driver_caps caps = agpu_query_driver_caps(vm);
    assert_int_equal(caps.version, AGPU_WDDM_WIN7);
    assert_int_equal(caps.max_allocation_list_slot_id, 0xFFFF);
    assert_int_equal(caps.memory_management_caps, 0);
    assert_int_equal(caps.dma_private_size, 16);
    assert_false(caps.multi_engine_aware || caps.fine_preemption);
    assert_int_equal(agpu_caps_validate(&caps.vidmm, caps.version), STATUS_SUCCESS);
    assert_int_equal(vm->segment_count, 1);
    assert_int_equal(vm->segments[0].budget, 512u << 20);
    const struct {
        uint64_t asked, given;
    } settings[] = {{1, 128ull << 20}, {300ull << 20, 300ull << 20}, {UINT64_MAX, 2048ull << 20}};
    for (unsigned i = 0; i < 3; i++) {
        struct agpu_memory memory = fake_memory(&s->machine);
        struct agpu_vidmm_config config = {.budget = settings[i].asked};
        struct agpu_vidmm other;

        memset(&other, 0xEE, sizeof other);
        assert_true(agpu_vidmm_init(&other, &memory, &config));
        assert_int_equal(other.segments[0].budget, settings[i].given);
        agpu_vidmm_fini(&other);
    }
}

TEST(ring_full_for_ever_is_bounded)
{
    static struct stack s;
    stack_open(&s, NULL);
    s.machine.slots = 0;
    uint64_t start = s.machine.now;
    assert_int_equal(stack_try_render(&s, NULL, 0), D3DDDIERR_DEVICEREMOVED);
    assert_true(s.machine.now - start < 5000000000u);
    assert_int_equal(stack_kmd(&s)->submitted, 0);
    stack_close(&s);
}

TEST(KMD_42_dma_buffer_limits)
{
    static struct stack s;
    struct agpu_runtime_config config = fake_runtime_config(&s.machine);
    config.kmd.max_dma_bytes = 1; /* clamped to 256 KiB */
    config.command_buffer_bytes = 512u << 10;
    stack_open(&s, &config);
    assert_int_equal(stack_kmd(&s)->config.max_dma_bytes, 256u << 10);
    static uint8_t packet[300u << 10];
    const struct aerogpu_cmd_hdr hdr = {AEROGPU_CMD_NOP, sizeof packet};
    memcpy(packet, &hdr, sizeof hdr);
    assert_int_equal(stack_try_render(&s, packet, sizeof packet), E_INVALIDARG);
    assert_int_equal(stack_try_render(&s, packet, (256u << 10) - 24u), S_OK);
    assert_int_equal(stack_kmd(&s)->submitted, 1);

    /* The other checks of vidmm.md 6.1, step 2, at the kernel driver's interface. */
    struct {
        struct aerogpu_cmd_stream_header header;
    } stream = {.header = {.size_bytes = 24}};
    AGPU_DMA_PRIV priv = {.Type = AGPU_DMA_PRIV_RENDER};
    struct agpu_kmd_context *context = stack_kmd(&s)->contexts;
    struct agpu_kmd_submission good = {.context = context,
                                       .stream = &stream,
                                       .stream_address = 0x1000,
                                       .stream_length = sizeof stream,
                                       .private_data = &priv,
                                       .private_size = sizeof priv};
    struct agpu_kmd_submission bad = good;
    bad.private_size = 15;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    bad = good;
    bad.private_data = NULL;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    bad = good;
    bad.stream_length = 23;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &bad, 0), STATUS_INVALID_PARAMETER);
    priv.Type = 4;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &good, 0), STATUS_INVALID_PARAMETER);
    priv.Type = AGPU_DMA_PRIV_PAGING;
    assert_int_equal(agpu_kmd_submit(stack_kmd(&s), &good, s.machine.now), STATUS_SUCCESS);
    assert_int_equal(stack_kmd(&s)->counters.pagings, 1);
    s.machine.on_relax = fake_complete_next;
    assert_true(agpu_runtime_wait_idle(s.runtime));
    stack_close(&s);
}

/* Defaults for a configuration of zeros (vidmm.md 6.1, 7). */
STACK_TEST(defaults)
{
    const struct agpu_kmd_config *config = &stack_kmd(s)->config;

    assert_int_equal(config->max_meta_records, 4096);
    assert_int_equal(config->max_meta_bytes, 256u << 20);
    assert_int_equal(config->first_fence, 1);
    assert_int_equal(config->tdr_timeout_ns, 2000000000);
    assert_int_equal(config->tdr_window_ns, 60000000000);
    assert_int_equal(config->tdr_limit, 2);
}
