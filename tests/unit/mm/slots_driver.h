/* slots_driver.h: a driver that stores the state of its immediate context in slots, with the rules that empty a slot
 * (umd.md 10.1). For tests of the layers in front of its setters. */
#ifndef AGPU_TESTS_UNIT_MM_SLOTS_DRIVER_H
#define AGPU_TESTS_UNIT_MM_SLOTS_DRIVER_H

#include "stack.h"
#include "mm/runtime/api.h"

/* The device that the shader functions expect. */
#define DEVICE    ((D3D10DDI_HDEVICE){(void *)0x1000})
#define STAGES    6u
#define CONSTANTS AGPU_DDI_CONSTANT_BUFFER_SLOTS
#define VIEWS     AGPU_DDI_SHADER_RESOURCE_SLOTS
#define SAMPLERS  AGPU_DDI_SAMPLER_SLOTS
#define UAVS      AGPU_DDI_UAV_SLOTS
#define VERTICES  AGPU_DDI_VERTEX_BUFFER_SLOTS
#define TARGETS   AGPU_DDI_RENDER_TARGET_SLOTS

/* An object of the application. of: the resource of a view, or NULL. */
struct slot_object {
    struct slot_object *of;
    bool dead;
};

/* The driver's slots. */
struct driver_slots {
    struct slot_object *shaders[STAGES], *constants[STAGES][CONSTANTS], *views[STAGES][VIEWS];
    struct slot_object *samplers[STAGES][SAMPLERS], *uavs[UAVS], *layout, *vertices[VERTICES], *index;
    struct slot_object *targets[TARGETS], *depth_view, *rasterizer, *blend, *depth;
    uint32_t strides[VERTICES], offsets[VERTICES], index_format, index_offset, topology, target_count;
    uint32_t viewport_count, scissor_count, sample_mask, stencil_ref;
    D3D10_DDI_VIEWPORT viewports[4];
    D3D10_DDI_RECT scissors[4];
    float factor[4];
};

struct slots_driver {
    struct driver_slots slots;
    struct stack *stack;
    HRESULT created; /* result of creations */
    uint32_t counters_reset;
};
extern struct slots_driver driver;

extern const struct agpu_api_device driver_funcs;
extern const struct agpu_api_context driver_context;

/* X(number, lower-case name, name in the tables) for each stage. */
#define EACH_STAGE(X) X(0, vs, Vs) X(1, ps, Ps) X(2, gs, Gs) X(3, hs, Hs) X(4, ds, Ds) X(5, cs, Cs)
/* X(name, name in the tables, types of arguments, handle and runtime's handle) for each kind of view. */
#define EACH_VIEW(X)                                                                                         \
    X(srv, ShaderResourceView, D3D10DDIARG_CREATESHADERRESOURCEVIEW, D3D10DDI_HSHADERRESOURCEVIEW,           \
      D3D10DDI_HRTSHADERRESOURCEVIEW)                                                                        \
    X(rtv, RenderTargetView, D3D10DDIARG_CREATERENDERTARGETVIEW, D3D10DDI_HRENDERTARGETVIEW,                 \
      D3D10DDI_HRTRENDERTARGETVIEW)                                                                          \
    X(dsv, DepthStencilView, D3D10DDIARG_CREATEDEPTHSTENCILVIEW, D3D10DDI_HDEPTHSTENCILVIEW,                 \
      D3D10DDI_HRTDEPTHSTENCILVIEW)                                                                          \
    X(uav, UnorderedAccessView, D3D11DDIARG_CREATEUNORDEREDACCESSVIEW, D3D11DDI_HUNORDEREDACCESSVIEW,        \
      D3D11DDI_HRTUNORDEREDACCESSVIEW)

#endif
