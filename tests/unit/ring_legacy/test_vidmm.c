/* test_vidmm.c: the memory manager and the user-mode driver, unchanged, on the legacy ring and the device model. Covers
 * what the cases cannot do to a device: hang it, reset it under the driver, use up its fences. */
#include <string.h>

#include "mm/kmd/adapter.h"
#include "pci/identify.h"
#include "pci/scan.h"
#include "ring/legacy_transport.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/rig/umd_rig.h"
#include "tests/device/plugin/port.h"
#include "tests/host_platform/host_platform.h"
#include "tests/unit/test.h"

static struct agpu_host *host;
static struct agpu_function function;
static struct agpu_abi abi;
static struct agpu_legacy_ring ring;
static struct agpu_transport transport;
static struct agpu_umd_rig umd;
static struct agpu_kmd_adapter adapter = {.function = &function, .abi = &abi, .legacy = &ring};

static void open_stack(uint32_t first_fence)
{
    struct agpu_runtime_config config = {
        .platform = agpu_host_platform(host),
        .function = function.found.ref,
        .transport = &transport,
        .mmio_magic = abi.magic,
        .abi_version = abi.version,
        .features = abi.features,
        .service_interrupt = agpu_kmd_adapter_service_interrupt,
        .interrupt_ctx = &adapter,
        .kmd = {.first_fence = first_fence},
    };

    assert_int_equal(agpu_umd_open(&umd, &function, &config), AGPU_OK);
}

static int setup(void **state)
{
    struct agpu_host_config config = {.clock = AGPU_HOST_CLOCK_MANUAL, .abi = VGPU_ABI_LEGACY};
    struct agpu_pci_found found;

    (void)state;
    host = agpu_host_create(&config, NULL, 0);
    assert_non_null(host);
    assert_int_equal(agpu_scan_known(agpu_host_platform(host), &found, 1), 1);
    assert_int_equal(agpu_function_open(&function, agpu_host_platform(host), &found, NULL), AGPU_OK);
    assert_int_equal(agpu_identify(&function, &abi, NULL), AGPU_OK);
    assert_true(abi.legacy);
    assert_int_equal(agpu_legacy_start(&ring, &function, abi.features, 8), AGPU_OK);
    transport = agpu_legacy_transport(&ring);
    return 0;
}

/* Submits a stream of one NOP through RenderCb. The result codes are those of any driver. */
static struct {
    HANDLE device, context;
    void *buffer;
} client;

static void close_client(void)
{
    if (client.context != NULL) {
        const D3DDDICB_DESTROYCONTEXT args = {client.context};

        agpu_runtime_device_callbacks()->pfnDestroyContextCb(client.device, &args);
        client.context = NULL;
    }
}

static int teardown(void **state)
{
    struct agpu_text why;
    char kept[200];

    (void)state;
    close_client();
    agpu_text_begin(&why, kept, sizeof kept);
    if (!agpu_umd_close(&umd, &why)) {
        fail_msg("%s", kept);
    }
    agpu_function_restore(&function);
    assert_int_equal(agpu_legacy_stop(&ring), AGPU_OK);
    assert_int_equal(agpu_host_counts(host)->dma_live, 0);
    assert_int_equal(agpu_host_counts(host)->heap_live, 0);
    agpu_host_destroy(host);
    return 0;
}

static void open_client(void)
{
    D3DDDICB_CREATECONTEXT args = {0};

    close_client(); /* a lost context */
    client.device = agpu_runtime_device_handle(umd.runtime_device).handle;
    assert_int_equal(agpu_runtime_device_callbacks()->pfnCreateContextCb(client.device, &args), S_OK);
    client.context = args.hContext;
    client.buffer = args.pCommandBuffer;
    ((AGPU_DMA_PRIV *)args.pDmaBufferPrivateData)->Type = AGPU_DMA_PRIV_RENDER;
}

static HRESULT render(void)
{
    struct {
        struct aerogpu_cmd_stream_header header;
        struct aerogpu_cmd_hdr nop;
    } stream = {
        .header = {.magic = AEROGPU_CMD_STREAM_MAGIC, .abi_version = 0x10000, .size_bytes = sizeof stream},
        .nop = {AEROGPU_CMD_NOP, sizeof stream.nop}};
    D3DDDICB_RENDER args = {.hContext = client.context, .CommandLength = sizeof stream};
    HRESULT hr;

    memcpy(client.buffer, &stream, sizeof stream);
    hr = agpu_runtime_device_callbacks()->pfnRenderCb(client.device, &args);
    if (SUCCEEDED(hr)) {
        client.buffer = args.pNewCommandBuffer;
        ((AGPU_DMA_PRIV *)args.pNewDmaBufferPrivateData)->Type = AGPU_DMA_PRIV_RENDER;
    }
    return hr;
}

FIXTURE(setup, teardown);

TEST(fences_pass_2_32)
{
    open_stack(0xFFFFFFFD);
    open_client();
    for (unsigned i = 0; i < 20; i++) {
        assert_int_equal(render(), S_OK);
    }
    assert_true(agpu_runtime_wait_idle(umd.runtime));
    assert_int_equal(agpu_runtime_kmd(umd.runtime)->submitted, UINT64_C(0xFFFFFFFC) + 20);
    assert_int_equal(agpu_runtime_kmd(umd.runtime)->completed, UINT64_C(0xFFFFFFFC) + 20);
    assert_int_equal(agpu_legacy_fence_number(&function), 20);
    assert_true(agpu_runtime_kmd(umd.runtime)->counters.irq_fence > 0);
}

/* The device ignores doorbells: the manager detects the hang and restarts the ring. */
TEST(hang_recovers)
{
    uint16_t on = agpu_command_read(&function);

    open_stack(1);
    open_client();
    assert_int_equal(render(), S_OK);
    assert_true(agpu_runtime_wait_idle(umd.runtime));
    agpu_command_write(&function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    assert_int_equal(render(), S_OK);
    assert_false(agpu_runtime_wait_idle(umd.runtime));
    assert_int_equal(agpu_runtime_kmd(umd.runtime)->counters.resets, 1);
    assert_int_equal(agpu_runtime_device_lost(umd.runtime_device), DXGI_ERROR_DEVICE_HUNG);
    agpu_command_write(&function, on);
    open_client(); /* a new context of the same device */
    assert_true(agpu_runtime_wait_idle(umd.runtime));
    assert_false(agpu_runtime_kmd(umd.runtime)->removed);
    assert_int_equal(ring.tail, 0);
}

TEST(reset_under_the_driver)
{
    open_stack(1);
    open_client();
    assert_int_equal(render(), S_OK);
    assert_true(agpu_runtime_wait_idle(umd.runtime));
    vgpu_port_reset(agpu_host_port(host), AGPU_DEVICE_RESET_FUNCTION);
    agpu_function_restore(&function);
    assert_int_equal(render(), S_OK);
    agpu_runtime_wait_idle(umd.runtime); /* lost work counts as done, so this does not wait (vidmm.md 3.6) */
    assert_true(agpu_runtime_kmd(umd.runtime)->removed);
    assert_true(FAILED(render()));
}

TEST(fences_used_up)
{
    struct agpu_legacy_submission all_but_one = {.type = AGPU_LEGACY_RENDER, .fence = 1};

    assert_int_equal(agpu_legacy_post(&ring, &all_but_one), AGPU_OK);
    all_but_one.fence = UINT32_MAX - 2;
    assert_int_equal(agpu_legacy_post(&ring, &all_but_one), AGPU_OK);
    agpu_legacy_doorbell(&ring);
    assert_int_equal(agpu_legacy_wait_fence(&ring, UINT32_MAX - 2), AGPU_OK);
    assert_int_equal(agpu_legacy_reset(&ring), AGPU_OK);
    open_stack(1);
    open_client();
    assert_int_equal(render(), S_OK);
    assert_int_equal(render(), S_OK);
    assert_true(FAILED(render()));
    assert_true(agpu_runtime_kmd(umd.runtime)->removed);
}
