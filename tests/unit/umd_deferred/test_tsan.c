/* test_tsan.c: several threads record, and one creates and destroys, while the immediate context creates, rotates,
 * draws, executes and destroys. Built with ThreadSanitizer, which fails on any unordered access to shared memory
 * (umd.md 3.3, 15). */
#include <pthread.h>

#include "tests/unit/umd_deferred/rig.h"
#include "umd-port/base/device.h"

#define THREADS 4u
#define FRAMES  300u
#define ROUNDS  80u /* of creations: the fake has memory for some 100 */
#define SHARED  3u  /* textures that all threads use */

/* The driver's heap must be thread safe; the fake's counters are not. */
static uint32_t live_blocks;

static void *shared_alloc(void *ctx, size_t size)
{
    void *memory = NULL;

    (void)ctx;
    if (posix_memalign(&memory, 16, size ? size : 1))
        return NULL;
    __atomic_fetch_add(&live_blocks, 1, __ATOMIC_RELAXED);
    return memory;
}

static void shared_free(void *ctx, void *memory)
{
    (void)ctx;
    if (memory)
        __atomic_fetch_sub(&live_blocks, 1, __ATOMIC_RELAXED);
    free(memory);
}

/* The environment's lock. The test takes it, too, before it reads the fake, which callbacks of any thread write. */
static pthread_mutex_t device_lock = PTHREAD_MUTEX_INITIALIZER;

static void lock_device(void *ctx)
{
    (void)ctx;
    pthread_mutex_lock(&device_lock);
}

static void unlock_device(void *ctx)
{
    (void)ctx;
    pthread_mutex_unlock(&device_lock);
}

/* One list at a time goes from a recording thread to the immediate context and back after its execution. The mutex
 * stands for the runtime's locks between FinishCommandList and ExecuteCommandList. Meanwhile the thread records this
 * list into its next one, whose successor reuses the memory. */
struct worker {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct dc dc;
    D3D10DDI_HRESOURCE dynamic; /* used by this worker only */
    D3D11DDI_HCOMMANDLIST list;
    bool full;     /* the list waits for its execution */
    bool executed; /* it was executed; the worker may use it again */
    uint32_t seed;
    struct stage *stage;
};

struct stage {
    struct world world;
    D3D10DDI_HRESOURCE textures[SHARED], buffer;
    D3D10DDI_HRENDERTARGETVIEW targets[SHARED];
    D3D10DDI_HSHADERRESOURCEVIEW views[SHARED];
    D3D10DDI_HSHADER shader;
    struct worker workers[THREADS];
    pthread_t creator;
};

static uint32_t random_below(struct worker *worker, uint32_t bound)
{
    worker->seed = worker->seed * 1664525u + 1013904223u;
    return (worker->seed >> 8) % bound;
}

/* Records a frame with new local handles, as the runtime creates them at first use. */
static void record_frame(struct worker *worker)
{
    struct stage *stage = worker->stage;
    struct dc *dc = &worker->dc;
    uint32_t to = random_below(worker, SHARED), from = (to + 1) % SHARED;
    D3D10DDI_HRESOURCE target = dc_resource(dc, stage->textures[to]);
    D3D10DDI_HRESOURCE source = dc_resource(dc, stage->textures[from]);
    D3D10DDI_HRESOURCE buffer = dc_resource(dc, stage->buffer), dynamic = dc_resource(dc, worker->dynamic);
    D3D10DDI_HRENDERTARGETVIEW target_view = dc_rtv(dc, stage->targets[to], target);
    D3D10DDI_HSHADERRESOURCEVIEW source_view = dc_srv(dc, stage->views[from], source);
    D3D10DDI_HSHADER shader = dc_shader(dc, stage->shader);
    const uint32_t stride = 4, offset = 0;
    const float black[4] = {0, 0, 0, 0};
    const D3D10_DDI_BOX box = {0, 0, 0, 8, 1, 1}, odd = {1, 0, 0, 6, 1, 1};
    const uint8_t bytes[8] = {1, 2, 3, 4, 5, 6, 7, 8};

    dc->fn.pfnClearRenderTargetView(dc->handle, target_view, black);
    dc->fn.pfnSetRenderTargets(dc->handle, &target_view, 1, 0, (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    dc->fn.pfnPsSetShader(dc->handle, shader);
    dc->fn.pfnPsSetShaderResources(dc->handle, 0, 1, &source_view);
    dc->fn.pfnVsSetConstantBuffers(dc->handle, 0, 1, &buffer);
    for (uint32_t i = random_below(worker, 20); i < 24; i++) {
        D3D10DDI_MAPPED_SUBRESOURCE out;

        if (dc->fn.pfnResourceMap(dc->handle, dynamic, 0, D3D10_DDI_MAP_WRITE_DISCARD, 0, &out) == S_OK) {
            memset(out.pData, (int)i, 64);
            dc->fn.pfnResourceUnmap(dc->handle, dynamic, 0);
        }
        dc->fn.pfnIaSetVertexBuffers(dc->handle, 0, 1, &dynamic, &stride, &offset);
        dc->fn.pfnResourceUpdateSubresourceUP(dc->handle, buffer, 0, &box, bytes, 0, 0);
        dc->fn.pfnDraw(dc->handle, 3 + i, 0);
    }
    if (random_below(worker, 8) == 0)
        stage->world.dev.pfnAbandonCommandList(dc->handle);
    dc->fn.pfnResourceCopy(dc->handle, target, source);
    if (random_below(worker, 4) == 0) { /* needs the CPU */
        dc->fn.pfnResourceUpdateSubresourceUP(dc->handle, buffer, 0, &odd, bytes, 0, 0);
        dc->fn.pfnResourceCopyRegion(dc->handle, buffer, 0, 3, 0, 0, dynamic, 0, &odd);
    }
    dc_free_shader(dc, shader);
    dc_free_srv(dc, source_view);
    dc_free_rtv(dc, target_view);
    dc_free_resource(dc, dynamic);
    dc_free_resource(dc, buffer);
    dc_free_resource(dc, source);
    dc_free_resource(dc, target);
}

/* Records the list that the immediate context has, or will have, into the present one too. */
static void record_previous(struct worker *worker)
{
    struct dc *dc = &worker->dc;
    const struct agpu_api_device *dev = &worker->stage->world.dev;
    const D3D11DDI_HRTCOMMANDLIST previous = {worker->list.pDrvPrivate};
    D3D11DDI_HCOMMANDLIST local = {
        object(dev->pfnCalcDeferredContextHandleSize(dc->handle, D3D11DDI_HT_COMMANDLIST, previous.handle))};

    assert_int_equal(dev->pfnCreateCommandList(dc->handle, NULL, local, previous), S_OK);
    dc->fn.pfnCommandListExecute(dc->handle, local);
    dev->pfnDestroyCommandList(dc->handle, local);
    free(local.pDrvPrivate);
}

/* Waits for the execution of the previous list, then finishes into its memory. */
static void finish_again(struct worker *worker)
{
    const struct agpu_api_device *dev = &worker->stage->world.dev;
    const D3D11DDIARG_CREATECOMMANDLIST args = {.hDeferredContext = worker->dc.handle};

    pthread_mutex_lock(&worker->lock);
    while (!worker->executed)
        pthread_cond_wait(&worker->changed, &worker->lock);
    worker->executed = false;
    pthread_mutex_unlock(&worker->lock);
    dev->pfnRecycleDestroyCommandList(worker->dc.handle, worker->list);
    dev->pfnRecycleCommandList(worker->dc.handle, worker->list);
    assert_int_equal(dev->pfnRecycleCreateCommandList(worker->dc.handle, &args, worker->list,
                                                      (D3D11DDI_HRTCOMMANDLIST){NULL}),
                     S_OK);
}

static void *work(void *argument)
{
    struct worker *worker = argument;

    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        record_frame(worker);
        if (frame && random_below(worker, 16) == 0) /* rarely: each of them contains the one before */
            record_previous(worker);
        if (frame)
            finish_again(worker);
        else
            worker->list = dc_finish(&worker->dc, NULL);
        pthread_mutex_lock(&worker->lock);
        worker->full = true;
        pthread_cond_signal(&worker->changed);
        pthread_mutex_unlock(&worker->lock);
    }
    return NULL;
}

/* Creates and destroys objects by the driver's own table: the runtime's returns results, one call at a time. */
static void *create_and_destroy(void *argument)
{
    struct stage *stage = argument;
    const D3D10DDI_HDEVICE device = stage->world.device;
    const D3D11DDI_DEVICEFUNCS *funcs = &stage->world.api.own_funcs;
    static const uint8_t bytes[64];
    const D3D10_DDIARG_SUBRESOURCE_UP data = {.pSysMem = bytes};
    struct agpu_resource_desc buffer = buffer_desc(sizeof bytes, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);
    const struct agpu_resource_desc texture =
        texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 8, 8, 0, D3D10_DDI_BIND_SHADER_RESOURCE, 0);
    const D3D10_DDI_SAMPLER_DESC sampler = {0};

    struct agpu_resource_args args[2];

    buffer.pInitialDataUP = &data;
    buffer.InitialDataCount = 1;
    agpu_resource_args(&buffer, &args[0]);
    agpu_resource_args(&texture, &args[1]);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const D3D10DDI_HRESOURCE resources[] = {
            {object(funcs->pfnCalcPrivateResourceSize(device, &args[0].args))},
            {object(funcs->pfnCalcPrivateResourceSize(device, &args[1].args))}};
        const D3D10DDI_HSAMPLER state = {object(funcs->pfnCalcPrivateSamplerSize(device, &sampler))};

        funcs->pfnCreateResource(device, &args[0].args, resources[0], (D3D10DDI_HRTRESOURCE){NULL});
        funcs->pfnCreateResource(device, &args[1].args, resources[1], (D3D10DDI_HRTRESOURCE){NULL});
        for (uint32_t i = 0; i < 16; i++) {
            funcs->pfnCreateSampler(device, &sampler, state, (D3D10DDI_HRTSAMPLER){NULL});
            funcs->pfnDestroySampler(device, state);
        }
        funcs->pfnDestroyResource(device, resources[1]);
        funcs->pfnDestroyResource(device, resources[0]);
        free(state.pDrvPrivate);
        free(resources[1].pDrvPrivate);
        free(resources[0].pDrvPrivate);
    }
    return NULL;
}

static D3D11DDI_HCOMMANDLIST take_list(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    while (!worker->full)
        pthread_cond_wait(&worker->changed, &worker->lock);
    worker->full = false;
    pthread_mutex_unlock(&worker->lock);
    return worker->list;
}

static void give_list_back(struct worker *worker)
{
    pthread_mutex_lock(&worker->lock);
    worker->executed = true;
    pthread_cond_signal(&worker->changed);
    pthread_mutex_unlock(&worker->lock);
}

static void stage_open(struct stage *stage)
{
    struct world *world = &stage->world;

    world_fake(world, AGPU_BACKING_WDK);
    world->fake.options.deferred_contexts = 1;
    world->fake.list_entries = 6; /* so that lists have several sections */
    world->fake.env.heap_alloc = shared_alloc;
    world->fake.env.heap_free = shared_free;
    world->fake.env.lock = lock_device;
    world->fake.env.unlock = unlock_device;
    world_start(world);
    for (uint32_t i = 0; i < SHARED; i++) {
        stage->textures[i] = make_texture(world, DXGI_FORMAT_B8G8R8A8_UNORM, 16, 16, 0,
                                          D3D10_DDI_BIND_RENDER_TARGET | D3D10_DDI_BIND_SHADER_RESOURCE, 0);
        stage->targets[i] = make_rtv(world, stage->textures[i]);
        stage->views[i] = make_srv(world, stage->textures[i]);
    }
    stage->buffer = make_buffer(world, 64, 0, D3D10_DDI_BIND_CONSTANT_BUFFER, 0);
    stage->shader = make_shader(world, true);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct worker *worker = &stage->workers[i];

        worker->stage = stage;
        worker->seed = i + 1;
        worker->dynamic = make_buffer(world, 64, D3D10_DDI_USAGE_DYNAMIC, D3D10_DDI_BIND_VERTEX_BUFFER,
                                      D3D10_DDI_CPU_ACCESS_WRITE);
        pthread_mutex_init(&worker->lock, NULL);
        pthread_cond_init(&worker->changed, NULL);
        dc_open(&worker->dc, world);
    }
}

/* Does some of everything that the immediate context does meanwhile. */
static void immediate_frame(struct stage *stage)
{
    struct world *world = &stage->world;
    D3D10DDI_HRESOURCE extra = make_buffer(world, 64, 0, D3D10_DDI_BIND_VERTEX_BUFFER, 0);

    set_targets(world, 1, &stage->targets[0], (D3D10DDI_HDEPTHSTENCILVIEW){NULL});
    world->ctx.pfnDraw(world->device, 3, 0);
    const DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES rotate = {stage->textures, SHARED};
    assert_int_equal(world->dev.pfnRotateResourceIdentities(world->device, &rotate), S_OK);
    free_resource(world, extra);
    assert_int_equal(flush(world), S_OK);
    lock_device(NULL);
    expect_errors(world, 0, S_OK);
    fake_forget(&world->fake);
    unlock_device(NULL);
}

TEST(threads_record_while_the_immediate_context_works)
{
    struct stage *stage = calloc(1, sizeof *stage);

    stage_open(stage);
    struct world *world = &stage->world;
    for (uint32_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&stage->workers[i].thread, NULL, work, &stage->workers[i]), 0);
    assert_int_equal(pthread_create(&stage->creator, NULL, create_and_destroy, stage), 0);
    for (uint32_t frame = 0; frame < FRAMES; frame++) {
        for (uint32_t i = 0; i < THREADS; i++) {
            execute(world, take_list(&stage->workers[i]));
            give_list_back(&stage->workers[i]);
        }
        immediate_frame(stage);
    }
    pthread_join(stage->creator, NULL);
    for (uint32_t i = 0; i < THREADS; i++) {
        pthread_join(stage->workers[i].thread, NULL);
        free_list(world, stage->workers[i].list);
        dc_expect_errors(&stage->workers[i].dc, 0, S_OK);
        dc_close(&stage->workers[i].dc);
        free_resource(world, stage->workers[i].dynamic);
    }
    free_shader(world, stage->shader);
    free_resource(world, stage->buffer);
    for (uint32_t i = 0; i < SHARED; i++) {
        free_srv(world, stage->views[i]);
        free_rtv(world, stage->targets[i]);
        free_resource(world, stage->textures[i]);
    }
    world_close(world);
    assert_int_equal(live_blocks, 0);
    free(stage);
}
