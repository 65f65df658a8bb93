/* shader.c: CREATE_SHADER_DXBC, DESTROY_SHADER, BIND_SHADERS (commands.md 4, 7, 15). */
#include "tests/device/engine/shader.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/renderer.h"
#include "tests/device/engine/state.h"
#include "tests/device/engine/stream.h"

/* Long form of BIND_SHADERS: the append-only extension of the packet. */
struct vgpu_bind_shaders_ex {
    struct aerogpu_cmd_bind_shaders base;
    uint32_t gs;
    uint32_t hs;
    uint32_t ds;
};

#define SHADER_BYTES (sizeof(struct vgpu_shader) + VGPU_HANDLE_COST)

static void free_blob(struct vgpu_exec *exec, struct vgpu_shader *shader)
{
    if (exec->renderer != NULL) {
        exec->renderer->forget_shader(exec->renderer->ctx, shader);
    }
    vgpu_exec_free(exec, shader->dxbc, shader->size);
}

static void free_shader(struct vgpu_exec *exec, struct vgpu_shader *shader)
{
    free_blob(exec, shader);
    vgpu_exec_free(exec, shader, SHADER_BYTES);
    exec->memory_used -= VGPU_RENDERER_SHADER_BYTES;
}

void vgpu_shader_free_all(struct vgpu_exec *exec)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;

    while ((slot = vgpu_map_next(&exec->shaders, &position)) != NULL) {
        free_shader(exec, slot->value);
    }
    vgpu_map_free(&exec->shaders);
}

/* Returns the shader of this handle, created if necessary. Creating one again replaces it and keeps its
 * bindings. NULL = no memory. */
static struct vgpu_shader *get_or_make(struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_shader *shader = vgpu_map_find(&exec->shaders, handle);

    if (shader != NULL) {
        return shader;
    }
    shader = vgpu_exec_alloc(exec, SHADER_BYTES);
    if (shader == NULL || !vgpu_exec_charge(exec, VGPU_RENDERER_SHADER_BYTES)) {
        vgpu_exec_free(exec, shader, SHADER_BYTES);
        return NULL;
    }
    if (!vgpu_map_set(&exec->shaders, handle, shader)) {
        free_shader(exec, shader);
        return NULL;
    }
    return shader;
}

/* Returns the shader of this handle with this code; an older one is replaced. NULL = no memory. */
static struct vgpu_shader *place_shader(struct vgpu_exec *exec, uint32_t handle, enum vgpu_stage stage,
                                        const void *code, uint32_t bytes)
{
    uint8_t *dxbc = vgpu_exec_alloc(exec, bytes);
    struct vgpu_shader *shader = dxbc != NULL ? get_or_make(exec, handle) : NULL;

    if (shader == NULL) {
        vgpu_exec_free(exec, dxbc, bytes);
        return NULL;
    }
    free_blob(exec, shader);
    memcpy(dxbc, code, bytes);
    *shader = (struct vgpu_shader){.stage = stage, .size = bytes, .dxbc = dxbc};
    return shader;
}

static void visit_shader(void *ctx, struct vgpu_archive *archive, uint64_t handle, void *value)
{
    struct vgpu_shader *shader = value;
    const enum vgpu_stage stage = (enum vgpu_stage)vgpu_archive_number(
        archive, "shader stage", shader != NULL ? shader->stage : 0, VGPU_STAGE_COUNT - 1);
    const uint64_t size =
        vgpu_archive_number(archive, "shader size", shader != NULL ? shader->size : 0, VGPU_STREAM_MAX_BYTES);

    if (archive->loading && vgpu_archive_expect(archive, size != 0 && size <= archive->left,
                                                "a shader that the stream contains")) {
        shader = place_shader(ctx, (uint32_t)handle, stage, archive->next, (uint32_t)size);
    }
    if (vgpu_archive_expect(archive, shader != NULL, "memory for the shaders")) {
        vgpu_archive_bytes(archive, shader->dxbc, shader->size);
    }
}

void vgpu_shader_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    vgpu_map_visit(&exec->shaders, archive, UINT32_MAX, visit_shader, exec);
}

uint32_t vgpu_packet_create_shader_dxbc(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_shader_dxbc *create = packet;
    const uint32_t bytes = create->dxbc_size_bytes;
    struct vgpu_shader *shader;
    enum vgpu_stage stage;

    if (create->shader_handle == 0 || bytes == 0 || bytes > size - sizeof *create ||
        !vgpu_stage_decode(create->stage, create->reserved0, exec->minor, &stage)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    shader = place_shader(exec, create->shader_handle, stage, create + 1, bytes);
    if (shader == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_destroy_shader(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_shader *destroy = packet;
    struct vgpu_shader *shader = vgpu_map_find(&exec->shaders, destroy->shader_handle);

    (void)size;
    if (shader != NULL) { /* unbound as resources are: a later use finds an empty slot */
        vgpu_state_unbind_handle(exec, VGPU_SLOT_SHADER, destroy->shader_handle);
        vgpu_map_remove(&exec->shaders, destroy->shader_handle);
        free_shader(exec, shader);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_bind_shaders(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_bind_shaders *bind = packet;
    uint32_t handles[VGPU_STAGE_COUNT] = {
        [VGPU_STAGE_VERTEX] = bind->vs,
        [VGPU_STAGE_PIXEL] = bind->ps,
        [VGPU_STAGE_COMPUTE] = bind->cs,
    };

    if (size >= sizeof(struct vgpu_bind_shaders_ex)) {
        const struct vgpu_bind_shaders_ex *extended = packet;

        handles[VGPU_STAGE_GEOMETRY] = extended->gs;
        handles[VGPU_STAGE_HULL] = extended->hs;
        handles[VGPU_STAGE_DOMAIN] = extended->ds;
    } else if (size == sizeof *bind) {
        handles[VGPU_STAGE_GEOMETRY] = bind->reserved0;
    }
    for (unsigned stage = 0; stage < VGPU_STAGE_COUNT; stage++) {
        vgpu_slot_bind(exec, &exec->state.stages[stage].shader, VGPU_SLOT_SHADER, handles[stage]);
    }
    return AEROGPU_ERROR_NONE;
}
