/* viewport.h: viewports and scissor rectangles (umd.md 10). */
#ifndef AGPU_UMD_STATE_VIEWPORT_H
#define AGPU_UMD_STATE_VIEWPORT_H

#include "umd-port/base/context.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Record a packet, NULL = no viewport, no scissor; there is no cache. False: no room. */
bool agpu_emit_viewport(struct agpu_context *context, const D3D10_DDI_VIEWPORT *viewport);
bool agpu_emit_scissor(struct agpu_context *context, const D3D10_DDI_RECT *rect);

/* Table entries. */
void agpu_set_viewports(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots, const D3D10_DDI_VIEWPORT *);
void agpu_set_scissors(D3D10DDI_HDEVICE, uint32_t count, uint32_t clear_slots, const D3D10_DDI_RECT *);

#endif
