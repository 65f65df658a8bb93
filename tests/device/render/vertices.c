/* vertices.c: vertex input: matches the elements of the layout with the signature of the vertex shader. */
#include "tests/device/render/vertices.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/engine/input_layout.h"
#include "tests/device/render/bindings.h"
#include "tests/device/render/engine_link.h"
#include "tests/device/render/upload.h"

/* Returns the alignment of an element's address; 0 for an unknown format. */
static uint32_t format_alignment(uint32_t format)
{
    if (format <= 8 || (format >= 16 && format <= 18) || format == 24 || (format >= 41 && format <= 43)) {
        return 4;
    }
    if ((format >= 10 && format <= 14) || (format >= 34 && format <= 38) || (format >= 54 && format <= 59)) {
        return 2;
    }
    return 1;
}

/* True when the shader may read the format as this type (VGPU_DXBC_FLOAT, UINT or INT). 32-bit data is never
 * converted. */
static bool format_readable(uint32_t format, uint32_t component_type)
{
    switch (format) {
    case 2:
    case 3:
    case 4:
    case 6:
    case 7:
    case 8:
    case 16:
    case 17:
    case 18:
    case 41:
    case 42:
    case 43:
        return true;
    case 12:
    case 30:
    case 36:
    case 50:
    case 57:
        return component_type == VGPU_DXBC_UINT;
    case 14:
    case 32:
    case 38:
    case 52:
    case 59:
        return component_type == VGPU_DXBC_INT;
    default:
        return component_type == VGPU_DXBC_FLOAT;
    }
}

/* Returns the binding for the slot and step rate of an element, and creates it when missing. */
static uint32_t binding_for(const struct vgpu_state *state,
                            const struct aerogpu_input_layout_element_dxgi *element,
                            uint8_t slots[VGPU_DXBC_REGISTERS], struct vgpu_wire_input *input)
{
    uint32_t step = element->input_slot_class ? element->instance_data_step_rate : 0;
    uint32_t stride = state->vertex_buffers[element->input_slot].extra;

    for (uint32_t i = 0; i < input->binding_count; i++) {
        if (slots[i] == element->input_slot && input->bindings[i].step == step) {
            return i;
        }
    }
    slots[input->binding_count] = (uint8_t)element->input_slot;
    input->bindings[input->binding_count] = (struct vgpu_wire_vertex_binding){stride, step};
    return input->binding_count++;
}

static const struct aerogpu_input_layout_element_dxgi *find_element(const struct vgpu_input_layout *layout,
                                                                    const struct vgpu_dxbc_element *wanted)
{
    for (uint32_t i = 0; layout != NULL && i < layout->count; i++) {
        if (layout->elements[i].semantic_name_hash == wanted->name_hash &&
            layout->elements[i].semantic_index == wanted->index) {
            return &layout->elements[i];
        }
    }
    return NULL;
}

uint32_t vgpu_render_vertices(struct vgpu_render *render, const struct vgpu_state *state,
                              const struct vgpu_render_shader *shader, struct vgpu_wire_input *input,
                              struct vgpu_wire_vertex_buffer *buffers)
{
    const struct vgpu_dxbc_signature *inputs = &shader->dxbc.inputs;
    uint8_t slots[VGPU_DXBC_REGISTERS];

    memset(input, 0, sizeof *input);
    for (uint32_t i = 0; i < inputs->count; i++) {
        const struct vgpu_dxbc_element *wanted = &inputs->elements[i];

        if (wanted->system_value != VGPU_DXBC_SV_NONE) {
            continue;
        }
        const struct aerogpu_input_layout_element_dxgi *element =
            find_element(state->input_layout.thing, wanted);
        if (element == NULL) {
            return vgpu_render_refused(render, "the vertex shader's input %08x %u is not in the input layout",
                                       wanted->name_hash, wanted->index);
        }
        if (!format_readable(element->dxgi_format, wanted->component_type)) {
            return vgpu_render_refused(render, "vertex format %u is not what the vertex shader reads",
                                       element->dxgi_format);
        }
        const struct vgpu_buffer_slot *slot = &state->vertex_buffers[element->input_slot];
        uint32_t unit = format_alignment(element->dxgi_format);
        if (slot->extra % unit || slot->offset % unit || element->aligned_byte_offset % unit) {
            return vgpu_render_failed(render, "vertex data that is not aligned to its components");
        }
        if (input->attribute_count == VGPU_DXBC_REGISTERS) {
            return vgpu_render_refused(render, "more vertex elements than registers");
        }
        input->attributes[input->attribute_count++] = (struct vgpu_wire_attribute){
            .location = (uint8_t)wanted->reg,
            .binding = (uint8_t)binding_for(state, element, slots, input),
            .component_type = (uint8_t)wanted->component_type,
            .dxgi_format = (uint8_t)element->dxgi_format,
            .offset = element->aligned_byte_offset,
        };
    }
    for (uint32_t i = 0; i < input->binding_count; i++) {
        const struct vgpu_buffer_slot *slot = &state->vertex_buffers[slots[i]];
        struct vgpu_resource *resource = slot->slot.thing;

        buffers[i] = (struct vgpu_wire_vertex_buffer){0};
        if (resource != NULL) {
            uint32_t error = vgpu_render_use(render, resource);

            if (error) {
                return error;
            }
            buffers[i] = (struct vgpu_wire_vertex_buffer){.buffer = vgpu_render_number(resource),
                                                          .offset = slot->offset};
        }
    }
    return AEROGPU_ERROR_NONE;
}
