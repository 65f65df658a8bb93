/* busy.c: locks and maps while the device is at work on the memory, with long work (vidmm.md 4.3, 4.4, umd.md 6.3). The
 * work is copies, as many as this run measures to be needed; if the device answers no access before they are done, it
 * is paced presents. */
#include <string.h>

#include "pci/machine/test_system.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/vblank.h"
#include "tests/cases/rig/vidmm_client.h"

#define SIZE      4096u
#define LOAD      (1u << 20) /* bytes of one copy of the work */
#define LOAD_MOST 384u       /* copies per submission: fewer than a device may defer (device.md 4.10) */
#define WANTED_NS UINT64_C(12000000)
#define TRIES     8u
#define T         AEROGPU_FEATURE_TRANSFER
#define PACING    (AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_VBLANK)

#define PACED 3u /* presents: the last fence is at least two periods away */

/* Work of the client: copies between two buffers of the device, or presents. */
struct load {
    uint32_t from, to;
    uint32_t copies; /* this many take about WANTED_NS */
    bool paced;      /* presents instead */
};

static uint32_t busy_make_buffer(const struct agpu_test *t)
{
    const struct agpu_umd_environment *environment =
        agpu_runtime_adapter_callbacks(t->env->umd.runtime)->pEnvironment;
    struct aerogpu_cmd_create_buffer *create = agpu_client_packet(AEROGPU_CMD_CREATE_BUFFER, sizeof *create);

    create->buffer_handle = environment->next_handle(environment->ctx);
    create->usage_flags = AEROGPU_RESOURCE_USAGE_VERTEX_BUFFER;
    create->size_bytes = LOAD;
    return create->buffer_handle;
}

static bool put_presents(struct agpu_test *t)
{
    agpu_scanout_enable(t, 1);
    for (uint32_t i = 0; i < PACED; i++) {
        struct aerogpu_cmd_present *present = agpu_client_packet(AEROGPU_CMD_PRESENT, sizeof *present);

        present->flags = AEROGPU_PRESENT_FLAG_VSYNC;
        if (!agpu_client_submit(t)) {
            return false;
        }
    }
    return true;
}

/* Records the work; presents are separate submissions. */
static bool put_load(struct agpu_test *t, const struct load *load)
{
    if (load->paced) {
        return put_presents(t);
    }
    for (uint32_t i = 0; i < load->copies; i++) {
        struct aerogpu_cmd_copy_buffer *copy = agpu_client_packet(AEROGPU_CMD_COPY_BUFFER, sizeof *copy);

        copy->dst_buffer = i % 2 == 0 ? load->to : load->from;
        copy->src_buffer = i % 2 == 0 ? load->from : load->to;
        copy->size_bytes = LOAD;
    }
    return true;
}

/* Returns true if the device itself reports that its last submission is not complete. */
static bool device_at_work(struct agpu_test *t)
{
    const struct agpu_transport *ring = &t->env->transport;
    uint64_t completed = UINT64_MAX;

    return ring->completed_fence(ring->ctx, &completed) == AGPU_OK &&
           completed < agpu_runtime_kmd(t->env->umd.runtime)->submitted;
}

/* Returns the time in nanoseconds; 0 after a recorded failure. *at_once: the work was done when its submission
 * returned. */
static uint64_t time_of_load(struct agpu_test *t, const struct load *load, bool *at_once)
{
    uint64_t begun = agpu_now(t);

    if (!put_load(t, load) || !agpu_client_submit(t)) {
        return 0;
    }
    *at_once = !device_at_work(t);
    if (!agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime))) {
        return 0;
    }
    return agpu_now(t) - begun + 1;
}

/* Returns false after a recorded failure, or a skip where the device works inside the accesses of this one thread
 * (platform.h). */
static bool make_load(struct agpu_test *t, struct load *load)
{
    uint64_t took;
    bool at_once;

    *load = (struct load){.from = busy_make_buffer(t), .to = busy_make_buffer(t), .copies = 8};
    if (!agpu_client_submit(t) || time_of_load(t, load, &at_once) == 0) {
        return false;
    }
    if (at_once && t->env->platform->test->observe != NULL) {
        load->paced = (t->env->abi.features & PACING) == PACING;
        if (!load->paced) {
            agpu_skip(t, AGPU_SKIP_AT_ONCE);
        }
        return load->paced;
    }
    took = time_of_load(t, load, &at_once); /* the first one ran with cold caches */
    if (took == 0) {
        return false;
    }
    took = WANTED_NS * load->copies / took;
    load->copies = took > LOAD_MOST ? LOAD_MOST : took < 1 ? 1 : (uint32_t)took;
    return true;
}

/* Switches the scanout off again, whatever the outcome. */
static void end_load(struct agpu_test *t, bool seen)
{
    agpu_scanout_enable(t, 0);
    agpu_require(t, seen, AGPU_SKIP_AT_ONCE);
}

static void more_work(const struct agpu_test *t, struct load *load)
{
    load->paced = load->copies == LOAD_MOST && (t->env->abi.features & PACING) == PACING;
    load->copies = load->copies * 2 < LOAD_MOST ? load->copies * 2 : LOAD_MOST;
}

/* Checks the answer to a call that must not wait: busy, if the device was at work before and after. If it finished
 * earlier, the answer gives no evidence, and the next attempt uses more work. */
static bool answer_counts(struct agpu_test *t, struct load *load, HRESULT answer, HRESULT busy, bool *seen)
{
    bool at_work = device_at_work(t);

    *seen = answer == busy;
    if (*seen || at_work) {
        return agpu_check_hr(t, answer, busy);
    }
    agpu_check_hr(t, answer, S_OK);
    more_work(t, load);
    return true;
}

/* Given memory that running work will write, a lock with DonotWait must answer busy, and a waiting lock must read the
 * result. */
static void lock_during_work(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    struct load load;
    uint8_t data[SIZE];
    bool seen = false;
    unsigned checks;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &a) && agpu_client_alloc(t, SIZE, &b));
    agpu_return_unless(make_load(t, &load));
    checks = t->checks;
    for (uint32_t i = 0; i < TRIES && !seen && agpu_time_left(t); i++) {
        HRESULT hr;

        agpu_check_drop(t, checks);
        agpu_fill_pattern(data, SIZE, 60 + i);
        agpu_return_unless(agpu_client_write(t, &a, 0, data, SIZE));
        agpu_return_unless(put_load(t, &load));
        agpu_client_copy(&b, &a);
        agpu_return_unless(agpu_client_submit(t));
        hr = agpu_client_lock(&b, AGPU_LOCK_READ | AGPU_LOCK_DONOTWAIT);
        agpu_return_unless(answer_counts(t, &load, hr, D3DDDIERR_WASSTILLDRAWING, &seen));
        if (hr == S_OK) {
            agpu_client_unlock(&b);
        }
        agpu_return_unless(agpu_client_check(t, &b, data, SIZE)); /* waits until it is done */
    }
    if (!load.paced) {
        agpu_metric(t, "work_bytes", (uint64_t)load.copies * LOAD, "bytes");
    }
    end_load(t, seen);
}

/* Given a discard of memory that a copy at the end of running work reads, the copy must still read the old contents. */
static void discard_during_work(struct agpu_test *t)
{
    struct agpu_client_memory a, b;
    struct load load;
    uint8_t data[SIZE], later[SIZE];
    bool seen = false;
    unsigned checks;

    agpu_return_unless(agpu_client_alloc(t, SIZE, &a) && agpu_client_alloc(t, SIZE, &b));
    agpu_return_unless(make_load(t, &load));
    checks = t->checks;
    agpu_fill_pattern(later, SIZE, 80);
    for (uint32_t i = 0; i < TRIES && !seen && agpu_time_left(t); i++) {
        D3DKMT_HANDLE before;

        agpu_check_drop(t, checks);
        agpu_fill_pattern(data, SIZE, 70 + i);
        agpu_return_unless(agpu_client_write(t, &a, AGPU_LOCK_DISCARD, data, SIZE));
        agpu_return_unless(put_load(t, &load));
        agpu_client_copy(&b, &a);
        agpu_return_unless(agpu_client_submit(t));
        before = a.allocation;
        agpu_return_unless(agpu_check_hr(
            t, agpu_client_lock(&a, AGPU_LOCK_WRITE | AGPU_LOCK_DISCARD | AGPU_LOCK_DONOTWAIT), S_OK));
        memcpy(a.data, later, SIZE);
        seen = a.allocation != before;
        agpu_return_unless(agpu_check(t, seen || !device_at_work(t)));
        agpu_check_hr(t, agpu_client_unlock(&a), S_OK);
        agpu_return_unless(agpu_client_check(t, &b, data, SIZE));
        more_work(t, &load);
    }
    end_load(t, seen);
}

/* Given a staging buffer whose copy follows the client's work, Map with DONOTWAIT must answer busy, and a blocking Map
 * must return the copy. */
static void map_during_work(struct agpu_test *t)
{
    D3D10DDI_HRESOURCE source, staging;
    struct load load;
    uint8_t data[SIZE];
    bool seen = false;
    unsigned checks;

    agpu_return_unless(make_load(t, &load));
    checks = t->checks;
    for (uint32_t i = 0; i < TRIES && !seen && agpu_time_left(t); i++) {
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        HRESULT hr;

        agpu_check_drop(t, checks);
        agpu_fill_pattern(data, SIZE, 90 + i);
        source = agpu_make_default(t, SIZE, data);
        staging = agpu_make_staging(t, SIZE, D3D10_DDI_CPU_ACCESS_READ);
        agpu_assert(t, source.pDrvPrivate != NULL && staging.pDrvPrivate != NULL);
        agpu_umd_copy(t, staging, source);
        agpu_return_unless(put_load(t, &load) && agpu_client_submit(t));
        /* Submits the copy, which the device runs after the client's work. */
        hr = agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_FLAG_DONOTWAIT, &mapped);
        agpu_return_unless(answer_counts(t, &load, hr, DXGI_ERROR_WAS_STILL_DRAWING, &seen));
        if (hr == S_OK) {
            agpu_umd_unmap(t, staging);
        }
        agpu_return_unless(agpu_check_staging(t, staging, data, SIZE));
    }
    end_load(t, seen);
}

/* Long work that progresses must not be treated as a hang. */
static void work_is_no_hang(struct agpu_test *t)
{
    struct load load;

    agpu_return_unless(make_load(t, &load));
    for (uint32_t i = 0; i < 2; i++) {
        agpu_return_unless(put_load(t, &load) && agpu_client_submit(t));
    }
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    agpu_check_eq_u64(t, agpu_runtime_kmd(t->env->umd.runtime)->counters.resets, 0);
    agpu_check_hr(t, agpu_client_lost(), S_OK);
    agpu_scanout_enable(t, 0);
}

/* Submits work and stops the device in the middle of it. Returns false if it was done sooner; the device then
 * continues. */
static bool hang_at_work(struct agpu_test *t, const struct load *load, bool *seen)
{
    if (!put_load(t, load) || !agpu_client_submit(t)) {
        return false;
    }
    agpu_gate_hang_now(t);
    agpu_settle(t); /* a fence that was in flight arrives */
    *seen = device_at_work(t);
    if (*seen) {
        return true;
    }
    agpu_gate_open(t);
    return agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* Checks that a reset drops the device's work: none of its fences completes later, not at the next edges either. */
static bool check_dropped(struct agpu_test *t, const struct load *load)
{
    agpu_settle(t);
    if (load->paced && !agpu_vblank_wait_seq(t, agpu_vblank_seq(t) + PACED)) {
        return false;
    }
    return agpu_check_u64(t, agpu_fence_mmio_value(&t->env->function), 0,
                          "COMPLETED_FENCE while nothing runs after the reset of a hung device", true,
                          AGPU_HERE);
}

/* Checks that memory survives the hang and that a new client's work is done normally. */
static void check_after_hang(struct agpu_test *t, struct agpu_client_memory *kept, const uint8_t *data)
{
    struct agpu_client_memory a, b;
    uint8_t other[SIZE];

    agpu_return_unless(agpu_client_check(t, kept, data, SIZE));
    agpu_client_close(t);
    agpu_return_unless(agpu_client_open(t));
    agpu_return_unless(agpu_client_alloc(t, SIZE, &a) && agpu_client_alloc(t, SIZE, &b));
    agpu_fill_pattern(other, SIZE, 96);
    agpu_return_unless(agpu_client_submit(t) && agpu_client_write(t, &a, 0, other, SIZE));
    agpu_client_copy(&b, &a);
    agpu_return_unless(agpu_client_submit(t) && agpu_client_check(t, &b, other, SIZE));
    agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime));
}

/* Given a device that hangs in the middle of its work, the reset must drop this work, and none of it may continue
 * afterwards. */
static void hang_in_the_middle(struct agpu_test *t)
{
    struct load load = {.from = busy_make_buffer(t), .to = busy_make_buffer(t), .copies = 8};
    struct agpu_client_memory kept;
    uint8_t data[SIZE];
    bool seen = false;
    unsigned checks;

    agpu_fill_pattern(data, SIZE, 95);
    agpu_return_unless(agpu_client_alloc(t, SIZE, &kept) && agpu_client_submit(t));
    agpu_return_unless(agpu_client_write(t, &kept, 0, data, SIZE));
    agpu_return_unless(agpu_check(t, agpu_runtime_wait_idle(t->env->umd.runtime)));
    checks = t->checks;
    for (uint32_t i = 0; i < TRIES && !seen && agpu_time_left(t); i++) {
        agpu_check_drop(t, checks);
        agpu_return_unless(hang_at_work(t, &load, &seen));
        if (!seen && t->env->platform->test->observe != NULL) {
            load.paced = (t->env->abi.features & PACING) == PACING;
            agpu_require(t, load.paced, AGPU_SKIP_AT_ONCE);
        } else if (!seen) {
            more_work(t, &load);
        }
    }
    if (seen) {
        agpu_check(t, !agpu_runtime_wait_idle(t->env->umd.runtime));
        agpu_check_eq_u64(t, agpu_gate_counts().resets, 1);
        agpu_check_hr(t, agpu_client_lost(), DXGI_ERROR_DEVICE_HUNG);
        if (check_dropped(t, &load)) {
            check_after_hang(t, &kept, data);
        }
    }
    end_load(t, seen);
}

/* A short limit, which keeps the case short; long compared with work that no case waits for. */
static void busy_impatient(struct agpu_runtime_config *config)
{
    config->command_buffers = 16;
    config->command_buffer_bytes = 65536;
    config->kmd.tdr_timeout_ns = 200000000u;
    config->kmd.tdr_limit = 4; /* one hang does not remove the device, whatever was set */
}

#define BUSY(name, section, function)                                                                        \
    AGPU_STACK_CASE(name, section, T, 0, .body = function, .client = true,                                   \
                    .configure = many_buffers_of_64_kib)

/* A stream has space for the largest number of copies. */
static void many_buffers_of_64_kib(struct agpu_runtime_config *config)
{
    config->command_buffers = 8;
    config->command_buffer_bytes = 65536;
}

static const struct agpu_case vidmm_busy_cases[] = {
    BUSY("vidmm.lock.long_work", "vidmm.md 4.3", lock_during_work),
    BUSY("vidmm.discard.long_work", "vidmm.md 4.4", discard_during_work),
    BUSY("map.busy.long_work", "umd.md 6.3", map_during_work),
    BUSY("vidmm.hang.long_work", "vidmm.md 7", work_is_no_hang),
    AGPU_STACK_CASE("vidmm.hang.in_the_middle", "vidmm.md 7", T, 0, .body = hang_in_the_middle, .gate = true,
                    .stop = true, .client = true, .configure = busy_impatient),
};

AGPU_CASE_TABLE(agpu_cases_vidmm_busy, vidmm_busy_cases);
