/* mapping.h: what the entry points of Map share (umd.md 6). */
#ifndef AGPU_UMD_RESOURCE_MAPPING_H
#define AGPU_UMD_RESOURCE_MAPPING_H

#include "umd-port/base/device.h"
#include "umd-port/base/trace.h"

/* All checks passed: synchronises, and hands out the memory of one subresource, or of a whole buffer as one
 * row without a pitch. Failures leave no mapping. */
HRESULT agpu_map_region(struct agpu_device *device, struct agpu_resource *resource, uint32_t index,
                        const struct agpu_subresource *region, uint32_t type, uint32_t flags,
                        D3D10DDI_MAPPED_SUBRESOURCE *out);
/* Hands out a 16-byte aligned copy of what is mapped instead of map.data. E_OUTOFMEMORY: nothing changed. */
HRESULT agpu_map_copy(struct agpu_device *device, struct agpu_resource *resource);
/* Ends a mapping that was never handed out; returns hr. */
HRESULT agpu_undo_map(struct agpu_device *device, struct agpu_resource *resource, HRESULT hr);

/* Discard and no-overwrite of dynamic buffers with one of bind's flags, the general way: the checks of their
 * entry points, the mapping, the report. */
HRESULT agpu_map_dynamic(struct agpu_context *context, struct agpu_resource *resource, uint32_t index,
                         uint32_t bind, uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out);

/* Failures in WDK mode go to SetErrorCb as well, except being busy. */
__attribute__((cold)) void agpu_report_map(struct agpu_context *context, HRESULT hr);

/* Every Map entry ends here. */
static inline HRESULT agpu_finish_map(struct agpu_context *context, const struct agpu_resource *resource,
                                      uint32_t type, HRESULT hr)
{
    AGPU_TRACE_CALL(context, "Map handle=%u type=%u -> hr=0x%X", resource->handle, type, (unsigned)hr);
    if (__builtin_expect(FAILED(hr), 0)) {
        agpu_report_map(context, hr);
    }
    return hr;
}

#endif
