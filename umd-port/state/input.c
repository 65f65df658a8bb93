/* input.c: input layouts, vertex and index buffers, topology (umd.md 8, 10). */
#include "umd-port/state/input.h"

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"
#include "umd-port/state/objects.h"

/* Far above the limit of a layout; keeps the blob's size in range. */
#define MAX_ELEMENTS 4096u

size_t agpu_calc_element_layout_size(D3D10DDI_HDEVICE device, const D3D10DDIARG_CREATEELEMENTLAYOUT *args)
{
    (void)args;
    const size_t bytes = sizeof(struct agpu_element_layout);
    return agpu_traced_size(device, "CalcPrivateElementLayoutSize",
                            bytes < sizeof(void *) ? sizeof(void *) : bytes);
}

/* Returns FNV-1a 32 of the upper-case name; 0 for no name. */
static uint32_t semantic_hash(const char *name)
{
    if (name == NULL) {
        return 0;
    }
    uint32_t hash = 0x811C9DC5u;
    for (; *name; name++) {
        uint8_t c = (uint8_t)*name;

        if (c >= 'a' && c <= 'z') {
            c = (uint8_t)(c - 'a' + 'A');
        }
        hash = (hash ^ c) * 0x01000193u;
    }
    return hash;
}

static bool emit_create_layout(struct agpu_cmd_writer *cmd, uint32_t handle,
                               const D3D10DDIARG_CREATEELEMENTLAYOUT *args)
{
    struct aerogpu_cmd_create_input_layout *packet;
    struct aerogpu_input_layout_blob_header *blob;
    struct aerogpu_input_layout_element_dxgi *out;
    uint32_t bytes = (uint32_t)(sizeof *blob + args->NumElements * sizeof *out);

    packet = agpu_cmd_append_room(cmd, AEROGPU_CMD_CREATE_INPUT_LAYOUT, sizeof *packet, bytes);
    if (packet == NULL) {
        return false;
    }
    packet->input_layout_handle = handle;
    packet->blob_size_bytes = bytes;
    blob = (struct aerogpu_input_layout_blob_header *)(packet + 1);
    blob->magic = AEROGPU_INPUT_LAYOUT_BLOB_MAGIC;
    blob->version = AEROGPU_INPUT_LAYOUT_BLOB_VERSION;
    blob->element_count = args->NumElements;
    blob->reserved0 = 0;
    out = (struct aerogpu_input_layout_element_dxgi *)(blob + 1);
    for (uint32_t i = 0; i < args->NumElements; i++) {
        const D3D10DDIARG_INPUT_ELEMENT_DESC *element = &args->pVertexElements[i];

        out[i].semantic_name_hash = semantic_hash(element->SemanticName);
        out[i].semantic_index = element->SemanticIndex;
        out[i].dxgi_format = element->Format;
        out[i].input_slot = element->InputSlot;
        out[i].aligned_byte_offset = element->AlignedByteOffset;
        out[i].input_slot_class = element->InputSlotClass;
        out[i].instance_data_step_rate = element->InstanceDataStepRate;
    }
    return true;
}

static HRESULT input_create_layout(struct agpu_context *context, const D3D10DDIARG_CREATEELEMENTLAYOUT *args,
                                   struct agpu_element_layout *layout)
{
    if (args == NULL || (args->NumElements && args->pVertexElements == NULL) ||
        args->NumElements > MAX_ELEMENTS) {
        return E_INVALIDARG;
    }
    uint32_t created = agpu_adapter_next_handle(context->device->adapter);
    if (!emit_create_layout(&context->cmd, created, args)) {
        return E_OUTOFMEMORY;
    }
    layout->handle = created;
    return S_OK;
}

HRESULT agpu_create_element_layout(D3D10DDI_HDEVICE handle, const D3D10DDIARG_CREATEELEMENTLAYOUT *args,
                                   D3D10DDI_HELEMENTLAYOUT layout_handle, D3D10DDI_HRTELEMENTLAYOUT runtime)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_element_layout *layout = layout_handle.pDrvPrivate;

    (void)runtime;
    if (layout == NULL) {
        return E_INVALIDARG;
    }
    layout->handle = 0;
    if (context == NULL) {
        return E_INVALIDARG;
    }
    HRESULT hr = input_create_layout(context, args, layout);
    AGPU_TRACE_CALL(context, "CreateElementLayout handle=%u elements=%u -> hr=0x%X", layout->handle,
                    args ? args->NumElements : 0, (unsigned)hr);
    return hr;
}

void agpu_destroy_element_layout(D3D10DDI_HDEVICE handle, D3D10DDI_HELEMENTLAYOUT layout_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    struct agpu_element_layout *layout = layout_handle.pDrvPrivate;

    if (layout == NULL || !layout->handle) {
        return;
    }
    uint32_t old = layout->handle;
    layout->handle = 0;
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "DestroyElementLayout handle=%u", old);
    struct aerogpu_cmd_destroy_input_layout *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_DESTROY_INPUT_LAYOUT, sizeof *packet);
    if (packet == NULL) {
        agpu_set_error(context, E_OUTOFMEMORY);
        return;
    }
    packet->input_layout_handle = old;
    packet->reserved0 = 0;
}

bool agpu_bind_input_layout(struct agpu_context *context, uint32_t handle)
{
    struct aerogpu_cmd_set_input_layout *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_INPUT_LAYOUT, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->input_layout_handle = handle;
    packet->reserved0 = 0;
    context->input_layout = handle;
    return true;
}

void agpu_ia_set_input_layout(D3D10DDI_HDEVICE handle, D3D10DDI_HELEMENTLAYOUT layout_handle)
{
    struct agpu_context *context = agpu_context_of(handle);
    const struct agpu_element_layout *layout = layout_handle.pDrvPrivate;

    if (context == NULL) {
        return;
    }
    uint32_t bound = layout != NULL ? layout->handle : 0;
    AGPU_TRACE_SET(context, "IaSetInputLayout handle=%u", bound);
    if (!agpu_bind_input_layout(context, bound)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

bool agpu_bind_vertex_buffers(struct agpu_context *context, uint32_t start, uint32_t count,
                              const struct agpu_bound_vertices *vertices)
{
    struct aerogpu_cmd_set_vertex_buffers *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_VERTEX_BUFFERS,
                         (uint32_t)(sizeof *packet + count * sizeof(struct aerogpu_vertex_buffer_binding)));
    if (packet == NULL) {
        return false;
    }
    struct aerogpu_vertex_buffer_binding *out = (struct aerogpu_vertex_buffer_binding *)(packet + 1);
    packet->start_slot = start;
    packet->buffer_count = count;
    for (uint32_t i = 0; i < count; i++) {
        out[i].buffer = vertices[i].buffer != NULL ? vertices[i].buffer->handle : 0;
        out[i].stride_bytes = vertices[i].stride;
        out[i].offset_bytes = vertices[i].offset;
        out[i].reserved0 = 0;
        context->vertices[start + i] = vertices[i];
        agpu_list_at_draw(context, vertices[i].buffer, AGPU_PENDING_VERTEX);
    }
    if (start + count > context->vertex_top) {
        context->vertex_top = start + count;
    }
    while (context->vertex_top && context->vertices[context->vertex_top - 1].buffer == NULL) {
        context->vertex_top--;
    }
    return true;
}

/* Returns the live resource of a handle, or NULL. */
static struct agpu_resource *live_resource(D3D10DDI_HRESOURCE handle)
{
    struct agpu_resource *resource = handle.pDrvPrivate;

    return resource != NULL && resource->handle ? resource : NULL;
}

void agpu_ia_set_vertex_buffers(D3D10DDI_HDEVICE handle, uint32_t start, uint32_t count,
                                const D3D10DDI_HRESOURCE *buffers, const uint32_t *strides,
                                const uint32_t *offsets)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "IaSetVertexBuffers start=%u count=%u", start, count);
    uint32_t slots = context->device->vertex_slots;
    struct agpu_bound_vertices vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    if (start > slots || count > slots - start ||
        (count && (buffers == NULL || strides == NULL || offsets == NULL))) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    if (count == 0) { /* all slots from start on */
        count = slots - start;
        for (uint32_t i = 0; i < count; i++) {
            vertices[i] = (struct agpu_bound_vertices){.buffer = NULL};
        }
    } else {
        for (uint32_t i = 0; i < count; i++) {
            vertices[i] = (struct agpu_bound_vertices){live_resource(buffers[i]), strides[i], offsets[i]};
        }
    }
    if (count && !agpu_bind_vertex_buffers(context, start, count, vertices)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

bool agpu_bind_index_buffer(struct agpu_context *context, struct agpu_resource *buffer, uint32_t format,
                            uint32_t offset)
{
    struct aerogpu_cmd_set_index_buffer *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_INDEX_BUFFER, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->buffer = buffer != NULL ? buffer->handle : 0;
    packet->format = format;
    packet->offset_bytes = offset;
    packet->reserved0 = 0;
    context->index_buffer = buffer;
    context->index_format = format;
    context->index_offset = offset;
    agpu_list_at_draw(context, buffer, AGPU_PENDING_INDEX);
    return true;
}

void agpu_ia_set_index_buffer(D3D10DDI_HDEVICE handle, D3D10DDI_HRESOURCE buffer_handle, uint32_t format,
                              uint32_t offset)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context == NULL) {
        return;
    }
    struct agpu_resource *buffer = live_resource(buffer_handle);
    AGPU_TRACE_SET(context, "IaSetIndexBuffer handle=%u format=%u offset=%u", buffer ? buffer->handle : 0,
                   format, offset);
    bool wide = format == DXGI_FORMAT_R32_UINT;
    if (buffer != NULL && ((!wide && format != DXGI_FORMAT_R16_UINT) || offset % (wide ? 4 : 2))) {
        agpu_set_error(context, E_INVALIDARG);
    } else if (!agpu_bind_index_buffer(context, buffer,
                                       wide ? AEROGPU_INDEX_FORMAT_UINT32 : AEROGPU_INDEX_FORMAT_UINT16,
                                       buffer != NULL ? offset : 0)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
}

bool agpu_bind_topology(struct agpu_context *context, uint32_t topology)
{
    struct aerogpu_cmd_set_primitive_topology *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_PRIMITIVE_TOPOLOGY, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->topology = topology;
    packet->reserved0 = 0;
    context->topology = topology;
    context->skipped_topology = AGPU_NO_TOPOLOGY;
    return true;
}

static __attribute__((noinline)) void change_topology(struct agpu_context *context, uint32_t topology)
{
    bool traces = agpu_traces_state(context);

    AGPU_TRACE_SET(context, "IaSetTopology topology=%u", topology);
    if ((context->topology != topology || context->state_lost) && !agpu_bind_topology(context, topology)) {
        agpu_set_error(context, E_OUTOFMEMORY);
    }
    context->skipped_topology = traces || context->state_lost ? AGPU_NO_TOPOLOGY : context->topology;
}

void agpu_ia_set_topology(D3D10DDI_HDEVICE handle, uint32_t topology)
{
    struct agpu_context *context = agpu_context_of(handle);

    if (context != NULL && context->skipped_topology != topology) {
        change_topology(context, topology);
    }
}
