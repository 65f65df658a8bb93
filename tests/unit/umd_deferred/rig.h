/* rig.h: a device with deferred contexts over the fake table, and the runtime's part: local handles made from immediate
 * ones, and an error record per context. */
#ifndef AGPU_TESTS_UNIT_UMD_DEFERRED_RIG_H
#define AGPU_TESTS_UNIT_UMD_DEFERRED_RIG_H

#include "tests/unit/umd/views.h"
#include "tests/unit/umd/world.h"
#include "umd-port/deferred/handles.h"
#include "umd-port/deferred/list_body.h"

struct dc {
    struct world *world;
    D3D10DDI_HDEVICE handle;
    struct agpu_api api;
    struct agpu_api_context fn;
    HRESULT errors[16]; /* errors from this context's SetErrorCb */
    uint32_t error_count;
    bool lost; /* the list: maps on it report so again, which is not counted */
};

/* Opens a world whose device offers deferred contexts. world_close() closes it. */
void rig_open(struct world *world, enum agpu_backing_mode mode);
/* Defines a test whose body has such a world, `world`. */
#define RIG_TEST(name, mode)                                                                                 \
    static void name##_in(struct world *world);                                                              \
    TEST(name)                                                                                               \
    {                                                                                                        \
        struct world opened;                                                                                 \
                                                                                                             \
        rig_open(&opened, mode);                                                                             \
        name##_in(&opened);                                                                                  \
        world_close(&opened);                                                                                \
    }                                                                                                        \
    static void name##_in(struct world *world)
void dc_open(struct dc *dc, struct world *world);
void dc_close(struct dc *dc);
/* Checks the number of errors of the context since the last call, all equal to hr. */
void dc_expect_errors(struct dc *dc, uint32_t count, HRESULT hr);

/* Create local handles of immediate objects, in memory of the advertised size filled with 0xCC, and expect success.
 * Views take their local resource. dc_drop frees a destroyed handle. */
D3D10DDI_HRESOURCE dc_resource(struct dc *dc, D3D10DDI_HRESOURCE immediate);
D3D10DDI_HRENDERTARGETVIEW dc_rtv(struct dc *dc, D3D10DDI_HRENDERTARGETVIEW immediate,
                                  D3D10DDI_HRESOURCE resource);
D3D10DDI_HSHADERRESOURCEVIEW dc_srv(struct dc *dc, D3D10DDI_HSHADERRESOURCEVIEW immediate,
                                    D3D10DDI_HRESOURCE resource);
D3D10DDI_HSHADER dc_shader(struct dc *dc, D3D10DDI_HSHADER immediate);
D3D10DDI_HSAMPLER dc_sampler(struct dc *dc, D3D10DDI_HSAMPLER immediate);
D3D10DDI_HELEMENTLAYOUT dc_layout(struct dc *dc, D3D10DDI_HELEMENTLAYOUT immediate);
D3D10DDI_HQUERY dc_query(struct dc *dc, D3D10DDI_HQUERY immediate);
void dc_free_resource(struct dc *dc, D3D10DDI_HRESOURCE local);
void dc_free_rtv(struct dc *dc, D3D10DDI_HRENDERTARGETVIEW local);
void dc_free_srv(struct dc *dc, D3D10DDI_HSHADERRESOURCEVIEW local);
void dc_free_shader(struct dc *dc, D3D10DDI_HSHADER local);
void dc_free_sampler(struct dc *dc, D3D10DDI_HSAMPLER local);
void dc_free_layout(struct dc *dc, D3D10DDI_HELEMENTLAYOUT local);
void dc_free_query(struct dc *dc, D3D10DDI_HQUERY local);

/* Create immediate objects. */
D3D10DDI_HSHADER make_shader(struct world *world, bool pixel);
D3D10DDI_HSAMPLER make_sampler(struct world *world);
D3D10DDI_HELEMENTLAYOUT make_layout(struct world *world);
D3D10DDI_HQUERY make_query(struct world *world);
void free_shader(struct world *world, D3D10DDI_HSHADER shader);
void free_sampler(struct world *world, D3D10DDI_HSAMPLER sampler);
void free_layout(struct world *world, D3D10DDI_HELEMENTLAYOUT layout);
void free_query(struct world *world, D3D10DDI_HQUERY query);

/* Calls FinishCommandList. hr may be NULL to expect success. */
D3D11DDI_HCOMMANDLIST dc_finish(struct dc *dc, HRESULT *hr);
void execute(struct world *world, D3D11DDI_HCOMMANDLIST list);
void free_list(struct world *world, D3D11DDI_HCOMMANDLIST list);

/* Submits the packets recorded on the immediate context and clears the record. */
void start_clean(struct world *world);

#endif
