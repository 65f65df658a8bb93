/* bind_shaders.c: the forms of BIND_SHADERS (umd.md 8). */
#include "umd-port/base/bind_shaders.h"

/* The long form; its tail is authoritative (commands.md 7). */
struct bind_shaders_ex {
    struct aerogpu_cmd_bind_shaders base;
    uint32_t gs, hs, ds;
} AEROGPU_CMD_PACKED;

bool agpu_cmd_bind_shaders_with_gs(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs,
                                   uint32_t gs)
{
    struct aerogpu_cmd_bind_shaders *packet =
        agpu_cmd_reserve(writer, AEROGPU_CMD_BIND_SHADERS, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->vs = vs;
    packet->ps = ps;
    packet->cs = cs;
    packet->reserved0 = gs;
    return true;
}

bool agpu_cmd_bind_shaders(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs)
{
    return agpu_cmd_bind_shaders_with_gs(writer, vs, ps, cs, 0);
}

bool agpu_cmd_bind_shaders_ex(struct agpu_cmd_writer *writer, const struct agpu_shader_handles *shaders,
                              bool mirror_gs)
{
    struct bind_shaders_ex *packet = agpu_cmd_reserve(writer, AEROGPU_CMD_BIND_SHADERS, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    packet->base.vs = shaders->vs;
    packet->base.ps = shaders->ps;
    packet->base.cs = shaders->cs;
    packet->base.reserved0 = mirror_gs ? shaders->gs : 0;
    packet->gs = shaders->gs;
    packet->hs = shaders->hs;
    packet->ds = shaders->ds;
    return true;
}

bool agpu_cmd_bind_shaders_hs_ds(struct agpu_cmd_writer *writer, uint32_t vs, uint32_t ps, uint32_t cs,
                                 uint32_t hs, uint32_t ds)
{
    const struct agpu_shader_handles shaders = {.vs = vs, .ps = ps, .cs = cs, .hs = hs, .ds = ds};

    return agpu_cmd_bind_shaders_ex(writer, &shaders, false);
}
