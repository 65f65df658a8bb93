/* legacy_control.c: bring-up, emptying and shutdown of the legacy ring (legacy.md 2, 3). */
#include "ring/legacy.h"

#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/order.h"
#include "ring/protocol/aerogpu_legacy_ring.h"

#include <string.h>

#define DEFAULT_ENTRIES 64u

static void report_registers(const struct agpu_function *function, uint32_t count)
{
    static const char advice[] = ": see legacy.md 2";
    char line[200];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_text_string(&text, "legacy ring not empty within its bound; expected RING_ENTRY_COUNT ");
    agpu_text_u64(&text, count);
    agpu_text_string(&text, ", HEAD 0, TAIL 0, found ");
    agpu_text_u64(&text, agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT));
    agpu_text_string(&text, ", ");
    agpu_text_u64(&text, agpu_legacy_head(function));
    agpu_text_string(&text, ", ");
    agpu_text_u64(&text, agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL));
    agpu_text_string(&text, advice);
    function->platform->log(function->platform->ctx, AGPU_LOG_ERROR, line);
}

/* Writes RING_ENTRY_COUNT, which also empties the ring, and waits until the registers show it. */
static enum agpu_status set_entry_count(const struct agpu_function *function, uint32_t count)
{
    struct agpu_wait wait;

    if (agpu_reg_gone(function)) {
        return AGPU_ERR_LOST;
    }
    agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, count);
    agpu_wait_begin(&wait, function->platform, AGPU_RELAX_RESET);
    do {
        if (agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) == count &&
            agpu_legacy_head(function) == 0 && agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL) == 0) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    if (agpu_reg_gone(function)) {
        return AGPU_ERR_LOST;
    }
    report_registers(function, count);
    return AGPU_ERR_TIMEOUT;
}

/* Each half takes effect at once: written through 0 while the ring has no entries, so that no mixture of two
 * addresses is ever used. */
static void set_base(const struct agpu_function *function, uint64_t address)
{
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_RING_BASE_LO, 0);
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_RING_BASE_LO, address);
}

enum agpu_status agpu_legacy_reset(struct agpu_legacy_ring *ring)
{
    const struct agpu_function *function = ring->function;
    enum agpu_status status = set_entry_count(function, 0); /* doorbells are ignored from here on */
    uint32_t number;

    if (status != AGPU_OK) {
        return status;
    }
    memset(ring->entries.cpu, 0, ring->entries.size);
    agpu_store_barrier();
    set_base(function, ring->entries.device_address);
    status = set_entry_count(function, ring->entry_count);
    if (status != AGPU_OK) {
        agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
        return status;
    }
    agpu_legacy_int_ack(function, UINT32_MAX);
    number = agpu_legacy_fence_number(function);
    ring->number_seen = number;
    if (number > ring->number_last) {
        ring->number_last = number;
    }
    ring->numbered = false;
    ring->head = 0;
    ring->tail = 0;
    ring->last_submitted = 0;
    ring->last_completed = 0;
    return AGPU_OK;
}

static void interrupts_off(const struct agpu_function *function, uint64_t features)
{
    if (features & AEROGPU_LEGACY_FEATURE_VBLANK) {
        agpu_reg_write(function, AEROGPU_LEGACY_REG_IRQ_ENABLE, 0);
        agpu_reg_write(function, AEROGPU_LEGACY_REG_IRQ_ACK, UINT32_MAX);
    }
    agpu_legacy_int_ack(function, UINT32_MAX);
}

static void scanout_off(const struct agpu_function *function)
{
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_ENABLE, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_WIDTH, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_HEIGHT, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_FORMAT, 0);
    agpu_reg_write(function, AEROGPU_LEGACY_REG_SCANOUT_PITCH, 0);
    agpu_reg_write64(function, AEROGPU_LEGACY_REG_SCANOUT_FB_LO, 0);
}

enum agpu_status agpu_legacy_quiesce(const struct agpu_function *function, uint64_t features)
{
    enum agpu_status status = set_entry_count(function, 0);
    struct agpu_wait wait;

    if (status != AGPU_OK) {
        return status;
    }
    set_base(function, 0);
    scanout_off(function);
    interrupts_off(function, features);
    agpu_wait_begin(&wait, function->platform, AGPU_RELAX_RESET);
    do {
        if (agpu_legacy_int_status(function) == 0) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}

static void release(struct agpu_legacy_ring *ring)
{
    const struct agpu_platform *platform = ring->platform;
    uint16_t command = agpu_command_read(ring->function);

    /* A device that did not answer must not read what others own by then. */
    agpu_command_write(ring->function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    for (uint32_t i = 0; ring->large != NULL && i < ring->entry_count; i++) {
        if (ring->large[i].cpu != NULL) {
            platform->dma_free(platform->ctx, &ring->large[i]);
        }
    }
    platform->heap_free(platform->ctx, ring->large);
    if (ring->descriptors.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->descriptors);
    }
    if (ring->entries.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->entries);
    }
    agpu_command_write(ring->function, command);
    *ring = (struct agpu_legacy_ring){0};
}

static enum agpu_status take_memory(struct agpu_legacy_ring *ring)
{
    const struct agpu_platform *platform = ring->platform;
    const struct agpu_pci_ref *ref = &ring->function->found.ref;
    const size_t count = ring->entry_count;
    enum agpu_status status;

    ring->large = platform->heap_alloc(platform->ctx, count * sizeof *ring->large);
    if (ring->large == NULL) {
        return AGPU_ERR_NO_MEMORY;
    }
    status = platform->dma_alloc(platform->ctx, ref, count * sizeof(struct aerogpu_legacy_ring_entry_submit),
                                 &ring->entries);
    if (status == AGPU_OK) {
        status =
            platform->dma_alloc(platform->ctx, ref, count * AGPU_LEGACY_DESCRIPTOR_BYTES, &ring->descriptors);
    }
    return status;
}

enum agpu_status agpu_legacy_start(struct agpu_legacy_ring *ring, const struct agpu_function *function,
                                   uint64_t features, uint32_t entry_count)
{
    enum agpu_status status;

    *ring = (struct agpu_legacy_ring){
        .function = function,
        .platform = function->platform,
        .features = features,
        .entry_count = entry_count ? entry_count : DEFAULT_ENTRIES,
    };
    if (ring->entry_count < 2 || ring->entry_count > AGPU_LEGACY_ENTRIES_MAX) {
        *ring = (struct agpu_legacy_ring){0};
        return AGPU_ERR_INVALID;
    }
    status = take_memory(ring);
    if (status == AGPU_OK) {
        interrupts_off(function, features);
        status = agpu_legacy_reset(ring);
    }
    if (status != AGPU_OK) {
        agpu_reg_write(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT, 0);
        set_base(function, 0);
        release(ring);
    }
    return status;
}

enum agpu_status agpu_legacy_stop(struct agpu_legacy_ring *ring)
{
    enum agpu_status status;

    if (ring->entries.cpu == NULL) {
        return AGPU_OK;
    }
    status = agpu_legacy_quiesce(ring->function, ring->features);
    release(ring);
    return status;
}
