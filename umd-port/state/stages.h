/* stages.h: constant buffers, shader resources, samplers and unordered access buffers of the shader stages
 * (umd.md 10). */
#ifndef AGPU_UMD_STATE_STAGES_H
#define AGPU_UMD_STATE_STAGES_H

#include "umd-port/base/context.h"
#include "umd-port/ddi/d3d11umddi.h"

/* Record a packet and update the cache; false without room, nothing changed. Counts are in range and non-zero. */
bool agpu_bind_constants(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                         const struct agpu_bound_constants *constants);
bool agpu_bind_samplers(struct agpu_context *context, enum agpu_stage stage, uint32_t start, uint32_t count,
                        const uint32_t *handles);
bool agpu_bind_uavs(struct agpu_context *context, uint32_t start, uint32_t count,
                    const struct agpu_bound_view *views, const uint32_t *initial_counts);

/* Table entries: one set of slots per stage. */
#define AGPU_DECLARE_STAGE(prefix)                                                                           \
    void agpu_##prefix##_set_constant_buffers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,              \
                                              const D3D10DDI_HRESOURCE *);                                   \
    void agpu_##prefix##_set_shader_resources(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,              \
                                              const D3D10DDI_HSHADERRESOURCEVIEW *);                         \
    void agpu_##prefix##_set_samplers(D3D10DDI_HDEVICE, uint32_t start, uint32_t count,                      \
                                      const D3D10DDI_HSAMPLER *)
AGPU_DECLARE_STAGE(vs);
AGPU_DECLARE_STAGE(ps);
AGPU_DECLARE_STAGE(gs);
AGPU_DECLARE_STAGE(hs);
AGPU_DECLARE_STAGE(ds);
AGPU_DECLARE_STAGE(cs);
void agpu_cs_set_uavs(D3D10DDI_HDEVICE, uint32_t start, uint32_t count, const D3D11DDI_HUNORDEREDACCESSVIEW *,
                      const uint32_t *initial_counts);

#endif
