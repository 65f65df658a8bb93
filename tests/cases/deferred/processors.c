/* processors.c: two processors in the driver at once (umd.md 3.3). One of them is inside an entry, with the
 * environment's lock, until the other waits for the lock or has returned; so the result is the same in every run. */
#include "tests/cases/rig/umd_deferred.h"

/* Bound of a wait for the other processor, in reads of a word: seconds. */
#define POLLS (UINT64_C(1) << 31)

static struct {
    uint32_t lock;   /* 1: held */
    uint32_t meet;   /* 1: the next holder stays inside */
    uint32_t inside; /* the other processor holds the lock */
    uint32_t waited; /* a processor found the lock held */
    uint32_t done;   /* this processor has made its call */
    uint32_t left;   /* the other processor has returned */
    uint32_t stuck;  /* a wait reached its bound */
    struct agpu_test *test;
    void (*call)(struct agpu_test *test);
} meeting;

static uint32_t read_word(const uint32_t *word)
{
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void set_word(uint32_t *word, uint32_t value)
{
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
}

static void wait_for_either(const uint32_t *first, const uint32_t *second)
{
    for (uint64_t i = 0; read_word(first) == 0 && read_word(second) == 0; i++) {
        if (i == POLLS) {
            set_word(&meeting.stuck, 1);
            return;
        }
    }
}

static void lock_shared(void *ctx)
{
    (void)ctx;
    for (uint64_t i = 0; __atomic_exchange_n(&meeting.lock, 1, __ATOMIC_ACQUIRE) != 0; i++) {
        set_word(&meeting.waited, 1);
        if (i == POLLS) {
            set_word(&meeting.stuck, 1);
            return;
        }
    }
    if (__atomic_exchange_n(&meeting.meet, 0, __ATOMIC_ACQUIRE) != 0) {
        set_word(&meeting.inside, 1);
        wait_for_either(&meeting.waited, &meeting.done);
    }
}

static void unlock_shared(void *ctx)
{
    (void)ctx;
    set_word(&meeting.lock, 0);
}

static void share_environment(struct agpu_umd_environment *environment)
{
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
    set_word(&meeting.left, 1);
}

static void call_meanwhile(void *arg)
{
    (void)arg;
    wait_for_either(&meeting.inside, &meeting.left);
    if (read_word(&meeting.inside) != 0) {
        meeting.call(meeting.test);
    }
    set_word(&meeting.done, 1);
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
    const struct agpu_platform *platform = t->env->platform;
    const struct agpu_case_recorder dc = agpu_defer(t);
    char buffer[120];
    struct agpu_text why;

    agpu_require(t, platform->run_beside != NULL, AGPU_SKIP_PROCESSOR);
    agpu_assert(t, dc.fn != NULL);
    dynamic = agpu_make_dynamic(t, 64, D3D10_DDI_BIND_VERTEX_BUFFER);
    dc.fn->pfnIaSetTopology(dc.device, AGPU_DRAW_STRIP);
    list = agpu_finish(t, dc);
    agpu_assert(t, dynamic.pDrvPrivate != NULL && list != NULL);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        agpu_text_begin(&why, buffer, sizeof buffer);
        agpu_part(t, "%s", rows[i].name);
        meeting.lock = meeting.inside = meeting.waited = meeting.done = meeting.left = meeting.stuck = 0;
        meeting.test = t;
        meeting.call = rows[i].call;
        meeting.meet = 1;
        const enum agpu_status status =
            platform->run_beside(platform->ctx, enter_driver, call_meanwhile, &t->env->umd, &why);
        meeting.meet = 0;
        agpu_require_because(t, status != AGPU_ERR_PLATFORM, AGPU_SKIP_PROCESSOR, buffer);
        agpu_assert_ok(t, status);
        agpu_check_u64(t, meeting.inside, 1, "IaSetTopology on the other processor holds the lock", false,
                       AGPU_HERE);
        agpu_check_u64(t, meeting.waited, 1, "this entry waits for the lock", false, AGPU_HERE);
        agpu_check_u64(t, meeting.stuck, 0, "waits that reached their bound", false, AGPU_HERE);
    }
}

static const struct agpu_case cases[] = {
    AGPU_DEFERRED_CASE_RUN("umd.processors.entries_wait", "umd.md 3.3", entries_wait, offer_locked,
                           agpu_run_undrawn_case),
};

AGPU_CASE_TABLE(agpu_cases_deferred_processors, cases);
