/* model.c: state of the reference model: opening, closing, contents of instances, comparison. */
#include "model.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

uint32_t model_random(struct model *m, uint32_t below)
{
    m->random = m->random * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((m->random >> 33) % below);
}

/* Returns the first word of page number `page` of an instance. */
static uint64_t page_stamp(const struct model_instance *instance, uint64_t page)
{
    return instance->stamp == 0 ? 0 : instance->stamp + page * 0x9E3779B97F4A7C15u;
}

void model_write(struct model *m, struct model_instance *instance, uint8_t *bytes)
{
    instance->stamp = ++m->next_stamp << 8;
    instance->known = true;
    for (uint64_t at = 0; at + 8u <= instance->size; at += AGPU_PAGE_SIZE) {
        uint64_t stamp = page_stamp(instance, at / AGPU_PAGE_SIZE);

        memcpy(bytes + at, &stamp, sizeof stamp);
    }
}

void model_check(const struct model_instance *instance, const uint8_t *bytes)
{
    for (uint64_t at = 0; instance->known && at + 8u <= instance->size; at += AGPU_PAGE_SIZE) {
        uint64_t stamp;

        memcpy(&stamp, bytes + at, sizeof stamp);
        assert_int_equal(stamp, page_stamp(instance, at / AGPU_PAGE_SIZE));
    }
}

static bool is_recorded(const void *ctx, uint16_t process, uint32_t handle)
{
    const struct model *m = ctx;
    bool recorded = false;

    for (unsigned i = 0; process == MODEL_PROCESS && i < MODEL_ALLOCATIONS; i++) {
        for (unsigned j = 0; m->allocations[i].live && j < m->allocations[i].count; j++) {
            const struct model_instance *instance = m->allocations[i].instances[j];

            recorded = recorded || (instance->handle == handle && instance->recorded);
        }
    }
    return recorded;
}

void model_open(struct model *m, uint64_t seed, uint64_t budget)
{
    const struct agpu_kmd_config kmd_config = {.first_fence = seed % 2 == 0 ? 0xFFFFFF00u : 1u};
    const bool out_of_order = seed % 3u == 0;
    const struct agpu_vidmm_config vm_config = {.caps.value = out_of_order ? AGPU_CAP_OUT_OF_ORDER_LOCK : 0,
                                                .is_recorded = is_recorded,
                                                .recorded_ctx = m};

    memset(m, 0, sizeof *m);
    m->out_of_order = out_of_order;
    fake_machine_init(&m->machine);
    if (seed % 5u == 0) {
        m->machine.slots = 6; /* the ring is full most of the time */
    }
    m->memory = fake_memory(&m->machine);
    m->random = seed * 2u + 1u;
    m->next_id = 1;
    assert_true(agpu_kmd_init(&m->kmd, &m->memory, &m->machine.transport, &kmd_config, &vm_config));
    m->kmd.vm.segments[0].budget = m->kmd.vm.config.budget = budget;
    agpu_kmd_context_add(&m->kmd, &m->context, MODEL_PROCESS);
    m->completed = m->submitted = m->kmd.submitted;
}

void model_close(struct model *m)
{
    m->machine.fail_at = m->machine.fail_from = 0;
    for (unsigned i = 0; i < MODEL_LOCKS; i++) {
        if (m->locks[i].allocation != NULL) {
            model_unlock(m, &m->locks[i]);
        }
    }
    for (unsigned i = 0; i < MODEL_ALLOCATIONS; i++) {
        if (m->allocations[i].live) {
            model_destroy(m, &m->allocations[i]);
        }
    }
    model_complete(m, m->submitted);
    assert_null(m->first);
    do { /* the device reads the release streams, one ringful after the other */
        fake_complete(&m->machine, m->kmd.submitted);
        agpu_kmd_poll(&m->kmd, m->machine.now);
    } while (m->kmd.vm.released_first != 0 ||
             agpu_kmd_flush_internal(&m->kmd, m->machine.now) == STATUS_PENDING);
    fake_complete(&m->machine, m->kmd.submitted);
    agpu_kmd_poll(&m->kmd, m->machine.now);
    const struct agpu_vidmm *vm = &m->kmd.vm;
    assert_true(agpu_kmd_idle(&m->kmd));
    assert_int_equal(vm->segments[0].committed, 0);
    assert_int_equal(vm->swap_bytes, 0);
    assert_int_equal(vm->open_locks, 0);
    assert_int_equal(vm->instances.live + vm->allocations.live + vm->resources.live + vm->shares.live, 0);
    assert_int_equal(vm->id_count, 0);
    assert_int_equal(vm->counters.creates + vm->counters.opens, vm->counters.destroys);
    assert_int_equal(m->kmd.meta_records, 0);
    assert_int_equal(m->kmd.pool.used_bytes, m->kmd.paging_block != 0 ? AGPU_PAGE_SIZE : 0);
    m->results[3] = vm->counters.renames;
    m->results[4] = vm->counters.recycled;
    m->results[5] = vm->counters.evictions;
    m->results[6] = vm->counters.page_ins;
    agpu_kmd_context_remove(&m->kmd, &m->context);
    agpu_kmd_fini(&m->kmd);
    fake_machine_check_empty(&m->machine);
}

/* Invariants after each step. */
static void check_always(struct model *m)
{
    const struct agpu_segment *segment = &m->kmd.vm.segments[0];

    assert_true(segment->committed <= segment->budget);
    assert_true(m->kmd.completed <= m->kmd.submitted);
    assert_int_equal(m->kmd.submitted, m->submitted);
    uint64_t locks = 0;
    for (unsigned i = 0; i < MODEL_LOCKS; i++) {
        locks += m->locks[i].allocation != NULL;
    }
    assert_int_equal(m->kmd.vm.open_locks, locks);
}

void model_step(struct model *m)
{
    m->steps++;
    /* From time to time the platform has no memory for a while. */
    if (model_random(m, 200) == 0) {
        m->machine.fail_from = m->machine.calls + 1u;
    } else if (m->machine.fail_from != 0 && model_random(m, 10) == 0) {
        m->machine.fail_from = 0;
    }
    uint32_t dice = model_random(m, 1000);
    struct model_allocation *a = &m->allocations[model_random(m, MODEL_ALLOCATIONS)];
    struct model_lock *lock = &m->locks[model_random(m, MODEL_LOCKS)];
    if (dice < 120) {
        model_create(m);
    } else if (dice < 180 && a->live) {
        model_destroy(m, a);
    } else if (dice < 210) {
        model_open_alias(m);
    } else if (dice < 220) {
        model_close_alias(m, a);
    } else if (dice < 500) {
        model_lock_one(m);
    } else if (dice < 700 && lock->allocation != NULL) {
        model_unlock(m, lock);
    } else if (dice < 890) {
        model_submit(m);
    } else if (dice < 960) {
        model_complete(m, m->completed + 1u + model_random(m, 4));
    } else if (dice == 999 && model_random(m, 20) == 0) {
        model_reset(m);
    }
    check_always(m);
}
