/* types.h: the entries of the driver's tables and the structures that they take, as tables, which both the recorder and
 * the player walk. */
#ifndef AGPU_TESTS_DDI_TYPES_H
#define AGPU_TESTS_DDI_TYPES_H

#include "mm/runtime/runtime.h"
#include "mm/runtime/api.h"

/* X(handle, runtime's handle, word): objects of the driver, with the word of their names in a recording. */
#define DDI_OBJECTS(X)                                                                                       \
    X(D3D10DDI_HRESOURCE, D3D10DDI_HRTRESOURCE, resource)                                                    \
    X(D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRTSHADERRESOURCEVIEW, srv)                                     \
    X(D3D10DDI_HRENDERTARGETVIEW, D3D10DDI_HRTRENDERTARGETVIEW, rtv)                                         \
    X(D3D10DDI_HDEPTHSTENCILVIEW, D3D10DDI_HRTDEPTHSTENCILVIEW, dsv)                                         \
    X(D3D11DDI_HUNORDEREDACCESSVIEW, D3D11DDI_HRTUNORDEREDACCESSVIEW, uav)                                   \
    X(D3D10DDI_HSHADER, D3D10DDI_HRTSHADER, shader)                                                          \
    X(D3D10DDI_HELEMENTLAYOUT, D3D10DDI_HRTELEMENTLAYOUT, layout)                                            \
    X(D3D10DDI_HBLENDSTATE, D3D10DDI_HRTBLENDSTATE, blend)                                                   \
    X(D3D10DDI_HDEPTHSTENCILSTATE, D3D10DDI_HRTDEPTHSTENCILSTATE, depth)                                     \
    X(D3D10DDI_HRASTERIZERSTATE, D3D10DDI_HRTRASTERIZERSTATE, rasterizer)                                    \
    X(D3D10DDI_HSAMPLER, D3D10DDI_HRTSAMPLER, sampler)                                                       \
    X(D3D10DDI_HQUERY, D3D10DDI_HRTQUERY, query)

typedef struct agpu_resource_desc ddi_resource;
typedef struct agpu_umd_options ddi_options;
typedef struct agpu_vidmm_config ddi_vidmm;
typedef struct agpu_kmd_config ddi_kmd;
typedef struct agpu_runtime_config ddi_config;

/* X(type): structures; structs.def names their members. */
#define DDI_STRUCTS(X)                                                                                       \
    X(DXGI_SAMPLE_DESC)                                                                                      \
    X(D3D10_DDIARG_SUBRESOURCE_UP)                                                                           \
    X(DXGI_DDI_PRIMARY_DESC)                                                                                 \
    X(ddi_resource)                                                                                          \
    X(D3D10DDIARG_CREATESHADERRESOURCEVIEW)                                                                  \
    X(D3D10DDIARG_CREATERENDERTARGETVIEW)                                                                    \
    X(D3D11DDIARG_CREATEUNORDEREDACCESSVIEW)                                                                 \
    X(D3D10DDIARG_INPUT_ELEMENT_DESC)                                                                        \
    X(D3D10DDIARG_CREATEELEMENTLAYOUT)                                                                       \
    X(D3D10DDIARG_CREATESHADER)                                                                              \
    X(D3D10DDIARG_CREATEGEOMETRYSHADERWITHSTREAMOUTPUT)                                                      \
    X(D3D10_DDI_RENDER_TARGET_BLEND_DESC)                                                                    \
    X(D3D10_1_DDI_BLEND_DESC)                                                                                \
    X(D3D10_DDI_DEPTH_STENCIL_DESC)                                                                          \
    X(D3D10_DDI_RASTERIZER_DESC)                                                                             \
    X(D3D10_DDI_SAMPLER_DESC)                                                                                \
    X(D3D10DDIARG_CREATEQUERY)                                                                               \
    X(DXGI_DDI_ARG_PRESENT)                                                                                  \
    X(DXGI_DDI_ARG_ROTATE_RESOURCE_IDENTITIES)                                                               \
    X(DXGI_DDI_ARG_BLT)                                                                                      \
    X(D3D10_DDI_BOX)                                                                                         \
    X(D3D10_DDI_RECT)                                                                                        \
    X(D3D10_DDI_VIEWPORT)                                                                                    \
    X(ddi_options)                                                                                           \
    X(ddi_vidmm)                                                                                             \
    X(ddi_kmd)                                                                                               \
    X(ddi_config)

#define DDI_OBJECT_KIND(handle, runtime, word) DDI_OBJECT_##word,
#define DDI_STRUCT_KIND(type)                  DDI_STRUCT_##type,
enum ddi_kind {
    DDI_UNKNOWN, /* cannot be recorded */
    DDI_U8,
    DDI_U32,
    DDI_I32,
    DDI_U64,
    DDI_BOOL,
    DDI_F32,
    DDI_DEVICE,
    DDI_RUNTIME, /* the runtime's handle: a number */
    DDI_BYTES,
    DDI_TEXT,
    DDI_MAPPED, /* out: D3D10DDI_MAPPED_SUBRESOURCE */
    DDI_OUT,    /* out: bytes */
    DDI_OBJECTS(DDI_OBJECT_KIND) DDI_STRUCTS(DDI_STRUCT_KIND) DDI_KINDS,
    DDI_FIRST_OBJECT = DDI_OBJECT_resource,
    DDI_FIRST_STRUCT = DDI_STRUCT_DXGI_SAMPLE_DESC,
    /* Added to a kind: a pointer to elements that are read; elements in the structure itself. */
    DDI_POINTER = 0x100,
    DDI_INLINE = 0x200,
};

struct ddi_field {
    const char *name;
    unsigned kind;
    unsigned offset, size;
};

struct ddi_type {
    const char *name; /* of an object: its word */
    const struct ddi_field *fields;
    unsigned field_count;
    unsigned size;
};

#define DDI_ARGUMENTS_MAX 128u

/* An entry of a table of the runtime. Its arguments are a structure, in a buffer of DDI_ARGUMENTS_MAX bytes. */
struct ddi_entry {
    struct ddi_type arguments; /* with the name of the entry, "context.Draw" */
    bool in_context;           /* the table; else that of the device */
    unsigned offset;           /* in it */
    void (*recorder)(void);    /* records the call and passes it on */
    uint64_t (*call)(const void *table, const void *arguments);
};

/* Returns the type of a kind without DDI_POINTER or DDI_INLINE; for values that are not structures, size alone. */
const struct ddi_type *ddi_type_of(unsigned kind);
/* Returns entry number i; NULL after the last. */
const struct ddi_entry *ddi_entry_at(unsigned i);
/* Returns the entry of this name, of length bytes; NULL if there is none. */
const struct ddi_entry *ddi_entry_named(const char *name, size_t length);
/* Returns the member of this name; NULL if there is none. */
const struct ddi_field *ddi_field_named(const struct ddi_type *type, const char *name);

/* Implemented by the recorder: called around each call of a recorded entry. The first returns the tables that the call
 * goes to. */
struct ddi_tables {
    struct agpu_api_device device;
    struct agpu_api_context context;
};
const struct ddi_tables *ddi_call_begins(unsigned entry, const void *arguments);
void ddi_call_ends(unsigned entry, const void *arguments, uint64_t result);

#endif
