/* test_limits.c: requests of a hostile guest are bounded and fail with the documented error; tables stay correct at any
 * size (ring.md 3.1). */
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/engine/renderer.h"
#include "tests/unit/device/packets_short.h"
#include "tests/unit/test.h"

FIXTURE(driver_setup, driver_teardown);

/* Resource memory is bounded: the error is BACKEND, because the device ran out of it. Freed memory can be allocated
 * again. */
TEST(memory)
{
    struct fake_driver *driver = *state;
    const uint64_t half = VGPU_EXEC_MEMORY_LIMIT / 2;

    stream_begin(driver);
    add_buffer(driver, 1, half, 0);
    submit_good(driver);
    stream_begin(driver);
    add_buffer(driver, 2, half, 0);
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    add_texture(driver, 3, AEROGPU_FORMAT_R8G8B8A8_UNORM, 0x10000, 0x10000, 0);
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    add_buffer(driver, 4, UINT64_MAX - 3, 0);
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    add_destroy(driver, 1);
    add_buffer(driver, 2, half, 0);
    add_destroy(driver, 2);
    submit_good(driver);
    assert_int_equal(driver->machine->device->engine->exec.memory_used, 0);
}

/* Objects of every kind count against the limit. */
TEST(small_objects)
{
    struct fake_driver *driver = *state;
    struct vgpu_exec *exec = &driver->machine->device->engine->exec;

    exec->memory_used = VGPU_EXEC_MEMORY_LIMIT - 64;
    stream_begin(driver);
    add_buffer(driver, 1, 4, 0);
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    STREAM_PACKET(driver, CREATE_SAMPLER, aerogpu_cmd_create_sampler)->sampler_handle = 1;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    uint32_t *shader = stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, 28);
    shader[2] = 1;
    shader[4] = 4;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    struct aerogpu_cmd_create_input_layout *layout =
        stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *layout + 16);
    layout->input_layout_handle = 1;
    layout->blob_size_bytes = 16;
    ((uint32_t *)(void *)(layout + 1))[0] = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    ((uint32_t *)(void *)(layout + 1))[1] = 1;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    exec->memory_used = 0;
    stream_begin(driver);
    add_texture(driver, 1, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    struct aerogpu_cmd_export_shared_surface *share =
        STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    share->resource_handle = 1;
    share->share_token = 1;
    submit_good(driver);
    const uint64_t used = exec->memory_used;
    exec->memory_used = VGPU_EXEC_MEMORY_LIMIT - 16;
    stream_begin(driver);
    share = STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    share->resource_handle = 1;
    share->share_token = 2;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    struct aerogpu_cmd_import_shared_surface *import =
        STREAM_PACKET(driver, IMPORT_SHARED_SURFACE, aerogpu_cmd_import_shared_surface);
    import->out_resource_handle = 2;
    import->share_token = 1;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    stream_begin(driver);
    struct aerogpu_cmd_create_texture_view *view =
        STREAM_PACKET(driver, CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view);
    view->view_handle = 3;
    view->texture_handle = 1;
    view->format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    view->mip_level_count = view->array_layer_count = 1;
    submit_bad(driver, AEROGPU_ERROR_BACKEND);
    exec->memory_used = used;
}

/* A small shader counts with the memory that a renderer may store for it, until it is destroyed. */
TEST(shaders)
{
    struct fake_driver *driver = *state;
    struct vgpu_exec *exec = &driver->machine->device->engine->exec;
    const uint64_t short_by_one_blob = VGPU_EXEC_MEMORY_LIMIT - VGPU_RENDERER_SHADER_BYTES - 4;

    for (uint32_t handle = 1; handle <= 2; handle++) {
        exec->memory_used = handle == 1 ? short_by_one_blob : 0;
        stream_begin(driver);
        uint32_t *shader = stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, 28);
        shader[2] = handle;
        shader[4] = 4;
        if (handle == 1) {
            submit_bad(driver, AEROGPU_ERROR_BACKEND);
            assert_int_equal(exec->memory_used, short_by_one_blob);
        } else {
            submit_good(driver);
            assert_true(exec->memory_used > VGPU_RENDERER_SHADER_BYTES);
        }
    }
    stream_begin(driver);
    struct aerogpu_cmd_destroy_shader *destroy =
        STREAM_PACKET(driver, DESTROY_SHADER, aerogpu_cmd_destroy_shader);
    destroy->shader_handle = 2;
    submit_good(driver);
    assert_int_equal(exec->memory_used, 0);
}

/* Many live resources: each is found, none is confused with another, and all are gone after destruction in another
 * order. */
TEST(many_resources)
{
    struct fake_driver *driver = *state;
    const uint32_t count = 20000;
    const uint32_t each = 1000;

    for (uint32_t first = 0; first < count; first += each) {
        stream_begin(driver);
        for (uint32_t i = first; i < first + each; i++) {
            add_buffer(driver, (i + 1) * 65536 + 7, 4, 0);
            add_upload(driver, (i + 1) * 65536 + 7, 0, &i, 4);
        }
        submit_good(driver);
    }
    for (uint32_t i = 0; i < count; i += 997) {
        uint32_t value;

        read_buffer(driver, (i + 1) * 65536 + 7, 0, &value, 4);
        assert_int_equal(value, i);
    }
    table_header(driver)->magic = 0;
    for (uint32_t first = 0; first < count; first += each) {
        stream_begin(driver);
        for (uint32_t i = first; i < first + each; i++) {
            add_destroy(driver, ((i * 7919) % count + 1) * 65536 + 7);
        }
        submit_good(driver);
    }
    assert_int_equal(driver->machine->device->engine->exec.memory_used, 0);
    assert_int_equal(driver->machine->device->engine->exec.objects.count, 0);
}

/* ERROR_COUNT saturates (device.md 4.6). */
TEST(error_count_saturates)
{
    struct fake_driver *driver = *state;

    driver->machine->device->engine->errors.count = 0xFFFFFFFE;
    for (unsigned i = 0; i < 3; i++) {
        stream_begin(driver);
        add_buffer(driver, 0, 4, 0);
        submit(driver);
    }
    assert_int_equal(error_count(driver), 0xFFFFFFFF);
}
