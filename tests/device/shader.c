/* shader.c: CREATE_SHADER_DXBC, DESTROY_SHADER, BIND_SHADERS (commands.md 4, 7, 15). */
#include "tests/device/shader.h"

#include <string.h>

#include "pci/aerogpu_pci.h"
#include "tests/device/device_private.h"
#include "tests/device/packets.h"
#include "tests/device/renderer.h"

/* BIND_SHADERS in its long form; the append-only extension of the packet. */
struct bind_shaders_ex {
    struct aerogpu_cmd_bind_shaders base;
    uint32_t gs;
    uint32_t hs;
    uint32_t ds;
};

#define SHADER_BYTES (sizeof(struct agpu_shader) + AGPU_HANDLE_COST)

static void free_blob(struct agpu_exec *exec, struct agpu_shader *shader)
{
    if (exec->renderer != NULL) {
        exec->renderer->forget_shader(exec->renderer->ctx, shader);
    }
    agpu_exec_free(exec, shader->dxbc, shader->size);
}

static void free_shader(struct agpu_exec *exec, struct agpu_shader *shader)
{
    free_blob(exec, shader);
    agpu_exec_free(exec, shader, SHADER_BYTES);
    exec->memory_used -= AGPU_RENDERER_SHADER_BYTES;
}

void agpu_shader_free_all(struct agpu_exec *exec)
{
    const struct agpu_map_slot *slot;
    size_t position = 0;

    while ((slot = agpu_map_next(&exec->shaders, &position)) != NULL) {
        free_shader(exec, slot->value);
    }
    agpu_map_free(&exec->shaders);
}

/* The shader of this handle, made if need be; re-creation replaces and keeps bindings. NULL = no memory. */
static struct agpu_shader *get_or_make(struct agpu_exec *exec, uint32_t handle)
{
    struct agpu_shader *shader = agpu_map_find(&exec->shaders, handle);

    if (shader != NULL) {
        return shader;
    }
    shader = agpu_exec_alloc(exec, SHADER_BYTES);
    if (shader == NULL || !agpu_exec_charge(exec, AGPU_RENDERER_SHADER_BYTES)) {
        agpu_exec_free(exec, shader, SHADER_BYTES);
        return NULL;
    }
    if (!agpu_map_set(&exec->shaders, handle, shader)) {
        free_shader(exec, shader);
        return NULL;
    }
    return shader;
}

uint32_t agpu_packet_create_shader_dxbc(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_shader_dxbc *create = packet;
    const uint32_t bytes = create->dxbc_size_bytes;
    struct agpu_shader *shader;
    enum agpu_stage stage;
    uint8_t *dxbc;

    if (create->shader_handle == 0 || bytes == 0 || bytes > size - sizeof *create ||
        !agpu_stage_decode(create->stage, create->reserved0, exec->minor, &stage)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    dxbc = agpu_exec_alloc(exec, bytes);
    shader = dxbc != NULL ? get_or_make(exec, create->shader_handle) : NULL;
    if (shader == NULL) {
        agpu_exec_free(exec, dxbc, bytes);
        return AEROGPU_ERROR_BACKEND;
    }
    free_blob(exec, shader);
    memcpy(dxbc, create + 1, bytes);
    *shader = (struct agpu_shader){.stage = stage, .size = bytes, .dxbc = dxbc};
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t agpu_packet_destroy_shader(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_shader *destroy = packet;
    struct agpu_shader *shader = agpu_map_find(&exec->shaders, destroy->shader_handle);

    (void)size;
    if (shader != NULL) { /* unbound as resources are: later use is that of an empty slot */
        agpu_state_unbind_handle(exec, AGPU_SLOT_SHADER, destroy->shader_handle);
        agpu_map_remove(&exec->shaders, destroy->shader_handle);
        free_shader(exec, shader);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t agpu_packet_bind_shaders(struct agpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_bind_shaders *bind = packet;
    uint32_t handles[AGPU_STAGE_COUNT] = {
        [AGPU_STAGE_VERTEX] = bind->vs,
        [AGPU_STAGE_PIXEL] = bind->ps,
        [AGPU_STAGE_COMPUTE] = bind->cs,
    };

    if (size >= sizeof(struct bind_shaders_ex)) {
        const struct bind_shaders_ex *extended = packet;

        handles[AGPU_STAGE_GEOMETRY] = extended->gs;
        handles[AGPU_STAGE_HULL] = extended->hs;
        handles[AGPU_STAGE_DOMAIN] = extended->ds;
    } else if (size == sizeof *bind) {
        handles[AGPU_STAGE_GEOMETRY] = bind->reserved0;
    }
    for (unsigned stage = 0; stage < AGPU_STAGE_COUNT; stage++) {
        agpu_slot_bind(exec, &exec->state.stages[stage].shader, AGPU_SLOT_SHADER, handles[stage]);
    }
    return AEROGPU_ERROR_NONE;
}
