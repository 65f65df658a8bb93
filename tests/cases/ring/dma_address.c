/* dma_address.c: addresses of the device's reads and writes: at multiples of 4 GiB, where there is no memory, and with
 * Bus Master clear (ring.md 3.1, 8, device.md 2.1). */
#include "pci/registers.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/ring.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/place.h"
#include "tests/cases/rig/proof.h"
#include "tests/cases/rig/resource_packets.h"

#include <stddef.h>
#include <string.h>

#define PAGE         4096u
#define ACROSS_BYTES (16 * PAGE)

/* Handles and allocation ids; that of the target is also the index of its rig memory. */
#define SOURCE   1u
#define TARGET   2u
#define APERTURE 8u /* a part of BAR1 */

/* ---- addresses ---- */

/* Allocates memory with a multiple of 4 GiB in its middle; anywhere if the machine has none. */
static enum agpu_status alloc_across(const struct agpu_test *t, struct agpu_dma *out)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_pci_ref *ref = &t->env->function.found.ref;
    enum agpu_status status = AGPU_ERR_NO_MEMORY;

    if (platform->dma_place != NULL && platform->dma_place(platform->ctx, ref, AGPU_DMA_ACROSS)) {
        status = platform->dma_alloc(platform->ctx, ref, ACROSS_BYTES, out);
        platform->dma_place(platform->ctx, ref, AGPU_DMA_ANYWHERE);
    }
    return status == AGPU_OK ? status : platform->dma_alloc(platform->ctx, ref, ACROSS_BYTES, out);
}

/* Returns the first multiple of 4 GiB inside the memory; otherwise a page boundary in its middle. */
static uint64_t middle_of(const struct agpu_dma *memory)
{
    const uint64_t multiple = (memory->device_address + PAGE + UINT32_MAX) & ~(uint64_t)UINT32_MAX;

    return multiple + 2 * PAGE <= memory->device_address + memory->size
               ? multiple
               : memory->device_address + (memory->size / 2 & ~(uint64_t)(PAGE - 1));
}

/* Places a ring of two slots at this address and runs an empty submission in the second. */
static void ring_at(struct agpu_test *t, uint8_t *cpu, uint64_t address, uint32_t stride)
{
    const struct agpu_function *function = &t->env->function;
    struct aerogpu_ring_header header = {.magic = AEROGPU_RING_MAGIC,
                                         .abi_version = AEROGPU_ABI_VERSION_U32,
                                         .size_bytes = 64 + 2 * stride,
                                         .entry_count = 2,
                                         .entry_stride_bytes = stride,
                                         .head = 7,
                                         .tail = 8};
    struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc, .signal_fence = ++t->env->rig.fence};
    uint32_t head;

    memset(cpu, 0xEE, header.size_bytes);
    memcpy(cpu, &header, sizeof header);
    memcpy(cpu + 64 + stride, &desc, sizeof desc);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, header.size_bytes);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_doorbell(&t->env->ring);
    agpu_check_completed(t, desc.signal_fence);
    memcpy(&head, cpu + offsetof(struct aerogpu_ring_header, head), sizeof head);
    agpu_check_place(t, "head of the ring at", address, head, 8);
    agpu_check_no_errors_counted(t);
}

static void fence_page_at(struct agpu_test *t, const uint8_t *cpu, uint64_t address)
{
    const struct agpu_function *function = &t->env->function;
    struct aerogpu_fence_page page;

    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_FENCE_GPA_LO, address);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_return_unless(agpu_run_empty(t));
    memcpy(&page, cpu, sizeof page);
    agpu_check_place(t, "fence page at", address, page.completed_fence, t->env->rig.fence);
}

/* Places stream and table at this address and runs them. */
static void work_at(struct agpu_test *t, uint8_t *cpu, uint64_t address, uint32_t slot, bool table)
{
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    agpu_rig_begin_over(rig);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, slot, 0xADD2);
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    if (table) {
        memcpy(cpu, agpu_rig_table_header(rig), submission.table_size);
        submission.table_address = address;
    } else {
        memcpy(cpu, agpu_rig_stream_header(rig), submission.cmd_size);
        submission.cmd_address = address;
    }
    agpu_return_unless(agpu_submit_wait(t, &submission));
    agpu_check_place(t, table ? "ERROR_COUNT with a table at" : "ERROR_COUNT with a stream at", address,
                     agpu_error_count(t->env), 0);
    agpu_check_proof(t, slot, 0xADD2);
}

/* Copies within the memory around this address: reads and writes below and above it. */
static void data_at(struct agpu_test *t, uint8_t *cpu, uint64_t address)
{
    enum { HALF = 1024, GUARD = 64 };
    struct agpu_rig *rig = &t->env->rig;
    uint8_t data[2 * HALF];

    agpu_fill_pattern(cpu - HALF, 2 * HALF, 3);
    agpu_fill_pattern(data, 2 * HALF, 3);
    agpu_rig_alloc_range(rig, SOURCE, address - HALF, 2 * HALF, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, SOURCE, 2 * HALF, SOURCE, 0);
    agpu_put_dirty(rig, SOURCE, 0, 2 * HALF);
    agpu_put_create_buffer(rig, TARGET, 2 * HALF, 0, 0);
    agpu_put_copy_buffer(rig, TARGET, 0, SOURCE, 0, 2 * HALF, AEROGPU_COPY_FLAG_NONE);
    agpu_return_unless(agpu_run_clean(t));
    memset(cpu - HALF - GUARD, 0x11, 2 * (HALF + GUARD));
    agpu_rig_alloc_range(rig, SOURCE, address - HALF, 2 * HALF, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_copy_buffer(rig, SOURCE, 4, TARGET, 4, 2 * HALF - 8, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_eq_mem(t, cpu - HALF + 4, data + 4, 2 * HALF - 8);
    agpu_check_filled(t, cpu - HALF - GUARD, 0x11, GUARD + 4);
    agpu_check_filled(t, cpu + HALF - 4, 0x11, GUARD + 4);
}

/* Every object whose address the driver gives to the device must work at and across a multiple of 4 GiB: there the low
 * half of the address is 0 and carries. A machine without such memory uses a page boundary. */
static void large_addresses(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_ring ring = t->env->ring;
    struct agpu_dma memory = {0};
    uint64_t address;
    uint8_t *cpu;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_require_ok(t, alloc_across(t, &memory));
    address = middle_of(&memory);
    cpu = (uint8_t *)memory.cpu + (address - memory.device_address);
    agpu_metric(t, "dma_low_half_zero", (uint32_t)address == 0, "1");
    work_at(t, cpu, address, 0, false);
    work_at(t, cpu - 28, address - 28, 1, false);
    work_at(t, cpu, address, 2, true);
    work_at(t, cpu - 28, address - 28, 3, true);
    data_at(t, cpu, address);
    fence_page_at(t, cpu, address);
    fence_page_at(t, cpu - 8, address - 8);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    ring_at(t, cpu, address, 64);
    ring_at(t, cpu - PAGE, address - PAGE, PAGE); /* across the boundary */
    if (t->env->model) {                          /* drivers align the fence page */
        ring_at(t, cpu - 72, address - 72, 64);
        ring_at(t, cpu + 6, address + 6, 64);
        ring_at(t, cpu - 27, address - 27, 64);
    }
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write64(&t->env->function, AEROGPU_MMIO_REG_RING_GPA_LO, ring.memory.device_address);
    agpu_reg_write(&t->env->function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, (uint32_t)ring.memory.size);
    platform->dma_free(platform->ctx, &memory);
}

/* ---- without Bus Master ---- */

/* With Bus Master clear, the device must not read or write any of the posted work; once it is set, the work completes
 * without another doorbell. */
static void master_gates_work(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;
    uint64_t page;
    uint32_t head;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_check_head(t, 1);
    agpu_check_page(t, rig->fence);
    page = agpu_fence_page_value(&t->env->ring);
    head = agpu_ring_head(&t->env->ring);
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 0, 1);
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_doorbell(&t->env->ring);
    agpu_settle(t);
    agpu_check_no_proof(t, 0);
    agpu_check_eq_u64(t, agpu_fence_page_value(&t->env->ring), page);
    agpu_check_eq_u64(t, agpu_ring_head(&t->env->ring), head);
    agpu_check_eq_u64(t, agpu_fence_mmio_value(function), submission.fence - 1);
    agpu_command_write(function, on);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, submission.fence));
    agpu_check_proof(t, 0, 1);
}

/* A doorbell that waits for Bus Master must be processed when that is set, even if the ring was disabled and enabled in
 * between. */
static void waits_through_disable(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    const struct agpu_submission submission = {.fence = ++t->env->rig.fence};

    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_doorbell(&t->env->ring);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
    agpu_command_write(function, on);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, submission.fence));
}

/* Memory Space gates accesses to the device, not its own DMA: a doorbell that waits for Bus Master must be served when
 * that is set, although the registers are not decoded. */
static void memory_space_gates_no_work(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint16_t on = agpu_command_read(function);
    struct agpu_rig *rig = &t->env->rig;
    struct agpu_submission submission;

    agpu_return_unless(agpu_proof_begin(t));
    agpu_put_proof_memory(t);
    agpu_put_proof(t, 0, 1);
    agpu_assert(t, agpu_rig_finish(rig, &submission));
    agpu_assert_ok(t, agpu_ring_post(&t->env->ring, &submission));
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_doorbell(&t->env->ring);
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MEMORY);
    agpu_check_head(t, t->env->ring.tail);
    agpu_command_write(function, on);
    agpu_assert_ok(t, agpu_fence_wait(&t->env->ring, submission.fence));
    agpu_check_proof(t, 0, 1);
}

/* Given a ring reset with Bus Master clear, the registers must change at once, but head and fence page only after Bus
 * Master is set again. */
static void master_gates_reset(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_ring *ring = &t->env->ring;
    const uint16_t on = agpu_command_read(function);
    struct aerogpu_ring_header *header = agpu_ring_header(ring);
    struct aerogpu_fence_page *page = ring->page.cpu;

    agpu_return_unless(agpu_run_empty(t));
    agpu_check_head(t, 1);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    header->head = 0x5A5A;
    if (page != NULL) {
        page->completed_fence = 0x5A5A5A5A;
    }
    agpu_command_write(function, on & (uint16_t)~AGPU_PCI_COMMAND_MASTER);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_settle(t);
    agpu_check_completed(t, 0); /* the registers do not wait */
    agpu_check_eq_hex(t, agpu_ring_head(ring), 0x5A5A);
    if (page != NULL) {
        agpu_check_eq_hex(t, agpu_fence_page_value(ring), 0x5A5A5A5A);
    }
    agpu_command_write(function, on);
    agpu_check_head(t, 1);
    agpu_settle(t);
    if (page != NULL) {
        agpu_check_eq_hex(t, agpu_fence_page_value(ring), 0);
    }
}

/* ---- where there is no memory ---- */

/* The first half of the range is the end of BAR1, which the model treats as memory; there is none after it. */
static void write_past_aperture(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const struct agpu_bar_info *bar = &function->bars[agpu_aperture_index(function)];
    const struct agpu_platform *platform = t->env->platform;
    const uint64_t end = bar->address + bar->size;
    struct agpu_rig *rig = &t->env->rig;
    uint32_t words[64];

    if (bar->size == 0) {
        return;
    }
    memset(words, 0xB7, sizeof words);
    agpu_rig_alloc_range(rig, APERTURE, end - sizeof words / 2, sizeof words, AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, APERTURE, sizeof words, APERTURE, 0);
    agpu_put_create_buffer(rig, APERTURE + 1, sizeof words, 0, 0);
    agpu_put_upload(rig, APERTURE + 1, 0, words, sizeof words);
    agpu_put_copy_buffer(rig, APERTURE, 0, APERTURE + 1, 0, sizeof words, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_return_unless(agpu_run_clean(t));
    for (uint64_t at = bar->size - sizeof words / 2; at < bar->size; at += 8) {
        agpu_check_place(
            t, "mapped part of a write, BAR1 at", at,
            platform->bar_read(platform->ctx, &function->found.ref, agpu_aperture_index(function), at, 8),
            UINT64_C(0xB7B7B7B7B7B7B7B7));
        platform->bar_write(platform->ctx, &function->found.ref, agpu_aperture_index(function), at, 8, 0);
    }
}

/* Reads without memory must return FF and must not affect the readable part before. Model only: on a board this is a
 * bus error that may stop the machine. */
static void unmapped_parts(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_pci_ref *ref = &t->env->function.found.ref;
    struct agpu_rig *rig = &t->env->rig;
    uint8_t *target = rig->memory[TARGET].cpu;
    struct agpu_dma first = {0}, second = {0};

    agpu_rig_alloc_range(rig, SOURCE, UINT64_C(1) << 47, PAGE, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(rig, TARGET, &rig->memory[TARGET], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, SOURCE, PAGE, SOURCE, 0);
    agpu_put_create_buffer(rig, TARGET, 2 * PAGE, TARGET, 0);
    agpu_put_copy_buffer(rig, TARGET, 0, SOURCE, 0, PAGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_destroy(rig, SOURCE);
    agpu_return_unless(agpu_run_clean(t));
    agpu_check_filled(t, target, 0xFF, PAGE);

    /* Two pages, of which the second is freed; the machine decides what a read of that returns. */
    agpu_require_ok(t, platform->dma_alloc(platform->ctx, ref, PAGE, &first));
    agpu_require_ok(t, platform->dma_alloc(platform->ctx, ref, PAGE, &second));
    agpu_fill_pattern(first.cpu, PAGE, 4);
    platform->dma_free(platform->ctx, &second);
    agpu_rig_alloc_range(rig, SOURCE, first.device_address, 2 * PAGE, AEROGPU_ALLOC_FLAG_READONLY);
    agpu_rig_alloc(rig, TARGET, &rig->memory[TARGET], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, SOURCE, 2 * PAGE, SOURCE, 0);
    agpu_put_copy_buffer(rig, TARGET, 0, SOURCE, 0, 2 * PAGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (agpu_run_clean(t)) {
        agpu_check_eq_mem(t, target, first.cpu, PAGE); /* the mapped part */
    }
    platform->dma_free(platform->ctx, &first);
    write_past_aperture(t);
}

/* ---- behind an IOMMU ---- */

static void log_addresses(const struct agpu_test *t, const struct agpu_dma *memory)
{
    const struct agpu_platform *platform = t->env->platform;
    char buffer[100];

    agpu_format_line(buffer, sizeof buffer, "memory at 0x%zx is at device address 0x%jx",
                     (uintptr_t)memory->cpu, memory->device_address);
    platform->log(platform->ctx, AGPU_LOG_INFO, buffer);
}

/* Copies a page from the processor's address of this memory, or to it. */
static bool copy_by_processors_address(struct agpu_test *t, const struct agpu_dma *memory, bool to_it)
{
    struct agpu_rig *rig = &t->env->rig;
    const uint32_t from = to_it ? TARGET : SOURCE, to = to_it ? SOURCE : TARGET;

    agpu_rig_alloc_range(rig, SOURCE, (uintptr_t)memory->cpu, PAGE, AEROGPU_ALLOC_FLAG_NONE);
    agpu_rig_alloc(rig, TARGET, &rig->memory[TARGET], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_buffer(rig, SOURCE, PAGE, SOURCE, 0);
    agpu_put_create_buffer(rig, TARGET, PAGE, TARGET, 0);
    agpu_put_dirty(rig, from, 0, PAGE);
    agpu_put_copy_buffer(rig, to, 0, from, 0, PAGE, AEROGPU_COPY_FLAG_WRITEBACK_DST);
    agpu_put_destroy(rig, SOURCE);
    agpu_put_destroy(rig, TARGET);
    return agpu_run_clean(t);
}

/* Given an IOMMU that maps this memory at another device address, the device must neither read nor write it at the
 * processor's address. */
static void processors_address(struct agpu_test *t)
{
    const struct agpu_platform *platform = t->env->platform;
    uint8_t *target = t->env->rig.memory[TARGET].cpu;
    struct agpu_dma memory = {0};
    static uint8_t expected[PAGE];

    agpu_require_ok(t, platform->dma_alloc(platform->ctx, &t->env->function.found.ref, PAGE, &memory));
    log_addresses(t, &memory);
    agpu_fill_pattern(memory.cpu, PAGE, 5);
    memcpy(expected, memory.cpu, sizeof expected);
    if (memory.device_address == (uintptr_t)memory.cpu) {
        agpu_skip(t, AGPU_SKIP_IOMMU);
    } else if (copy_by_processors_address(t, &memory, false)) {
        const bool reads_memory = memcmp(target, expected, PAGE) == 0;
        const bool nothing_there = target[0] == 0xFF && memcmp(target, target + 1, PAGE - 1) == 0;

        agpu_check_place(t, "pages of memory that the device reads at the processor's address",
                         (uintptr_t)memory.cpu, reads_memory, false);
        /* If the address responds, it belongs to something else: do not write there. */
        if (nothing_there && copy_by_processors_address(t, &memory, true)) {
            agpu_check_eq_mem(t, memory.cpu, expected, sizeof expected);
        }
    }
    platform->dma_free(platform->ctx, &memory);
}

#define WORK (AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO)
#define ADDRESS_CASE(name, section, bits, function)                                                          \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING, .features = (bits), .run = (function)      \
    }

static const struct agpu_case ring_dma_address_cases[] = {
    ADDRESS_CASE("dma.address.low_half_zero", "ring.md 8", WORK | AEROGPU_FEATURE_FENCE_PAGE,
                 large_addresses),
    ADDRESS_CASE("dma.master.gates_work", "device.md 2.1", WORK, master_gates_work),
    ADDRESS_CASE("dma.master.waits_through_disable", "device.md 4.3", 0, waits_through_disable),
    ADDRESS_CASE("dma.master.without_memory_space", "device.md 2", WORK, memory_space_gates_no_work),
    ADDRESS_CASE("dma.master.gates_reset", "device.md 2.1", 0, master_gates_reset),
    {.id = "dma.unmapped.parts",
     .spec = "ring.md 3.1",
     .needs = AGPU_NEED_RING,
     .flags = AGPU_CASE_MODEL_CHOICE,
     .features = WORK,
     .run = unmapped_parts},
    {.id = "dma.unmapped.processors_address",
     .spec = "ring.md 3.1",
     .needs = AGPU_NEED_RING,
     .features = WORK,
     .run = processors_address},
};

AGPU_CASE_TABLE(agpu_cases_ring_dma_address, ring_dma_address_cases);
