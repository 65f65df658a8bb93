/* umd_deferred.h: deferred contexts in cases: the runtime stand-in opens them and makes their handles; what
 * records may be any of them or the immediate context, so that both are called alike. */
#ifndef AGPU_CASES_RIG_UMD_DEFERRED_H
#define AGPU_CASES_RIG_UMD_DEFERRED_H

#include "mm/runtime/deferred.h"
#include "tests/cases/rig/umd_draw.h"

/* Deferred contexts, and lists, of one case. */
#define AGPU_RECORDERS_MAX 8u
#define AGPU_LISTS_MAX     32u

/* Who records. */
struct agpu_case_recorder {
    const D3D11DDI_DEVICECONTEXTFUNCS *fn;
    D3D10DDI_HDEVICE device;                /* first argument of fn's entries */
    struct agpu_runtime_deferred *deferred; /* NULL: the immediate context */
};

/* A case on a stack that offers deferred contexts: a draw case whose contexts and lists end with its body. */
struct agpu_deferred_case {
    struct agpu_draw_case draw; /* first: what agpu_run_draw_case() reads */
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
/* A new deferred context; fn NULL: failed, which is recorded. */
struct agpu_case_recorder agpu_defer(struct agpu_test *test);
/* The recorder's own handle of an immediate object: the same for the immediate context, a context-local
 * one, made at its first use, for others. Null stays null; a failure is recorded. */
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
/* Destroys a resource with everything that the deferred contexts have of it. */
void agpu_destroy_everywhere(struct agpu_test *test, D3D10DDI_HRESOURCE resource);

/* FinishCommandList; NULL with the failure recorded. The list ends with the case. */
struct agpu_runtime_list *agpu_finish(struct agpu_test *test, struct agpu_case_recorder recorder);
/* The same for a recording that is lost: the result must be this. */
void agpu_finish_fails(struct agpu_test *test, struct agpu_case_recorder recorder, HRESULT expected);
/* ExecuteCommandList; NULL does nothing. */
void agpu_execute(struct agpu_test *test, struct agpu_runtime_list *list);
/* The same with the immediate context's state restored by the runtime. */
void agpu_execute_restoring(struct agpu_test *test, struct agpu_runtime_list *list);
void agpu_execute_on(struct agpu_test *test, struct agpu_runtime_list *list,
                     struct agpu_case_recorder recorder);
void agpu_drop_list(struct agpu_test *test, struct agpu_runtime_list *list);
/* Lets it go, its memory to this context's next list. */
void agpu_recycle_list(struct agpu_test *test, struct agpu_runtime_list *list,
                       struct agpu_case_recorder recorder);

/* Takes the errors of this context's own SetErrorCb, as agpu_check_errors() does the device's. */
#define agpu_check_recorder_errors(t, recorder, count, first)                                                \
    agpu_check_recorder_errors_at((t), (recorder), (count), (first), AGPU_HERE)
bool agpu_check_recorder_errors_at(struct agpu_test *test, struct agpu_case_recorder recorder, uint32_t count,
                                   HRESULT first, struct agpu_where where);

/* The same of the calls that the runtime's usage rules refused on it (agpu_check_refused()). */
#define agpu_check_recorder_refused(t, recorder, count, rule)                                                \
    agpu_check_recorder_refused_at((t), (recorder), (count), (rule), AGPU_HERE)
bool agpu_check_recorder_refused_at(struct agpu_test *test, struct agpu_case_recorder recorder,
                                    uint32_t count, const char *rule, struct agpu_where where);

/* What the cases draw: quads of one colour over columns of the target of agpu_draw_begin(). */
struct agpu_quads {
    D3D10DDI_HSHADER vs, ps;
    D3D10DDI_HELEMENTLAYOUT layout;
};
/* The target and these; false: failed, which is recorded. */
bool agpu_quads_begin(struct agpu_test *test, struct agpu_quads *quads);
/* A vertex buffer with such a quad. */
D3D10DDI_HRESOURCE agpu_make_quad(struct agpu_test *test, float r, float g, float b, float a);
/* Binds target, viewport, shaders, layout and topology: what a list begins with, and what the runtime sets
 * again for an application that wants its state restored. */
void agpu_quads_bind(struct agpu_test *test, struct agpu_case_recorder recorder,
                     const struct agpu_quads *quads);
void agpu_quads_vertices(struct agpu_test *test, struct agpu_case_recorder recorder,
                         D3D10DDI_HRESOURCE vertices);
/* Columns [left, left + width) as viewport. */
void agpu_quads_columns(struct agpu_case_recorder recorder, uint32_t left, uint32_t width);
/* Both, and draws the quad. */
void agpu_quads_draw(struct agpu_test *test, struct agpu_case_recorder recorder, D3D10DDI_HRESOURCE vertices,
                     uint32_t left, uint32_t width);

/* Source plus destination, all channels written. */
extern const D3D10_DDI_RENDER_TARGET_BLEND_DESC agpu_additive;

#endif
