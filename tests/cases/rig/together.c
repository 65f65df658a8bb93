/* together.c: more than one fixture at a time. */
#include "tests/cases/rig/together.h"

#include "pci/machine/status.h"
#include "tests/cases/rig/prepare.h"

/* A function in addition to the case's. */
struct together_peer {
    struct agpu_functions functions;
    struct agpu_test test;
    struct agpu_env env;
    bool prepared;
};

/* Adds the result of one function's run to the case's, with the function's name. */
static void take_result(struct agpu_test *test, const struct agpu_pci_found *found,
                        const struct agpu_test *peer)
{
    char reason[sizeof test->reason];
    struct agpu_text text;

    test->excused_checks += peer->excused_checks;
    if (peer->result == AGPU_PASS) {
        return;
    }
    agpu_text_begin(&text, reason, sizeof reason);
    agpu_pci_describe_location(&text, &found->ref.location);
    agpu_format(&text, ": %s", peer->reason);
    test->failed_checks += peer->failed_checks;
    if (peer->result == AGPU_SKIP) {
        agpu_skip_because(test, peer->skip, reason);
    }
    agpu_result_set(test, peer->result, reason);
}

static bool open_peer(struct agpu_test *test, unsigned which, struct agpu_together *out)
{
    const struct agpu_platform *platform = test->env->platform;
    struct together_peer *peer = platform->heap_alloc(platform->ctx, sizeof *peer);
    struct agpu_obstacle why = {.result = AGPU_ERROR};
    struct agpu_fixture_device found;

    if (peer == NULL) {
        agpu_error(test, "no heap memory for another function");
        return false;
    }
    peer->functions = *test->env->functions;
    peer->functions.driven = which;
    peer->test = *test;
    peer->test.env = &peer->env;
    peer->test.result = AGPU_PASS;
    peer->test.failed_checks = 0;
    peer->test.excused_checks = 0;
    const struct agpu_fixture_config config = {
        .platform = platform, .model = test->env->model, .functions = &peer->functions};
    agpu_text_begin(&why.text, why.buffer, sizeof why.buffer);
    if (agpu_device_fixture.open(&peer->env, &config, &found, &why.text) != AGPU_OK) {
        agpu_error(test, why.buffer);
        platform->heap_free(platform->ctx, peer);
        return false;
    }
    out->of[out->count++] = &peer->test;
    peer->prepared = agpu_device_fixture.prepare(&peer->env, test->test_case, &why);
    if (!peer->prepared) {
        agpu_result_set(&peer->test, why.result, why.buffer);
    }
    return peer->prepared;
}

bool agpu_together_open(struct agpu_test *test, struct agpu_together *out)
{
    const struct agpu_functions *functions = test->env->functions;

    *out = (struct agpu_together){.of = {test}, .count = 1};
    if (functions == NULL || functions->count < 2) {
        agpu_skip(test, AGPU_SKIP_FUNCTIONS);
        return false;
    }
    for (unsigned i = 0; i < functions->count && i < AGPU_TOGETHER_MAX; i++) {
        if (i != functions->driven && !open_peer(test, i, out)) {
            return false;
        }
    }
    return true;
}

static void close_peer(struct agpu_test *test, struct agpu_test *of)
{
    struct together_peer *peer = (struct together_peer *)((char *)of - offsetof(struct together_peer, test));
    const struct agpu_platform *platform = test->env->platform;
    char kept[200];
    struct agpu_text leaks;

    agpu_text_begin(&leaks, kept, sizeof kept);
    if (peer->prepared) {
        const enum agpu_status status =
            agpu_device_fixture.restore(&peer->env, test->test_case->needs, &leaks);

        if (status != AGPU_OK) {
            agpu_result_set(of, status == AGPU_ERR_TIMEOUT ? AGPU_TIMEOUT : AGPU_FAIL,
                            agpu_status_name(status));
        }
        if (leaks.length != 0) {
            agpu_error(of, kept);
        }
    }
    agpu_device_fixture.close(&peer->env);
    take_result(test, &peer->functions.all[peer->functions.driven], of);
    platform->heap_free(platform->ctx, peer);
}

void agpu_together_close(struct agpu_together *together)
{
    while (together->count > 1) {
        close_peer(together->of[0], together->of[together->count - 1]);
        together->count--;
    }
}
