/* shared_surface.c: exported textures and their contents. */
#include "tests/cases/rig/shared_surface.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/submit.h"

#define RGBA         AEROGPU_FORMAT_R8G8B8A8_UNORM
#define SHARED_BYTES (AGPU_SHARED_EDGE * AGPU_SHARED_EDGE * 4)

void agpu_put_export(struct agpu_rig *r, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_export_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_EXPORT_SHARED_SURFACE, sizeof *packet);

    packet->resource_handle = handle;
    packet->share_token = token;
}

void agpu_put_import(struct agpu_rig *r, uint32_t handle, uint64_t token)
{
    struct aerogpu_cmd_import_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_IMPORT_SHARED_SURFACE, sizeof *packet);

    packet->out_resource_handle = handle;
    packet->share_token = token;
}

void agpu_put_release(struct agpu_rig *r, uint64_t token)
{
    struct aerogpu_cmd_release_shared_surface *packet =
        agpu_rig_packet(r, AEROGPU_CMD_RELEASE_SHARED_SURFACE, sizeof *packet);

    packet->share_token = token;
}

bool agpu_shared_begin(struct agpu_test *t)
{
    agpu_put_create_texture(agpu_rig_of(t), 1, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, 0, 0);
    agpu_put_export(agpu_rig_of(t), 1, AGPU_TOKEN);
    return agpu_run_clean(t);
}

/* Returns true if the surface under this handle, copied to poisoned guest memory, is as wanted. */
static bool shared_is(struct agpu_test *t, uint32_t handle, uint8_t poison, const uint8_t *wanted)
{
    struct agpu_rig *r = agpu_rig_of(t);

    memset(r->memory[0].cpu, poison, r->memory[0].size);
    agpu_rig_alloc(r, 10, &r->memory[0], AEROGPU_ALLOC_FLAG_NONE);
    agpu_put_create_texture(r, 0x50, RGBA, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE * 4, 10);
    agpu_put_dirty(r, 0x50, 0, SHARED_BYTES);
    agpu_put_copy_texture(r, 0x50, handle, AGPU_SHARED_EDGE, AGPU_SHARED_EDGE,
                          AEROGPU_COPY_FLAG_WRITEBACK_DST);
    if (!agpu_run_clean(t)) {
        return false;
    }
    agpu_put_destroy(r, 0x50);
    return agpu_run_clean(t) && agpu_check_eq_mem(t, r->memory[0].cpu, wanted, SHARED_BYTES);
}

bool agpu_shared_holds(struct agpu_test *t, uint32_t handle, uint32_t seed)
{
    uint8_t data[SHARED_BYTES];

    agpu_fill_pattern(data, sizeof data, seed);
    return shared_is(t, handle, 0, data);
}

bool agpu_shared_is_zero(struct agpu_test *t, uint32_t handle)
{
    static const uint8_t zeros[SHARED_BYTES];

    return shared_is(t, handle, 0xAB, zeros);
}

void agpu_put_shared_pattern(struct agpu_test *t, uint32_t handle, uint32_t seed)
{
    uint8_t data[SHARED_BYTES];

    agpu_fill_pattern(data, sizeof data, seed);
    agpu_put_upload(agpu_rig_of(t), handle, 0, data, sizeof data);
}
