/* context.h: the bindings and recorded commands of one context: the immediate one, which is the device, or a deferred
 * one (umd.md 3.3). */
#ifndef AGPU_UMD_BASE_CONTEXT_H
#define AGPU_UMD_BASE_CONTEXT_H

#include "umd-port/base/bind_shaders.h"
#include "umd-port/base/resource.h"
#include "umd-port/base/writer.h"
#include "umd-port/ddi/d3d10umddi.h"

/* First word of a live device or context; cleared on destroy. */
enum agpu_cookie {
    AGPU_COOKIE_D3D11 = (int)0xA3E0D311u,
    AGPU_COOKIE_D3D10 = (int)0xA3E0D310u,
    AGPU_COOKIE_D3D10_1 = (int)0xA3E0D301u,
};
#define AGPU_COOKIE_FAMILY 0xA3E0D300u /* all but the low byte: contexts on which calls are allowed */

/* Stages in walking order (umd.md 3.1, 5.7): VS, PS, GS, CS first. */
enum agpu_stage {
    AGPU_STAGE_VS,
    AGPU_STAGE_PS,
    AGPU_STAGE_GS,
    AGPU_STAGE_CS,
    AGPU_STAGE_HS,
    AGPU_STAGE_DS,
    AGPU_STAGE_COUNT,
};

/* Work that the next draw must do first: parts of the bound state whose allocations are not yet in this submission's
 * list, and a full stream, which other operations submit, too. */
enum agpu_pending_work {
    AGPU_PENDING_TARGETS = 1 << 0,
    AGPU_PENDING_VERTEX = 1 << 1,
    AGPU_PENDING_INDEX = 1 << 2,
    AGPU_PENDING_CONSTANTS = 1 << 3,
    AGPU_PENDING_VIEWS = 1 << 4,
    AGPU_PENDING_UAVS = 1 << 5,
    AGPU_PENDING_STATE = (1 << 6) - 1, /* all of the above */
    AGPU_PENDING_FLUSH = 1 << 6,
};

/* A view in a slot. Views may be destroyed while bound, so there are no pointers to them. */
struct agpu_bound_view {
    struct agpu_resource *resource; /* NULL = empty */
    uint32_t view;                  /* explicit view handle; 0 = the resource itself */
    uint32_t offset, size;          /* buffers: bytes */
};

struct agpu_bound_constants {
    struct agpu_resource *buffer;
    uint32_t offset, size;
};

struct agpu_bound_vertices {
    struct agpu_resource *buffer;
    uint32_t stride, offset;
};

/* Render targets and depth buffer, which are bound and sent together. */
struct agpu_target_set {
    uint32_t count;
    struct agpu_bound_view colors[AGPU_DDI_RENDER_TARGET_SLOTS];
    struct agpu_bound_view depth;
};

struct agpu_stage_state {
    uint32_t view_top; /* slots from here on are empty */
    uint32_t constant_top;
    struct agpu_bound_constants constants[AGPU_DDI_CONSTANT_BUFFER_SLOTS];
    uint32_t samplers[AGPU_DDI_SAMPLER_SLOTS];
    struct agpu_bound_view views[AGPU_DDI_SHADER_RESOURCE_SLOTS];
};

struct agpu_device;

#define AGPU_NO_TOPOLOGY 0xFFFFFFFFu /* no topology has this number */

struct agpu_context {
    uint32_t cookie;
    uint32_t pending;   /* enum agpu_pending_work */
    bool drops_repeats; /* state calls that change nothing record no packet (umd.md 10, column Dedupe) */
    /* a submission was lost: the device may lack what is bound here, so no state call is redundant */
    bool state_lost;
    bool skips_repeats; /* and no trace line; set by agpu_traces_state(), cleared by each submission */
    struct agpu_cmd_writer cmd;
    struct agpu_device *device;
    const struct agpu_umd_options *options; /* options of the device's environment */

    uint32_t topology;
    uint32_t skipped_topology; /* topology that is already set, or AGPU_NO_TOPOLOGY */
    struct agpu_target_set targets;
    uint32_t vertex_top;
    uint32_t index_format;
    uint32_t index_offset;
    struct agpu_resource *index_buffer;
    struct agpu_shader_handles shaders;
    uint32_t input_layout;
    struct aerogpu_rasterizer_state rasterizer; /* as last recorded */
    uint32_t uav_top;
    struct agpu_bound_view uavs[AGPU_DDI_UAV_SLOTS];
    struct agpu_bound_vertices vertices[AGPU_DDI_VERTEX_BUFFER_SLOTS];
    struct agpu_stage_state stages[AGPU_STAGE_COUNT];

    /* Epoch of the allocation list that draws fill; NULL: this context has no list of its own. */
    const uint64_t *list_epoch;
    D3D10DDI_HRTCORELAYER core_layer;
    const D3D10DDI_CORELAYER_DEVICECALLBACKS *core_callbacks;
};

/* Returns the context of a handle; NULL for null handles, garbage and destroyed devices. */
static inline struct agpu_context *agpu_context_of(D3D10DDI_HDEVICE handle)
{
    struct agpu_context *context = handle.pDrvPrivate;

    return context != NULL && (context->cookie & 0xFFFFFF00u) == AGPU_COOKIE_FAMILY ? context : NULL;
}

/* Sets the default topology, with which every context and every list starts. */
static inline void agpu_reset_topology(struct agpu_context *context)
{
    context->topology = AEROGPU_TOPOLOGY_TRIANGLELIST;
    context->skipped_topology = AGPU_NO_TOPOLOGY;
}

/* Call when a resource was bound for reading: unless this submission's list already has it, the next draw adds it. */
static inline void agpu_list_at_draw(struct agpu_context *context, const struct agpu_resource *resource,
                                     uint32_t group)
{
    if (resource != NULL && resource->alloc_id &&
        (context->list_epoch == NULL || resource->track_epoch != *context->list_epoch)) {
        context->pending |= group;
    }
}

/* Calls SetErrorCb of this context, if there is one; being busy has the kit's code there. */
__attribute__((cold)) void agpu_set_error(struct agpu_context *context, HRESULT error);
/* Ends a call whose result the runtime reads from SetErrorCb: reports a failure, unless the context is NULL. */
__attribute__((cold)) void agpu_report_failure(struct agpu_context *context, HRESULT hr);
static inline void agpu_report(struct agpu_context *context, HRESULT hr)
{
    if (__builtin_expect(FAILED(hr), 0)) {
        agpu_report_failure(context, hr);
    }
}

/* Returns the protocol handle that a slot binds; 0 when empty. */
static inline uint32_t agpu_view_handle(const struct agpu_bound_view *view)
{
    return view->resource == NULL ? 0 : view->view ? view->view : view->resource->handle;
}

#endif
