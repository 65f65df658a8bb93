/* prepare.c: prepares the device for each case and restores it afterwards. */
#include "tests/cases/rig/prepare.h"

#include "mm/runtime/layers.h"
#include "pci/machine/status.h"
#include "pci/machine/test_system.h"
#include "pci/machine/wait.h"
#include "pci/registers.h"
#include "tests/cases/choice/filter.h"
#include "tests/cases/rig/prerequisites_prove.h"
#include "tests/cases/rig/draws.h"
#include "tests/cases/rig/evidence.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/fence_diagnosis.h"
#include "tests/cases/rig/find.h"
#include "tests/cases/rig/recover.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/state.h"
#include "tests/cases/rig/submit.h"
#include "tests/cases/rig/umd_buffers.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vidmm_client.h"

/* Maximum in a run: each takes some tenths of a second. */
#define RECOVERIES_MAX 8u

/* Makes an opened device idle: decode and bus master on; ring, interrupts, scanout and cursor off; addresses 0;
 * reset. Errors: AGPU_ERR_LOST, AGPU_ERR_TIMEOUT. */
static enum agpu_status quiesce_device(const struct agpu_env *env)
{
    return agpu_kmd_adapter_quiesce(&env->adapter);
}

static enum agpu_status open_driver(struct agpu_env *env)
{
    struct agpu_runtime_config config = agpu_umd_config(env);

    return agpu_umd_open(&env->umd, &env->function, &config);
}

/* Cases about fences choose their own numbers. */
static void number_fences_after(struct agpu_env *env, const struct agpu_case *item, uint64_t previous)
{
    const bool own = agpu_filter_match("ring.*,fence.*,irq.*,error.*,vblank.*", item->id);

    env->previous_fence = own ? 0 : previous;
}

static void limit_waits(const struct agpu_env *env)
{
    agpu_wait_limit(env->platform,
                    agpu_prerequisites_wait_ns(&env->prerequisites, agpu_latency_median(&env->latency)));
}

static enum agpu_status start_ring(struct agpu_env *env, bool page)
{
    struct agpu_ring_config config = {.no_fence_page = !page};

    if (env->abi.legacy) {
        /* The legacy device cannot mask fence interrupts. A machine may set up its view of the line at the first
         * reading, and take an earlier pulse for a level (a PIC line in edge mode). Therefore the line is read before
         * there can be a pulse. */
        env->platform->intx_level(env->platform->ctx, &env->function.found.ref);
    }
    return agpu_kmd_adapter_start(&env->adapter, &config, &env->transport);
}

/* Explains a lost device: nothing can be measured any more, so the text says where to look. */
static void describe_lost(const struct agpu_env *env, struct agpu_text *text)
{
    if (agpu_config_read(&env->function, AGPU_PCI_VENDOR_ID, 2) == env->function.found.vendor) {
        agpu_text_string(
            text, "the registers are gone: BAR0 reads all ones while configuration space answers "
                  "(device.md 2.2); check memory decode, the BAR and the bridges in front of the device");
    } else {
        agpu_text_string(text, "the function is gone: it reads all ones everywhere (device.md 2.2); check "
                               "its power, its slot and the link");
    }
}

/* Translates an error of starting the device. Lack of memory is the machine's fault and breaks no prerequisite. */
static bool bring_up_failed(struct agpu_env *env, enum agpu_status status, const char *step,
                            struct agpu_obstacle *why)
{
    bool lost = status == AGPU_ERR_LOST;

    agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
    if (lost) {
        describe_lost(env, &why->text);
    } else {
        agpu_format(&why->text, "device could not be brought up: %s%s", agpu_status_name(status), step);
    }
    if (status != AGPU_ERR_TIMEOUT && !lost) {
        why->result = AGPU_ERROR;
        return false;
    }
    if (!lost) {
        agpu_state_describe(env, &why->text);
    }
    agpu_prerequisites_broke(&env->prerequisites,
                             lost ? AGPU_PREREQUISITE_PRESENCE : AGPU_PREREQUISITE_BRING_UP,
                             lost ? AGPU_FAIL : AGPU_TIMEOUT, why);
    return false;
}

/* Recovers a hung device with more than its own reset. Does not repeat steps that did not help. */
static enum agpu_status recover_device(struct agpu_env *env, enum agpu_status status)
{
    char buffer[200];
    struct agpu_text tried;
    bool healthy;

    if (env->recoveries >= RECOVERIES_MAX || (status != AGPU_ERR_TIMEOUT && status != AGPU_ERR_LOST)) {
        return status;
    }
    agpu_text_begin(&tried, buffer, sizeof buffer);
    healthy = agpu_recover(env, &tried);
    env->recoveries = healthy ? env->recoveries + 1 : RECOVERIES_MAX;
    env->platform->log(env->platform->ctx, AGPU_LOG_WARNING, buffer);
    if (!healthy) {
        return status;
    }
    env->prerequisites.doubtful = true; /* requires an empty submission to complete before the case */
    return AGPU_OK;
}

/* Returns true also if the device does not become idle, but the case only inspects the function. */
static bool make_quiet(struct agpu_env *env, enum agpu_need need, struct agpu_obstacle *why)
{
    enum agpu_status status = AGPU_OK;

    if (env->dirty) {
        status = quiesce_device(env);
    }
    status = recover_device(env, status);
    if (status == AGPU_OK) {
        env->dirty = false;
        return true;
    }
    if (status == AGPU_ERR_TIMEOUT && need < AGPU_NEED_RING) {
        agpu_prerequisites_late(&env->prerequisites);
        return true;
    }
    return bring_up_failed(env, status,
                           ", it does not get quiet: after a reset COMPLETED_FENCE and IRQ_STATUS are 0 "
                           "(device.md 4.2); ",
                           why);
}

/* Proves the prerequisites of the case that are not known to hold. The ring restarts after a proof. */
static bool prove_prerequisites(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why)
{
    const struct agpu_ring_config config = {.no_fence_page = env->ring.page.cpu == NULL};
    struct agpu_prerequisites *prerequisites = &env->prerequisites;
    bool transfer = (item->features & env->abi.features & AEROGPU_FEATURE_TRANSFER) != 0;
    bool proven = false;
    enum agpu_status status;

    if (prerequisites->doubtful) {
        prerequisites->doubtful = prerequisites->fence_known = prerequisites->read_known = false;
    }
    if (!prerequisites->fence_known ||
        (prerequisites->of[AGPU_PREREQUISITE_FENCE_PAGE].broken && env->ring.page.cpu != NULL)) {
        proven = true;
        if (!agpu_prove_fence(env, &why->text)) {
            agpu_prerequisites_broke(prerequisites, AGPU_PREREQUISITE_FENCE, AGPU_TIMEOUT, why);
            return false;
        }
        agpu_prerequisites_work(prerequisites, AGPU_PREREQUISITE_FENCE);
        if (env->ring.page.cpu != NULL) {
            if (why->text.length == 0 && !agpu_prove_page(env, &why->text)) {
                agpu_prerequisites_broke(prerequisites, AGPU_PREREQUISITE_FENCE_PAGE, AGPU_FAIL, why);
                return false;
            }
            agpu_prerequisites_work(prerequisites, AGPU_PREREQUISITE_FENCE_PAGE);
        }
        /* A later lost submission of several has left a slot unconsumed. */
        if (why->text.length == 0 && !agpu_prove_head(env, &why->text)) {
            agpu_prerequisites_broke(prerequisites, AGPU_PREREQUISITE_HEAD, AGPU_FAIL, why);
            return false;
        }
        prerequisites->fence_known = true;
        agpu_prerequisites_work(prerequisites, AGPU_PREREQUISITE_HEAD);
    }
    if (transfer && !prerequisites->read_known) {
        if (proven && (status = agpu_ring_restart(env, &config)) != AGPU_OK) {
            return bring_up_failed(env, status, " after an empty submission; ", why);
        }
        proven = true;
        agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
        if (!agpu_prove_read_back(env, &why->text)) {
            agpu_prerequisites_broke(prerequisites, AGPU_PREREQUISITE_READ_BACK, AGPU_FAIL, why);
            return false;
        }
        prerequisites->read_known = true;
        agpu_prerequisites_work(prerequisites, AGPU_PREREQUISITE_READ_BACK);
    }
    status = proven ? agpu_ring_restart(env, &config) : AGPU_OK;
    return status == AGPU_OK || bring_up_failed(env, status, " after a proof; ", why);
}

/* A device with a broken fence page still has its registers (ring.md 5). Leaves a running ring, without the page if
 * that is broken and the case does not require it. */
static bool bring_ring_up(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why)
{
    struct agpu_prerequisites *prerequisites = &env->prerequisites;
    bool asked = (item->features & AEROGPU_FEATURE_FENCE_PAGE) != 0;
    bool page = !env->abi.legacy && (env->abi.features & AEROGPU_FEATURE_FENCE_PAGE) != 0 &&
                (asked || !prerequisites->of[AGPU_PREREQUISITE_FENCE_PAGE].broken);
    enum agpu_status status = AGPU_OK;

    status = start_ring(env, page);
    if (status != AGPU_ERR_TIMEOUT || !page) {
        return status == AGPU_OK ||
               bring_up_failed(env, status, ", its ring does not start (device.md 4.2, 6.2): ", why);
    }
    agpu_prerequisites_late(prerequisites);
    limit_waits(env);
    status = start_ring(env, false);
    if (status != AGPU_OK) {
        return bring_up_failed(env, status, ", its ring does not start (device.md 4.2, 6.2): ", why);
    }
    agpu_kmd_adapter_stop(&env->adapter);
    agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
    agpu_text_string(&why->text, "a ring reset does not write 0 into the fence page, without a page the ring "
                                 "starts (device.md 4.2, ring.md 4): ");
    agpu_state_describe(env, &why->text);
    agpu_prerequisites_broke(prerequisites, AGPU_PREREQUISITE_FENCE_PAGE, AGPU_TIMEOUT, why);
    env->dirty = true;
    return false;
}

/* Determines the executor before cases that start the driver: they cannot run packets of their own to find out. */
static bool know_executor(struct agpu_env *env, struct agpu_obstacle *why)
{
    struct agpu_executor *executor = &env->executor;
    const struct agpu_ring_config config = {0};

    if (env->model || env->abi.legacy || executor->known || executor->tried ||
        (env->abi.features & AEROGPU_FEATURE_TRANSFER) == 0 ||
        agpu_rig_open(&env->rig, &env->function) != AGPU_OK) {
        return true; /* no memory: the case will report it */
    }
    executor->tried = true;
    agpu_executor_find(env);
    agpu_rig_close(&env->rig);
    const enum agpu_status status = agpu_ring_restart(env, &config);

    return status == AGPU_OK || bring_up_failed(env, status, " after trials of the executor; ", why);
}

/* Leaves the ring in the state of start_ring(). */
static bool measure_legacy(struct agpu_env *env, struct agpu_obstacle *why)
{
    enum agpu_status status;

    if (env->latency.measured) {
        return true;
    }
    env->latency.measured = true;
    agpu_measure_legacy_latency(env);
    status = agpu_kmd_adapter_stop(&env->adapter);
    if (status == AGPU_OK) {
        status = start_ring(env, false);
    }
    return status == AGPU_OK || bring_up_failed(env, status, " after empty submissions; ", why);
}

static bool prepare_ring(struct agpu_env *env, const struct agpu_case *item, struct agpu_obstacle *why)
{
    enum agpu_status status;

    if (!bring_ring_up(env, item, why)) {
        return false;
    }
    agpu_prerequisites_work(&env->prerequisites, AGPU_PREREQUISITE_BRING_UP);
    if (env->abi.legacy) {
        if (!measure_legacy(env, why)) {
            return false;
        }
        agpu_prerequisites_work(&env->prerequisites, AGPU_PREREQUISITE_FENCE);
    } else if (!prove_prerequisites(env, item, why)) {
        agpu_kmd_adapter_stop(&env->adapter);
        env->dirty = true;
        return false;
    }
    if (item->needs >= AGPU_NEED_UMD && !know_executor(env, why)) {
        agpu_kmd_adapter_stop(&env->adapter);
        env->dirty = true;
        return false;
    }
    limit_waits(env);
    status = item->needs >= AGPU_NEED_UMD ? open_driver(env) : agpu_rig_open(&env->rig, &env->function);
    if (status != AGPU_OK) {
        agpu_kmd_adapter_stop(&env->adapter);
        agpu_text_begin(&why->text, why->buffer, sizeof why->buffer);
        agpu_format(&why->text, "the fixture of the case could not be opened: %s", agpu_status_name(status));
        why->result = status == AGPU_ERR_TIMEOUT ? AGPU_TIMEOUT
                      : status == AGPU_ERR_LOST  ? AGPU_FAIL
                                                 : AGPU_ERROR;
    }
    env->rig.fence = env->previous_fence;
    if (status == AGPU_OK && item->needs == AGPU_NEED_RING && !env->abi.legacy) {
        agpu_error_count(env); /* baseline for agpu_check_no_late_error() */
    }
    return status == AGPU_OK;
}

/* Starts what the case needs. */
static bool prepare_device_for_case(struct agpu_env *env, const struct agpu_case *item,
                                    struct agpu_obstacle *why)
{
    env->device_errors = 0;
    env->proof_missed = false;
    limit_waits(env);
    if (agpu_prerequisites_block(&env->prerequisites, item, why)) {
        return false;
    }
    if (!make_quiet(env, item->needs, why)) {
        return false;
    }
    agpu_prerequisites_work(&env->prerequisites, AGPU_PREREQUISITE_PRESENCE);
    env->errors = (struct agpu_case_errors){0};
    env->vblank_period = 0;
    return item->needs < AGPU_NEED_RING || prepare_ring(env, item, why);
}

/* Stops what prepare() started and makes the device idle again. Frees the memory in any case; leaks lists what the
 * driver had not freed, and is empty if there is nothing. */
static enum agpu_status restore_case(struct agpu_env *env, enum agpu_need need, struct agpu_text *leaks)
{
    enum agpu_status status = AGPU_OK;
    enum agpu_status quiet;

    if (need < AGPU_NEED_FUNCTION) {
        return AGPU_OK;
    }
    agpu_function_restore(&env->function);
    agpu_umd_close(&env->umd, leaks);
    agpu_kmd_isr_close(&env->isr);
    if (need >= AGPU_NEED_RING) {
        /* The device must stop using all memory before the rig's is freed. */
        status = agpu_kmd_adapter_stop(&env->adapter);
        agpu_rig_close(&env->rig);
    }
    quiet = quiesce_device(env);
    if (need < AGPU_NEED_RING && env->dirty) {
        agpu_prerequisites_late(&env->prerequisites);
        return AGPU_OK; /* it was not idle before the case either, which is known */
    }
    env->dirty = status != AGPU_OK || quiet != AGPU_OK;
    return status != AGPU_OK ? status : quiet;
}

/* Disables the other functions of a case on several functions (together.h): their drivers ended with the case, and the
 * next one opens them again. */
static void keep_others_off(const struct agpu_env *env)
{
    const struct agpu_functions *functions = env->functions;
    const struct agpu_platform *platform = env->platform;

    if (functions == NULL || !functions->together) {
        return;
    }
    for (unsigned i = 0; i < functions->count; i++) {
        if (i != functions->driven) {
            platform->config_write(platform->ctx, &functions->all[i].ref, AGPU_PCI_COMMAND, 2,
                                   AGPU_PCI_COMMAND_MEMORY);
        }
    }
}

/* The runner terminated the case: nothing of its state is reliable except the function itself. A device that does not
 * become idle might use memory that is about to be freed, so its bus mastering is disabled. */
static void forget_case(struct agpu_env *env, enum agpu_need need)
{
    const struct agpu_platform *platform = env->platform;

    env->dirty = true;
    if (need >= AGPU_NEED_FUNCTION) {
        if (platform->test->observe != NULL) {
            platform->test->observe(platform->ctx, NULL, NULL);
        }
        if (platform->irq_close != NULL) {
            platform->irq_close(platform->ctx, &env->function.found.ref, NULL);
        }
        if (platform->dma_place != NULL) {
            platform->dma_place(platform->ctx, &env->function.found.ref, AGPU_DMA_ANYWHERE);
        }
        if (quiesce_device(env) != AGPU_OK) {
            agpu_command_write(&env->function, AGPU_PCI_COMMAND_MEMORY);
        }
        keep_others_off(env);
    }
    env->ring = (struct agpu_ring){0};
    env->legacy = (struct agpu_legacy_ring){0};
    env->transport = (struct agpu_transport){0};
    env->rig = (struct agpu_rig){0};
    env->isr = (struct agpu_kmd_isr){0};
    env->umd = (struct agpu_umd_rig){0};
    agpu_layers_forget_all();
    agpu_views_forget();
    agpu_peer_forget();
    agpu_client_forget();
}

/* Reports a refused configuration at the start, instead of in every case. */
static enum agpu_status judge_settings(struct agpu_env *env, struct agpu_text *why)
{
    const char *refusal = agpu_stack_refusal(env);

    if (refusal == NULL) {
        return AGPU_OK;
    }
    agpu_text_string(why, "the driver refuses its settings (");
    agpu_settings_describe(&env->settings, why);
    agpu_format(why, "): %s", refusal);
    agpu_function_close(&env->function);
    return AGPU_ERR_INVALID;
}

static void describe_found(const struct agpu_env *env, struct agpu_fixture_device *out)
{
    const uint64_t able = ~(AGPU_REQUIRE_VIEWS - 1);
    struct agpu_text text;

    *out = (struct agpu_fixture_device){.device = env->abi.legacy ? AGPU_CASE_LEGACY : 0,
                                        .features = env->abi.features & ~env->requirement.hidden,
                                        .reported = env->reported.features};
    agpu_text_begin(&text, out->abi, sizeof out->abi);
    agpu_describe_abi(env, &text);
    agpu_text_begin(&text, out->missing, sizeof out->missing);
    agpu_requirement_words(env->requirement.required & ~env->abi.features & ~able, &text);
}

static enum agpu_status open_fixture(struct agpu_env *env, const struct agpu_fixture_config *config,
                                     struct agpu_fixture_device *out, struct agpu_text *why)
{
    enum agpu_status status;

    env->platform = config->platform;
    env->model = config->model;
    env->trace = config->trace;
    env->stack_mode = config->stack_mode;
    env->all_evidence = config->all_evidence;
    env->functions = config->functions;
    if (config->settings != NULL) {
        env->settings = *config->settings;
    }
    env->dirty = true; /* firmware or an earlier program may have left any state */
    agpu_wait_limit(env->platform, UINT64_MAX);
    status = agpu_find_device(env, why);
    if (status == AGPU_OK) {
        env->requirement = agpu_requirement_of(config->require, &env->abi, env->model);
        env->reported = agpu_settings_pretend(&env->settings, &env->abi);
        env->reported.features &= ~env->requirement.hidden;
        describe_found(env, out);
        status = judge_settings(env, why);
    }
    return status;
}

/* Returns features that the device lacks although neither its ABI nor require= exempts it from them. */
static uint64_t unexplained(const struct agpu_env *env, uint64_t lacking)
{
    uint64_t out = 0;

    for (uint64_t bit = 1; bit < AGPU_REQUIRE_VIEWS; bit <<= 1) {
        const bool waived = (env->requirement.waived & bit) != 0;

        out |= (lacking & bit) != 0 && !waived && agpu_requirement_later(bit, &env->abi) == 0 ? bit : 0;
    }
    return out;
}

static enum agpu_skip_code lacks_features(const struct agpu_env *env, uint64_t features,
                                          struct agpu_text *text)
{
    const uint64_t lacking = features & (~env->abi.features | env->requirement.hidden);
    const uint64_t required = lacking & env->requirement.required;
    const uint16_t later = agpu_requirement_later(lacking, &env->abi);

    if (required != 0) { /* the lowest bit: one is enough */
        agpu_requirement_missing(required & (~required + 1), "and the case needs it", text);
        return AGPU_SKIP_NONE;
    }
    agpu_text_string(text, lacking == 0 ? "pretend_features= hides " : "the device lacks ");
    agpu_requirement_names(features, text);
    if (lacking == 0) {
        return AGPU_SKIP_SETTINGS; /* pretend_features= */
    }
    if (unexplained(env, lacking) != 0) {
        return AGPU_SKIP_FEATURE;
    }
    if (later == 0) {
        agpu_text_string(text, " (not required)");
        return AGPU_SKIP_NOT_REQUIRED;
    }
    agpu_format(text, " (ABI 1.%u)", later);
    return AGPU_SKIP_ABI;
}

/* A case that was skipped because the device lacks an ability is a failure if that is required. */
static void judge_ability(struct agpu_test *test)
{
    const uint64_t bit = test->result == AGPU_SKIP ? agpu_requirement_of_skip(test->skip) : 0;
    char buffer[sizeof test->reason];
    struct agpu_text text;

    if ((test->env->requirement.required & bit) != 0) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_requirement_missing(bit, test->reason, &text);
        agpu_check_true(test, false, buffer, AGPU_HERE);
    } else if ((test->env->requirement.waived & bit) != 0) {
        test->skip = AGPU_SKIP_NOT_REQUIRED;
    }
}

static void case_ended(struct agpu_test *test)
{
    judge_ability(test);
    agpu_prerequisites_ended(&test->env->prerequisites, test->result);
    agpu_fence_diagnosis_add(test);
}

static void close_fixture(struct agpu_env *env)
{
    agpu_function_close(&env->function);
}

/* The body of a case that consists of its preparation: a device that does not become idle fails that. */
static void do_nothing(struct agpu_test *test)
{
    (void)test;
}

static const struct agpu_case *untested_case(const struct agpu_env *env)
{
    static const struct agpu_case quiet = {
        .id = "ring.state.quiet", .spec = "device.md 4.2", .needs = AGPU_NEED_RING, .run = do_nothing};

    return env->dirty ? &quiet : agpu_draws_untested_case(env);
}

static void finish_case(struct agpu_test *test)
{
    const bool failed = test->result > AGPU_SKIP;

    if (failed) { /* shows the case's last submission, not the destruction of its resources */
        agpu_evidence_send(test);
    }
    if (test->test_case->needs >= AGPU_NEED_UMD) {
        agpu_umd_finish(test);
    }
    if (test->test_case->needs == AGPU_NEED_RING) {
        agpu_check_no_late_error(test);
    }
    if (test->env->proof_missed) {
        test->env->proof_missed = false;
        agpu_timeout(test, test->env->missed);
    }
    if (test->result > AGPU_SKIP) {
        agpu_fence_diagnosis_note(test);
        if (!failed) {
            agpu_evidence_send(test);
        }
    }
}

const struct agpu_fixture agpu_device_fixture = {
    .timed =
        "perf.*,irq.*,vblank.*,scanout.*,present.*,fence.latency.*,map.win7.do_not_wait*,discovery.machine.*,"
        "dma.machine.clock",
    .env_bytes = sizeof(struct agpu_env),
    .open = open_fixture,
    .close = close_fixture,
    .describe = agpu_describe_device,
    .lacks = lacks_features,
    .number_fences = number_fences_after,
    .prepare = prepare_device_for_case,
    .show_state = agpu_state_describe,
    .finish = finish_case,
    .restore = restore_case,
    .abandon = forget_case,
    .untested = untested_case,
    .ended = case_ended,
};
