/* steps.c: runs steps as accesses to the function (ring.md 1, 3, 8). */
#include "tests/cases/rig/steps.h"

#include <string.h>

#include "pci/machine/wait.h"
#include "pci/protocol/aerogpu_pci.h"
#include "pci/registers.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/rig/submit.h"

#define SLOTS_AT (uint32_t)sizeof(struct aerogpu_ring_header)

static const struct agpu_function *function_of(const struct agpu_steps *steps)
{
    return &steps->test->env->function;
}

/* Returns the CPU address of a place; if it does not exist, NULL, and the case itself is marked wrong. */
static void *step_place(struct agpu_steps *steps, uint32_t region, uint64_t offset, uint64_t size)
{
    const size_t room = region < AGPU_STEPS_REGIONS ? steps->regions[region].size : 0;

    if (offset > room || size > room - offset) {
        steps->misfit = true;
        return NULL;
    }
    return (uint8_t *)steps->regions[region].cpu + offset;
}

static uint64_t step_address(const struct agpu_steps *steps, uint32_t region, uint64_t offset)
{
    return region < AGPU_STEPS_REGIONS ? steps->regions[region].device_address + offset : offset;
}

bool agpu_steps_open(struct agpu_steps *steps, struct agpu_test *test,
                     const uint32_t sizes[AGPU_STEPS_REGIONS])
{
    const struct agpu_platform *platform = test->env->platform;

    memset(steps, 0, sizeof *steps);
    steps->test = test;
    for (uint32_t i = 0; i < AGPU_STEPS_REGIONS; i++) {
        if (sizes[i] != 0 && !agpu_setup(test,
                                         platform->dma_alloc(platform->ctx, &test->env->function.found.ref,
                                                             sizes[i], &steps->regions[i]),
                                         "memory for the steps", AGPU_HERE)) {
            steps->regions[i] = (struct agpu_dma){0};
            agpu_steps_close(steps);
            return false;
        }
    }
    return true;
}

void agpu_steps_close(struct agpu_steps *steps)
{
    const struct agpu_platform *platform = steps->test->env->platform;

    agpu_reg_write(function_of(steps), AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_RESET);
    agpu_settle(steps->test);
    agpu_reg_write64(function_of(steps), AEROGPU_MMIO_REG_FENCE_GPA_LO, 0);
    agpu_reg_write64(function_of(steps), AEROGPU_MMIO_REG_RING_GPA_LO, 0);
    for (uint32_t i = 0; i < AGPU_STEPS_REGIONS; i++) {
        if (steps->regions[i].cpu != NULL) {
            platform->dma_free(platform->ctx, &steps->regions[i]);
        }
    }
    if (steps->misfit) {
        agpu_error(steps->test, "a step does not fit the case's memory");
    }
}

void agpu_steps_register(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint64_t value)
{
    const struct agpu_function *function = function_of(steps);

    function->platform->bar_write(function->platform->ctx, &function->found.ref, AEROGPU_PCI_BAR0_INDEX,
                                  offset, size, value);
}

void agpu_steps_address(struct agpu_steps *steps, uint32_t offset, uint32_t region, uint64_t place,
                        uint32_t halves)
{
    const uint64_t address = step_address(steps, region, place);

    if ((halves & 1) != 0) {
        agpu_reg_write(function_of(steps), offset, (uint32_t)address);
    }
    if ((halves & 2) != 0) {
        agpu_reg_write(function_of(steps), offset + 4, (uint32_t)(address >> 32));
    }
}

void agpu_steps_config(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint32_t value)
{
    agpu_config_write(function_of(steps), offset, size, value);
}

void agpu_steps_bytes(struct agpu_steps *steps, uint32_t region, uint32_t offset, const void *bytes,
                      uint32_t size)
{
    void *to = step_place(steps, region, offset, size);

    if (to != NULL) {
        memcpy(to, bytes, size);
    }
}

void agpu_steps_fill(struct agpu_steps *steps, uint32_t region, uint32_t offset, uint32_t size, uint64_t seed)
{
    uint8_t *to = step_place(steps, region, offset, size);
    uint64_t word = (seed * UINT64_C(0x9E3779B97F4A7C15)) | 1;

    for (uint32_t i = 0; to != NULL && i < size; i += 8) {
        word ^= word << 13;
        word ^= word >> 7;
        word ^= word << 17;
        memcpy(to + i, &word, size - i < 8 ? size - i : 8);
    }
}

void agpu_steps_ring(struct agpu_steps *steps, uint32_t offset, uint32_t count, uint32_t stride,
                     uint32_t first)
{
    const struct agpu_function *function = function_of(steps);
    const uint32_t bytes = SLOTS_AT + count * stride;
    struct aerogpu_ring_header *header = step_place(steps, AGPU_STEPS_RING, offset, bytes);

    steps->ring_at = offset;
    steps->count = count;
    steps->stride = stride;
    steps->tail = first;
    if (header == NULL) {
        return;
    }
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    *header = (struct aerogpu_ring_header){
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = bytes,
        .entry_count = count,
        .entry_stride_bytes = stride,
        .head = first,
        .tail = first,
    };
    agpu_reg_write64(function, AEROGPU_MMIO_REG_RING_GPA_LO, step_address(steps, AGPU_STEPS_RING, offset));
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_SIZE_BYTES, bytes);
    agpu_reg_write(function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

static void patch(const struct agpu_steps_submission *submission, enum agpu_steps_where where,
                  void *structure, size_t size)
{
    for (uint32_t i = 0; i < submission->patch_count; i++) {
        const struct agpu_steps_patch *with = &submission->patches[i];

        if (with->where == (uint32_t)where && with->size <= 8 && with->offset + with->size <= size) {
            memcpy((uint8_t *)structure + with->offset, &with->value, with->size);
        }
    }
}

/* Allocates after the earlier ones, or starts again at the beginning. */
static uint32_t take(const struct agpu_steps *steps, uint32_t region, uint32_t *at, uint32_t size)
{
    uint32_t place = (*at + 7) & ~7u;

    if (place + size > steps->regions[region].size) {
        place = 0;
    }
    *at = place + size;
    return place;
}

static void put_stream(struct agpu_steps *steps, const struct agpu_steps_submission *submission,
                       struct aerogpu_submit_desc *desc)
{
    struct aerogpu_cmd_stream_header header = {
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = (uint32_t)sizeof header + submission->packet_bytes,
    };
    const uint32_t size = header.size_bytes, at = take(steps, AGPU_STEPS_STREAMS, &steps->streams_at, size);
    uint8_t *to = step_place(steps, AGPU_STEPS_STREAMS, at, size);

    if (to == NULL) {
        return;
    }
    patch(submission, AGPU_STEPS_IN_STREAM, &header, sizeof header);
    memcpy(to, &header, sizeof header);
    if (submission->packet_bytes != 0) {
        memcpy(to + sizeof header, submission->packets, submission->packet_bytes);
    }
    desc->cmd_gpa = step_address(steps, AGPU_STEPS_STREAMS, at);
    desc->cmd_size_bytes = size;
}

static void put_table(struct agpu_steps *steps, const struct agpu_steps_submission *submission,
                      struct aerogpu_submit_desc *desc)
{
    const uint32_t size = (uint32_t)(sizeof(struct aerogpu_alloc_table_header) +
                                     submission->entry_count * sizeof(struct aerogpu_alloc_entry));
    const uint32_t at = take(steps, AGPU_STEPS_TABLES, &steps->tables_at, size);
    struct aerogpu_alloc_table_header *header = step_place(steps, AGPU_STEPS_TABLES, at, size);
    struct aerogpu_alloc_entry *entries;

    if (header == NULL) {
        return;
    }
    entries = (struct aerogpu_alloc_entry *)(header + 1);
    *header = (struct aerogpu_alloc_table_header){
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = size,
        .entry_count = submission->entry_count,
        .entry_stride_bytes = sizeof *entries,
    };
    for (uint32_t i = 0; i < submission->entry_count; i++) {
        const struct agpu_steps_entry *from = &submission->entries[i];

        entries[i] = (struct aerogpu_alloc_entry){
            .alloc_id = from->id,
            .flags = from->flags,
            .gpa = step_address(steps, from->region, from->offset),
            .size_bytes = from->size,
        };
    }
    patch(submission, AGPU_STEPS_IN_TABLE, header, size);
    desc->alloc_table_gpa = step_address(steps, AGPU_STEPS_TABLES, at);
    desc->alloc_table_size_bytes = size;
}

void agpu_steps_submit(struct agpu_steps *steps, const struct agpu_steps_submission *submission)
{
    struct aerogpu_submit_desc desc = {
        .desc_size_bytes = sizeof desc, .flags = submission->flags, .signal_fence = submission->fence};
    struct aerogpu_ring_header *header = step_place(steps, AGPU_STEPS_RING, steps->ring_at, sizeof *header);
    uint8_t *slot = steps->count == 0
                        ? NULL
                        : step_place(steps, AGPU_STEPS_RING,
                                     steps->ring_at + SLOTS_AT +
                                         (uint64_t)(steps->tail & (steps->count - 1)) * steps->stride,
                                     sizeof desc);

    if (header == NULL || slot == NULL) {
        return;
    }
    if (submission->packet_bytes != 0 || submission->empty_stream) {
        put_stream(steps, submission, &desc);
    }
    if (submission->entry_count != 0) {
        put_table(steps, submission, &desc);
    }
    patch(submission, AGPU_STEPS_IN_DESC, &desc, sizeof desc);
    memcpy(slot, &desc, sizeof desc);
    __atomic_thread_fence(__ATOMIC_RELEASE);
    header->tail = ++steps->tail;
    patch(submission, AGPU_STEPS_IN_RING, header, sizeof *header);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void agpu_steps_doorbell(struct agpu_steps *steps, uint32_t value, uint64_t fence)
{
    const struct agpu_function *function = function_of(steps);
    struct agpu_wait wait;

    agpu_reg_write(function, AEROGPU_MMIO_REG_DOORBELL, value);
    if (fence != 0) {
        agpu_wait_begin(&wait, steps->test->env->platform, AGPU_RELAX_FENCE);
        while (agpu_reg_read64(function, AEROGPU_MMIO_REG_COMPLETED_FENCE_LO) < fence &&
               agpu_wait_again(&wait)) {
        }
    }
    agpu_settle(steps->test);
}

static uint64_t sixteenths_ns(const struct agpu_steps *steps, uint64_t sixteenths)
{
    return agpu_reg_read(function_of(steps), AEROGPU_MMIO_REG_SCANOUT0_VBLANK_PERIOD_NS) * sixteenths / 16 +
           1;
}

void agpu_steps_stall(struct agpu_steps *steps, uint32_t sixteenths)
{
    agpu_wait_stall(steps->test->env->platform, sixteenths_ns(steps, sixteenths));
}

void agpu_steps_pass(struct agpu_steps *steps, uint32_t sixteenths)
{
    struct agpu_wait wait;

    agpu_wait_begin_ns(&wait, steps->test->env->platform, AGPU_RELAX_VBLANK,
                       sixteenths_ns(steps, sixteenths));
    while (agpu_wait_again(&wait)) {
    }
}

bool agpu_steps_check_register_at(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint64_t expected,
                                  struct agpu_where where)
{
    const struct agpu_function *function = function_of(steps);

    return agpu_check_u64(steps->test,
                          function->platform->bar_read(function->platform->ctx, &function->found.ref,
                                                       AEROGPU_PCI_BAR0_INDEX, offset, size),
                          expected, "register as expected", true, where);
}

bool agpu_steps_check_config_at(struct agpu_steps *steps, uint32_t offset, uint32_t size, uint32_t expected,
                                struct agpu_where where)
{
    return agpu_check_u64(steps->test, agpu_config_read(function_of(steps), offset, size), expected,
                          "configuration space as expected", true, where);
}

bool agpu_steps_check_memory_at(struct agpu_steps *steps, uint32_t region, uint32_t offset,
                                const void *expected, uint32_t size, struct agpu_where where)
{
    const void *actual = step_place(steps, region, offset, size);

    return actual != NULL &&
           agpu_check_memory(steps->test, actual, expected, size, "memory as expected", where);
}

bool agpu_steps_check_line_at(struct agpu_steps *steps, bool expected, struct agpu_where where)
{
    const struct agpu_function *function = function_of(steps);
    const int level = function->platform->intx_level(function->platform->ctx, &function->found.ref);

    return level < 0 ||
           agpu_check_u64(steps->test, (uint64_t)level, expected, "INTA# as expected", false, where);
}
