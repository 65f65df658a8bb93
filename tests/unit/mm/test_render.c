/* test_render.c: streams that Render accepts, their place in the buffer, and the buffers that it returns (vidmm.md 6.3,
 * 6.5). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "mm/runtime/types.h"
#include "stack.h"
#include "tests/unit/test.h"

static void open_automatic(struct stack *s)
{
    stack_open(s, NULL);
    s->machine.automatic = true;
}

/* Writes a stream of one packet at the offset. */
static uint32_t put_stream(struct stack *s, uint32_t offset)
{
    const struct aerogpu_cmd_hdr nop = {AEROGPU_CMD_NOP, sizeof nop};
    const struct aerogpu_cmd_stream_header header = {.magic = AEROGPU_CMD_STREAM_MAGIC,
                                                     .abi_version = AEROGPU_ABI_VERSION_U32,
                                                     .size_bytes = sizeof header + sizeof nop};
    const AGPU_DMA_PRIV priv = {.Type = AGPU_DMA_PRIV_RENDER};
    uint8_t *out = (uint8_t *)s->context.pCommandBuffer + offset;

    memcpy(out, &header, sizeof header);
    memcpy(out + sizeof header, &nop, sizeof nop);
    memcpy(s->context.pDmaBufferPrivateData, &priv, sizeof priv);
    return header.size_bytes;
}

static HRESULT render(struct stack *s, D3DDDICB_RENDER args)
{
    s->rendered = args;
    s->rendered.hContext = s->context.hContext;
    HRESULT hr = s->cb->pfnRenderCb(s->device, &s->rendered);
    if (hr == S_OK) {
        s->context.pCommandBuffer = s->rendered.pNewCommandBuffer;
        s->context.pAllocationList = s->rendered.pNewAllocationList;
        s->context.pDmaBufferPrivateData = s->rendered.pNewDmaBufferPrivateData;
    }
    return hr;
}

/* A stream may start at any word from which it fits into the buffer. */
STACK_TEST_WITH(streams_at_offsets, open_automatic)
{
    const uint32_t bytes = s->context.CommandBufferSize, length = put_stream(s, 0);
    const struct {
        uint32_t offset, length;
        HRESULT result;
    } rows[] = {
        {0, length, S_OK},
        {4, length, S_OK},
        {8, length, S_OK},
        {12, length, S_OK},
        {20, length, S_OK},
        {28, length, S_OK},
        {bytes - length, length, S_OK},
        {0, bytes, S_OK},
        {4, bytes - 4, S_OK},
        {1, length, E_INVALIDARG},
        {2, length, E_INVALIDARG},
        {3, length, E_INVALIDARG},
        {5, length, E_INVALIDARG},
        {6, length, E_INVALIDARG},
        {15, length, E_INVALIDARG},
        {bytes - length + 4, length, E_INVALIDARG},
        {4, bytes, E_INVALIDARG},
        {0, bytes + 4, E_INVALIDARG},
        {bytes, length, E_INVALIDARG},
        {0xFFFFFFFC, length, E_INVALIDARG},
        {length, 0xFFFFFFFC, E_INVALIDARG},
    };

    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const uint8_t *const buffer = s->context.pCommandBuffer;
        const uint64_t posted = s->machine.posted;

        put_stream(s,
                   rows[i].offset <= bytes - length ? rows[i].offset : 0); /* a valid one, if there is room */
        assert_int_equal(
            render(s, (D3DDDICB_RENDER){.CommandOffset = rows[i].offset, .CommandLength = rows[i].length}),
            rows[i].result);
        assert_int_equal(s->machine.posted, posted + (rows[i].result == S_OK));
        if (rows[i].result == S_OK) {
            assert_ptr_equal(fake_cpu(fake_last(&s->machine)->cmd_address), buffer + rows[i].offset);
            assert_int_equal(fake_last(&s->machine)->cmd_size, length);
        } else {
            assert_ptr_equal(s->context.pCommandBuffer, buffer);
        }
    }
}

STACK_TEST_WITH(lists_up_to_their_end, open_automatic)
{
    struct surface a = stack_allocate(s, 4096, PLAIN);
    const uint32_t room = s->context.AllocationListSize;
    uint32_t length = put_stream(s, 0);

    assert_int_equal(render(s, (D3DDDICB_RENDER){.CommandLength = length, .NumPatchLocations = 1}),
                     E_INVALIDARG);
    assert_int_equal(render(s, (D3DDDICB_RENDER){.CommandLength = length, .NumAllocations = room + 1}),
                     E_INVALIDARG);
    assert_int_equal(s->machine.posted, 0);
    for (uint32_t i = 0; i < room; i++) {
        s->context.pAllocationList[i] = (D3DDDI_ALLOCATIONLIST){.hAllocation = a.handle};
    }
    assert_int_equal(render(s, (D3DDDICB_RENDER){.CommandLength = length, .NumAllocations = room}), S_OK);
    assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1);
    stack_free(s, &a);
}

/* Without commands Render returns the last fence and the same buffers. */
STACK_TEST_WITH(nothing_to_render, open_automatic)
{
    const uint64_t fence = stack_render(s);
    const void *buffer = s->context.pCommandBuffer;

    assert_int_equal(render(s, (D3DDDICB_RENDER){.CommandLength = 0}), S_OK);
    assert_int_equal(s->rendered.NewFenceValue, fence);
    assert_ptr_equal(s->context.pCommandBuffer, buffer);
    assert_int_equal(s->machine.posted, 1);
    assert_int_equal(stack_render(s), fence + 1);
}

/* Returned buffers contain nothing of their earlier submission. */
STACK_TEST_WITH(sets_are_handed_out_clean, open_automatic)
{
    static const uint8_t zero[sizeof(AGPU_DMA_PRIV)];
    static const D3DDDI_ALLOCATIONLIST none;
    struct surface a = stack_allocate(s, 4096, PLAIN);
    const void *first = s->context.pCommandBuffer;
    unsigned again = 0;

    for (unsigned i = 0; i < 3 * s->runtime->config.command_buffers; i++) {
        again += s->context.pCommandBuffer == first;
        assert_memory_equal(s->context.pDmaBufferPrivateData, zero, sizeof zero);
        assert_memory_equal(s->context.pAllocationList, &none, sizeof none);
        stack_submit_with(s, a.handle, true);
    }
    assert_true(again > 1);
    stack_free(s, &a);
}

/* With two presents in flight the third waits for the first only. */
TEST(presents_are_as_deep_as_set)
{
    struct fake_mm_machine machine;
    struct stack s;

    fake_machine_init(&machine);
    struct agpu_runtime_config config = fake_runtime_config(&machine);
    config.present_latency = 2;
    stack_open(&s, &config);
    for (uint64_t i = 0; i < 6; i++) {
        D3DDDICB_RENDER submission = {.hContext = s.context.hContext, .CommandLength = put_stream(&s, 0)};
        D3DDDICB_PRESENT present = {
            .hContext = s.context.hContext, .pSubmission = &submission, .SyncInterval = 1};

        s.machine.on_relax = i < 2 ? NULL : fake_complete_next;
        assert_int_equal(s.cb->pfnPresentCb(s.device, &present), S_OK);
        assert_int_equal(s.machine.relaxes, i < 2 ? 0 : i - 1);
        s.context.pCommandBuffer = submission.pNewCommandBuffer;
        s.context.pAllocationList = submission.pNewAllocationList;
        s.context.pDmaBufferPrivateData = submission.pNewDmaBufferPrivateData;
    }
    stack_close(&s);
}
