/* ring.c: the submission ring of the versioned device: posting, doorbell, fences, bring-up, reset, shutdown
 * (ring.md 1-5, device.md 4.2, 6). */
#include "ring/ring.h"

#include "pci/machine/test_system.h"
#include "pci/machine/text.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/order.h"

#include <string.h>

#define DEFAULT_ENTRIES  64u
#define ENTRIES_MAX      65536u
#define STRIDE_MAX       4096u
#define FENCE_PAGE_BYTES 4096u

/* A value that a fence page never shows after a reset. */
#define FENCE_POISON UINT64_C(0xDEADFE9CEDEADFE9)

/* A fence wait polls only the fence page for PAGE_ALONE_NS, because a register read costs a trip to the device. After
 * that it reads the registers each time the wait has doubled, at the latest every PAGE_ALONE_MOST_NS. */
#define PAGE_ALONE_NS      UINT64_C(1000000)
#define PAGE_ALONE_MOST_NS UINT64_C(16000000)

/* Reads of the page in one round before the machine may idle: a device answers in microseconds, while one round of
 * pumping the network may cost a hundred. Takes about 5 us on a fast CPU, 50 us emulated. */
#define SPIN_POLLS 4096

/* Report every 64th poll (and the last) to the test system: recording a poll costs more than the poll itself. */
#define SPIN_TOLD 64

/* Rounds with that many polls. A fence that has not completed by then takes long, so leave the processor to others. */
#define SPIN_ROUNDS 32

/* ---- words in memory ---- */

static uint8_t *ring_word(const struct agpu_ring *ring, size_t offset)
{
    return (uint8_t *)ring->memory.cpu + offset;
}

static void *ring_slot(const struct agpu_ring *ring, uint32_t index)
{
    size_t number = index & (ring->entry_count - 1);

    return ring_word(ring, sizeof(struct aerogpu_ring_header) + number * ring->entry_stride);
}

struct aerogpu_ring_header *agpu_ring_header(const struct agpu_ring *ring)
{
    return ring->memory.cpu;
}

/* Notifies a test system that records the traffic that the driver has just read a word of memory. */
static void report_polls(const struct agpu_ring *ring)
{
    if (ring->platform->test != NULL && ring->platform->test->polled != NULL) {
        ring->platform->test->polled(ring->platform->ctx);
    }
}

uint32_t agpu_ring_head(const struct agpu_ring *ring)
{
    const uint32_t head = agpu_observe32(ring_word(ring, offsetof(struct aerogpu_ring_header, head)));

    report_polls(ring);
    return head;
}

/* Reads the fence page without notifying the test system; the caller does that. */
static uint64_t page_value(const struct agpu_ring *ring)
{
    const uint8_t *page = ring->page.cpu;

    return agpu_observe64(page + offsetof(struct aerogpu_fence_page, completed_fence));
}

uint64_t agpu_fence_page_value(const struct agpu_ring *ring)
{
    uint64_t value;

    if (ring->page.cpu == NULL) {
        return 0;
    }
    value = page_value(ring);
    report_polls(ring);
    return value;
}

uint64_t agpu_fence_mmio_value(const struct agpu_function *function)
{
    return agpu_reg_read64(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO);
}

/* ---- posting ---- */

bool agpu_ring_has_room(const struct agpu_ring *ring)
{
    /* Free-running indices: the difference is right across 2^32. A head that was never ours (corrupt memory)
     * makes the difference large, so the ring looks full, never empty. */
    return ring->tail - agpu_ring_head(ring) < ring->entry_count;
}

enum agpu_status agpu_ring_wait_room(const struct agpu_ring *ring)
{
    struct agpu_wait wait;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_ROOM);
    do {
        if (agpu_ring_has_room(ring)) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return agpu_reg_gone(ring->function) ? AGPU_ERR_LOST : AGPU_ERR_TIMEOUT;
}

enum agpu_status agpu_ring_post_desc(struct agpu_ring *ring, const struct aerogpu_submit_desc *desc)
{
    if (!agpu_ring_has_room(ring)) {
        return AGPU_ERR_BUSY;
    }
    memcpy(ring_slot(ring, ring->tail), desc, sizeof *desc);
    ring->tail++;
    if (desc->signal_fence > ring->last_submitted) {
        ring->last_submitted = desc->signal_fence;
    }
    /* The device may read the tail at any time, also for an earlier doorbell, so the descriptor must be in memory
     * first. */
    agpu_store_barrier();
    agpu_publish32(ring_word(ring, offsetof(struct aerogpu_ring_header, tail)), ring->tail);
    return AGPU_OK;
}

static bool is_bad_range(uint64_t address, uint32_t size)
{
    return (address == 0) != (size == 0) || address > UINT64_MAX - size;
}

enum agpu_status agpu_ring_describe(const struct agpu_submission *submission, struct aerogpu_submit_desc *out)
{
    if (is_bad_range(submission->cmd_address, submission->cmd_size) ||
        is_bad_range(submission->table_address, submission->table_size)) {
        return AGPU_ERR_INVALID;
    }
    *out = (struct aerogpu_submit_desc){
        .desc_size_bytes = sizeof *out,
        .flags = submission->flags,
        .context_id = submission->context_id,
        .engine_id = AEROGPU_ENGINE_0,
        .cmd_gpa = submission->cmd_address,
        .cmd_size_bytes = submission->cmd_size,
        .alloc_table_gpa = submission->table_address,
        .alloc_table_size_bytes = submission->table_size,
        .signal_fence = submission->fence,
    };
    return AGPU_OK;
}

enum agpu_status agpu_ring_post(struct agpu_ring *ring, const struct agpu_submission *submission)
{
    struct aerogpu_submit_desc desc;
    enum agpu_status status = agpu_ring_describe(submission, &desc);

    return status == AGPU_OK ? agpu_ring_post_desc(ring, &desc) : status;
}

void agpu_doorbell(const struct agpu_ring *ring)
{
    /* The tail must be in memory before the doorbell makes the device read it. */
    agpu_store_barrier();
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_DOORBELL, 1);
}

/* ---- fences ---- */

static enum agpu_status fence_by_registers(struct agpu_ring *ring, uint64_t *out)
{
    uint64_t value = agpu_fence_mmio_value(ring->function);

    if ((uint32_t)value == UINT32_MAX && agpu_reg_gone(ring->function)) {
        return AGPU_ERR_LOST;
    }
    /* Clamp: waiters must see neither a lower value than before nor one that was never submitted. */
    if (value > ring->last_submitted) {
        value = ring->last_submitted;
    }
    if (value > ring->last_completed) {
        ring->last_completed = value;
    }
    *out = ring->last_completed;
    return AGPU_OK;
}

/* Takes the fence from the page if it is in range. The caller notifies the test system. */
static bool fence_by_page(struct agpu_ring *ring, uint64_t *out)
{
    const uint64_t value = page_value(ring);

    if (value < ring->last_completed || value > ring->last_submitted) {
        return false;
    }
    ring->last_completed = value;
    *out = value;
    return true;
}

/* True when the page shows the fence within one round of polling. */
static bool fence_page_shows(struct agpu_ring *ring, uint64_t fence, unsigned round)
{
    unsigned polls = round < SPIN_ROUNDS ? SPIN_POLLS : 1;
    bool shown = false;
    uint64_t value;

    if (ring->page.cpu == NULL) {
        return false;
    }
    for (unsigned i = 0; i < polls && !shown; i++) {
        shown = fence_by_page(ring, &value) && value >= fence;
        if (shown || (i + 1) % SPIN_TOLD == 0 || i + 1 == polls) {
            report_polls(ring);
        }
    }
    return shown;
}

enum agpu_status agpu_fence_completed(struct agpu_ring *ring, uint64_t *out)
{
    if (ring->page.cpu != NULL) {
        const bool shown = fence_by_page(ring, out);

        report_polls(ring);
        if (shown) {
            return AGPU_OK;
        }
    }
    return fence_by_registers(ring, out);
}

struct awaited_fence {
    const struct agpu_ring *ring;
    uint64_t fence;
};

/* Tells the wait whether a poll is worthwhile; the poll itself checks the value's range. */
static bool page_shows_fence(const void *ctx)
{
    const struct awaited_fence *awaited = ctx;

    return agpu_fence_page_value(awaited->ring) >= awaited->fence;
}

enum agpu_status agpu_fence_wait(struct agpu_ring *ring, uint64_t fence)
{
    const struct awaited_fence awaited = {ring, fence};
    struct agpu_wait wait;
    uint64_t registers_ns = PAGE_ALONE_NS;
    unsigned rounds = 0;
    uint64_t value;

    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_FENCE);
    if (ring->page.cpu != NULL) {
        wait.peek = page_shows_fence;
        wait.peek_ctx = &awaited;
    }
    do {
        const uint64_t waited = wait.last_ns - wait.began_ns;
        enum agpu_status status = AGPU_OK;

        if (fence_page_shows(ring, fence, rounds)) {
            return AGPU_OK;
        }
        /* The poll after the deadline reads the registers: before a timeout is declared, they are the authority. */
        rounds++;
        if (ring->page.cpu == NULL || wait.expired || waited >= registers_ns) {
            registers_ns = waited + (waited < PAGE_ALONE_MOST_NS ? waited : PAGE_ALONE_MOST_NS);
            status = fence_by_registers(ring, &value);
        } else {
            status = agpu_fence_completed(ring, &value);
        }
        if (status != AGPU_OK) {
            return status;
        }
        if (value >= fence) {
            return AGPU_OK;
        }
    } while (agpu_wait_again(&wait));
    return AGPU_ERR_TIMEOUT;
}

/* ---- bring-up, reset, shutdown ---- */

static uint8_t *fence_page_word(const struct agpu_ring *ring)
{
    return (uint8_t *)ring->page.cpu + offsetof(struct aerogpu_fence_page, completed_fence);
}

/* Initialises header and slots of an idle, disabled ring: head = tail = first_index. */
static void initialise_ring(struct agpu_ring *ring)
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

/* Makes both effects of a reset on memory detectable: head differs from tail, and the page does not show 0. */
static void poison_reset_signs(const struct agpu_ring *ring)
{
    uint8_t *header = ring->memory.cpu;
    uint32_t tail = agpu_observe32(header + offsetof(struct aerogpu_ring_header, tail));

    agpu_publish32(header + offsetof(struct aerogpu_ring_header, head), tail - 1);
    if (ring->page.cpu != NULL) {
        agpu_publish64(fence_page_word(ring), FENCE_POISON);
    }
    agpu_store_barrier();
}

static bool reset_is_visible(const struct agpu_ring *ring)
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

/* Reports the state of the three signs of a reset. */
static void report_missing_reset(const struct agpu_ring *ring)
{
    char line[240];
    struct agpu_text text;

    agpu_text_begin(&text, line, sizeof line);
    agpu_format(&text,
                "ring reset not complete within its timeout; expected head == tail, found 0x%x and 0x%x",
                agpu_ring_head(ring), agpu_ring_header(ring)->tail);
    if (ring->page.cpu != NULL) {
        agpu_format(&text, "; fence page 0, found 0x%jx", agpu_fence_page_value(ring));
    }
    agpu_format(&text, "; COMPLETED_FENCE 0, found 0x%jx: see device.md 4.2",
                agpu_fence_mmio_value(ring->function));
    ring->platform->log(ring->platform->ctx, AGPU_LOG_ERROR, line);
}

/* Resets the device; the ring must be disabled. */
static enum agpu_status reset_disabled(const struct agpu_ring *ring)
{
    struct agpu_wait wait;

    poison_reset_signs(ring);
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_wait_begin(&wait, ring->platform, AGPU_RELAX_RESET);
    do {
        if (reset_is_visible(ring)) {
            return AGPU_OK;
        }
        if (agpu_reg_gone(ring->function)) {
            return AGPU_ERR_LOST;
        }
    } while (agpu_wait_again(&wait));
    report_missing_reset(ring);
    return AGPU_ERR_TIMEOUT;
}

static enum agpu_status enable_fresh_ring(struct agpu_ring *ring, enum agpu_status status)
{
    if (status != AGPU_OK) {
        return status;
    }
    initialise_ring(ring);
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    return AGPU_OK;
}

enum agpu_status agpu_ring_reset(struct agpu_ring *ring)
{
    agpu_reg_write(ring->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    return enable_fresh_ring(ring, reset_disabled(ring));
}

/* Each half of such a pair takes effect at once (device.md 4.5). The driver writes them while the ring is disabled, and
 * the upper half while the lower one is 0, so that the device never uses a mixture of two addresses. */
static void program_address(const struct agpu_function *function, uint32_t lo, uint64_t address)
{
    agpu_reg_write(function, lo, 0);
    agpu_reg_write(function, lo + 4, (uint32_t)(address >> 32));
    agpu_reg_write(function, lo, (uint32_t)address);
}

static void program_registers(const struct agpu_ring *ring)
{
    const struct agpu_function *function = ring->function;

    agpu_irq_enable(function, 0);
    agpu_irq_ack(function, UINT32_MAX);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    program_address(function, AEROGPU_MMIO_REG_RING_GPA_LO, ring->memory.device_address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)ring->memory.size);
    if (ring->offers_page) {
        program_address(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, ring->page.device_address);
    }
}

/* Leaves the device without an address of the ring, and quiet. */
static void clear_registers(const struct agpu_ring *ring)
{
    const struct agpu_function *function = ring->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    if (ring->offers_page) {
        agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    }
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, 0);
    agpu_irq_ack(function, UINT32_MAX);
}

enum agpu_status agpu_ring_suspend(const struct agpu_ring *ring)
{
    enum agpu_status status;

    /* A test may have moved the addresses; the reset below must be visible in this ring's memory. */
    program_registers(ring);
    status = reset_disabled(ring);
    clear_registers(ring);
    return status;
}

enum agpu_status agpu_ring_resume(struct agpu_ring *ring)
{
    enum agpu_status status;

    program_registers(ring);
    status = enable_fresh_ring(ring, reset_disabled(ring));
    if (status != AGPU_OK) {
        clear_registers(ring);
    } else {
        agpu_irq_ack(ring->function, UINT32_MAX);
    }
    return status;
}

static void free_ring_pages(struct agpu_ring *ring)
{
    const struct agpu_platform *platform = ring->platform;

    if (ring->page.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->page);
    }
    if (ring->memory.cpu != NULL) {
        platform->dma_free(platform->ctx, &ring->memory);
    }
}

/* Frees the memory. Without a visible reset the device may still use it, so bus mastering is off meanwhile. */
static void free_ring_memory(struct agpu_ring *ring, bool seen_reset)
{
    const struct agpu_function *function = ring->function;
    const uint16_t command = seen_reset ? 0 : agpu_command_read(function);

    if (!seen_reset) {
        agpu_command_write(function, command & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    }
    free_ring_pages(ring);
    if (!seen_reset) {
        agpu_command_write(function, command);
    }
    *ring = (struct agpu_ring){0};
}

static size_t ring_bytes(const struct agpu_ring *ring)
{
    return sizeof(struct aerogpu_ring_header) + (size_t)ring->entry_count * ring->entry_stride;
}

static bool is_valid_layout(const struct agpu_ring *ring)
{
    return ring->entry_count <= ENTRIES_MAX && (ring->entry_count & (ring->entry_count - 1)) == 0 &&
           ring->entry_stride >= sizeof(struct aerogpu_submit_desc) && ring->entry_stride <= STRIDE_MAX &&
           ring->entry_stride % sizeof(struct aerogpu_submit_desc) == 0;
}

/* Allocates and initialises the memory of a ring; no register holds its address yet. */
static enum agpu_status lay_out(struct agpu_ring *ring, const struct agpu_function *function,
                                uint64_t features, const struct agpu_ring_config *config)
{
    const struct agpu_platform *platform = function->platform;
    const struct agpu_pci_ref *ref = &function->found.ref;
    enum agpu_status status;

    *ring = (struct agpu_ring){
        .function = function,
        .platform = platform,
        .entry_count = config->entry_count ? config->entry_count : DEFAULT_ENTRIES,
        .entry_stride =
            config->entry_stride ? config->entry_stride : (uint32_t)sizeof(struct aerogpu_submit_desc),
        .first_index = config->first_index,
        .offers_page = (features & AEROGPU_FEATURE_FENCE_PAGE) != 0,
    };
    if (!is_valid_layout(ring)) {
        return AGPU_ERR_INVALID;
    }
    status = platform->dma_alloc(platform->ctx, ref, ring_bytes(ring), &ring->memory);
    if (status == AGPU_OK && ring->offers_page && !config->no_fence_page) {
        status = platform->dma_alloc(platform->ctx, ref, FENCE_PAGE_BYTES, &ring->page);
    }
    if (status == AGPU_OK) {
        initialise_ring(ring);
    } else {
        free_ring_pages(ring);
    }
    return status;
}

enum agpu_status agpu_ring_start(struct agpu_ring *ring, const struct agpu_function *function,
                                 uint64_t features, const struct agpu_ring_config *config)
{
    enum agpu_status status = lay_out(ring, function, features, config);

    if (status != AGPU_OK) {
        *ring = (struct agpu_ring){0};
        return status;
    }
    status = agpu_ring_resume(ring);
    if (status != AGPU_OK) {
        free_ring_memory(ring, false);
    }
    return status;
}

enum agpu_status agpu_ring_stop(struct agpu_ring *ring)
{
    enum agpu_status status;

    if (ring->memory.cpu == NULL) {
        return AGPU_OK;
    }
    status = agpu_ring_suspend(ring);
    free_ring_memory(ring, status == AGPU_OK);
    return status;
}
