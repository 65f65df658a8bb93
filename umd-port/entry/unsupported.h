/* unsupported.h: entries of the tables without an implementation: features that are refused cleanly, and hints that may
 * be ignored (umd.md 3.1, 16). HRESULT entries return E_NOTIMPL; void entries report it once, unless all their handles
 * are null. Sizes are those of a pointer. Each entry has its own function, so that trace lines name the call. */
#ifndef AGPU_UMD_ENTRY_UNSUPPORTED_H
#define AGPU_UMD_ENTRY_UNSUPPORTED_H

#include "umd-port/ddi/d3d11umddi.h"

/* Queries of formats and device state: answered, not refused. */
void agpu_check_format_support(D3D10DDI_HDEVICE, uint32_t format, uint32_t *support);
void agpu_check_multisample_levels(D3D10DDI_HDEVICE, uint32_t format, uint32_t samples, uint32_t *levels);
HRESULT agpu_get_device_removed_reason(D3D10DDI_HDEVICE);
HRESULT agpu_check_device_state(D3D10DDI_HDEVICE);

/* Hints: no effect, no error. */
void agpu_set_marker(D3D10DDI_HDEVICE, const char *);
void agpu_begin_event(D3D10DDI_HDEVICE, const char *);
void agpu_end_event(D3D10DDI_HDEVICE);
void agpu_ignore_discard_resource(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
void agpu_ignore_resource_hazard(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE);
void agpu_ignore_view(D3D10DDI_HDEVICE, HANDLE);
void agpu_ignore_srv_hazard(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW, D3D10DDI_HRESOURCE);
void agpu_ignore_min_lod(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, float);
void agpu_ignore_text_filter(D3D10DDI_HDEVICE, uint32_t, uint32_t);
void agpu_ignore_relocate10(D3D10DDI_HDEVICE, D3D10DDI_DEVICEFUNCS *);
void agpu_ignore_relocate11(D3D10DDI_HDEVICE, struct D3D11DDI_DEVICEFUNCS *);
void agpu_ignore_destroy_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
void agpu_ignore_recycle_destroy_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
void agpu_ignore_context(D3D10DDI_HDEVICE, D3D10DDI_HDEVICE);

/* Kinds of objects that the driver does not support: in names of functions, in names of entries. */
#define AGPU_UNSUPPORTED_OBJECTS(X)                                                                          \
    X(class_linkage, ClassLinkage)                                                                           \
    X(class_instance, ClassInstance)                                                                         \
    X(counter, Counter)                                                                                      \
    X(predicate, Predicate)
#define AGPU_DECLARE_UNSUPPORTED(name, api)                                                                  \
    size_t agpu_calc_##name##_size(D3D10DDI_HDEVICE);                                                        \
    HRESULT agpu_refuse_##name(D3D10DDI_HDEVICE, void *);                                                    \
    void agpu_ignore_##name(D3D10DDI_HDEVICE, void *);
AGPU_UNSUPPORTED_OBJECTS(AGPU_DECLARE_UNSUPPORTED)

/* Refused. */
size_t agpu_small_context_handle_size(D3D10DDI_HDEVICE, uint32_t, void *);
size_t agpu_small_context_size(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
size_t agpu_small_command_list_size(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *);
HRESULT agpu_refuse_gamma_caps(D3D10DDI_HDEVICE, void *);
void agpu_refuse_check_counter(D3D10DDI_HDEVICE, uint32_t);
HRESULT agpu_refuse_display_mode(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t);
HRESULT agpu_refuse_resource_priority(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t);
HRESULT agpu_refuse_residency(D3D10DDI_HDEVICE, uint32_t, const D3D10DDI_HRESOURCE *, uint32_t *);
void agpu_refuse_context(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
HRESULT agpu_refuse_recycle_context(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATEDEFERREDCONTEXT *);
void agpu_refuse_create_list(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *, D3D11DDI_HCOMMANDLIST,
                             D3D11DDI_HRTCOMMANDLIST);
HRESULT agpu_refuse_recycle_create_list(D3D10DDI_HDEVICE, const D3D11DDIARG_CREATECOMMANDLIST *,
                                        D3D11DDI_HCOMMANDLIST, D3D11DDI_HRTCOMMANDLIST);
void agpu_refuse_counter_info(D3D10DDI_HDEVICE, void *);
void agpu_refuse_handle_sizes(D3D10DDI_HDEVICE, uint32_t *, D3D11DDI_HANDLESIZE *);
void agpu_refuse_abandon(D3D10DDI_HDEVICE);
void agpu_refuse_execute(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
void agpu_refuse_recycle_list(D3D10DDI_HDEVICE, D3D11DDI_HCOMMANDLIST);
void agpu_refuse_so_targets(D3D10DDI_HDEVICE, uint32_t, uint32_t, const D3D10DDI_HRESOURCE *,
                            const uint32_t *);
void agpu_refuse_predication(D3D10DDI_HDEVICE, D3D10DDI_HQUERY, uint32_t);
void agpu_refuse_gen_mips(D3D10DDI_HDEVICE, D3D10DDI_HSHADERRESOURCEVIEW);
void agpu_refuse_resolve(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t, D3D10DDI_HRESOURCE, uint32_t,
                         uint32_t);
void agpu_refuse_structure_count(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t,
                                 D3D11DDI_HUNORDEREDACCESSVIEW);
void agpu_refuse_clear_uint(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW, const uint32_t *);
void agpu_refuse_clear_float(D3D10DDI_HDEVICE, D3D11DDI_HUNORDEREDACCESSVIEW, const float *);

#endif
