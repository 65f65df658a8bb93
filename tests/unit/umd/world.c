/* world.c: set-up and stream queries for the tests. */
#include "tests/unit/umd/world.h"

void world_fake(struct world *world, enum agpu_backing_mode mode)
{
    memset(world, 0, sizeof *world);
    fake_init(&world->fake, mode);
}

/* The portable modes count the errors of calls without a result, those of Windows every report. */
static void world_error(D3D10DDI_HRTCORELAYER core, HRESULT error)
{
    struct world *world = core.handle;

    if (!world->api.reports_result || mode_of(world) == AGPU_BACKING_WDK) {
        world->fake.core_callbacks.pfnSetErrorCb((D3D10DDI_HRTCORELAYER){&world->fake}, error);
    }
}

const D3D10DDI_CORELAYER_DEVICECALLBACKS world_core_callbacks = {.pfnSetErrorCb = world_error};

void world_start(struct world *world)
{

    struct fake *fake = &world->fake;
    D3D10DDIARG_OPENADAPTER open = {
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .hRTAdapter = {fake},
        .pAdapterCallbacks = &fake->adapter_callbacks,
        .pAdapterFuncs_11 = &world->adapter_funcs,
    };

    assert_int_equal(OpenAdapter11(&open), S_OK);
    world->adapter = open.hAdapter;
    D3D10DDIARG_CREATEDEVICE create_args = {
        .hRTDevice = {fake},
        .Interface = D3D11_0_DDI_INTERFACE_VERSION,
        .pKTCallbacks = &fake->callbacks,
        .hDrvDevice = {object(world->adapter_funcs.pfnCalcPrivateDeviceSize(world->adapter, NULL))},
        .hRTCoreLayer = {world},
        .pUMCallbacks = &world_core_callbacks,
    };
    world->device = create_args.hDrvDevice;
    agpu_api_begin(&world->api, &create_args);
    assert_int_equal(world->adapter_funcs.pfnCreateDevice(world->adapter, &create_args), S_OK);
    agpu_api_open(&world->api, world->device, &world->dev, &world->ctx);
}

void world_open(struct world *world, enum agpu_backing_mode mode)
{
    world_fake(world, mode);
    world_start(world);
}

void world_close(struct world *world)
{
    while (world->made_count > 0) {
        free_resource(world, world->made[world->made_count - 1]);
    }
    world->dev.pfnDestroyDevice(world->device);
    agpu_api_end(&world->api);
    free(world->device.pDrvPrivate);
    assert_int_equal(world->adapter_funcs.pfnCloseAdapter(world->adapter), S_OK);
    assert_int_equal(world->fake.live_blocks, 0);
    for (uint32_t i = 0; i < world->fake.allocation_count; i++) {
        assert_int_equal(world->fake.allocations[i].locks, 0);
    }
    fake_free(&world->fake);
    free(world->span);
}

struct agpu_device *device_of(struct world *world)
{
    return world->device.pDrvPrivate;
}

struct agpu_adapter *adapter_of(struct world *world)
{
    return world->adapter.pDrvPrivate;
}

void world_bound_stream(struct world *world, uint32_t bytes)
{
    free(world->span);
    world->span = malloc(AGPU_CMD_STREAM_HEADER_BYTES + bytes);
    agpu_cmd_set_buffer(&device_of(world)->imm.cmd, world->span, AGPU_CMD_STREAM_HEADER_BYTES + bytes);
}

void *object(size_t size)
{
    void *memory = malloc(size);

    memset(memory, 0xCC, size);
    return memory;
}

D3D10DDI_HRESOURCE new_resource(struct world *world)
{
    return (D3D10DDI_HRESOURCE){object(world->dev.pfnCalcPrivateResourceSize(world->device, NULL))};
}

void drop_resource(struct world *world, D3D10DDI_HRESOURCE resource)
{
    world->dev.pfnDestroyResource(world->device, resource);
    for (uint32_t i = world->made_count; i-- > 0;) {
        if (world->made[i].pDrvPrivate == resource.pDrvPrivate) {
            world->made[i] = world->made[--world->made_count];
            break;
        }
    }
}

void free_resource(struct world *world, D3D10DDI_HRESOURCE resource)
{
    drop_resource(world, resource);
    free(resource.pDrvPrivate);
}

struct agpu_resource_desc buffer_desc(uint32_t bytes, uint32_t usage, uint32_t bind, uint32_t cpu)
{
    return (struct agpu_resource_desc){
        .ResourceDimension = D3D10DDIRESOURCE_BUFFER,
        .Usage = usage,
        .BindFlags = bind,
        .CPUAccessFlags = cpu,
        .ByteWidth = bytes,
        .SampleDesc = {1, 0},
    };
}

struct agpu_resource_desc texture_desc(uint32_t format, uint32_t width, uint32_t height, uint32_t usage,
                                       uint32_t bind, uint32_t cpu)
{
    return (struct agpu_resource_desc){
        .ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
        .Usage = usage,
        .BindFlags = bind,
        .CPUAccessFlags = cpu,
        .Format = format,
        .Width = width,
        .Height = height,
        .MipLevels = 1,
        .ArraySize = 1,
        .SampleDesc = {1, 0},
    };
}

HRESULT create(struct world *world, D3D10DDI_HRESOURCE resource, const struct agpu_resource_desc *desc)
{
    const uint32_t before = world->fake.error_count;
    HRESULT hr =
        world->dev.pfnCreateResource(world->device, desc, resource, (D3D10DDI_HRTRESOURCE){&world->fake});

    /* The report of a failure is its result. With deferred contexts the tests themselves expect it. */
    if (FAILED(hr) && world->fake.error_count == before + 1 &&
        !device_of(world)->env->options->deferred_contexts) {
        assert_int_equal(world->fake.errors[before], hr);
        world->fake.error_count = before;
    }
    return hr;
}

D3D10DDI_HRESOURCE make(struct world *world, const struct agpu_resource_desc *desc)
{
    D3D10DDI_HRESOURCE resource = new_resource(world);

    assert_int_equal(create(world, resource, desc), S_OK);
    assert_int_not_equal(res(resource)->handle, 0);
    assert_true(world->made_count < sizeof world->made / sizeof world->made[0]);
    world->made[world->made_count++] = resource;
    return resource;
}

D3D10DDI_HRESOURCE make_buffer(struct world *world, uint32_t bytes, uint32_t usage, uint32_t bind,
                               uint32_t cpu)
{
    const struct agpu_resource_desc desc = buffer_desc(bytes, usage, bind, cpu);

    return make(world, &desc);
}

D3D10DDI_HRESOURCE make_texture(struct world *world, uint32_t format, uint32_t width, uint32_t height,
                                uint32_t usage, uint32_t bind, uint32_t cpu)
{
    const struct agpu_resource_desc desc = texture_desc(format, width, height, usage, bind, cpu);

    return make(world, &desc);
}

HRESULT map(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type, uint32_t flags,
            D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    return world->ctx.pfnResourceMap(world->device, resource, sub, type, flags, out);
}

void unmap(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub)
{
    world->ctx.pfnResourceUnmap(world->device, resource, sub);
}

HRESULT flush(struct world *world)
{
    return world->ctx.pfnFlush(world->device);
}

void update(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, const D3D10_DDI_BOX *box,
            const void *data, uint32_t pitch)
{
    world->ctx.pfnResourceUpdateSubresourceUP(world->device, resource, sub, box, data, pitch, 0);
}

struct stream {
    const void *bytes;
    size_t size;
};

static struct stream recorded_stream(struct world *world)
{
    struct agpu_cmd_writer *cmd = &device_of(world)->imm.cmd;

    agpu_cmd_finalize(cmd);
    return (struct stream){cmd->base, agpu_cmd_used(cmd)};
}

static struct stream captured_stream(struct world *world, uint32_t submission)
{
    assert_true(submission < world->fake.submission_count);
    return (struct stream){world->fake.submissions[submission].stream,
                           world->fake.submissions[submission].bytes};
}

/* Returns the nth packet of opcode or NULL, their count, and the packet's place. */
static const void *find(struct stream stream, uint32_t opcode, uint32_t nth, uint32_t *count, uint32_t *total,
                        uint32_t *place)
{
    struct agpu_cmd_walk walk;
    bool broken = false;
    const void *found = NULL;

    *count = *total = 0;
    if (!stream.size) {
        return NULL;
    }
    assert_true(agpu_cmd_walk_begin(&walk, stream.bytes, stream.size));
    for (const struct aerogpu_cmd_hdr *packet; (packet = agpu_cmd_walk_next(&walk, &broken)) != NULL;
         (*total)++) {
        if (packet->opcode != opcode) {
            continue;
        }
        if ((*count)++ == nth) {
            found = packet;
            *place = *total;
        }
    }
    assert_false(broken);
    return found;
}

uint32_t recorded(struct world *world, uint32_t opcode)
{
    uint32_t count, total, place;

    find(recorded_stream(world), opcode, 0, &count, &total, &place);
    return count;
}

uint32_t recorded_total(struct world *world)
{
    uint32_t count, total, place;

    find(recorded_stream(world), 0, 0, &count, &total, &place);
    return total;
}

const void *recorded_at(struct world *world, uint32_t opcode, uint32_t nth)
{
    uint32_t count, total, place;
    const void *packet = find(recorded_stream(world), opcode, nth, &count, &total, &place);

    assert_non_null(packet);
    return packet;
}

uint32_t recorded_index(struct world *world, uint32_t opcode, uint32_t nth)
{
    uint32_t count, total, place = 0;

    assert_non_null(find(recorded_stream(world), opcode, nth, &count, &total, &place));
    return place;
}

uint32_t captured(struct world *world, uint32_t submission, uint32_t opcode)
{
    uint32_t count, total, place;

    find(captured_stream(world, submission), opcode, 0, &count, &total, &place);
    return count;
}

const void *captured_at(struct world *world, uint32_t submission, uint32_t opcode, uint32_t nth)
{
    uint32_t count, total, place;
    const void *packet = find(captured_stream(world, submission), opcode, nth, &count, &total, &place);

    assert_non_null(packet);
    return packet;
}

int listed(struct world *world, uint32_t submission, D3DKMT_HANDLE handle)
{
    assert_true(submission < world->fake.submission_count);
    const struct fake_submission *captured_submission = &world->fake.submissions[submission];
    for (uint32_t i = 0; i < captured_submission->list_count; i++) {
        if (captured_submission->list[i].hAllocation == handle) {
            return captured_submission->list[i].WriteOperation;
        }
    }
    return -1;
}

void expect_errors(struct world *world, uint32_t count, HRESULT hr)
{
    assert_int_equal(world->fake.error_count, count);
    for (uint32_t i = 0; i < count && i < 64; i++) {
        assert_int_equal(world->fake.errors[i], hr);
    }
    world->fake.error_count = 0;
}
