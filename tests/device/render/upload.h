/* upload.h: resources in the drawing process: upload and read back. */
#ifndef VGPU_TESTS_DEVICE_RENDER_UPLOAD_H
#define VGPU_TESTS_DEVICE_RENDER_UPLOAD_H

#include "tests/device/render/render_private.h"

/* Brings the drawing process's copy of a resource up to date. Returns an error code as draws do. */
uint32_t vgpu_render_upload(struct vgpu_render *render, struct vgpu_resource *resource);
/* Returns the number of an uploaded resource in the drawing process. */
uint32_t vgpu_render_number(const struct vgpu_resource *resource);
/* Records that a draw writes the subresource; of a buffer, everything. */
void vgpu_render_wrote(struct vgpu_resource *resource, uint32_t mip, uint32_t layer);
void vgpu_render_read_back(void *ctx, struct vgpu_resource *resource);
void vgpu_render_forget_resource(void *ctx, struct vgpu_resource *resource);

#endif
