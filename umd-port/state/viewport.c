/* viewport.c: viewports and scissor rectangles: the device has one of each (umd.md 10). */
#include "umd-port/state/viewport.h"

#include <string.h>

#include "umd-port/base/context.h"
#include "umd-port/base/trace.h"

/* True when the viewport can show anything: false for sizes <= 0 and for NaN anywhere. */
static bool viewport_enabled(const D3D10_DDI_VIEWPORT *viewport)
{
    return viewport->Width > 0 && viewport->Height > 0 && viewport->TopLeftX == viewport->TopLeftX &&
           viewport->TopLeftY == viewport->TopLeftY && viewport->MinDepth == viewport->MinDepth &&
           viewport->MaxDepth == viewport->MaxDepth;
}

static bool same_viewport(const D3D10_DDI_VIEWPORT *a, const D3D10_DDI_VIEWPORT *b)
{
    return a->TopLeftX == b->TopLeftX && a->TopLeftY == b->TopLeftY && a->Width == b->Width &&
           a->Height == b->Height && a->MinDepth == b->MinDepth && a->MaxDepth == b->MaxDepth;
}

static inline bool emit_viewport(struct agpu_cmd_writer *cmd, const D3D10_DDI_VIEWPORT *viewport)
{
    struct aerogpu_cmd_set_viewport *packet = agpu_cmd_reserve(cmd, AEROGPU_CMD_SET_VIEWPORT, sizeof *packet);

    if (packet == NULL) {
        return false;
    }
    _Static_assert(sizeof *viewport == sizeof *packet - sizeof packet->hdr,
                   "the packet holds the same six floats");
    memcpy((uint8_t *)packet + sizeof packet->hdr, viewport, sizeof *viewport);
    return true;
}

static const D3D10_DDI_VIEWPORT no_viewport = {.MaxDepth = 1};

bool agpu_emit_viewport(struct agpu_context *context, const D3D10_DDI_VIEWPORT *viewport)
{
    return emit_viewport(&context->cmd, viewport != NULL ? viewport : &no_viewport);
}

void agpu_set_viewports(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t clear_slots,
                        const D3D10_DDI_VIEWPORT *viewports)
{
    struct agpu_context *context = agpu_context_of(handle);

    (void)clear_slots;
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetViewports count=%u", count);
    if (count && viewports == NULL) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    if (!emit_viewport(&context->cmd, count ? &viewports[0] : &no_viewport)) {
        agpu_set_error(context, E_OUTOFMEMORY);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (viewport_enabled(&viewports[i]) && !same_viewport(&viewports[0], &viewports[i])) {
            agpu_set_error(context, E_NOTIMPL);
            return;
        }
    }
}

/* Returns right - left as the packet's signed width. An inverted rectangle stays negative; the device treats it as no
 * scissor. */
static int32_t scissor_extent(int32_t from, int32_t to)
{
    int64_t size = (int64_t)to - from;

    return size > INT32_MAX ? INT32_MAX : size < INT32_MIN ? INT32_MIN : (int32_t)size;
}

bool agpu_emit_scissor(struct agpu_context *context, const D3D10_DDI_RECT *rect)
{
    static const D3D10_DDI_RECT none;

    if (rect == NULL) {
        rect = &none;
    }
    struct aerogpu_cmd_set_scissor *packet =
        agpu_cmd_reserve(&context->cmd, AEROGPU_CMD_SET_SCISSOR, sizeof *packet);
    if (packet == NULL) {
        return false;
    }
    packet->x = rect->left;
    packet->y = rect->top;
    packet->width = scissor_extent(rect->left, rect->right);
    packet->height = scissor_extent(rect->top, rect->bottom);
    return true;
}

static bool rect_enabled(const D3D10_DDI_RECT *rect)
{
    return rect->right > rect->left && rect->bottom > rect->top;
}

void agpu_set_scissors(D3D10DDI_HDEVICE handle, uint32_t count, uint32_t clear_slots,
                       const D3D10_DDI_RECT *rects)
{
    struct agpu_context *context = agpu_context_of(handle);

    (void)clear_slots;
    if (context == NULL) {
        return;
    }
    AGPU_TRACE_SET(context, "SetScissorRects count=%u", count);
    if (count && rects == NULL) {
        agpu_set_error(context, E_INVALIDARG);
        return;
    }
    if (!agpu_emit_scissor(context, count ? &rects[0] : NULL)) {
        agpu_set_error(context, E_OUTOFMEMORY);
        return;
    }
    for (uint32_t i = 1; i < count; i++) {
        if (rect_enabled(&rects[i]) && memcmp(&rects[0], &rects[i], sizeof rects[0]) != 0) {
            agpu_set_error(context, E_NOTIMPL);
            return;
        }
    }
}
