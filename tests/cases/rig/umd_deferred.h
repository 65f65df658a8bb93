/* umd_deferred.h: deferred contexts in cases. The runtime stand-in opens them and creates their handles. A recorder
 * is any of them or the immediate context, so that both are called in the same way. */
#ifndef AGPU_CASES_RIG_UMD_DEFERRED_H
#define AGPU_CASES_RIG_UMD_DEFERRED_H

#include "mm/runtime/deferred.h"
#include "tests/cases/rig/umd_draw.h"

/* Deferred contexts and command lists of one case. */
#define AGPU_RECORDERS_MAX 8u
#define AGPU_LISTS_MAX     32u

/* A recorder. */
struct agpu_case_recorder {
    const struct agpu_api_context *fn;
    D3D10DDI_HDEVICE device;                /* first argument of fn's entries */
    struct agpu_runtime_deferred *deferred; /* NULL: the immediate context */
};

/* A case on a stack that offers deferred contexts: a draw case whose contexts and lists are destroyed
 * after its body. */
struct agpu_deferred_case {
    struct agpu_draw_case draw; /* must be first: agpu_run_draw_case() reads it */
    void (*body)(struct agpu_test *test);
};
void agpu_deferred_body(struct agpu_test *test);
void agpu_offer_deferred(struct agpu_runtime_config *config);

/* options: changes the configuration after agpu_offer_deferred(); it must call that. */
#define AGPU_DEFERRED_CASE_RUN(name, section, function, options, runner)                                     \
    {                                                                                                        \
        .id = (name), .spec = (section), .needs = AGPU_NEED_RING,                                            \
        .features = AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO, .run = (runner),                  \
        .arg = &(const struct agpu_deferred_case){{agpu_deferred_body, 0, (options)}, (function)},           \
    }
#define AGPU_DEFERRED_CASE_WITH(name, section, function, options)                                            \
    AGPU_DEFERRED_CASE_RUN(name, section, function, options, agpu_run_draw_case)
/* A body that draws nothing. */
#define AGPU_DEFERRED_UNDRAWN_CASE(name, section, function)                                                  \
    AGPU_DEFERRED_CASE_RUN(name, section, function, agpu_offer_deferred, agpu_run_undrawn_case)
#define AGPU_DEFERRED_CASE(name, section, function)                                                          \
    AGPU_DEFERRED_CASE_WITH(name, section, function, agpu_offer_deferred)

struct agpu_case_recorder agpu_immediate(struct agpu_test *test);
/* Opens a deferred context; fn NULL: failed, which is recorded. */
struct agpu_case_recorder agpu_defer(struct agpu_test *test);
/* Returns the recorder's own handle of an immediate object: the same one for the immediate context; for others a
 * context-local one, created at first use. Null stays null; a failure is recorded. */
D3D10DDI_HRESOURCE agpu_resource_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                    D3D10DDI_HRESOURCE object);
D3D10DDI_HRENDERTARGETVIEW agpu_rtv_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                       D3D10DDI_HRENDERTARGETVIEW object, D3D10DDI_HRESOURCE resource);
D3D10DDI_HSHADERRESOURCEVIEW agpu_srv_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                         D3D10DDI_HSHADERRESOURCEVIEW object, D3D10DDI_HRESOURCE resource);
D3D11DDI_HUNORDEREDACCESSVIEW agpu_uav_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                          D3D11DDI_HUNORDEREDACCESSVIEW object, D3D10DDI_HRESOURCE resource);
D3D10DDI_HSHADER agpu_shader_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                D3D10DDI_HSHADER object, agpu_create_shader *create);
D3D10DDI_HBLENDSTATE agpu_blend_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                                   D3D10DDI_HBLENDSTATE object);
D3D10DDI_HQUERY agpu_query_on(struct agpu_test *test, struct agpu_case_recorder recorder,
                              D3D10DDI_HQUERY object);
/* Destroys a resource with all its context-local handles in the deferred contexts. */
void agpu_destroy_everywhere(struct agpu_test *test, D3D10DDI_HRESOURCE resource);

/* FinishCommandList; NULL with the failure recorded. The list is destroyed after the case. */
struct agpu_runtime_list *agpu_finish(struct agpu_test *test, struct agpu_case_recorder recorder);
/* Like agpu_finish(), for a recording that failed: checks that the result is this one. */
void agpu_finish_fails(struct agpu_test *test, struct agpu_case_recorder recorder, HRESULT expected);
/* ExecuteCommandList; NULL does nothing. */
void agpu_execute(struct agpu_test *test, struct agpu_runtime_list *list);
/* Like agpu_execute(), and the runtime restores the immediate context's state. */
void agpu_execute_restoring(struct agpu_test *test, struct agpu_runtime_list *list);
void agpu_execute_on(struct agpu_test *test, struct agpu_runtime_list *list,
                     struct agpu_case_recorder recorder);
void agpu_drop_list(struct agpu_test *test, struct agpu_runtime_list *list);
/* Releases a list; this context's next list reuses its memory. */
void agpu_recycle_list(struct agpu_test *test, struct agpu_runtime_list *list,
                       struct agpu_case_recorder recorder);

/* Takes the errors of this context's own SetErrorCb, as agpu_check_errors() does for the device. */
#define agpu_check_recorder_errors(t, recorder, count, first)                                                \
    agpu_check_recorder_errors_at((t), (recorder), (count), (first), AGPU_HERE)
bool agpu_check_recorder_errors_at(struct agpu_test *test, struct agpu_case_recorder recorder, uint32_t count,
                                   HRESULT first, struct agpu_where where);

/* Takes the calls on this context that the runtime's usage rules refused, as agpu_check_refused() does for the
 * device. */
#define agpu_check_recorder_refused(t, recorder, count, rule)                                                \
    agpu_check_recorder_refused_at((t), (recorder), (count), (rule), AGPU_HERE)
bool agpu_check_recorder_refused_at(struct agpu_test *test, struct agpu_case_recorder recorder,
                                    uint32_t count, const char *rule, struct agpu_where where);

/* Objects for drawing: quads of one colour over columns of the target of agpu_draw_begin(). */
struct agpu_quads {
    D3D10DDI_HSHADER vs, ps;
    D3D10DDI_HELEMENTLAYOUT layout;
};
/* Creates the target and these objects; false: failed, which is recorded. */
bool agpu_quads_begin(struct agpu_test *test, struct agpu_quads *quads);
/* Creates a vertex buffer with such a quad. */
D3D10DDI_HRESOURCE agpu_make_quad(struct agpu_test *test, float r, float g, float b, float a);
/* Binds target, viewport, shaders, layout and topology: the first calls of a list, and the state that the runtime
 * sets again for an application that wants it restored. */
void agpu_quads_bind(struct agpu_test *test, struct agpu_case_recorder recorder,
                     const struct agpu_quads *quads);
void agpu_quads_vertices(struct agpu_test *test, struct agpu_case_recorder recorder,
                         D3D10DDI_HRESOURCE vertices);
/* Sets columns [left, left + width) as viewport. */
void agpu_quads_columns(struct agpu_case_recorder recorder, uint32_t left, uint32_t width);
/* Binds the vertices, sets the columns as viewport, and draws the quad. */
void agpu_quads_draw(struct agpu_test *test, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE vertices,
                     uint32_t left, uint32_t width);

/* Source plus destination, all channels written. */
extern const D3D10_DDI_RENDER_TARGET_BLEND_DESC agpu_additive;

#endif
