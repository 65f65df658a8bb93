/* input_layout.c: CREATE_INPUT_LAYOUT, DESTROY_INPUT_LAYOUT, SET_INPUT_LAYOUT (commands.md 7, 15). */
#include "tests/device/engine/input_layout.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/exec.h"
#include "tests/device/engine/handlers.h"
#include "tests/device/engine/state.h"

#define APPEND_OFFSET  0xFFFFFFFFu
#define CLASS_INSTANCE 1u
#define LAYOUT_COST    (sizeof(struct vgpu_input_layout) + VGPU_HANDLE_COST)

/* End of a D3D9 vertex declaration: stream 0xFF, type UNUSED. */
#define D3D9_ELEMENT_BYTES 8u
#define D3D9_END_STREAM    0xFFu
#define D3D9_TYPE_OFFSET   4u
#define D3D9_TYPE_UNUSED   17u

/* Returns the bytes of a vertex element format (a DXGI_FORMAT), 0 when it is not one (commands.md 7). */
static uint32_t vertex_format_bytes(uint32_t dxgi_format)
{
    static const struct {
        uint8_t first;
        uint8_t last;
        uint8_t bytes;
    } ranges[] = {
        {2, 4, 16},  {6, 8, 12},  {10, 14, 8}, {16, 18, 8}, {24, 24, 4}, {28, 32, 4}, {34, 38, 4},
        {41, 43, 4}, {49, 52, 2}, {54, 54, 2}, {56, 59, 2}, {87, 87, 4}, {91, 91, 4},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (dxgi_format >= ranges[i].first && dxgi_format <= ranges[i].last) {
            return ranges[i].bytes;
        }
    }
    return 0;
}

void vgpu_input_layout_free_all(struct vgpu_exec *exec)
{
    const struct vgpu_map_slot *slot;
    size_t position = 0;

    while ((slot = vgpu_map_next(&exec->layouts, &position)) != NULL) {
        vgpu_exec_free(exec, slot->value, LAYOUT_COST);
    }
    vgpu_map_free(&exec->layouts);
}

/* Validates a blob that is not ILAY: a D3D9 declaration consists of whole elements and has an end. */
static bool d3d9_valid(const uint8_t *blob, uint32_t size)
{
    if (size % D3D9_ELEMENT_BYTES != 0) {
        return false;
    }
    for (uint32_t at = 0; at < size; at += D3D9_ELEMENT_BYTES) {
        uint16_t stream;

        memcpy(&stream, blob + at, sizeof stream);
        if (stream == D3D9_END_STREAM && blob[at + D3D9_TYPE_OFFSET] == D3D9_TYPE_UNUSED) {
            return true;
        }
    }
    return false;
}

/* An appended element follows the previous element of its slot, aligned to 4. */
static void resolve_offsets(struct vgpu_input_layout *layout)
{
    uint32_t end[VGPU_MAX_VERTEX_BUFFERS] = {0};

    for (uint32_t i = 0; i < layout->count; i++) {
        struct aerogpu_input_layout_element_dxgi *element = &layout->elements[i];
        const uint32_t bytes = vertex_format_bytes(element->dxgi_format);

        if (bytes == 0) {
            layout->usable = false;
        }
        if (element->aligned_byte_offset == APPEND_OFFSET) {
            element->aligned_byte_offset = (end[element->input_slot] + 3u) & ~3u;
        }
        end[element->input_slot] = element->aligned_byte_offset + bytes;
        if (element->input_slot_class == CLASS_INSTANCE && element->instance_data_step_rate == 0) {
            element->instance_data_step_rate = 1;
        }
    }
}

static bool slots_valid(const struct vgpu_input_layout *layout)
{
    for (uint32_t i = 0; i < layout->count; i++) {
        if (layout->elements[i].input_slot >= VGPU_MAX_VERTEX_BUFFERS) {
            return false;
        }
    }
    return true;
}

static bool parse_layout(const uint8_t *blob, uint32_t size, struct vgpu_input_layout *layout)
{
    struct aerogpu_input_layout_blob_header header = {0};

    memcpy(&header, blob, size < sizeof header ? size : sizeof header);
    if (size < sizeof header.magic || header.magic != AEROGPU_INPUT_LAYOUT_BLOB_MAGIC) {
        layout->usable = false;
        return d3d9_valid(blob, size);
    }
    if (size < sizeof header || header.version != AEROGPU_INPUT_LAYOUT_BLOB_VERSION ||
        header.element_count > VGPU_MAX_INPUT_ELEMENTS ||
        header.element_count * sizeof layout->elements[0] > size - sizeof header) {
        return false;
    }
    layout->usable = true;
    layout->count = header.element_count;
    memcpy(layout->elements, blob + sizeof header, header.element_count * sizeof layout->elements[0]);
    if (!slots_valid(layout)) {
        return false;
    }
    resolve_offsets(layout);
    return true;
}

/* NULL = no memory. */
static struct vgpu_input_layout *add_layout(struct vgpu_exec *exec, uint32_t handle)
{
    struct vgpu_input_layout *layout;

    layout = vgpu_exec_alloc(exec, LAYOUT_COST);
    if (layout == NULL || !vgpu_map_set(&exec->layouts, handle, layout)) {
        vgpu_exec_free(exec, layout, LAYOUT_COST);
        return NULL;
    }
    return layout;
}

static const struct vgpu_field layout_fields[] = {
    VGPU_FIELD(vgpu_input_layout, usable),
    VGPU_FIELD_UP_TO(vgpu_input_layout, count, VGPU_MAX_INPUT_ELEMENTS),
    VGPU_FIELD(vgpu_input_layout, elements),
};

static void visit_layout(void *ctx, struct vgpu_archive *archive, uint64_t handle, void *value)
{
    struct vgpu_input_layout *layout = value != NULL ? value : add_layout(ctx, (uint32_t)handle);

    if (!vgpu_archive_expect(archive, layout != NULL, "memory for the input layouts")) {
        return;
    }
    VGPU_ARCHIVE_FIELDS(archive, layout, layout_fields);
    if (vgpu_archive_expect(archive, slots_valid(layout), "elements of existing slots")) {
        resolve_offsets(layout); /* changes no resolved layout; unlisted formats are not usable */
    }
}

void vgpu_input_layout_visit_all(struct vgpu_exec *exec, struct vgpu_archive *archive)
{
    vgpu_map_visit(&exec->layouts, archive, UINT32_MAX, visit_layout, exec);
}

uint32_t vgpu_packet_create_input_layout(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_create_input_layout *create = packet;
    struct vgpu_input_layout parsed = {0};
    struct vgpu_input_layout *layout;

    if (create->input_layout_handle == 0 || create->blob_size_bytes > size - sizeof *create ||
        !parse_layout((const uint8_t *)(create + 1), create->blob_size_bytes, &parsed)) {
        return AEROGPU_ERROR_CMD_DECODE;
    }
    layout = vgpu_map_find(&exec->layouts, create->input_layout_handle);
    if (layout == NULL) {
        layout = add_layout(exec, create->input_layout_handle);
    }
    if (layout == NULL) {
        return AEROGPU_ERROR_BACKEND;
    }
    *layout = parsed;
    exec->state.version++;
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_destroy_input_layout(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_destroy_input_layout *destroy = packet;
    struct vgpu_input_layout *layout = vgpu_map_find(&exec->layouts, destroy->input_layout_handle);

    (void)size;
    if (layout != NULL) {
        vgpu_state_unbind_handle(exec, VGPU_SLOT_LAYOUT, destroy->input_layout_handle);
        vgpu_map_remove(&exec->layouts, destroy->input_layout_handle);
        vgpu_exec_free(exec, layout, LAYOUT_COST);
    }
    return AEROGPU_ERROR_NONE;
}

uint32_t vgpu_packet_set_input_layout(struct vgpu_exec *exec, const void *packet, uint32_t size)
{
    const struct aerogpu_cmd_set_input_layout *set = packet;

    (void)size;
    vgpu_slot_bind(exec, &exec->state.input_layout, VGPU_SLOT_LAYOUT, set->input_layout_handle);
    return AEROGPU_ERROR_NONE;
}
