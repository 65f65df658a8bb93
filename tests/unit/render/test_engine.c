/* test_engine.c: the drawing process alone, over its wire. It reports errors of the validation layer, an invalid
 * message fails without ending the process, and a process that is released leaks nothing. */

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/device/monotonic.h"
#include "tests/device/render/wire.h"
#include "tests/device/render/worker.h"
#include "tests/unit/test.h"

#define LIMIT_NS 20000000000ull /* limit for a start or a batch, on the slowest machine */

struct engine_test {
    struct vgpu_worker worker;
    int fd;
    uint8_t *shared;
    uint32_t bytes; /* size of the messages in the batch */
    struct vgpu_wire_hello hello;
};

/* Starts the process and receives its greeting. */
static void launch(struct engine_test *engine)
{
    char path[4096];

    assert_true(vgpu_worker_find("agpu-render", "AGPU_RENDER", AGPU_RENDER_BUILT, path, sizeof path));
    assert_true(vgpu_worker_start(&engine->worker, path, engine->fd, NULL));
    const struct vgpu_worker_bound bound = vgpu_worker_bound(&engine->worker, LIMIT_NS, LIMIT_NS);
    assert_true(vgpu_worker_receive(&engine->worker, &engine->hello, sizeof engine->hello, &bound));
    assert_int_equal(engine->hello.magic, VGPU_WIRE_MAGIC);
    print_message("%s%s\n", engine->hello.device, engine->hello.reason);
}

static int prepare(void **state)
{
    struct engine_test *engine = calloc(1, sizeof *engine);

    assert_non_null(engine);
    engine->fd = memfd_create("test", MFD_CLOEXEC);
    assert_int_equal(ftruncate(engine->fd, VGPU_WIRE_SHARED_BYTES), 0);
    engine->shared = mmap(NULL, VGPU_WIRE_SHARED_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, engine->fd, 0);
    assert_true(engine->shared != MAP_FAILED);
    *state = engine;
    return 0;
}

static int start(void **state)
{
    struct engine_test *engine;

    prepare(state);
    engine = *state;
    launch(engine);
    assert_true(engine->hello.ready);
    return 0;
}

/* The process ends by itself when its socket is closed, and the layer reports no leak. */
static void let_go(struct engine_test *engine)
{
    int process = pidfd_open(engine->worker.pid, 0), status = 0;
    struct pollfd ended = {.fd = process, .events = POLLIN};

    assert_true(process >= 0);
    close(engine->worker.fd);
    assert_int_equal(poll(&ended, 1, (int)(LIMIT_NS / 1000000)), 1);
    assert_int_equal(waitpid(engine->worker.pid, &status, 0), engine->worker.pid);
    close(process);
    engine->worker.pid = 0;
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int stop(void **state)
{
    struct engine_test *engine = *state;

    vgpu_worker_stop(&engine->worker);
    munmap(engine->shared, VGPU_WIRE_SHARED_BYTES);
    close(engine->fd);
    free(engine);
    return 0;
}

/* Appends a message, padded like the renderer's because some contain 64-bit numbers. The caller fills in what follows
 * the header. */
static void *message(struct engine_test *engine, uint32_t op, uint32_t size)
{
    size = (size + 7) / 8 * 8;
    struct vgpu_wire_header *header = (void *)(engine->shared + engine->bytes);
    memset(header, 0, size);
    *header = (struct vgpu_wire_header){op, size};
    engine->bytes += size;
    return header;
}

static struct vgpu_wire_result run(struct engine_test *engine)
{
    struct vgpu_wire_batch batch = {engine->bytes, VGPU_WIRE_MESSAGE_BYTES + 4096};
    struct vgpu_wire_result result;
    const struct vgpu_worker_bound bound = vgpu_worker_bound(&engine->worker, LIMIT_NS, LIMIT_NS);

    assert_true(vgpu_worker_send(&engine->worker, &batch, sizeof batch, &bound));
    assert_true(vgpu_worker_receive(&engine->worker, &result, sizeof result, &bound));
    assert_false(result.lost);
    engine->bytes = 0;
    return result;
}

/* Runs the batch. One message must fail, with a reason that contains this text. */
static void expect_refused(struct engine_test *engine, const char *reason)
{
    struct vgpu_wire_result result = run(engine);

    if (result.failed == 0 || strstr(result.reason, reason) == NULL) {
        print_message("expected a refusal with \"%s\", found %u failures, \"%s\"\n", reason, result.failed,
                      result.reason);
    }
    assert_true(result.failed >= 1);
    assert_non_null(strstr(result.reason, reason));
}

static void put_buffer(struct engine_test *engine, uint32_t number, uint64_t size)
{
    struct vgpu_wire_buffer_create *create = message(engine, VGPU_WIRE_BUFFER_CREATE, sizeof *create);

    create->buffer = number;
    create->size = size;
}

static void put_texture(struct engine_test *engine, uint32_t number, uint32_t format, uint32_t edge)
{
    struct vgpu_wire_texture_create *create = message(engine, VGPU_WIRE_TEXTURE_CREATE, sizeof *create);

    create->texture = number;
    create->format = format;
    create->width = create->height = edge;
    create->mip_levels = create->array_layers = 1;
}

static void put_transfer(struct engine_test *engine, uint32_t op, uint32_t number, uint64_t offset,
                         uint64_t size, uint32_t data)
{
    struct vgpu_wire_buffer_transfer *transfer = message(engine, op, sizeof *transfer);

    transfer->buffer = number;
    transfer->offset = offset;
    transfer->size = size;
    transfer->data = data;
}

static void put_rows(struct engine_test *engine, uint32_t op, uint32_t number, uint32_t mip, uint32_t row,
                     uint32_t rows)
{
    struct vgpu_wire_texture_transfer *transfer = message(engine, op, sizeof *transfer);

    transfer->texture = number;
    transfer->mip = mip;
    transfer->row = row;
    transfer->rows = rows;
    transfer->data = VGPU_WIRE_MESSAGE_BYTES;
}

FIXTURE(start, stop);

/* The layer is active, and its errors fail the batch. Texels at an odd offset violate Vulkan's rules and are harmless
 * here; only the layer detects them. */
TEST(invalid_use_is_reported)
{
    struct engine_test *engine = *state;

    assert_non_null(strstr(engine->hello.device, "validated"));
    put_texture(engine, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    assert_int_equal(run(engine).failed, 0);
    put_rows(engine, VGPU_WIRE_TEXTURE_WRITE, 1, 0, 0, 4);
    ((struct vgpu_wire_texture_transfer *)(void *)engine->shared)->data++;
    expect_refused(engine, "validation: VUID-vkCmdCopyBufferToImage");
}

FIXTURE(prepare, stop);

/* If the layer is requested but missing, the process refuses to start. */
TEST(missing_layer_is_reported)
{
    struct engine_test *engine = *state;

    setenv("VK_LAYER_PATH", "/nonexistent", 1);
    launch(engine);
    unsetenv("VK_LAYER_PATH");
    assert_false(engine->hello.ready);
    assert_non_null(strstr(engine->hello.reason, "VK_LAYER_KHRONOS_validation, which is not here"));
}

FIXTURE(start, stop);

/* The layer's synchronization checks are active too: images use the general layout, and a batch that writes and reads
 * one in order is valid. */
TEST(good_use_is_not)
{
    struct engine_test *engine = *state;
    uint32_t *data = (uint32_t *)(void *)(engine->shared + VGPU_WIRE_MESSAGE_BYTES);

    put_buffer(engine, 1, 64);
    put_texture(engine, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    for (uint32_t i = 0; i < 16; i++) {
        data[i] = 0x01020304u * i;
    }
    put_transfer(engine, VGPU_WIRE_BUFFER_WRITE, 1, 0, 64, VGPU_WIRE_MESSAGE_BYTES);
    put_transfer(engine, VGPU_WIRE_BUFFER_READ, 1, 4, 8, VGPU_WIRE_MESSAGE_BYTES + 256);
    put_rows(engine, VGPU_WIRE_TEXTURE_WRITE, 2, 0, 0, 4);
    put_rows(engine, VGPU_WIRE_TEXTURE_READ, 2, 0, 1, 2);
    struct vgpu_wire_result result = run(engine);
    assert_string_equal(result.reason, "");
    assert_int_equal(result.failed, 0);
    assert_int_equal(data[64], 0x01020304u);
    assert_int_equal(data[65], 0x01020304u * 2);
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(data[i], 0x01020304u * (4 + i));
    }
    let_go(engine);
}

/* A framing error drops the rest of the batch, not the next batch. */
TEST(broken_messages)
{
    struct engine_test *engine = *state;

    message(engine, VGPU_WIRE_OPS, 8);
    expect_refused(engine, "a broken message at 0 of 8");
    message(engine, VGPU_WIRE_DRAW, 8);
    expect_refused(engine, "a broken message at 0");
    put_buffer(engine, 1, 64);
    engine->bytes -= 8;
    expect_refused(engine, "a broken message at 0");
    ((struct vgpu_wire_header *)message(engine, VGPU_WIRE_BUFFER_CREATE, 24))->size = 26;
    expect_refused(engine, "a broken message");
    engine->bytes = 4;
    expect_refused(engine, "a broken message at 0 of 4");
    engine->bytes = VGPU_WIRE_MESSAGE_BYTES + 8;
    expect_refused(engine, "more messages than fit");
    put_buffer(engine, 1, 64);
    assert_int_equal(run(engine).failed, 0);
    let_go(engine);
}

/* Numbers without an object, or already in use. */
TEST(wrong_numbers)
{
    struct engine_test *engine = *state;
    struct vgpu_wire_destroy *destroy;

    put_buffer(engine, 1, 64);
    put_texture(engine, 5000, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4); /* the table grows */
    assert_int_equal(run(engine).failed, 0);
    put_buffer(engine, 0, 64);
    expect_refused(engine, "resource number 0 is not free");
    put_buffer(engine, 1, 64);
    expect_refused(engine, "resource number 1 is not free");
    put_texture(engine, VGPU_WIRE_MAX_RESOURCES, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    expect_refused(engine, "is not free");
    put_texture(engine, 3, 999, 4);
    expect_refused(engine, "has no format 999");
    put_texture(engine, 3, AEROGPU_FORMAT_R8G8B8A8_UNORM, 1u << 20);
    expect_refused(engine, "has no texture of 1048576x1048576");
    /* A number without an object can be destroyed, and then created. */
    destroy = message(engine, VGPU_WIRE_RESOURCE_DESTROY, sizeof *destroy);
    destroy->number = 3;
    put_texture(engine, 3, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    destroy = message(engine, VGPU_WIRE_SHADER_DESTROY, sizeof *destroy);
    destroy->number = 77;
    assert_int_equal(run(engine).failed, 0);
    /* A number can be used again in the batch that destroys it. */
    destroy = message(engine, VGPU_WIRE_RESOURCE_DESTROY, sizeof *destroy);
    destroy->number = 1;
    put_buffer(engine, 1, 128);
    assert_int_equal(run(engine).failed, 0);
    let_go(engine);
}

/* Transfers outside their resource or the shared memory. The answer says that its data is invalid. */
TEST(wrong_transfers)
{
    static const struct {
        uint32_t number;
        uint64_t offset, size;
        uint32_t data;
        const char *reason;
    } buffers[] = {{9, 0, 4, VGPU_WIRE_MESSAGE_BYTES, "a transfer outside buffer 9"},
                   {2, 0, 4, VGPU_WIRE_MESSAGE_BYTES, "a transfer outside buffer 2"}, /* a texture */
                   {1, 68, 4, VGPU_WIRE_MESSAGE_BYTES, "a transfer outside buffer 1"},
                   {1, 60, 8, VGPU_WIRE_MESSAGE_BYTES, "a transfer outside buffer 1"},
                   {1, 0, 0, VGPU_WIRE_MESSAGE_BYTES, "a transfer outside buffer 1"},
                   {1, 0, 64, VGPU_WIRE_SHARED_BYTES - 4, "is outside the shared memory"},
                   {1, 0, 64, UINT32_MAX - 3, "is outside the shared memory"}};
    static const struct {
        uint32_t number, mip, row, rows;
    } textures[] = {{9, 0, 0, 4}, {1, 0, 0, 4}, {2, 1, 0, 4}, {2, 0, 4, 1}, {2, 0, 2, 3}, {2, 0, 0, 0}};
    struct engine_test *engine = *state;
    put_buffer(engine, 1, 64);
    put_texture(engine, 2, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4);
    assert_int_equal(run(engine).failed, 0);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) {
        put_transfer(engine, i % 2 ? VGPU_WIRE_BUFFER_READ : VGPU_WIRE_BUFFER_WRITE, buffers[i].number,
                     buffers[i].offset, buffers[i].size, buffers[i].data);
        struct vgpu_wire_result result = run(engine);
        assert_int_equal(result.failed_reads, 1);
        assert_non_null(strstr(result.reason, buffers[i].reason));
    }
    for (size_t i = 0; i < sizeof textures / sizeof *textures; i++) {
        put_rows(engine, i % 2 ? VGPU_WIRE_TEXTURE_READ : VGPU_WIRE_TEXTURE_WRITE, textures[i].number,
                 textures[i].mip, textures[i].row, textures[i].rows);
        struct vgpu_wire_result result = run(engine);
        assert_int_equal(result.failed_reads, 1);
        assert_non_null(strstr(result.reason, "a transfer outside texture"));
    }
    let_go(engine);
}

/* Draws, dispatches and shaders with something missing. */
TEST(nothing_to_draw_with)
{
    struct engine_test *engine = *state;

    message(engine, VGPU_WIRE_DRAW, sizeof(struct vgpu_wire_draw));
    expect_refused(engine, "a draw without state");
    message(engine, VGPU_WIRE_TARGETS, sizeof(struct vgpu_wire_targets));
    struct vgpu_wire_pipeline *pipeline = message(engine, VGPU_WIRE_PIPELINE, sizeof *pipeline);
    pipeline->shaders[0] = 5;
    pipeline->topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
    message(engine, VGPU_WIRE_INPUT, sizeof(struct vgpu_wire_input));
    struct vgpu_wire_dynamic *dynamic = message(engine, VGPU_WIRE_DYNAMIC, sizeof *dynamic);
    dynamic->viewport[2] = dynamic->viewport[3] = 1;
    message(engine, VGPU_WIRE_DRAW, sizeof(struct vgpu_wire_draw));
    expect_refused(engine, "a draw with a shader that could not be loaded");
    message(engine, VGPU_WIRE_DISPATCH, sizeof(struct vgpu_wire_dispatch));
    expect_refused(engine, "a dispatch of a shader that could not be loaded");
    message(engine, VGPU_WIRE_BINDINGS, sizeof(struct vgpu_wire_bindings));
    expect_refused(engine, "bindings of a shader that could not be loaded");
    struct vgpu_wire_shader_create *shader = message(engine, VGPU_WIRE_SHADER_CREATE, sizeof *shader);
    shader->shader = 1;
    shader->data = VGPU_WIRE_SHARED_BYTES;
    shader->bytes = 4;
    expect_refused(engine, "a shader outside the shared memory");
    shader = message(engine, VGPU_WIRE_SHADER_CREATE, sizeof *shader);
    shader->shader = 1;
    shader->stage = VGPU_WIRE_STAGES;
    expect_refused(engine, "an unknown stage");
    shader = message(engine, VGPU_WIRE_SHADER_CREATE, sizeof *shader);
    shader->shader = VGPU_WIRE_MAX_SHADERS;
    shader->data = VGPU_WIRE_MESSAGE_BYTES;
    shader->bytes = 20;
    memcpy(engine->shared + VGPU_WIRE_MESSAGE_BYTES, "\x03\x02\x23\x07", 4);
    expect_refused(engine, "is not free");
    struct vgpu_wire_vertex_buffers *vertices = message(engine, VGPU_WIRE_VERTEX_BUFFERS, sizeof *vertices);
    vertices->count = 1;
    expect_refused(engine, "too many vertex buffers");
    let_go(engine);
}

/* Values that the renderer never sends and that would crash a Vulkan driver: the process refuses them. */
TEST(what_only_a_broken_model_sends)
{
    enum { FORMAT = AEROGPU_FORMAT_R8G8B8A8_UNORM };
    static const struct {
        uint32_t width, height, mips, layers;
    } textures[] = {{0, 4, 1, 1},          {4, 0, 1, 1}, {4, 4, 0, 1},  {4, 4, 1, 0},
                    {4, 4, 4, 1},          {1, 1, 2, 1}, {16, 1, 6, 1}, {4, 4, 33, 1},
                    {4, 4, UINT32_MAX, 1}, {0, 0, 0, 0}, {4, 4, 32, 1}, {65536, 4, 18, 1},
                    {4, 4, 1, UINT32_MAX}};
    struct engine_test *engine = *state;

    put_buffer(engine, 1, 0);
    expect_refused(engine, "a buffer of 0 bytes");
    put_buffer(engine, 1, UINT64_MAX);
    expect_refused(engine, "of a guest");
    put_buffer(engine, 1, UINT64_C(2) << 30);
    expect_refused(engine, "of a guest");
    for (size_t i = 0; i < sizeof textures / sizeof textures[0]; i++) {
        struct vgpu_wire_texture_create *create = message(engine, VGPU_WIRE_TEXTURE_CREATE, sizeof *create);

        create->texture = 1;
        create->format = FORMAT;
        create->width = textures[i].width;
        create->height = textures[i].height;
        create->mip_levels = textures[i].mips;
        create->array_layers = textures[i].layers;
        expect_refused(engine, "a texture of");
    }
    /* The limit per guest is a sum. Destroyed resources are subtracted, but only after the batch. */
    put_buffer(engine, 1, 1 << 30);
    put_texture(engine, 2, FORMAT, 8192);
    expect_refused(engine, "of a guest");
    for (uint32_t i = 0; i < 3; i++) {
        struct vgpu_wire_destroy *destroy = message(engine, VGPU_WIRE_RESOURCE_DESTROY, sizeof *destroy);

        destroy->number = 1;
        put_buffer(engine, 1, 1 << 30);
    }
    expect_refused(engine, "of a guest");
    put_texture(engine, 2, FORMAT, 4);
    assert_int_equal(run(engine).failed, 0);
    let_go(engine);
}

static void put_state(struct engine_test *engine, uint32_t topology, uint32_t vs, uint32_t hs)
{
    struct vgpu_wire_pipeline *pipeline;
    struct vgpu_wire_dynamic *dynamic;

    message(engine, VGPU_WIRE_TARGETS, sizeof(struct vgpu_wire_targets));
    pipeline = message(engine, VGPU_WIRE_PIPELINE, sizeof *pipeline);
    pipeline->topology = topology;
    pipeline->shaders[0] = vs;
    pipeline->shaders[3] = hs;
    message(engine, VGPU_WIRE_INPUT, sizeof(struct vgpu_wire_input));
    dynamic = message(engine, VGPU_WIRE_DYNAMIC, sizeof *dynamic);
    dynamic->viewport[2] = dynamic->viewport[3] = 1;
}

TEST(state_that_no_draw_has)
{
    struct engine_test *engine = *state;
    struct vgpu_wire_targets *targets;
    struct vgpu_wire_dynamic *dynamic;
    struct vgpu_wire_input *input;
    struct vgpu_wire_shader_create *shader;

    put_state(engine, AEROGPU_TOPOLOGY_TRIANGLELIST, 0, 0);
    expect_refused(engine, "a pipeline without a stage");
    put_state(engine, AEROGPU_TOPOLOGY_PATCHLIST_1, 1, 2);
    expect_refused(engine, "a pipeline without a stage");
    put_state(engine, AEROGPU_TOPOLOGY_PATCHLIST_1, 1, 0);
    expect_refused(engine, "without tessellation");
    put_state(engine, UINT32_MAX, 1, 0);
    expect_refused(engine, "topology 4294967295");
    targets = message(engine, VGPU_WIRE_TARGETS, sizeof *targets);
    targets->width = UINT32_MAX;
    expect_refused(engine, "targets of 4294967295x0");
    for (uint32_t i = 0; i < 8; i++) {
        static const float bad[] = {1e30f, -1e30f, 0, -1, 2, -1, 0.0f / 1, 1};

        dynamic = message(engine, VGPU_WIRE_DYNAMIC, sizeof *dynamic);
        dynamic->viewport[2] = dynamic->viewport[3] = 1;
        dynamic->viewport[i % 6] = bad[i];
        if (i >= 6) {
            dynamic->scissor[i - 6] = INT32_MAX;
            dynamic->scissor[i - 4] = 1;
            dynamic->viewport[i % 6] = 0;
        }
        expect_refused(engine, "a viewport or scissor");
    }
    input = message(engine, VGPU_WIRE_INPUT, sizeof *input);
    input->attribute_count = 1;
    expect_refused(engine, "vertex element 0 at location 0 of buffer 0");
    input = message(engine, VGPU_WIRE_INPUT, sizeof *input);
    input->attribute_count = 2;
    input->binding_count = 1;
    expect_refused(engine, "vertex element 1 at location 0");
    input = message(engine, VGPU_WIRE_INPUT, sizeof *input);
    input->attribute_count = UINT32_MAX;
    expect_refused(engine, "more vertex buffers or elements");
    for (uint32_t bytes = 0; bytes < 24; bytes += bytes == 0 ? 19 : 1) {
        shader = message(engine, VGPU_WIRE_SHADER_CREATE, sizeof *shader);
        shader->shader = 1;
        shader->data = VGPU_WIRE_MESSAGE_BYTES;
        shader->bytes = bytes;
        expect_refused(engine, "a shader that is not SPIR-V");
    }
    let_go(engine);
}
