/* shaders.c: reads, translates and sends shaders to the drawing process; checks that those of a draw match. */
#include "tests/device/render/shaders.h"

#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"

#include "tests/device/render/dxbc.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/numbers.h"
#include "tests/device/render/translate.h"

_Static_assert(sizeof(struct vgpu_render_shader) <= VGPU_RENDERER_SHADER_BYTES,
               "the model charges the memory cached with a shader");

static uint32_t stage_type(enum vgpu_stage stage)
{
    static const uint8_t types[VGPU_STAGE_COUNT] = {
        [VGPU_STAGE_VERTEX] = VGPU_DXBC_VERTEX,     [VGPU_STAGE_PIXEL] = VGPU_DXBC_PIXEL,
        [VGPU_STAGE_GEOMETRY] = VGPU_DXBC_GEOMETRY, [VGPU_STAGE_HULL] = VGPU_DXBC_HULL,
        [VGPU_STAGE_DOMAIN] = VGPU_DXBC_DOMAIN,     [VGPU_STAGE_COMPUTE] = VGPU_DXBC_COMPUTE,
    };

    return types[stage];
}

/* Reads the blob, only once. Returns NULL when memory is exhausted. */
static struct vgpu_render_shader *read_shader(struct vgpu_shader *shader)
{
    struct vgpu_render_shader *data = shader->renderer_data;

    if (data != NULL) {
        return data;
    }
    data = calloc(1, sizeof *data);
    if (data == NULL) {
        return NULL;
    }
    shader->renderer_data = data;
    data->wrong = vgpu_dxbc_read(shader->dxbc, shader->size, &data->dxbc);
    if (data->wrong == NULL && data->dxbc.type != stage_type(shader->stage)) {
        data->wrong = "the program is one of another stage";
    }
    return data;
}

static void destroy_render_shader(struct vgpu_render *render, struct vgpu_render_shader *data)
{
    if (data->number && data->generation == render->generation && vgpu_engine_reserve(render, 256, 0)) {
        struct vgpu_wire_destroy *message =
            vgpu_engine_message(render, VGPU_WIRE_SHADER_DESTROY, sizeof *message);
        message->number = data->number;
        vgpu_number_free(&render->shaders, data->number);
    }
    data->number = 0;
}

static uint32_t create_render_shader(struct vgpu_render *render, const struct vgpu_shader *shader,
                                     const struct vgpu_dxbc *hull, struct vgpu_render_shader *data)
{
    struct vgpu_spirv spirv;
    const char *why;
    uint32_t set = shader->stage == VGPU_STAGE_COMPUTE ? 0 : (uint32_t)shader->stage;

    if (!vgpu_engine_ready(render)) {
        return AEROGPU_ERROR_BACKEND;
    }
    bool translated =
        vgpu_translate(render->translator, shader->dxbc, shader->size, &data->dxbc, hull, set, &spirv, &why);
    vgpu_engine_spend(render, vgpu_translator_last_ns(render->translator));
    if (!translated) {
        return vgpu_render_failed(render, "a shader is not translated: %s", why);
    }
    uint32_t bytes = data->dxbc.binding_count * (uint32_t)sizeof *data->dxbc.bindings;
    struct vgpu_wire_shader_create *message;
    if (!vgpu_engine_reserve(render, (uint32_t)sizeof *message + bytes + 8, spirv.size)) {
        return AEROGPU_ERROR_BACKEND;
    }
    uint32_t number = vgpu_number_alloc(&render->shaders);
    if (!number) {
        return vgpu_render_failed(render, "more shaders than the drawing process can hold");
    }
    message = vgpu_engine_message(render, VGPU_WIRE_SHADER_CREATE, (uint32_t)sizeof *message + bytes);
    message->shader = number;
    message->stage = shader->stage;
    message->bytes = spirv.size;
    message->data = vgpu_engine_data(render, spirv.size);
    message->binding_count = data->dxbc.binding_count;
    memcpy(message->bindings, data->dxbc.bindings, bytes);
    memcpy(render->shared + message->data, spirv.words, spirv.size);
    data->generation = render->generation;
    data->number = number;
    data->distrusted = render->distrusted;
    data->hull = hull != NULL ? hull->output_primitive | (uint32_t)hull->partitioning << 8 : 0;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_render_read_shader(struct vgpu_render *render, struct vgpu_shader *shader,
                                 struct vgpu_render_shader **out)
{
    struct vgpu_render_shader *data = read_shader(shader);

    if (data == NULL) {
        return vgpu_render_failed(render, "memory is exhausted");
    }
    *out = data;
    return data->wrong != NULL ? vgpu_render_refused(render, "a shader is refused: %s", data->wrong)
                               : AEROGPU_ERROR_NONE;
}

uint32_t vgpu_render_load_shader(struct vgpu_render *render, const struct vgpu_shader *shader,
                                 const struct vgpu_render_shader *hull_data)
{
    struct vgpu_render_shader *data = shader->renderer_data;
    uint32_t key = hull_data != NULL
                       ? hull_data->dxbc.output_primitive | (uint32_t)hull_data->dxbc.partitioning << 8
                       : 0;

    if (data->number && data->generation == render->generation && data->hull == key &&
        data->distrusted == render->distrusted) {
        return AEROGPU_ERROR_NONE;
    }
    destroy_render_shader(render, data);
    return create_render_shader(render, shader, hull_data != NULL ? &hull_data->dxbc : NULL, data);
}

void vgpu_render_forget_shader(void *ctx, struct vgpu_shader *shader)
{
    struct vgpu_render *render = ctx;
    struct vgpu_render_shader *data = shader->renderer_data;

    render->state = NULL;
    memset(render->linked, 0, sizeof render->linked);
    if (data != NULL) {
        destroy_render_shader(render, data);
        free(data);
        shader->renderer_data = NULL;
    }
}

/* True when every input has an output of the earlier stage with the same name, register, type and components.
 * Direct3D does not define the result of shaders that disagree. */
static bool signature_fits(const struct vgpu_dxbc_signature *inputs,
                           const struct vgpu_dxbc_signature *outputs)
{
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct vgpu_dxbc_element *input = &inputs->elements[i];
        bool found = input->system_value != VGPU_DXBC_SV_NONE || input->used == 0;

        for (uint32_t k = 0; k < outputs->count && !found; k++) {
            const struct vgpu_dxbc_element *output = &outputs->elements[k];

            found = output->name_hash == input->name_hash && output->index == input->index &&
                    output->reg == input->reg && output->component_type == input->component_type &&
                    (input->used & ~output->mask) == 0;
        }
        if (!found) {
            return false;
        }
    }
    return true;
}

uint32_t vgpu_render_link(struct vgpu_render *render, struct vgpu_render_shader *const stages[5])
{
    static const uint8_t order[] = {VGPU_STAGE_HULL, VGPU_STAGE_DOMAIN, VGPU_STAGE_GEOMETRY,
                                    VGPU_STAGE_PIXEL};
    const struct vgpu_render_shader *from = stages[VGPU_STAGE_VERTEX];
    const struct vgpu_render_shader *hull = stages[VGPU_STAGE_HULL], *domain = stages[VGPU_STAGE_DOMAIN];

    if ((hull == NULL) != (domain == NULL)) {
        return vgpu_render_refused(render, "a hull shader without a domain shader, or the other way round");
    }
    for (uint32_t i = 0; i < sizeof order; i++) {
        const struct vgpu_render_shader *to = stages[order[i]];

        if (to == NULL) {
            continue;
        }
        if (!signature_fits(&to->dxbc.inputs, &from->dxbc.outputs)) {
            return vgpu_render_refused(render, "a shader's input is not what the stage before gives");
        }
        from = to;
    }
    if (hull != NULL && (hull->dxbc.domain != domain->dxbc.domain ||
                         !signature_fits(&domain->dxbc.patch, &hull->dxbc.patch))) {
        return vgpu_render_refused(render, "the domain shader's patch is not that of the hull shader");
    }
    return AEROGPU_ERROR_NONE;
}
