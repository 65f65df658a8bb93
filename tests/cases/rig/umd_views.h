/* umd_views.h: render target and depth views of the current device, and clears through them. */
#ifndef AGPU_CASES_RIG_UMD_VIEWS_H
#define AGPU_CASES_RIG_UMD_VIEWS_H

#include "tests/cases/rig/umd_textures.h"

/* Maximum number of views of one body, all kinds together. */
#define AGPU_VIEWS_MAX 16u

/* Creates a view of the whole resource, which exists until agpu_views_end() after the body of a stack case.
 * pDrvPrivate NULL: failed, which is recorded. */
D3D10DDI_HRENDERTARGETVIEW agpu_make_rtv(struct agpu_test *test, D3D10DDI_HRESOURCE texture);
D3D10DDI_HDEPTHSTENCILVIEW agpu_make_dsv(struct agpu_test *test, D3D10DDI_HRESOURCE texture);
/* Creates a view of one mip and layer. */
D3D10DDI_HRENDERTARGETVIEW agpu_make_rtv_of(struct agpu_test *test, D3D10DDI_HRESOURCE texture, uint32_t mip,
                                            uint32_t layer);
/* Destroys all views of every device, newest first; done automatically for stack cases. */
void agpu_views_end(struct agpu_test *test);

/* Forgets all views after the runner terminated the case; their memory is freed separately. */
void agpu_views_forget(void);

/* Creates a render target texture of one mip. */
D3D10DDI_HRESOURCE agpu_make_target(struct agpu_test *test, uint32_t format, uint32_t width, uint32_t height);
/* ClearRenderTargetView. */
void agpu_clear_view(struct agpu_test *test, D3D10DDI_HRENDERTARGETVIEW view, float r, float g, float b,
                     float a);
void agpu_bind_targets_of(struct agpu_test *test, const D3D10DDI_HRENDERTARGETVIEW *views, uint32_t count);

/* Checks that every texel of a 32-bit target is these four bytes, in memory order. */
#define agpu_check_solid(t, texture, desc, subresource, b0, b1, b2, b3)                                      \
    agpu_check_solid_at((t), (texture), (desc), (subresource), (const uint8_t[4]){(b0), (b1), (b2), (b3)},   \
                        4, AGPU_HERE)
bool agpu_check_solid_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                         const struct agpu_resource_desc *desc, uint32_t subresource, const uint8_t *texel,
                         uint32_t texel_bytes, struct agpu_where where);

#endif
