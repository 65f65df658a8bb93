/* test_standard.c: surfaces of the kernel side: their submissions, and waits for their pixels (vidmm.md 9). */
#include <string.h>

#include "mm/runtime/standard.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "stack.h"
#include "tests/unit/test.h"

static void open_cross_adapter(struct stack *s)
{
    struct agpu_runtime_config config = fake_runtime_config(&s->machine);

    config.vidmm.version = AGPU_WDDM_WIN8_1;
    config.vidmm.caps.value = AGPU_CAP_CROSS_ADAPTER_RESOURCE;
    stack_open(s, &config);
}

static struct agpu_standard_surface wanted(void)
{
    return (struct agpu_standard_surface){
        .width = 60, .height = 20, .dxgi_format = DXGI_FORMAT_R8G8B8A8_UNORM};
}

/* Returns the packet of the last submission, which has one packet of each opcode. */
static const void *packet(struct stack *s, uint32_t opcode)
{
    const struct agpu_submission *last = fake_last(&s->machine);
    const uint8_t *stream = fake_cpu(last->cmd_address);
    struct aerogpu_cmd_hdr header;

    for (uint32_t at = 24; at < last->cmd_size; at += header.size_bytes) {
        memcpy(&header, stream + at, sizeof header);
        if (header.opcode == opcode) {
            return stream + at;
        }
    }
    return NULL;
}

STACK_TEST_WITH(announced_and_withdrawn, open_cross_adapter)
{
    struct agpu_standard_surface surface = wanted();
    const struct aerogpu_cmd_create_texture2d *create;
    const struct aerogpu_cmd_export_shared_surface *share;
    const struct aerogpu_cmd_destroy_resource *destroy;
    uint32_t object;

    assert_int_equal(agpu_runtime_standard_create(s->runtime, &surface), S_OK);
    assert_true(surface.allocation != 0 && surface.resource != 0 && surface.token != 0);
    assert_int_equal(s->machine.posted, 1);
    create = packet(s, AEROGPU_CMD_CREATE_TEXTURE2D);
    share = packet(s, AEROGPU_CMD_EXPORT_SHARED_SURFACE);
    assert_true(create != NULL && share != NULL);
    assert_int_equal(create->width, 60);
    assert_int_equal(create->height, 20);
    assert_int_equal(create->mip_levels, 1);
    assert_int_equal(create->array_layers, 1);
    assert_int_equal(create->row_pitch_bytes, surface.pitch);
    assert_int_equal(create->texture_handle, surface.object);
    assert_int_equal(share->resource_handle, surface.object);
    assert_true(share->share_token == surface.token && surface.token != 0);
    assert_int_equal(fake_table(fake_last(&s->machine))->entry_count, 1);
    assert_int_equal(fake_entries(fake_last(&s->machine))[0].alloc_id, create->backing_alloc_id);
    object = surface.object;
    s->machine.on_relax = fake_complete_next;
    agpu_runtime_standard_destroy(&surface);
    assert_true(surface.device == NULL && surface.object == 0);
    s->machine.posted--; /* the release of the token comes after it */
    destroy = packet(s, AEROGPU_CMD_DESTROY_RESOURCE);
    s->machine.posted++;
    assert_non_null(destroy);
    assert_int_equal(destroy->resource_handle, object);
    assert_int_equal(s->machine.posted, 3);
    agpu_runtime_standard_destroy(&surface); /* no effect the second time */
    assert_int_equal(s->machine.posted, 3);
}

/* A read waits for writers only. */
STACK_TEST_WITH(read_beside_readers, open_cross_adapter)
{
    struct agpu_standard_surface surface = wanted();
    uint64_t relaxes;
    void *data = NULL;

    assert_int_equal(agpu_runtime_standard_create(s->runtime, &surface), S_OK);
    relaxes = s->machine.relaxes;
    assert_int_equal(agpu_runtime_standard_lock(&surface, &data), S_OK); /* its creation is pending */
    assert_non_null(data);
    assert_true(s->machine.relaxes == relaxes);
    agpu_runtime_standard_unlock(&surface);
    assert_int_equal(stack_vm(s)->open_locks, 0);
    s->machine.on_relax = fake_complete_next;
    agpu_runtime_standard_destroy(&surface);
}

/* A surface that was not announced is not withdrawn, and nothing leaks. */
STACK_TEST_WITH(refused, open_cross_adapter)
{
    struct agpu_standard_surface surface = wanted();

    surface.dxgi_format = DXGI_FORMAT_BC7_UNORM;
    assert_int_equal(agpu_runtime_standard_create(s->runtime, &surface), E_INVALIDARG);
    surface = wanted();
    surface.width = 0;
    assert_int_equal(agpu_runtime_standard_create(s->runtime, &surface), E_INVALIDARG);
    for (uint64_t call = 1; call < 200; call++) {
        surface = wanted();
        s->machine.fail_at = s->machine.calls + call;
        if (agpu_runtime_standard_create(s->runtime, &surface) == S_OK) {
            s->machine.on_relax = fake_complete_next;
            agpu_runtime_standard_destroy(&surface);
            assert_true(call > 3);
            return;
        }
        assert_null(surface.device);
        assert_true(s->machine.posted == 0 || packet(s, AEROGPU_CMD_DESTROY_RESOURCE) == NULL);
    }
    fail_msg("it never succeeds");
}
