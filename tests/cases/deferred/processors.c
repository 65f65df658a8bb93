/* processors.c: two processors in the driver at once (umd.md 3.3, 15). One of them is inside an entry until the other
 * waits for the environment's lock or has returned; so the result is the same in every run. */
#include "tests/cases/rig/processors.h"
#include "tests/cases/rig/umd_deferred.h"

/* Bound of the wait for the lock, in attempts: seconds. */
#define ATTEMPTS (UINT64_C(1) << 31)

static struct {
    uint32_t lock;   /* 1: held */
    uint32_t meet;   /* 1: the next holder stays inside */
    uint32_t record; /* 1: the next caller of the heap stays inside */
    uint32_t inside; /* the other processor is there */
    uint32_t waited; /* a processor found the lock held */
    uint32_t done;   /* this processor has made its call */
    uint32_t left;   /* the other processor has returned */
    uint32_t stuck;  /* a wait reached its bound */
    struct agpu_test *test;
    void (*call)(struct agpu_test *test);
} processors_meeting;

/* Memory of the driver: the machine's heap is for one processor. Nothing is freed before the next environment. */
static _Alignas(16) uint8_t heap_bytes[1u << 20];
static size_t heap_used;

static void stay_inside(void)
{
    agpu_word_set(&processors_meeting.inside, 1);
    if (!agpu_word_wait(&processors_meeting.waited, &processors_meeting.done)) {
        agpu_word_set(&processors_meeting.stuck, 1);
    }
}

static void *heap_take(void *ctx, size_t size)
{
    const size_t bytes = (size + 15) & ~(size_t)15;

    (void)ctx;
    if (__atomic_exchange_n(&processors_meeting.record, 0, __ATOMIC_ACQUIRE) != 0) {
        stay_inside();
    }
    if (size > sizeof heap_bytes) {
        return NULL;
    }
    const size_t at = __atomic_fetch_add(&heap_used, bytes, __ATOMIC_RELAXED);
    return at <= sizeof heap_bytes - bytes ? heap_bytes + at : NULL;
}

static void heap_give_back(void *ctx, void *memory)
{
    (void)ctx, (void)memory;
}

static void lock_shared(void *ctx)
{
    (void)ctx;
    for (uint64_t i = 0; __atomic_exchange_n(&processors_meeting.lock, 1, __ATOMIC_ACQUIRE) != 0; i++) {
        agpu_word_set(&processors_meeting.waited, 1);
        if (i == ATTEMPTS) {
            agpu_word_set(&processors_meeting.stuck, 1);
            return;
        }
    }
    if (__atomic_exchange_n(&processors_meeting.meet, 0, __ATOMIC_ACQUIRE) != 0) {
        stay_inside();
    }
}

static void unlock_shared(void *ctx)
{
    (void)ctx;
    agpu_word_set(&processors_meeting.lock, 0);
}

static void share_environment(struct agpu_umd_environment *environment)
{
    heap_used = 0;
    environment->heap_alloc = heap_take;
    environment->heap_free = heap_give_back;
    environment->lock = lock_shared;
    environment->unlock = unlock_shared;
}

static void offer_locked(struct agpu_runtime_config *config)
{
    agpu_offer_deferred(config);
    config->share = share_environment;
    config->options.trace_level = AGPU_TRACE_OFF; /* a task must not call the platform, which logs */
}

/* Runs on the other processor: an entry that allocates nothing. */
static void enter_driver(void *arg)
{
    const struct agpu_umd_rig *umd = arg;

    agpu_usage_driver_context(umd->usage)->pfnIaSetTopology(umd->device, AGPU_DRAW_STRIP);
    agpu_word_set(&processors_meeting.left, 1);
}

static void call_meanwhile(void *arg)
{
    (void)arg;
    if (agpu_word_wait(&processors_meeting.inside, &processors_meeting.left) &&
        agpu_word_read(&processors_meeting.inside) != 0) {
        processors_meeting.call(processors_meeting.test);
    }
    agpu_word_set(&processors_meeting.done, 1);
}

static D3D10DDI_HRESOURCE dynamic, plain;
static D3D10DDI_HSAMPLER sampler;
static struct agpu_runtime_list *list;

static void create_buffer(struct agpu_test *t)
{
    plain = agpu_make_default(t, 64, NULL);
}

static void create_other_sampler(struct agpu_test *t)
{
    sampler = agpu_make_sampler(t, 0, 1);
}

static void create_context(struct agpu_test *t)
{
    (void)agpu_defer(t);
}

static void map_discarding(struct agpu_test *t)
{
    D3D10DDI_MAPPED_SUBRESOURCE mapped;

    agpu_check_hr(t,
                  t->env->umd.context.pfnResourceMap(t->env->umd.device, dynamic, 0,
                                                     D3D10_DDI_MAP_WRITE_DISCARD, 0, &mapped),
                  S_OK);
}

static void unmap_discarded(struct agpu_test *t)
{
    t->env->umd.context.pfnResourceUnmap(t->env->umd.device, dynamic, 0);
}

static void set_sampler(struct agpu_test *t)
{
    t->env->umd.context.pfnPsSetSamplers(t->env->umd.device, 0, 1, &sampler);
}

static void update_buffer(struct agpu_test *t)
{
    static const uint8_t bytes[64];

    agpu_umd_update(t, plain, 0, NULL, bytes, 0);
}

static void execute_list(struct agpu_test *t)
{
    agpu_execute(t, list);
}

static void flush_device(struct agpu_test *t)
{
    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
}

static void destroy_buffer(struct agpu_test *t)
{
    agpu_umd_destroy(t, plain);
}

/* Runs both, and checks that no wait reached its bound. */
static bool meet(struct agpu_test *t, void (*task)(void *arg), void (*call)(struct agpu_test *test),
                 void *arg)
{
    processors_meeting.lock = processors_meeting.inside = processors_meeting.waited =
        processors_meeting.done = processors_meeting.left = processors_meeting.stuck = 0;
    processors_meeting.test = t;
    processors_meeting.call = call;
    const bool ran = agpu_run_beside(t, task, call_meanwhile, arg);
    processors_meeting.meet = processors_meeting.record = 0;
    return ran &&
           agpu_check_u64(t, processors_meeting.stuck, 0, "waits that reached their bound", false, AGPU_HERE);
}

/* Each of these entries must wait while the other processor is inside the driver, and then work. A driver that leaves
 * the lock out changes the command stream and the lists of allocations and views from two sides at once. */
static void entries_wait(struct agpu_test *t)
{
    static const struct {
        const char *name;
        void (*call)(struct agpu_test *test);
    } rows[] = {
        {"CreateResource", create_buffer},
        {"CreateSampler", create_other_sampler},
        {"CreateDeferredContext", create_context},
        {"ResourceMap with DISCARD", map_discarding},
        {"ResourceUnmap", unmap_discarded},
        {"PsSetSamplers", set_sampler},
        {"ResourceUpdateSubresourceUP", update_buffer},
        {"CommandListExecute", execute_list},
        {"Flush", flush_device},
        {"DestroyResource", destroy_buffer},
    };
    const struct agpu_case_recorder dc = agpu_defer(t);

    agpu_assert(t, dc.fn != NULL);
    dynamic = agpu_make_dynamic(t, 64, D3D10_DDI_BIND_VERTEX_BUFFER);
    dc.fn->pfnIaSetTopology(dc.device, AGPU_DRAW_STRIP);
    list = agpu_finish(t, dc);
    agpu_assert(t, dynamic.pDrvPrivate != NULL && list != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_part(t, "%s", rows[i].name);
        processors_meeting.meet = 1;
        agpu_return_unless(meet(t, enter_driver, rows[i].call, &t->env->umd));
        agpu_check_u64(t, processors_meeting.inside, 1, "IaSetTopology on the other processor holds the lock",
                       false, AGPU_HERE);
        agpu_check_u64(t, processors_meeting.waited, 1, "this entry waits for the lock", false, AGPU_HERE);
    }
}

/* ---- recording ---- */

#define WORDS  24u
#define ROUNDS 8u

static struct agpu_case_recorder recorder;
static D3D10DDI_HRESOURCE recorded; /* handle of the recorder */

static uint32_t recorded_word(uint32_t index)
{
    return index * 0x01030507u + 0x11u;
}

/* Runs on the other processor. */
static void record_updates(void *arg)
{
    const struct agpu_api_context *fn = agpu_runtime_deferred_funcs(recorder.deferred);

    (void)arg;
    for (uint32_t i = 0; i < WORDS; i++) {
        const D3D10_DDI_BOX box = {(int32_t)(4 * i), 0, 0, (int32_t)(4 * i + 4), 1, 1};
        const uint32_t word = recorded_word(i);

        fn->pfnResourceUpdateSubresourceUP(recorder.device, recorded, 0, &box, &word, 0, 0);
    }
    agpu_word_set(&processors_meeting.left, 1);
}

/* Submits while the other processor is inside its first update, and then while it records the others. */
static void submit_rounds(struct agpu_test *t)
{
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint32_t words[WORDS];

        for (uint32_t i = 0; i < WORDS; i++) {
            words[i] = ~recorded_word(i + round);
        }
        agpu_umd_update(t, plain, 0, NULL, words, 0);
        flush_device(t);
        agpu_word_set(&processors_meeting.done, 1);
    }
}

/* A deferred context must be able to record while the immediate one submits: neither waits for the other, and both
 * have their effect. A driver whose recording takes the device's lock makes the submission wait. */
static void records_meanwhile(struct agpu_test *t)
{
    uint32_t first[WORDS], second[WORDS];

    recorder = agpu_defer(t);
    agpu_assert(t, recorder.fn != NULL);
    for (uint32_t i = 0; i < WORDS; i++) {
        first[i] = recorded_word(i);
        second[i] = ~recorded_word(i + ROUNDS - 1);
    }
    const D3D10DDI_HRESOURCE buffer = agpu_make_default(t, sizeof first, NULL);
    plain = agpu_make_default(t, sizeof second, NULL);
    agpu_assert(t, buffer.pDrvPrivate != NULL && plain.pDrvPrivate != NULL);
    recorded = agpu_resource_on(t, recorder, buffer);
    agpu_assert(t, recorded.pDrvPrivate != NULL);
    processors_meeting.record = 1;
    agpu_return_unless(meet(t, record_updates, submit_rounds, NULL));
    agpu_check_u64(t, processors_meeting.inside, 1, "the recording on the other processor allocates memory",
                   false, AGPU_HERE);
    agpu_check_u64(t, processors_meeting.waited, 0, "this processor waits for the lock", false, AGPU_HERE);
    agpu_execute(t, agpu_finish(t, recorder));
    agpu_check_contents(t, buffer, first, sizeof first);
    agpu_check_contents(t, plain, second, sizeof second);
}

static const struct agpu_case deferred_processors_cases[] = {
    AGPU_DEFERRED_CASE_RUN("umd.processors.entries_wait", "umd.md 3.3", entries_wait, offer_locked,
                           agpu_run_undrawn_case),
    AGPU_DEFERRED_CASE_RUN("umd.processors.records_meanwhile", "umd.md 15", records_meanwhile, offer_locked,
                           agpu_run_undrawn_case),
};

AGPU_CASE_TABLE(agpu_cases_deferred_processors, deferred_processors_cases);
