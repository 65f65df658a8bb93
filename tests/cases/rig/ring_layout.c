/* ring_layout.c: rings of any layout, with decoys (ring.md 1, 2). */
#include "tests/cases/rig/ring_layout.h"

#include <string.h>

#include "pci/registers.h"
#include "ring/order.h"
#include "tests/cases/rig/prepare.h"

#define GAP    0xEE
#define BEHIND 0xA7

bool agpu_ring_room(struct agpu_test *test, uint32_t bytes)
{
    const uint32_t slot = (uint32_t)sizeof(struct aerogpu_submit_desc);
    struct agpu_ring_config config = {.entry_count = 1};

    while (sizeof(struct aerogpu_ring_header) + (uint64_t)config.entry_count * slot < bytes) {
        config.entry_count *= 2;
    }
    return agpu_check_ok(test, agpu_ring_restart(test->env, &config));
}

static uint8_t *ring_layout_slot(const struct agpu_ring *ring, uint32_t index)
{
    return (uint8_t *)ring->memory.cpu + sizeof(struct aerogpu_ring_header) +
           (size_t)(index & (ring->entry_count - 1)) * ring->entry_stride;
}

static struct aerogpu_submit_desc ring_layout_decoy(void)
{
    return (struct aerogpu_submit_desc){.desc_size_bytes = sizeof(struct aerogpu_submit_desc),
                                        .signal_fence = AGPU_DECOY_FENCE};
}

void agpu_ring_put_decoy(struct agpu_test *test, uint32_t index)
{
    const struct agpu_ring *ring = &test->env->ring;
    const struct aerogpu_submit_desc decoy = ring_layout_decoy();
    uint8_t *slot = ring_layout_slot(ring, index);

    memcpy(slot, &decoy, sizeof decoy);
    memset(slot + sizeof decoy, GAP, ring->entry_stride - sizeof decoy);
}

static void enable_at(struct agpu_test *test, uint32_t index)
{
    struct agpu_ring *ring = &test->env->ring;
    struct aerogpu_ring_header *header = agpu_ring_header(ring);

    ring->tail = index;
    agpu_publish32(&header->head, index);
    agpu_publish32(&header->tail, index);
    agpu_store_barrier();
    agpu_reg_write(&test->env->function, AEROGPU_MMIO_REG_RING_CONTROL, AEROGPU_RING_CONTROL_ENABLE);
}

void agpu_ring_move(struct agpu_test *test, uint32_t index)
{
    agpu_reg_write(&test->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    enable_at(test, index);
}

void agpu_ring_lay(struct agpu_test *test, uint32_t count, uint32_t stride, uint32_t first_index)
{
    struct agpu_ring *ring = &test->env->ring;
    struct aerogpu_ring_header *header = agpu_ring_header(ring);
    const uint32_t used = (uint32_t)sizeof *header + count * stride;

    agpu_reg_write(&test->env->function, AEROGPU_MMIO_REG_RING_CONTROL, 0);
    ring->entry_count = count;
    ring->entry_stride = stride;
    header->size_bytes = used;
    header->entry_count = count;
    header->entry_stride_bytes = stride;
    for (uint32_t i = 0; i < count; i++) {
        agpu_ring_put_decoy(test, i);
    }
    memset((uint8_t *)header + used, BEHIND, ring->memory.size - used);
    enable_at(test, first_index);
}

bool agpu_ring_batch_at(struct agpu_test *test, uint32_t entries, bool each, struct agpu_where where)
{
    struct agpu_ring *ring = &test->env->ring;
    const uint32_t errors = agpu_error_count_before(test->env);
    const uint32_t first = ring->tail;
    bool ok = agpu_time_left(test);

    for (uint32_t i = 0; i < entries && ok; i++) {
        struct agpu_submission submission = {.fence = ++test->env->rig.fence};

        ok = agpu_check_status(test, agpu_ring_post(ring, &submission), "post into a free slot", where);
        if (each) {
            agpu_doorbell(ring);
        }
    }
    if (ok && !each) {
        agpu_doorbell(ring);
    }
    ok = ok &&
         agpu_check_status(test, agpu_fence_wait(ring, test->env->rig.fence), "wait for the fence", where) &&
         agpu_check_valid_outcome_at(test, errors, where);
    for (uint32_t i = 0; i < entries; i++) {
        agpu_ring_put_decoy(test, first + i);
    }
    return ok;
}

bool agpu_ring_check_untouched_at(struct agpu_test *test, struct agpu_where where)
{
    const struct agpu_ring *ring = &test->env->ring;
    const struct aerogpu_ring_header *header = ring->memory.cpu;
    const struct aerogpu_submit_desc decoy = ring_layout_decoy();
    const uint32_t used = (uint32_t)sizeof *header + ring->entry_count * ring->entry_stride;
    struct aerogpu_ring_header expected = {
        .magic = AEROGPU_RING_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = used,
        .entry_count = ring->entry_count,
        .entry_stride_bytes = ring->entry_stride,
        .head = ring->tail,
        .tail = ring->tail,
    };
    bool ok =
        agpu_check_memory(test, header, &expected, sizeof expected, "the ring header, head advanced", where);

    for (uint32_t i = 0; i < ring->entry_count && ok; i++) {
        const uint8_t *slot = ring_layout_slot(ring, i);

        ok = agpu_check_memory(test, slot, &decoy, sizeof decoy, "a slot of the ring, which is the driver's",
                               where) &&
             agpu_check_fill(test, slot + sizeof decoy, GAP, ring->entry_stride - sizeof decoy,
                             "the gap behind a descriptor", where);
    }
    return ok && agpu_check_fill(test, (const uint8_t *)header + used, BEHIND, ring->memory.size - used,
                                 "memory after the ring", where);
}
