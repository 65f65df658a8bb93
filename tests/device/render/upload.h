/* upload.h: resources in the drawing process. */
#ifndef VGPU_TESTS_DEVICE_RENDER_UPLOAD_H
#define VGPU_TESTS_DEVICE_RENDER_UPLOAD_H

#include "tests/device/render/render_private.h"

/* Brings the drawing process's copy of a resource up to date; errors as draws give them. */
uint32_t vgpu_render_upload(struct vgpu_render *render, struct vgpu_resource *resource);
/* Its number there. It was brought up to date. */
uint32_t vgpu_render_number(const struct vgpu_resource *resource);
/* Notes that a draw writes the subresource; of buffers all. */
void vgpu_render_wrote(struct vgpu_resource *resource, uint32_t mip, uint32_t layer);
void vgpu_render_read_back(void *ctx, struct vgpu_resource *resource);
void vgpu_render_forget_resource(void *ctx, struct vgpu_resource *resource);

#endif
