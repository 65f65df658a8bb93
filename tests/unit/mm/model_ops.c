/* model_ops.c: random operations on the manager and the model, and a check of each answer. */
#include "model.h"
#include "tests/unit/test.h"

#include <stdlib.h>
#include <string.h>

#include "mm/vidmm/records.h"

enum {
    LOCK_READ = 1,
    LOCK_WRITE = 2,
    LOCK_DONOTWAIT = 4,
    LOCK_IGNORESYNC = 8,
    LOCK_DISCARD = 0x80,
    LOCK_IGNOREREAD = 0x400
};

bool model_pressure(const struct model *m, uint64_t size)
{
    const struct agpu_segment *segment = &m->kmd.vm.segments[0];
    uint64_t bytes = agpu_page_round(size);

    return m->machine.fail_from != 0 || segment->committed + bytes > segment->budget ||
           segment->held + bytes + (64u << 10) >
               2u * segment->budget; /* with the padding of the largest alignment */
}

void model_drop(struct model_instance *instance)
{
    if (--instance->users == 0) {
        free(instance);
    }
}

static struct model_instance *add_instance(struct model_allocation *a, uint32_t handle)
{
    struct model_instance *instance = calloc(1, sizeof *instance);

    assert_non_null(instance);
    *instance = (struct model_instance){.handle = handle, .size = a->size, .users = 1};
    assert_true(a->count < MODEL_INSTANCES);
    a->latest = a->count;
    a->instances[a->count++] = instance;
    return instance;
}

void model_create(struct model *m)
{
    struct model_allocation *a = NULL;

    for (unsigned i = 0; i < MODEL_ALLOCATIONS && a == NULL; i++) {
        if (!m->allocations[i].live) {
            a = &m->allocations[i];
        }
    }
    if (a == NULL) {
        return;
    }
    uint32_t kind = model_random(m, 8);
    bool shared = kind == 0, staging = kind == 1, standard = kind == 2;
    uint64_t size = 512u * (1u + model_random(m, model_random(m, 8) == 0 ? 400 : 60));
    struct aerogpu_wddm_alloc_priv_v2 blob = {.magic = AEROGPU_WDDM_ALLOC_PRIV_MAGIC,
                                              .version = AEROGPU_WDDM_ALLOC_PRIV_VERSION_2,
                                              .alloc_id = m->next_id,
                                              .flags = (shared ? 1u : 0u) | (staging ? 4u : 0u)};
    struct agpu_create_info info = {.private_data = standard ? NULL : &blob,
                                    .private_size = standard ? 0 : sizeof blob,
                                    .size = size,
                                    .alignment = model_random(m, 16) == 0 ? 4096u << model_random(m, 4) : 0};
    struct agpu_create_request request = {.process = MODEL_PROCESS,
                                          .shared = shared,
                                          .create_resource = model_random(m, 2) == 0,
                                          .count = 1,
                                          .infos = &info};
    NTSTATUS status = agpu_vidmm_create(&m->kmd.vm, &request);
    if (size > m->kmd.vm.config.budget) {
        assert_int_equal(status, STATUS_INSUFFICIENT_RESOURCES);
        return;
    }
    if (status != STATUS_SUCCESS) {
        assert_int_equal(status, STATUS_INSUFFICIENT_RESOURCES);
        assert_true(m->machine.fail_from != 0);
        return;
    }
    m->next_id += !standard;
    *a = (struct model_allocation){.live = true,
                                   .id = info.alloc_id,
                                   .resource = request.resource,
                                   .token = blob.share_token,
                                   .size = size,
                                   .fixed = shared || staging};
    add_instance(a, info.handle)->known = true; /* all zero */
    assert_int_equal(shared, a->token != 0);
}

/* Removes an allocation whose last handle is closed from the model. */
static void forget(struct model *m, struct model_allocation *a)
{
    for (unsigned i = 0; i < MODEL_LOCKS; i++) {
        if (m->locks[i].allocation == a) {
            m->locks[i].allocation = NULL;
        }
    }
    for (unsigned i = 0; i < a->count; i++) {
        model_drop(a->instances[i]);
    }
    a->live = false;
}

static void forget_locks(struct model *m, uint16_t process, uint32_t handle, const struct model_allocation *a)
{
    for (unsigned i = 0; i < MODEL_LOCKS; i++) {
        struct model_lock *lock = &m->locks[i];

        if (lock->allocation == a && lock->process == process &&
            (process == MODEL_PROCESS || lock->handle == handle)) {
            lock->instance->locks--;
            lock->allocation = NULL;
        }
    }
}

void model_destroy(struct model *m, struct model_allocation *a)
{
    /* Aliases and creator close in any order. The last one ends the allocation. */
    bool creator_first = model_random(m, 2) == 0;

    for (int pass = 0; pass < 2; pass++) {
        if ((pass == 0) == creator_first && !a->closed) {
            uint32_t handle = a->instances[a->latest]->handle;

            NTSTATUS status =
                agpu_vidmm_destroy(&m->kmd.vm, MODEL_PROCESS, a->resource, &handle, a->resource == 0);
            assert_int_equal(status, STATUS_SUCCESS);
            assert_null(agpu_handle_lookup(&m->kmd.vm, MODEL_PROCESS, handle));
            forget_locks(m, MODEL_PROCESS, 0, a);
        }
        for (unsigned i = 0; i < MODEL_ALIASES && (pass == 1) == creator_first; i++) {
            if (a->aliases[i] == 0) {
                continue;
            }
            assert_int_equal(agpu_vidmm_destroy(&m->kmd.vm, MODEL_OPENER, 0, &a->aliases[i], 1),
                             STATUS_SUCCESS);
            forget_locks(m, MODEL_OPENER, a->aliases[i], a);
        }
    }
    /* A second time: no effect. */
    uint32_t handle = a->instances[a->latest]->handle;
    assert_int_equal(agpu_vidmm_destroy(&m->kmd.vm, MODEL_PROCESS, a->resource, &handle, 1), STATUS_SUCCESS);
    forget(m, a);
}

void model_open_alias(struct model *m)
{
    struct model_allocation *a = &m->allocations[model_random(m, MODEL_ALLOCATIONS)];
    uint32_t slot = model_random(m, MODEL_ALIASES), handle = 0;

    if (!a->live || a->aliases[slot] != 0) {
        return;
    }
    NTSTATUS status = agpu_vidmm_open(&m->kmd.vm, MODEL_OPENER, a->token, &handle, NULL, NULL);
    if (a->token == 0) {
        assert_int_equal(status, STATUS_INVALID_PARAMETER);
    } else if (status == STATUS_SUCCESS) {
        a->aliases[slot] = handle;
    } else {
        assert_int_equal(status, STATUS_INSUFFICIENT_RESOURCES);
        assert_true(m->machine.fail_from != 0);
    }
}

void model_close_alias(struct model *m, struct model_allocation *a)
{
    uint32_t slot = model_random(m, MODEL_ALIASES);

    if (!a->live || a->aliases[slot] == 0) {
        return;
    }
    assert_int_equal(agpu_vidmm_destroy(&m->kmd.vm, MODEL_OPENER, 0, &a->aliases[slot], 1), STATUS_SUCCESS);
    forget_locks(m, MODEL_OPENER, a->aliases[slot], a);
    a->aliases[slot] = 0;
    /* Its own locks are gone, the others remain. */
    const struct agpu_instance *memory =
        agpu_instance_at(&m->kmd.vm, a->instances[a->latest]->handle & AGPU_HANDLE_INDEX_MASK);
    assert_int_equal(memory->lock_count, a->instances[a->latest]->locks);
}

uint64_t model_newest(const struct model_instance *instance)
{
    return instance->read_fence > instance->write_fence ? instance->read_fence : instance->write_fence;
}

/* Older instances without users become undefined (vidmm.md 4.4). */
void model_forget_undefined(struct model *m)
{
    for (unsigned i = 0; i < MODEL_ALLOCATIONS; i++) {
        const struct model_allocation *a = &m->allocations[i];

        for (unsigned j = 0; a->live && j < a->count; j++) {
            struct model_instance *instance = a->instances[j];

            if (j != a->latest && !instance->recorded && instance->locks == 0 &&
                model_newest(instance) <= m->completed) {
                instance->known = false;
            }
        }
    }
}

/* Returns whether a rename must give another instance (true) or be busy (false). */
static bool rename_possible(const struct model *m, const struct model_allocation *a)
{
    if (a->count < 4u) {
        return true;
    }
    for (unsigned i = 0; i < a->count; i++) {
        const struct model_instance *other = a->instances[i];

        if (i != a->latest && model_newest(other) <= m->completed && other->locks == 0 && !other->recorded) {
            return true;
        }
    }
    return false;
}

static void renamed(struct model *m, struct model_allocation *a, uint32_t handle)
{
    struct model_instance *old = a->instances[a->latest];

    assert_int_not_equal(handle, old->handle);
    unsigned i = 0;
    while (i < a->count && a->instances[i]->handle != handle) {
        i++;
    }
    if (i == a->count) {
        add_instance(a, handle);
    } else {
        assert_true(model_newest(a->instances[i]) <= m->completed && a->instances[i]->locks == 0 &&
                    !a->instances[i]->recorded);
        a->latest = i;
    }
    a->instances[a->latest]->known = false; /* undefined until it is written */
    old->known &= old->recorded || old->locks != 0 || model_newest(old) > m->completed;
}

void model_lock_one(struct model *m)
{
    static const uint32_t choices[] = {0,
                                       LOCK_READ,
                                       LOCK_READ,
                                       LOCK_WRITE,
                                       LOCK_WRITE | LOCK_IGNORESYNC,
                                       LOCK_WRITE | LOCK_IGNOREREAD,
                                       LOCK_WRITE | LOCK_DISCARD,
                                       LOCK_WRITE | LOCK_DISCARD,
                                       LOCK_WRITE | LOCK_DISCARD};
    struct model_lock *slot = &m->locks[model_random(m, MODEL_LOCKS)];
    struct model_allocation *a = &m->allocations[model_random(m, MODEL_ALLOCATIONS)];

    if (slot->allocation != NULL || !a->live) {
        return;
    }
    uint32_t alias = a->aliases[model_random(m, MODEL_ALIASES)];
    uint32_t flags = choices[model_random(m, sizeof choices / sizeof choices[0])];
    unsigned which = model_random(m, 8) == 0 ? model_random(m, a->count) : a->latest;
    bool old = which != a->latest; /* never with an alias: shared memory is not renamed */
    struct model_instance *instance = a->instances[which];
    bool unsubmitted = instance->recorded && (flags & (LOCK_IGNORESYNC)) == 0;
    struct agpu_lock_request request = {.process = alias != 0 ? MODEL_OPENER : MODEL_PROCESS,
                                        .flags = flags | LOCK_DONOTWAIT,
                                        .handle = alias != 0 ? alias : instance->handle,
                                        .unsubmitted = unsubmitted};
    bool tight = model_pressure(m, a->size); /* computed before the lock, which may evict and still fail */
    NTSTATUS status = agpu_vidmm_lock(&m->kmd.vm, &request);
    if (old && !m->out_of_order) {
        assert_int_equal(status, STATUS_INVALID_PARAMETER);
        return;
    }

    bool discard = (flags & LOCK_DISCARD) != 0 && !old && !a->fixed && instance->locks == 0;
    bool rename = discard && (model_newest(instance) > m->completed || unsubmitted);
    uint64_t fence = model_newest(instance);
    if ((flags & LOCK_IGNORESYNC) != 0) {
        fence = 0;
    } else if ((flags & (LOCK_READ | LOCK_IGNOREREAD)) != 0) {
        fence = instance->write_fence;
    }
    bool busy = rename ? !rename_possible(m, a) : fence > m->completed;
    m->results[status == STATUS_SUCCESS ? 0 : status == STATUS_GRAPHICS_GPU_BUSY ? 1 : 2]++;
    if (busy) {
        assert_true(status == STATUS_GRAPHICS_GPU_BUSY ||
                    (rename && status == STATUS_INSUFFICIENT_RESOURCES));
        return;
    }
    if (status != STATUS_SUCCESS) {
        assert_true(status == STATUS_INSUFFICIENT_RESOURCES || status == STATUS_GRAPHICS_GPU_BUSY);
        assert_true(tight);
        return;
    }
    if (rename) {
        renamed(m, a, request.handle);
        instance = a->instances[a->latest];
    } else {
        assert_int_equal(request.handle, alias != 0 ? alias : instance->handle);
    }
    assert_non_null(request.data);
    *slot = (struct model_lock){a, instance, request.handle, request.process, request.data};
    instance->locks++;
    model_check(instance, slot->bytes);
    if ((flags & LOCK_READ) == 0) {
        model_write(m, instance, slot->bytes);
    }
    for (unsigned i = 0; i < MODEL_LOCKS; i++) { /* the address stays the same while locked */
        if (m->locks[i].allocation == a && m->locks[i].instance == instance) {
            assert_ptr_equal(m->locks[i].bytes, slot->bytes);
        }
    }
}

void model_unlock(struct model *m, struct model_lock *lock)
{
    model_check(lock->instance, lock->bytes); /* unchanged and not moved in the meantime */
    assert_int_equal(agpu_vidmm_unlock(&m->kmd.vm, lock->process, lock->handle), STATUS_SUCCESS);
    lock->instance->locks--;
    lock->allocation = NULL;
    model_forget_undefined(m);
}
