/* ring_control.c: bring-up, reset and shutdown of the ring (device.md 4.2, 6). */
#include "ring/ring.h"

#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/fence.h"
#include "ring/irq.h"
#include "ring/order.h"

#include <string.h>

#define DEFAULT_ENTRIES  64u
#define ENTRIES_MAX      65536u
#define STRIDE_MAX       4096u
#define FENCE_PAGE_BYTES 4096u

/* Any value that a fence page never shows after a reset. */
#define FENCE_POISON UINT64_C(0xDEADFE9CEDEADFE9)

static uint8_t *page_fence(const struct agpu_ring *ring)
{
    return (uint8_t *)ring->page.cpu + offsetof(struct aerogpu_fence_page, completed_fence);
}

void agpu_ring_initialise(struct agpu_ring *ring)
{
    memset(ring->memory.cpu, 0, ring->memory.size);
    *agpu_ring_header(ring) = (struct aerogpu_ring_header){
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = (uint32_t)sizeof(struct aerogpu_ring_header) + ring->entry_count * ring->entry_stride,
        .entry_count = ring->entry_count,
        .entry_stride_bytes = ring->entry_stride,
        .head = ring->first_index,
        .tail = ring->first_index,
    };
    if (ring->page.cpu != NULL) {
        /* The device writes the page only on fence progress or reset (device.md 6.4). */
        *(struct aerogpu_fence_page *)ring->page.cpu = (struct aerogpu_fence_page){
            .magic = AEROGPU_FENCE_PAGE_MAGIC,
            .abi_version = AEROGPU_ABI_VERSION_U32,
        };
    }
    ring->tail = ring->first_index;
    ring->last_submitted = 0;
    ring->last_completed = 0;
    agpu_store_barrier();
}

/* Makes both memory parts of a reset visible: head differs from tail, the page does not show 0. */
static void poison(const struct agpu_ring *ring)
{
    uint8_t *header = ring->memory.cpu;
    uint32_t tail = agpu_observe32(header + offsetof(struct aerogpu_ring_header, tail));

    agpu_publish32(header + offsetof(struct aerogpu_ring_header, head), tail - 1);
    if (ring->page.cpu != NULL) {
        agpu_publish64(page_fence(ring), FENCE_POISON);
    }
    agpu_store_barrier();
}

static bool reset_done(const struct agpu_ring *ring)
{
    const uint8_t *header = ring->memory.cpu;

    if (agpu_observe32(header + offsetof(struct aerogpu_ring_header, head)) !=
        agpu_observe32(header + offsetof(struct aerogpu_ring_header, tail))) {
        return false;
    }
    if (ring->page.cpu != NULL && agpu_fence_page_value(ring) != 0) {
        return false;
    }
    return agpu_fence_mmio_value(ring->function) == 0;
}

/* Which of the three signs of a reset did not come. */
static void report_reset(const struct agpu_ring *ring)
{
    char line[240];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_text_string(&text, "ring reset not seen within its bound; expected head == tail, found ");
    agpu_text_hex(&text, agpu_ring_head(ring));
    agpu_text_string(&text, " and ");
    agpu_text_hex(&text, agpu_ring_header(ring)->tail);
    if (ring->page.cpu != NULL) {
        agpu_text_string(&text, "; fence page 0, found ");
        agpu_text_hex(&text, agpu_fence_page_value(ring));
    }
    agpu_text_string(&text, "; COMPLETED_FENCE 0, found ");
    agpu_text_hex(&text, agpu_fence_mmio_value(ring->function));
    agpu_text_string(&text, ": see device.md 4.2");
    ring->platform->log(ring->platform->ctx, AGPU_LOG_ERROR, line);
}

/* Leaves the device reset and its ring disabled. */
static enum agpu_status reset_device(const struct agpu_ring *ring)
{
    struct agpu_wait wait;

    if (agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    poison(ring);
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_RESET);
    do {
        if (reset_done(ring)) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    if (agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    report_reset(ring);
    return AGPU_ERR_TIMEOUT;
}

enum agpu_status agpu_ring_reset(struct agpu_ring *ring)
{
    enum agpu_status status = reset_device(ring);

    if (status != AGPU_OK) {
        return status;
    }
    agpu_ring_initialise(ring);
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    return AGPU_OK;
}

/* Each half of these pairs takes effect at once (device.md 4.5): written while the ring is disabled and,
 * through 0, while the old value is 0, so that no mixture of two addresses is ever used. */
static void set_address(const struct agpu_function *function, uint32_t lo, uint64_t address)
{
    agpu_reg_write64(function, lo, 0);
    agpu_reg_write64(function, lo, address);
}

static void program(const struct agpu_ring *ring)
{
    const struct agpu_function *function = ring->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_irq_enable(function, 0);
    set_address(function, AEROGPU_MMIO_REG_RING_GPA_LO, ring->memory.device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)ring->memory.size);
    if (ring->page.cpu != NULL) {
        set_address(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, ring->page.device_address);
    }
}

static void release(struct agpu_ring *ring)
{
    const struct agpu_platform *platform = ring->platform;
    uint16_t command = agpu_command_read(ring->function);

    agpu_command_write(ring->function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    if (ring->page.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->page);
    }
    if (ring->memory.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->memory);
    }
    agpu_command_write(ring->function, command);
    *ring = (struct agpu_ring){0};
}

static enum agpu_status take_memory(struct agpu_ring *ring, bool with_page)
{
    const struct agpu_platform *platform = ring->platform;
    const struct agpu_pci_ref *ref = &ring->function->found.ref;
    size_t size = sizeof(struct aerogpu_ring_header) + (size_t)ring->entry_count * ring->entry_stride;
    enum agpu_status status = platform->dma_alloc(platform->ctx, ref, size, &ring->memory);

    if (status == AGPU_OK && with_page) {
        status = platform->dma_alloc(platform->ctx, ref, FENCE_PAGE_BYTES, &ring->page);
    }
    return status;
}

enum agpu_status agpu_ring_start(struct agpu_ring *ring, const struct agpu_function *function,
                                 uint64_t features, const struct agpu_ring_config *config)
{
    bool with_page = (features & AEROGPU_FEATURE_FENCE_PAGE) != 0 && !config->no_fence_page;
    enum agpu_status status;

    *ring = (struct agpu_ring){
        .function = function,
        .platform = function->platform,
        .entry_count = config->entry_count ? config->entry_count : DEFAULT_ENTRIES,
        .entry_stride =
            config->entry_stride ? config->entry_stride : (uint32_t)sizeof(struct aerogpu_submit_desc),
        .first_index = config->first_index,
    };
    if (ring->entry_count > ENTRIES_MAX || (ring->entry_count & (ring->entry_count - 1)) != 0 ||
        ring->entry_stride < sizeof(struct aerogpu_submit_desc) || ring->entry_stride > STRIDE_MAX ||
        ring->entry_stride % sizeof(struct aerogpu_submit_desc) != 0) {
        return AGPU_ERR_INVALID;
    }

    status = take_memory(ring, with_page);
    if (status == AGPU_OK) {
        agpu_ring_initialise(ring);
        program(ring);
        status = agpu_ring_reset(ring);
    }
    if (status == AGPU_OK) {
        agpu_irq_ack(function, UINT32_MAX);
        return AGPU_OK;
    }
    if (ring->memory.cpu != NULL) {
        agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
        agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    }
    release(ring);
    return status;
}

enum agpu_status agpu_ring_stop(struct agpu_ring *ring)
{
    const struct agpu_function *function = ring->function;
    enum agpu_status status;

    if (ring->memory.cpu == NULL) {
        return AGPU_OK;
    }
    agpu_irq_enable(function, 0);
    /* A test may have moved the addresses; the reset below must be seen in our memory. */
    program(ring);
    status = reset_device(ring);
    agpu_irq_ack(function, UINT32_MAX);
    if (ring->page.cpu != NULL) {
        agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
    release(ring);
    return status;
}
