/* run.c: opens and closes a run, and checks the outcome of each step. */
#include "tests/unit/umd_faults/run.h"

#include "umd-port/base/submit.h"
#include "umd-port/base/wait.h"
#include "umd-port/deferred/recording.h"
#include "umd-port/entry/open.h"

static const char *const kinds[FAKE_CALLS] = {
    "Allocate", "Deallocate",       "Lock",           "Unlock",      "Render",
    "Present",  "CreateContext",    "DestroyContext", "CreateFence", "DestroyFence",
    "Wait",     "GetCommandBuffer", "QueryFence",     "heap_alloc"};

static void complain(const struct fault_run *run, const char *what)
{
    const struct run_outcome *outcome = &run->outcomes[run->steps];

    print_error(
        "%s, call %u (%s) fails with 0x%08X%s: step %u %s: %s (result 0x%08X, %u errors, first 0x%08X)\n",
        run->setup->name, (unsigned)run->fault.at, run->fired ? kinds[run->kind] : "none",
        (unsigned)run->fault.code, run->fault.lasting ? " for good" : "", run->steps, outcome->what, what,
        (unsigned)outcome->hr, outcome->errors, (unsigned)outcome->error);
    fail();
}

static bool device_open(const struct fault_run *run)
{
    return run->world.device.pDrvPrivate != NULL;
}

static uint32_t recorded_bytes(struct fault_run *run)
{
    return device_open(run) ? (uint32_t)agpu_cmd_used(&device_of(&run->world)->imm.cmd) : 0;
}

/* The driver reuses the memory of list and stream, so growth fails at most once for each. Without that memory, growth
 * can fail in each call that records first. */
static void give_back_memory(struct fault_run *run)
{
    struct agpu_device *device = device_of(&run->world);
    struct agpu_cmd_writer *cmd = &device->imm.cmd;

    if (cmd->heap == NULL) {
        return;
    }
    if (!agpu_cmd_used(cmd)) {
        agpu_cmd_release(cmd);
    } else {
        cmd->capacity = agpu_cmd_used(cmd);
        cmd->limit = cmd->cursor;
    }
    if (!device->allocs.count && !device->list_oom) {
        uint64_t epoch = device->allocs.epoch;
        uint32_t capacity = device->allocs.capacity;

        agpu_alloc_list_release(&device->allocs);
        device->allocs.epoch = epoch;
        agpu_alloc_list_restart(&device->allocs, capacity);
    }
}

void step_begin(struct fault_run *run, const char *what)
{
    if (run->setup->lean && device_open(run)) {
        give_back_memory(run);
    }
    if (run->steps == RUN_STEPS) {
        fail_msg("RUN_STEPS is too small");
    }
    run->outcomes[run->steps] = (struct run_outcome){.what = what};
    run->world.fake.error_count = 0;
    run->on = NULL;
    run->recording_lost = false;
    for (uint32_t i = 0; i < RUN_RECORDINGS; i++) {
        run->recordings[i].error_count = 0;
    }
    run->used_before = recorded_bytes(run);
    run->listed_before = device_open(run) ? device_of(&run->world)->allocs.count : 0;
    run->accepted_before = run->ledger.accepted;
}

void step_begin_on(struct fault_run *run, const struct recording *recording, const char *what)
{
    step_begin(run, what);
    run->on = recording;
    run->recording_lost = agpu_deferred_list_lost(recording->handle.pDrvPrivate);
}

/* Returns whether the caller may get this code for the injected one. */
static bool same_failure(const struct fault_run *run, HRESULT seen)
{
    if (run->kind == FAKE_HEAP || run->kind == FAKE_GET_BUFFER) {
        return seen == E_OUTOFMEMORY;
    }
    return seen == run->fault.code ||
           ((seen == DXGI_ERROR_WAS_STILL_DRAWING || seen == DXGI_DDI_ERR_WASSTILLDRAWING) &&
            agpu_is_busy(run->fault.code, true));
}

/* Returns whether a step may hide the failure: memory that has a substitute, or a release. Present makes room by a
 * submission and tries again (umd.md 13). */
static bool may_absorb(const struct fault_run *run)
{
    if (run->kind == FAKE_HEAP && run->setup->mode == AGPU_BACKING_WDK) {
        return strstr(run->outcomes[run->steps].what, "pfnPresent") != NULL;
    }
    return run->kind == FAKE_LOCK || run->kind == FAKE_UNLOCK || run->kind == FAKE_WAIT ||
           run->kind == FAKE_QUERY_FENCE || run->kind == FAKE_DESTROY_CONTEXT ||
           run->kind == FAKE_DESTROY_FENCE || run->kind == FAKE_DEALLOCATE;
}

static void judge_failing_step(struct fault_run *run, const struct run_outcome *outcome)
{
    bool busy = outcome->hr == DXGI_ERROR_WAS_STILL_DRAWING;
    bool expected = run->clean != NULL && outcome->hr == run->clean->outcomes[run->steps].hr;

    if (FAILED(outcome->hr) && !expected && !same_failure(run, outcome->hr)) {
        complain(run, "wrong result");
    }
    if (outcome->errors && !same_failure(run, outcome->error)) {
        complain(run, "wrong error");
    }
    if (SUCCEEDED(outcome->hr) && !outcome->errors && !may_absorb(run)) {
        complain(run, "the failure went unnoticed");
    }
    if (busy && outcome->errors) {
        complain(run, "being busy is no error");
    }
}

static void judge_other_step(struct fault_run *run, const struct run_outcome *outcome)
{
    bool lost = (run->doomed || run->recording_lost || run->fault.room) &&
                (outcome->hr == E_OUTOFMEMORY || outcome->error == E_OUTOFMEMORY);

    if (run->recording_lost && outcome->errors > (FAILED(outcome->hr) ? 1u : 0u)) {
        complain(run, "lost memory is told twice");
    }
    if (outcome->errors && !lost && !run->fault.lasting) {
        complain(run, "an error without a failure");
    }
    if (SUCCEEDED(outcome->hr) || lost || run->fault.lasting) {
        return;
    }
    /* A poll of a late fence may return busy. Nothing else fails without an injected fault. */
    if (outcome->hr != DXGI_ERROR_WAS_STILL_DRAWING || !run->setup->async) {
        complain(run, "a failure of its own");
    }
}

/* Returns true for an operation that records all of its packets and references or none. Packets that undo hazards in
 * front of it may stay (umd.md 10). */
static bool all_or_nothing(const char *what)
{
    static const char *const names[] = {"create(", "View", "pfnResourceCopy", "Rotate", "update(", "unmap("};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strstr(what, names[i]) != NULL && strstr(what, "Destroy") == NULL &&
            strstr(what, "Views") == NULL) {
            return true;
        }
    }
    return false;
}

static void check_undone(struct fault_run *run, const struct run_outcome *outcome)
{
    bool failed = FAILED(outcome->hr) || outcome->errors;

    bool absorbed =
        run->fired && (run->kind == FAKE_UNLOCK || run->kind == FAKE_LOCK); /* the operation succeeded */
    if (!failed || absorbed || run->ledger.accepted != run->accepted_before ||
        !all_or_nothing(outcome->what)) {
        return;
    }
    if (recorded_bytes(run) > run->used_before) {
        complain(run, "left packets behind");
    }
    /* A clear lists all bound resources first, like a draw. */
    if (device_of(&run->world)->allocs.count > run->listed_before && strstr(outcome->what, "Clear") == NULL) {
        complain(run, "left references behind");
    }
}

HRESULT step_end(struct fault_run *run, HRESULT hr)
{
    struct fake *fake = &run->world.fake;
    struct run_outcome *outcome = &run->outcomes[run->steps];
    bool fires = run->fault.at && !run->fired && !fake->fail_at;

    outcome->hr = hr;
    outcome->errors = run->on != NULL ? run->on->error_count : fake->error_count;
    outcome->error = !outcome->errors ? S_OK : run->on != NULL ? run->on->error : fake->errors[0];
    for (uint32_t i = 0; i < RUN_RECORDINGS; i++) {
        if (&run->recordings[i] != run->on && run->recordings[i].error_count) {
            complain(run, "another context was told");
        }
    }
    if (run->on != NULL && fake->error_count) {
        complain(run, "the device was told");
    }
    if (fires) {
        run->fired = true;
        if (run->fault.at <= FAKE_MAX_EVENTS) {
            run->kind = fake->events[run->fault.at - 1];
        }
        for (uint32_t kind = 0; run->fault.lasting && kind < FAKE_HEAP; kind++) {
            if (kind != FAKE_UNLOCK && kind != FAKE_DEALLOCATE && kind != FAKE_DESTROY_CONTEXT &&
                kind != FAKE_DESTROY_FENCE) {
                fake->fail[kind] = run->fault.code;
            }
        }
    }
    if (outcome->errors > 1) {
        complain(run, "more than one error");
    }
    if (fires) {
        judge_failing_step(run, outcome);
    } else {
        judge_other_step(run, outcome);
    }
    if (device_open(run)) {
        check_undone(run, outcome);
        const struct agpu_device *device = device_of(&run->world);
        bool shorter = recorded_bytes(run) < run->used_before && run->ledger.accepted == run->accepted_before;

        if (device->imm.state_lost) {
            ledger_lose_bindings(&run->ledger);
        }
        if (shorter && (!device->lost_in_a_row || device->removed != S_OK)) {
            ledger_lose(&run->ledger);
        }
        run->doomed =
            device_of(&run->world)->list_oom || device_of(&run->world)->imm.cmd.error != AGPU_CMD_OK;
    }
    run->steps++;
    return hr;
}

static HRESULT open_adapter(struct fault_run *run)
{
    D3D10DDIARG_OPENADAPTER open = {
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .hRTAdapter = {&run->world.fake},
        .pAdapterCallbacks = &run->world.fake.adapter_callbacks,
        .pAdapterFuncs_11 = &run->world.adapter_funcs,
    };
    HRESULT hr = STEP_HR(run, OpenAdapter11(&open));

    run->world.adapter = open.hAdapter;
    if (SUCCEEDED(hr)) {
        run->ledger.last_handle = &adapter_of(&run->world)->next_handle;
    }
    return hr;
}

void begin_room(struct fault_run *run, bool late)
{
    if (!run->fault.room || run->fault.late != late) {
        return;
    }
    STEP_HR(run, flush(&run->world));
    world_bound_stream(&run->world, run->fault.room);
}

static HRESULT create_device(struct fault_run *run)
{
    struct world *world = &run->world;
    void *memory = object(world->adapter_funcs.pfnCalcPrivateDeviceSize(world->adapter, NULL));
    D3D10DDIARG_CREATEDEVICE args = {
        .hRTDevice = {&world->fake},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &world->fake.callbacks,
        .hDrvDevice = {memory},
        .hRTCoreLayer = {world},
        .pUMCallbacks = &world_core_callbacks,
    };
    agpu_api_begin(&world->api, &args);
    HRESULT hr = STEP_HR(run, world->adapter_funcs.pfnCreateDevice(world->adapter, &args));

    agpu_api_open(&world->api, args.hDrvDevice, &world->dev, &world->ctx);
    if (SUCCEEDED(hr)) {
        world->device = args.hDrvDevice;
        begin_room(run, false);
        run->ledger.device = device_of(world);
        return hr;
    }
    world->dev.pfnDestroyDevice(args.hDrvDevice); /* through the table, which is always filled in */
    agpu_api_end(&world->api);
    free(memory);
    return hr;
}

static void close_device(struct fault_run *run)
{
    struct world *world = &run->world;
    void *memory = world->device.pDrvPrivate;

    step_begin(run, "DestroyDevice");
    world->dev.pfnDestroyDevice(world->device);
    agpu_api_end(&world->api);
    world->device.pDrvPrivate = NULL;
    run->ledger.device = NULL;
    if (run->fault.at && !run->fired && !world->fake.fail_at) {
        run->fired = true;
    }
    run->steps++;
    free(memory);
}

/* Checks that everything from the runtime was returned. The object of a failing release counts as returned. */
static void check_nothing_left(struct fault_run *run)
{
    struct fake *fake = &run->world.fake;
    bool context = !(run->fired && run->kind == FAKE_CREATE_CONTEXT);
    bool fence = context && !(run->fired && run->kind == FAKE_CREATE_FENCE);

    assert_int_equal(fake->live_blocks, 0);
    if (fake->calls[FAKE_CREATE_CONTEXT] && context) {
        assert_int_equal(fake->calls[FAKE_DESTROY_CONTEXT], 1);
    }
    if (fake->calls[FAKE_CREATE_FENCE] && fence) {
        assert_int_equal(fake->calls[FAKE_DESTROY_FENCE], 1);
    }
    uint32_t leaked = 0;
    for (uint32_t i = 0; i < fake->allocation_count; i++) {
        const struct fake_allocation *allocation = &fake->allocations[i];

        assert_int_equal(allocation->locks, 0);
        bool freed = false; /* instances of one allocation are freed together and counted once */
        for (uint32_t k = 0; k < fake->allocation_count; k++) {
            if (fake->allocations[k].km_resource == allocation->km_resource) {
                freed |= fake->allocations[k].freed || k < i;
            }
        }
        leaked += !freed;
    }
    uint32_t refused = run->fired && run->kind == FAKE_DEALLOCATE;
    if (run->setup->mode == AGPU_BACKING_WDK && leaked > refused) { /* only Windows frees (umd.md 4) */
        fail_msg("%s, call %u (%s): %u allocations left", run->setup->name, (unsigned)run->fault.at,
                 run->fired ? kinds[run->kind] : "none", leaked);
    }
}

void run_scenario(struct fault_run *run, const struct setup *setup, struct fault fault,
                  const struct fault_run *clean)
{
    struct world *world = &run->world;

    memset(run, 0, sizeof *run);
    run->setup = setup;
    run->fault = fault;
    run->clean = clean;
    world_fake(world, setup->mode);
    struct fake *fake = &world->fake;
    fake->async = setup->async;
    fake->options.deferred_contexts = setup->deferred;
    fake->options.dynamic_guest_backed = fake->rename_on_discard = setup->dynamic_guest;
    if (setup->query) {
        fake_add_query(fake);
    }
    if (setup->get_buffer) {
        fake_add_get_buffer(fake);
    }
    if (setup->buffer_bytes) {
        fake->buffer_bytes = setup->buffer_bytes;
    }
    if (setup->list_entries) {
        fake->list_entries = setup->list_entries;
    }
    ledger_attach(&run->ledger, fake);
    run->ledger.setup = setup->name;
    run->ledger.fault_at = (uint32_t)fault.at;
    fake->fail_at = fault.at;
    fake->fail_at_code = fault.code;
    if (SUCCEEDED(open_adapter(run))) {
        if (SUCCEEDED(create_device(run))) {
            if (setup->deferred) {
                deferred_scenario(run);
            } else {
                scenario(run);
            }
            if (run->fired && !fault.lasting) {
                prove_usable(run);
            }
            close_device(run);
        }
        assert_int_equal(world->adapter_funcs.pfnCloseAdapter(world->adapter), S_OK);
    }
    check_nothing_left(run);
    free(world->span);
    run->calls = fake->event_count;
    memcpy(run->call_kinds, fake->events, sizeof run->call_kinds);
    fake_free(fake);
}
