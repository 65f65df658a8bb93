/* test_saved.c: a saved state is complete, and a stream that was cut or changed is refused or harmless (device.md 2.3).
 * That guests see no difference is the matter of cases.inprocess.save_restore. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/engine/engine.h"
#include "tests/device/saved.h"
#include "tests/unit/device/packets_short.h"
#include "tests/unit/test.h"

#define STREAM_MOST (2u << 20)

struct saved {
    uint8_t *bytes;
    uint64_t size;
};

static bool store(void *ctx, const void *bytes, uint64_t size)
{
    struct saved *saved = ctx;

    assert_true(size <= STREAM_MOST - saved->size);
    memcpy(saved->bytes + saved->size, bytes, size);
    saved->size += size;
    return true;
}

static struct saved save(struct vgpu_device *device)
{
    struct saved saved = {.bytes = malloc(STREAM_MOST)};
    char message[VGPU_SAVED_MESSAGE];

    assert_non_null(saved.bytes);
    assert_true(vgpu_device_save(device, store, &saved, message, sizeof message));
    return saved;
}

/* Replaces the device of the machine by a new one that loads the stream. vram_bytes: 0 for the usual size. */
static bool load(struct fake_machine *machine, const struct saved *saved, uint64_t size, uint64_t vram_bytes,
                 char message[VGPU_SAVED_MESSAGE])
{
    const struct vgpu_device_machine callbacks = machine_callbacks(machine);
    const struct vgpu_device_config config = {.vram_bytes = vram_bytes};

    vgpu_device_destroy(machine->device);
    machine->intx = false;
    machine->device = vgpu_device_create(&callbacks, &config);
    assert_non_null(machine->device);
    message[0] = '\0';
    return vgpu_device_load(machine->device, saved->bytes, size, message, VGPU_SAVED_MESSAGE);
}

static void share(struct fake_driver *driver, uint32_t handle, uint64_t token, uint32_t alias)
{
    struct aerogpu_cmd_export_shared_surface *export =
        STREAM_PACKET(driver, EXPORT_SHARED_SURFACE, aerogpu_cmd_export_shared_surface);
    struct aerogpu_cmd_import_shared_surface *import;

    export->resource_handle = handle;
    export->share_token = token;
    import = STREAM_PACKET(driver, IMPORT_SHARED_SURFACE, aerogpu_cmd_import_shared_surface);
    import->out_resource_handle = alias;
    import->share_token = token;
}

static void add_view(struct fake_driver *driver, uint32_t view, uint32_t texture)
{
    struct aerogpu_cmd_create_texture_view *create =
        STREAM_PACKET(driver, CREATE_TEXTURE_VIEW, aerogpu_cmd_create_texture_view);

    create->view_handle = view;
    create->texture_handle = texture;
    create->format = AEROGPU_FORMAT_R8G8B8A8_UNORM;
    create->mip_level_count = 1;
    create->array_layer_count = 1;
}

/* Objects of every kind, aliases, a reserved number, a view without its texture, bindings, a retired token; scanout
 * with a held fence. */
static void fill(struct fake_driver *driver)
{
    struct aerogpu_cmd_create_input_layout *layout;
    struct fake_machine *machine = driver->machine;

    reg_write(machine, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    vgpu_device_bar_write(machine->device, VGPU_BAR_VRAM, 0x2345, 4, 0x12345678);
    stream_begin(driver);
    add_buffer(driver, 1, 4096, 0);
    add_buffer(driver, 2, 64, 0);
    add_texture(driver, 3, AEROGPU_FORMAT_R8G8B8A8_UNORM, 7, 5, 0);
    add_texture(driver, 4, AEROGPU_FORMAT_R8G8B8A8_UNORM, 4, 4, 0);
    share(driver, 3, 77, 30);
    share(driver, 4, UINT64_C(0x8000000000000001), 40);
    add_view(driver, 5, 3);
    add_view(driver, 6, 4);
    add_destroy(driver, 3);
    add_destroy(driver, 4);
    add_destroy(driver, 40);
    add_targets(driver, 5, 0);
    uint32_t *shader = stream_packet(driver, AEROGPU_CMD_CREATE_SHADER_DXBC, 28);
    shader[2] = 9;
    shader[4] = 4;
    STREAM_PACKET(driver, CREATE_SAMPLER, aerogpu_cmd_create_sampler)->sampler_handle = 8;
    layout = stream_packet(driver, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *layout + 16);
    layout->input_layout_handle = 10;
    layout->blob_size_bytes = 16;
    ((uint32_t *)(void *)(layout + 1))[0] = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    ((uint32_t *)(void *)(layout + 1))[1] = 1;
    submit_good(driver);
    stream_begin(driver);
    STREAM_PACKET(driver, PRESENT, aerogpu_cmd_present)->flags = AEROGPU_PRESENT_FLAG_VSYNC;
    submit(driver);
    assert_int_equal(machine->device->engine->fences.count, 1);
}

static int filled_setup(void **state)
{
    driver_setup(state);
    fill(*state);
    return 0;
}

FIXTURE(filled_setup, driver_teardown);

/* The loaded device has the same objects, uses as much memory, and saves as many bytes; it continues to work. */
TEST(complete)
{
    struct fake_driver *driver = *state;
    struct fake_machine *machine = driver->machine;
    const struct saved saved = save(machine->device);
    const struct vgpu_exec *exec = &machine->device->engine->exec;
    const uint64_t used = exec->memory_used;
    const size_t objects = exec->objects.count, tokens = exec->tokens.count;
    char message[VGPU_SAVED_MESSAGE];
    struct saved again;

    assert_true(load(machine, &saved, saved.size, 0, message));
    exec = &machine->device->engine->exec;
    assert_int_equal(exec->memory_used, used);
    assert_int_equal(exec->objects.count, objects);
    assert_int_equal(exec->tokens.count, tokens);
    assert_non_null(exec->state.colors[0].thing);
    assert_int_equal(vgpu_device_bar_read(machine->device, VGPU_BAR_VRAM, 0x2345, 4), 0x12345678);
    again = save(machine->device);
    assert_int_equal(again.size, saved.size);
    free(again.bytes);
    free(saved.bytes);
    clock_advance(machine, 20000000);
    assert_int_equal(completed_fence(driver), driver->fence);
    stream_begin(driver);
    add_destroy(driver, 30);
    submit_good(driver);
}

/* A stream that ends early is refused at every length, with what was expected and found. */
TEST(cut)
{
    struct fake_driver *driver = *state;
    const struct saved saved = save(driver->machine->device);
    char message[VGPU_SAVED_MESSAGE];

    for (uint64_t size = 0; size < saved.size; size += 1 + size / 64) {
        assert_false(load(driver->machine, &saved, size, 0, message));
        assert_non_null(strstr(message, "expected "));
    }
    free(saved.bytes);
}

/* A stream of another configuration is refused. */
TEST(other_configuration)
{
    struct fake_driver *driver = *state;
    const struct saved saved = save(driver->machine->device);
    char message[VGPU_SAVED_MESSAGE];

    assert_false(load(driver->machine, &saved, saved.size, VGPU_VRAM_MIN_BYTES, message));
    assert_string_equal(message, "saved state: size of video memory: expected 0x80000, found 0x4000000");
    free(saved.bytes);
}

/* Makes the checksum of a changed stream right, if the checksum is the reason of its refusal. */
static bool correct_checksum(const struct saved *saved, const char *message)
{
    uint64_t sum;

    if (sscanf(message, "saved state: checksum: expected %" SCNx64, &sum) != 1) {
        return false;
    }
    memcpy(saved->bytes + saved->size - sizeof sum, &sum, sizeof sum);
    return true;
}

/* A submission in progress needs a batch. One without packets, which no device saves, is harmless. */
TEST(empty_submission)
{
    struct fake_driver *driver = *state;
    struct vgpu_engine *engine = driver->machine->device->engine;
    char message[VGPU_SAVED_MESSAGE];
    struct saved saved;

    engine->submission.active = true;
    saved = save(driver->machine->device);
    assert_false(load(driver->machine, &saved, saved.size, 0, message));
    assert_non_null(strstr(message, "expected a batch around the submission in progress"));
    free(saved.bytes);

    engine = driver->machine->device->engine;
    engine->submission.active = true;
    engine->ring.batch =
        (struct vgpu_ring_batch){.gpa = RING_GPA, .remaining = 1, .entry_count = 1, .stride = RING_STRIDE};
    saved = save(driver->machine->device);
    assert_true(load(driver->machine, &saved, saved.size, 0, message));
    assert_true(driver->machine->device->engine->submission.active);
    vgpu_device_service(driver->machine->device);
    assert_false(driver->machine->device->engine->submission.active);
    free(saved.bytes);
}

/* A change of a number is refused. A hostile stream with a right checksum is refused or loaded; nothing crashes then.
 * The numbers in front of the constants are changed most: all sizes are there. */
TEST(changed)
{
    static const uint64_t values[] = {0, 1, 2, 63, 0x1000, 0x7FFFFFFF, UINT32_MAX, UINT64_MAX};
    struct fake_driver *driver = *state;
    const struct saved saved = save(driver->machine->device);
    char message[VGPU_SAVED_MESSAGE];
    uint32_t random = 1;
    unsigned loaded = 0;

    for (unsigned round = 0; round < 600; round++) {
        const uint64_t range = round % 4 != 0 ? 0x5000 : saved.size - 16;
        uint64_t at, before, sum;

        random = random * 1664525u + 1013904223u;
        at = (random >> 4) % range & ~7ull;
        memcpy(&before, saved.bytes + at, sizeof before);
        memcpy(&sum, saved.bytes + saved.size - sizeof sum, sizeof sum);
        if (values[round % 8] == before) {
            continue;
        }
        memcpy(saved.bytes + at, &values[round % 8], sizeof before);
        assert_false(load(driver->machine, &saved, saved.size, 0, message));
        assert_non_null(strstr(message, "expected "));
        if (correct_checksum(&saved, message) && load(driver->machine, &saved, saved.size, 0, message)) {
            struct saved again;

            loaded++;
            vgpu_device_service(driver->machine->device);
            reg_write(driver->machine, AEROGPU_MMIO_REG_DOORBELL, 0);
            again = save(driver->machine->device);
            free(again.bytes);
        }
        memcpy(saved.bytes + at, &before, sizeof before);
        memcpy(saved.bytes + saved.size - sizeof sum, &sum, sizeof sum);
    }
    assert_in_range(loaded, 50, 550); /* both ends happen */
    free(saved.bytes);
}
