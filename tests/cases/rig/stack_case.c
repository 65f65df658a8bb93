/* stack_case.c: the preparation and cleanup of stack cases. */
#include "tests/cases/rig/stack_case.h"

#include "pci/machine/text.h"
#include "ring/protocol/aerogpu_ring.h"
#include "ring/ring_transport.h"
#include "tests/cases/rig/calls.h"
#include "tests/cases/rig/prepare.h"
#include "tests/cases/rig/stack_config.h"
#include "tests/cases/rig/umd_peer.h"
#include "tests/cases/rig/umd_views.h"
#include "tests/cases/rig/vidmm_client.h"

const struct aerogpu_alloc_entry *agpu_pending_table(struct agpu_test *test, uint32_t *count)
{
    const struct agpu_kmd *kmd = agpu_runtime_kmd(test->env->umd.runtime);
    const struct agpu_pending *last;
    const struct aerogpu_alloc_table_header *table;

    *count = 0;
    if (kmd->pending_count == 0) {
        return NULL;
    }
    last = &kmd->pending[(kmd->pending_first + kmd->pending_count - 1) % AGPU_VIDMM_WINDOW];
    if (last->table_bytes == 0) {
        return NULL;
    }
    table = agpu_dma_pool_at(&kmd->pool, last->table_block)->cpu;
    *count = table->entry_count;
    return (const struct aerogpu_alloc_entry *)(const void *)(table + 1);
}

const struct aerogpu_alloc_entry *agpu_pending_entry(struct agpu_test *test, uint32_t alloc_id)
{
    uint32_t count;
    const struct aerogpu_alloc_entry *entries = agpu_pending_table(test, &count);

    for (uint32_t i = 0; i < count; i++) {
        if (entries[i].alloc_id == alloc_id) {
            return &entries[i];
        }
    }
    return NULL;
}

static bool reopen_stack(struct agpu_test *test, const struct agpu_stack_case *wanted)
{
    struct agpu_env *env = test->env;
    struct agpu_ring_config ring = {0};
    struct agpu_runtime_config config;
    struct agpu_text why;
    char kept[200];

    agpu_text_begin(&why, kept, sizeof kept);
    if (!agpu_umd_close(&env->umd, &why)) {
        agpu_error(test, kept);
    }
    /* Fence numbers start again with a new runtime, so the ring must restart as well. */
    if (!agpu_setup(test, agpu_ring_restart(env, &ring), "the ring restarts", AGPU_HERE)) {
        return false;
    }
    env->transport = agpu_ring_transport(&env->ring);
    config = agpu_umd_config(env);
    if (wanted->gate) {
        config.transport = agpu_gate_init(&env->transport, wanted->stop ? &env->function : NULL);
        if (config.interrupt_driven) { /* the gate raises no interrupt when it opens */
            config.service_interrupt = agpu_kmd_adapter_poll_interrupt;
            config.interrupt_ctx = &env->adapter;
            config.interrupt_driven = false;
            config.arm_interrupts = NULL;
        }
        /* Enough buffers that held submissions do not block the next one. */
        config.command_buffers = 16;
        config.command_buffer_bytes = 65536;
    }
    if (wanted->configure != NULL) {
        wanted->configure(&config);
    }
    return agpu_setup(test, agpu_umd_open(&env->umd, &env->function, &config),
                      "the driver stack opens with the case's configuration", AGPU_HERE);
}

static bool take_interrupts(struct agpu_test *test)
{
    char buffer[200];
    struct agpu_text why;

    agpu_text_begin(&why, buffer, sizeof buffer);
    if (agpu_stack_take(test->env, AGPU_STACK_LINE, &why)) {
        return true;
    }
    agpu_skip_because(test, AGPU_SKIP_INTERRUPTS, buffer);
    return false;
}

/* A body may lose the device on purpose; leave a working one for the harness. */
static void renew_stack(struct agpu_test *test)
{
    const struct agpu_stack_case plain = {0};
    struct agpu_umd_rig *umd = &test->env->umd;

    while (umd->resource_count != 0) {
        agpu_umd_destroy(test, umd->resources[umd->resource_count - 1]);
    }
    reopen_stack(test, &plain);
}

const struct agpu_stack_case *agpu_stack_case(const struct agpu_test *test)
{
    return test->test_case->arg;
}

void agpu_run_stack_case(struct agpu_test *test)
{
    const struct agpu_stack_case *wanted = agpu_stack_case(test);
    bool ready = true;

    if (wanted->interrupts) {
        ready = take_interrupts(test);
    }
    if (ready && (wanted->gate || wanted->configure != NULL || wanted->interrupts)) {
        ready = reopen_stack(test, wanted);
    }
    if (ready && wanted->peer != 0) {
        ready = agpu_peer_open(test, wanted->peer);
    }
    if (ready && wanted->client) {
        ready = agpu_client_open(test);
    }
    if (ready && wanted->act_as_peer) {
        agpu_peer_swap(test);
    }
    if (ready) {
        agpu_calls_begin(test);
        wanted->body(test);
        agpu_calls_end(test);
    }
    if (test->env->umd.runtime == NULL) {
        return;
    }
    agpu_views_end(test);
    if (wanted->gate) {
        agpu_gate_open(test);
    }
    agpu_client_close(test);
    agpu_peer_close(test);
    if (agpu_runtime_device_lost(test->env->umd.runtime_device) != S_OK) {
        renew_stack(test);
    }
}
