/* discard.c: Discard while the device still reads: new instances, their addresses in the tables, and the pool (vidmm.md
 * 4.4). */
#include <string.h>

#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE    4096u
#define T       AEROGPU_FEATURE_TRANSFER
#define DISCARD (AGPU_LOCK_WRITE | AGPU_LOCK_DISCARD)
#define POOL    3u /* not the default */

static bool wait_idle(struct agpu_test *t)
{
    return agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* The source of copies, and a target for each. */
struct discard_scene {
    struct agpu_client_memory source;
    struct agpu_client_memory target[POOL + 2];
    uint32_t round; /* different contents in each round */
    uint8_t data[SIZE];
};

static bool make_scene(struct agpu_test *t, struct discard_scene *scene)
{
    scene->round = 0;
    if (!agpu_client_alloc(t, SIZE, &scene->source)) {
        return false;
    }
    for (unsigned i = 0; i < POOL + 2; i++) {
        if (!agpu_client_alloc(t, SIZE, &scene->target[i])) {
            return false;
        }
    }
    return agpu_client_submit(t) && wait_idle(t);
}

static uint64_t pending_address(struct agpu_test *t, const struct agpu_client_memory *memory)
{
    const struct aerogpu_alloc_entry *entry = agpu_pending_entry(t, memory->alloc_id);

    agpu_check(t, entry != NULL);
    return entry != NULL ? entry->gpa : 0;
}

/* Writes pattern n through a Discard lock and submits a copy to target n. */
static bool discard_and_copy(struct agpu_test *t, struct discard_scene *scene, uint32_t n)
{
    agpu_fill_pattern(scene->data, SIZE, 10 + n + 64 * scene->round);
    if (!agpu_client_write(t, &scene->source, DISCARD, scene->data, SIZE)) {
        return false;
    }
    agpu_client_copy(&scene->target[n], &scene->source);
    return agpu_client_submit(t);
}

static bool check_targets(struct agpu_test *t, struct discard_scene *scene, uint32_t count)
{
    for (uint32_t n = 0; n < count; n++) {
        agpu_fill_pattern(scene->data, SIZE, 10 + n + 64 * scene->round);
        if (!agpu_client_check(t, &scene->target[n], scene->data, SIZE)) {
            return false;
        }
    }
    return true;
}

static void small_pool(struct agpu_runtime_config *config)
{
    config->vidmm.instance_limit = POOL;
}

static void out_of_order_lock(struct agpu_runtime_config *config)
{
    small_pool(config);
    config->vidmm.caps.value = AGPU_CAP_OUT_OF_ORDER_LOCK;
}

/* A Discard of idle memory must return the same memory and handle. */
static void idle_is_the_same(struct agpu_test *t)
{
    struct discard_scene scene;
    D3DKMT_HANDLE handle;
    void *first;

    agpu_return_unless(make_scene(t, &scene));
    handle = scene.source.allocation;
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
    first = scene.source.data;
    agpu_client_unlock(&scene.source);
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
    agpu_check_eq_ptr(t, scene.source.data, first);
    agpu_check_eq_hex(t, scene.source.allocation, handle);
    agpu_client_unlock(&scene.source);
}

/* A Discard of memory that the device still reads must return another instance at once, at another device address, and
 * leave the old one unchanged. Later the two take turns: an instance is idle once its own fence has completed. */
static void busy_gets_a_new_instance(struct agpu_test *t)
{
    struct discard_scene scene;
    D3DKMT_HANDLE handle;
    uint64_t first_address;
    void *first;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    agpu_return_unless(discard_and_copy(t, &scene, 0));
    handle = scene.source.allocation;
    first = scene.source.data;
    first_address = pending_address(t, &scene.source);
    agpu_return_unless(discard_and_copy(t, &scene, 1)); /* does not wait: the gate is closed */
    agpu_check(t, scene.source.allocation != handle);
    agpu_check(t, scene.source.data != first);
    agpu_check(t, pending_address(t, &scene.source) != first_address);
    /* The instance that the first copy reads has not changed. */
    agpu_fill_pattern(scene.data, SIZE, 10);
    agpu_check_eq_mem(t, first, scene.data, SIZE);
    agpu_gate_open(t);
    check_targets(t, &scene, 2);
    for (uint32_t n = 0; n < 3; n++) {
        const D3DKMT_HANDLE idle = handle;

        agpu_return_unless(wait_idle(t));
        agpu_gate_hold(t);
        handle = scene.source.allocation;
        agpu_client_copy(&scene.target[n], &scene.source);
        agpu_return_unless(agpu_client_submit(t));
        agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
        agpu_check_eq_hex(t, scene.source.allocation, idle);
        agpu_client_unlock(&scene.source);
        agpu_gate_open(t);
    }
}

/* When every instance of the pool is in use, Discard with DonotWait must answer busy, and a waiting one must reuse the
 * oldest. */
static void pool_is_bounded(struct agpu_test *t)
{
    struct discard_scene scene;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    for (uint32_t n = 0; n < POOL; n++) {
        agpu_return_unless(discard_and_copy(t, &scene, n));
    }
    agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
    agpu_gate_open(t);
    agpu_return_unless(discard_and_copy(t, &scene, POOL)); /* waits for the oldest, and reuses it */
    check_targets(t, &scene, POOL + 1);
}

/* When instances become idle, Discard must reuse them, the oldest first, instead of taking more memory. */
static void oldest_comes_back(struct agpu_test *t)
{
    struct discard_scene scene;
    void *seen[POOL];
    unsigned again = 0;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    for (uint32_t n = 0; n < POOL; n++) {
        agpu_return_unless(discard_and_copy(t, &scene, n));
        seen[n] = scene.source.data;
    }
    agpu_gate_open(t);
    agpu_return_unless(wait_idle(t));
    agpu_return_unless(check_targets(t, &scene, POOL));
    agpu_gate_hold(t);
    agpu_client_copy(&scene.target[POOL], &scene.source);
    agpu_return_unless(agpu_client_submit(t) && discard_and_copy(t, &scene, 0));
    agpu_check_eq_ptr(t, scene.source.data, seen[0]);
    agpu_gate_open(t);
    agpu_return_unless(wait_idle(t));
    /* In a steady state the pool takes no further memory. */
    for (unsigned round = 0; round < 20; round++) {
        agpu_return_unless(discard_and_copy(t, &scene, round % POOL));
        for (unsigned i = 0; i < POOL; i++) {
            again += scene.source.data == seen[i];
        }
    }
    agpu_check_eq_u64(t, again, 20);
}

/* Given many discards, with the device several submissions behind, each copy must read its own contents. */
static void in_flight_stress(struct agpu_test *t)
{
    struct discard_scene scene;

    /* Many discards, each read by its own copy, with the device several submissions behind. */
    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_crawl(t, 3, 0);
    for (uint32_t round = 0; round < 12; round++) {
        agpu_return_unless(agpu_time_left(t));
        scene.round = round;
        for (uint32_t n = 0; n < POOL + 2; n++) {
            agpu_return_unless(discard_and_copy(t, &scene, n));
        }
        agpu_return_unless(check_targets(t, &scene, POOL + 2));
    }
}

/* A submission that lists two instances of one allocation must be refused before a fence is used. A Discard must not
 * return an instance that recorded commands name, until they are submitted. */
static void two_instances_in_one_list(struct agpu_test *t)
{
    struct discard_scene scene;
    struct agpu_client_memory old;
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    uint64_t submitted;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    agpu_return_unless(discard_and_copy(t, &scene, 0));
    old = scene.source;
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
    agpu_client_unlock(&scene.source);
    agpu_check(t, old.allocation != scene.source.allocation);
    submitted = kmd->submitted;
    agpu_client_copy(&scene.target[1], &scene.source);
    agpu_client_list(old.allocation, false); /* the same alloc_id at another address */
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    agpu_check_eq_u64(t, kmd->submitted, submitted); /* no fence was used */
    agpu_gate_open(t);
    agpu_client_copy(&scene.target[1], &scene.source);
    agpu_return_unless(agpu_client_submit(t) && wait_idle(t));
    for (uint32_t n = 1; n <= POOL; n++) {
        agpu_client_list(scene.source.allocation, false);
        agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), n < POOL ? S_OK : E_OUTOFMEMORY);
        agpu_client_unlock(&scene.source);
    }
    agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    agpu_client_nop();
    agpu_return_unless(agpu_client_submit(t));
    agpu_client_list(scene.source.allocation, false);
    agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK);
    agpu_client_unlock(&scene.source);
    agpu_client_nop();
    agpu_client_submit(t);
}

/* Given recorded commands that name an instance, and a submission by another context of the process, Discard must not
 * return that instance. The commands must read the contents of their own time. */
static void recorded_beside_another_context(struct agpu_test *t)
{
    struct discard_scene scene;
    struct agpu_client_memory recorded;

    agpu_return_unless(make_scene(t, &scene));
    agpu_fill_pattern(scene.data, SIZE, 10);
    agpu_return_unless(agpu_client_write(t, &scene.source, DISCARD, scene.data, SIZE));
    recorded = scene.source;
    agpu_client_copy(&scene.target[0], &recorded);
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
    agpu_client_unlock(&scene.source);
    agpu_check(t, scene.source.allocation != recorded.allocation);
    /* The other context makes the new instance busy, so that the next Discard must find another one. */
    agpu_gate_hold(t);
    agpu_return_unless(agpu_check_hr(t, agpu_client_render_beside(scene.source.allocation), S_OK));
    agpu_return_unless(agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD), S_OK));
    agpu_check(t, scene.source.allocation != recorded.allocation);
    memset(scene.source.data, 0xEE, SIZE);
    agpu_client_unlock(&scene.source);
    agpu_gate_open(t);
    agpu_return_unless(agpu_client_submit(t));
    check_targets(t, &scene, 1);
}

/* A lock of a renamed instance must be refused, unless the configuration permits out-of-order locks. */
static void old_instance(struct agpu_test *t)
{
    struct discard_scene scene;
    struct agpu_client_memory old;
    bool allowed = agpu_stack_case(t)->configure == out_of_order_lock;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    agpu_return_unless(discard_and_copy(t, &scene, 0));
    old = scene.source;
    agpu_return_unless(discard_and_copy(t, &scene, 1));
    agpu_check_hr(t, agpu_client_lock(&old, AGPU_LOCK_READ), allowed ? S_OK : E_INVALIDARG);
    if (allowed) {
        agpu_fill_pattern(scene.data, SIZE, 10);
        agpu_check_eq_mem(t, old.data, scene.data, SIZE);
        agpu_check_hr(t, agpu_client_unlock(&old), S_OK);
        agpu_check(t, old.data != scene.source.data);
    }
    /* The client's memory refers to its newest handle. */
    agpu_client_lock(&scene.source, AGPU_LOCK_READ);
    agpu_client_unlock(&scene.source);
}

/* A Discard of locked memory must answer busy and not rename it. */
static void locked_is_not_renamed(struct agpu_test *t)
{
    struct discard_scene scene;
    D3DKMT_HANDLE handle;

    agpu_return_unless(make_scene(t, &scene));
    agpu_gate_hold(t);
    agpu_return_unless(discard_and_copy(t, &scene, 0));
    handle = scene.source.allocation;
    agpu_return_unless(
        agpu_check_hr(t, agpu_client_lock(&scene.source, AGPU_LOCK_READ | AGPU_LOCK_DONOTWAIT), S_OK));
    agpu_check_hr(t, agpu_client_lock(&scene.source, DISCARD | AGPU_LOCK_DONOTWAIT),
                  D3DDDIERR_WASSTILLDRAWING);
    agpu_check_eq_hex(t, scene.source.allocation, handle);
    agpu_client_unlock(&scene.source);
}

/* Given an allocation destroyed while the device reads its instances, their memory must be freed only after the
 * copies, and no submission may name them. */
static void destroyed_with_busy_instances(struct agpu_test *t)
{
    struct discard_scene scene;
    const struct agpu_kmd *kmd = agpu_runtime_kmd(t->env->umd.runtime);
    D3DKMT_HANDLE instances[3];
    uint64_t committed;

    agpu_return_unless(make_scene(t, &scene));
    committed = kmd->vm.segments[0].committed;
    agpu_gate_hold(t);
    for (uint32_t n = 0; n < 3; n++) {
        agpu_return_unless(discard_and_copy(t, &scene, n));
        instances[n] = scene.source.allocation;
    }
    agpu_check_eq_u64(t, kmd->vm.segments[0].committed, committed + 2 * SIZE);
    agpu_client_free(t, &scene.source);
    /* Destroyed for the client, still read by the device. */
    agpu_check_eq_u64(t, kmd->vm.segments[0].committed, committed + 2 * SIZE);
    for (uint32_t n = 0; n < 3; n++) {
        agpu_client_nop();
        agpu_client_list(instances[n], false);
        agpu_check_hr(t, agpu_client_render(), E_INVALIDARG);
    }
    agpu_gate_open(t);
    agpu_return_unless(wait_idle(t));
    agpu_check_eq_u64(t, kmd->vm.segments[0].committed, committed - SIZE);
    check_targets(t, &scene, 3);
}

/* Puts dynamic buffers into guest memory, so that the driver's Map with DISCARD renames their allocations
 * (umd.md 5.3). */
static void guest_backed(struct agpu_runtime_config *config)
{
    config->options.dynamic_guest_backed = 1;
}

/* Given a slow device, each copy of a dynamic buffer must read the contents of its own Map with DISCARD. */
static void discard_through_the_driver(struct agpu_test *t)
{
    uint8_t data[SIZE];
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, SIZE, D3D10_DDI_BIND_VERTEX_BUFFER);
    D3D10DDI_HRESOURCE copies[8];

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    agpu_gate_crawl(t, 20, 0);
    for (uint32_t i = 0; i < 8; i++) {
        copies[i] = agpu_make_default(t, SIZE, NULL);
        agpu_assert(t, copies[i].pDrvPrivate != NULL);
        agpu_fill_pattern(data, SIZE, 50 + i);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, data, SIZE));
        agpu_umd_copy(t, copies[i], dynamic);
        agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    }
    for (uint32_t i = 0; i < 8; i++) {
        agpu_fill_pattern(data, SIZE, 50 + i);
        agpu_return_unless(agpu_check_contents(t, copies[i], data, SIZE));
    }
}

#define CASE(name, function)                                                                                 \
    AGPU_STACK_CASE(name, "vidmm.md 4.4", T, 0, .body = function, .gate = true, .client = true,              \
                    .configure = small_pool)

/* Runs a CASE() body while the device really is at work: the device stops at the submission (gate.h). */
#define STOPPED(name, function)                                                                              \
    AGPU_STACK_CASE("vidmm.discard.stopped_device." name, "vidmm.md 4.4", T, 0, .body = function,            \
                    .gate = true, .stop = true, .client = true, .configure = small_pool)

static const struct agpu_case vidmm_discard_cases[] = {
    CASE("vidmm.discard.idle_is_the_same", idle_is_the_same),
    CASE("vidmm.discard.busy_gets_a_new_instance", busy_gets_a_new_instance),
    CASE("vidmm.discard.pool_is_bounded", pool_is_bounded),
    CASE("vidmm.discard.oldest_comes_back", oldest_comes_back),
    CASE("vidmm.discard.in_flight_stress", in_flight_stress),
    CASE("vidmm.discard.two_instances_in_one_list", two_instances_in_one_list),
    CASE("vidmm.discard.recorded_beside_another_context", recorded_beside_another_context),
    CASE("vidmm.discard.old_instance_refused", old_instance),
    AGPU_STACK_CASE("vidmm.discard.old_instance_allowed", "vidmm.md 9", T, 0, .body = old_instance,
                    .gate = true, .client = true, .configure = out_of_order_lock),
    CASE("vidmm.discard.locked_is_not_renamed", locked_is_not_renamed),
    CASE("vidmm.discard.destroyed_with_busy_instances", destroyed_with_busy_instances),
    AGPU_STACK_CASE("vidmm.discard.through_the_driver", "umd.md 5.3", T, 0,
                    .body = discard_through_the_driver, .gate = true, .configure = guest_backed),
    STOPPED("busy_gets_a_new_instance", busy_gets_a_new_instance),
    STOPPED("pool_is_bounded", pool_is_bounded),
    STOPPED("oldest_comes_back", oldest_comes_back),
    STOPPED("in_flight_stress", in_flight_stress),
    STOPPED("locked_is_not_renamed", locked_is_not_renamed),
    STOPPED("destroyed_with_busy_instances", destroyed_with_busy_instances),
    AGPU_STACK_CASE("vidmm.discard.stopped_device.through_the_driver", "umd.md 5.3", T, 0,
                    .body = discard_through_the_driver, .gate = true, .stop = true,
                    .configure = guest_backed),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_discard, vidmm_discard_cases);
