/* usage_maps.c: usage rules of Map and Unmap (umd.md 19): by usage and CPU access, one mapping at a time. */
#include "mm/runtime/usage_maps.h"

#include "mm/runtime/usage_records.h"

typedef HRESULT map_entry(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource, uint32_t type,
                          uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *);
typedef void unmap_entry(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t subresource);

static const char *map_rule(const struct agpu_usage_object *object, uint32_t subresource, uint32_t type,
                            uint32_t flags)
{
    if (object == NULL) {
        return NULL;
    }
    if (object->refused) {
        return AGPU_RULE_CREATED;
    }
    return object->mapped ? AGPU_RULE_MAP_NESTED : agpu_rule_map(&object->resource, subresource, type, flags);
}

static HRESULT map_checked(struct agpu_usage *usage, map_entry *entry, D3D10DDI_HRESOURCE resource,
                           uint32_t subresource, uint32_t type, uint32_t flags,
                           D3D10DDI_MAPPED_SUBRESOURCE *out)
{
    struct agpu_usage_object *object = agpu_usage_find(usage, resource.pDrvPrivate);

    if (agpu_usage_refuses(usage, map_rule(object, subresource, type, flags))) {
        return E_INVALIDARG;
    }
    HRESULT hr = entry(usage->layer.device, resource, subresource, type, flags, out);
    if (hr == S_OK && object != NULL && !object->mapped) {
        object->mapped = true;
        object->mapped_subresource = subresource;
        usage->mapped++;
    }
    return hr;
}

static void unmap_checked(struct agpu_usage *usage, unmap_entry *entry, D3D10DDI_HRESOURCE resource,
                          uint32_t subresource)
{
    struct agpu_usage_object *object = agpu_usage_find(usage, resource.pDrvPrivate);

    /* An Unmap of another subresource does not end the mapping in the driver (umd.md 6.5). */
    bool ends = object != NULL && object->mapped && object->mapped_subresource == subresource;

    if (object != NULL && agpu_usage_refuses(usage, ends ? NULL : AGPU_RULE_UNMAP)) {
        return;
    }
    entry(usage->layer.device, resource, subresource);
    if (ends) {
        object->mapped = false;
        usage->mapped--;
    }
}

/* An entry for a fixed map type passes that type, whatever the caller passes (0: the caller's type). */
#define CHECKED_MAP(name, entry, fixed)                                                                      \
    static HRESULT name(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,          \
                        uint32_t type, uint32_t flags, D3D10DDI_MAPPED_SUBRESOURCE *out)                     \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        return map_checked(usage, usage->context.entry, resource, subresource,                               \
                           (fixed) != 0 ? (fixed) : type, flags, out);                                       \
    }
CHECKED_MAP(checked_map, pfnResourceMap, 0)
CHECKED_MAP(checked_ia_discard, pfnDynamicIABufferMapDiscard, D3D10_DDI_MAP_WRITE_DISCARD)
CHECKED_MAP(checked_ia_no_overwrite, pfnDynamicIABufferMapNoOverwrite, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
CHECKED_MAP(checked_cb_discard, pfnDynamicConstantBufferMapDiscard, D3D10_DDI_MAP_WRITE_DISCARD)
CHECKED_MAP(checked_cb_no_overwrite, pfnDynamicConstantBufferMapNoOverwrite, D3D10_DDI_MAP_WRITE_NOOVERWRITE)
CHECKED_MAP(checked_discard, pfnDynamicResourceMapDiscard, D3D10_DDI_MAP_WRITE_DISCARD)
CHECKED_MAP(checked_staging_map, pfnStagingResourceMap, 0)

#define CHECKED_UNMAP(name, entry)                                                                           \
    static void name(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource)             \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
                                                                                                             \
        unmap_checked(usage, usage->context.entry, resource, subresource);                                   \
    }
CHECKED_UNMAP(checked_unmap, pfnResourceUnmap)
CHECKED_UNMAP(checked_ia_unmap, pfnDynamicIABufferUnmap)
CHECKED_UNMAP(checked_cb_unmap, pfnDynamicConstantBufferUnmap)
CHECKED_UNMAP(checked_dynamic_unmap, pfnDynamicResourceUnmap)
CHECKED_UNMAP(checked_staging_unmap, pfnStagingResourceUnmap)

void agpu_usage_check_maps(struct agpu_api_context *context)
{
    AGPU_USAGE_WRAP(context, pfnResourceMap, checked_map);
    AGPU_USAGE_WRAP(context, pfnDynamicIABufferMapDiscard, checked_ia_discard);
    AGPU_USAGE_WRAP(context, pfnDynamicIABufferMapNoOverwrite, checked_ia_no_overwrite);
    AGPU_USAGE_WRAP(context, pfnDynamicConstantBufferMapDiscard, checked_cb_discard);
    AGPU_USAGE_WRAP(context, pfnDynamicConstantBufferMapNoOverwrite, checked_cb_no_overwrite);
    AGPU_USAGE_WRAP(context, pfnDynamicResourceMapDiscard, checked_discard);
    AGPU_USAGE_WRAP(context, pfnStagingResourceMap, checked_staging_map);
    AGPU_USAGE_WRAP(context, pfnResourceUnmap, checked_unmap);
    AGPU_USAGE_WRAP(context, pfnDynamicIABufferUnmap, checked_ia_unmap);
    AGPU_USAGE_WRAP(context, pfnDynamicConstantBufferUnmap, checked_cb_unmap);
    AGPU_USAGE_WRAP(context, pfnDynamicResourceUnmap, checked_dynamic_unmap);
    AGPU_USAGE_WRAP(context, pfnStagingResourceUnmap, checked_staging_unmap);
}
