/* handles.c: sizes and layout of immediate and context-local handles (umd.md 15). */
#include "umd-port/deferred/handles.h"

#include "umd-port/base/query.h"
#include "umd-port/base/trace.h"
#include "umd-port/deferred/list_body.h"

/* Bytes of a type: the immediate object, the member of agpu_shared_info that it needs, the local handle. */
struct handle_type {
    uint16_t immediate, info, local;
};

#define INFO_BYTES(member)                                                                                   \
    (offsetof(struct agpu_shared_info, copy) + sizeof(((struct agpu_shared_info *)0)->copy.member))
/* Bytes of the read-only part of types whose local handles need only a symbol. */
#define NO_COPY offsetof(struct agpu_shared_info, copy)
#define VIEW                                                                                                 \
    {                                                                                                        \
        sizeof(struct agpu_view), INFO_BYTES(view), sizeof(struct agpu_view)                                 \
    }

static const struct handle_type types[AGPU_HANDLE_TYPES] = {
    [D3D10DDI_HT_RESOURCE] = {sizeof(struct agpu_resource), INFO_BYTES(resource),
                              sizeof(struct agpu_local_resource)},
    [D3D10DDI_HT_SHADERRESOURCEVIEW] = VIEW,
    [D3D10DDI_HT_RENDERTARGETVIEW] = VIEW,
    [D3D10DDI_HT_DEPTHSTENCILVIEW] = VIEW,
    [D3D10DDI_HT_SHADER] = {sizeof(struct agpu_shader), NO_COPY, sizeof(struct agpu_local_object)},
    [D3D10DDI_HT_ELEMENTLAYOUT] = {sizeof(void *), NO_COPY, sizeof(struct agpu_local_object)},
    [D3D10DDI_HT_BLENDSTATE] = {sizeof(struct agpu_blend_object), INFO_BYTES(blend),
                                sizeof(struct agpu_blend_object)},
    [D3D10DDI_HT_DEPTHSTENCILSTATE] = {sizeof(struct agpu_depth_stencil_object), INFO_BYTES(depth_stencil),
                                       sizeof(struct agpu_depth_stencil_object)},
    [D3D10DDI_HT_RASTERIZERSTATE] = {sizeof(struct agpu_rasterizer_object), INFO_BYTES(rasterizer),
                                     sizeof(struct agpu_rasterizer_object)},
    [D3D10DDI_HT_SAMPLERSTATE] = {sizeof(struct agpu_sampler), NO_COPY, sizeof(struct agpu_local_object)},
    [D3D10DDI_HT_QUERY] = {0, NO_COPY, sizeof(struct agpu_local_object)},
    [D3D11DDI_HT_COMMANDLIST] = {.local = sizeof(struct agpu_command_list)},
    [D3D11DDI_HT_UNORDEREDACCESSVIEW] = VIEW,
};

static size_t whole_lines(size_t bytes)
{
    return (bytes + AGPU_CACHE_LINE - 1) / AGPU_CACHE_LINE * AGPU_CACHE_LINE;
}

static size_t immediate_bytes(uint32_t handle_type)
{
    if (handle_type == D3D10DDI_HT_QUERY) {
        return agpu_calc_query_size((D3D10DDI_HDEVICE){NULL}, NULL);
    }
    return types[handle_type].immediate;
}

size_t agpu_immediate_handle_bytes(uint32_t handle_type)
{
    /* The runtime's memory may start anywhere in a cache line; the read-only part starts at a line and fills whole
     * lines. */
    return immediate_bytes(handle_type) + AGPU_CACHE_LINE - 1 + whole_lines(types[handle_type].info);
}

size_t agpu_local_handle_bytes(uint32_t handle_type)
{
    /* The runtime's memory may start anywhere in a line. The padding keeps the following memory, perhaps another
     * context's, off the lines that recording writes. */
    return handle_type < AGPU_HANDLE_TYPES ? types[handle_type].local + (size_t)AGPU_CACHE_LINE : 0;
}

struct agpu_shared_info *agpu_shared_info_of(uint32_t handle_type, void *immediate_object)
{
    return (struct agpu_shared_info *)whole_lines((uintptr_t)immediate_object + immediate_bytes(handle_type));
}

void agpu_check_deferred_handle_sizes(D3D10DDI_HDEVICE device, uint32_t *count, D3D11DDI_HANDLESIZE *sizes)
{
    struct agpu_context *context = agpu_context_of(device);

    if (context == NULL) {
        return;
    }
    AGPU_TRACE_CALL(context, "CheckDeferredContextHandleSizes query=%u", sizes == NULL);
    if (count == NULL || (sizes != NULL && *count < AGPU_HANDLE_TYPES)) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    *count = AGPU_HANDLE_TYPES;
    for (uint32_t type = 0; sizes != NULL && type < AGPU_HANDLE_TYPES; type++) {
        sizes[type] = (D3D11DDI_HANDLESIZE){type, (uint32_t)agpu_local_handle_bytes(type)};
    }
}

size_t agpu_calc_deferred_handle_size(D3D10DDI_HDEVICE device, uint32_t handle_type, void *immediate_object)
{
    (void)
        immediate_object; /* the size depends only on the type, as agpu_check_deferred_handle_sizes() shows */
    size_t bytes = agpu_local_handle_bytes(handle_type);
    return agpu_traced_size(device, "CalcDeferredContextHandleSize", bytes ? bytes : sizeof(void *));
}
