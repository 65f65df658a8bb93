/* usage_copies.c: usage rules of copies and updates (umd.md 19). */
#include "mm/runtime/usage_copies.h"

#include "mm/runtime/usage_records.h"

/* Returns the rule that one end of a copy breaks by its state. *object: its record, NULL when it is unknown. */
static const char *end_rule(const struct agpu_usage *usage, D3D10DDI_HRESOURCE resource,
                            const struct agpu_usage_object **object)
{
    *object = agpu_usage_find(usage, resource.pDrvPrivate);
    if (*object == NULL) {
        return NULL;
    }
    if ((*object)->refused) {
        return AGPU_RULE_CREATED;
    }
    return (*object)->mapped ? AGPU_RULE_COPY_MAPPED : NULL;
}

/* Returns the rule that the destination, else the source, breaks. */
static const char *ends_rule(const struct agpu_usage *usage, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src,
                             const struct agpu_usage_object **to, const struct agpu_usage_object **from)
{
    const char *first = end_rule(usage, dst, to), *second = end_rule(usage, src, from);

    return first != NULL ? first : second;
}

static void checked_copy(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, D3D10DDI_HRESOURCE src)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const struct agpu_usage_object *to, *from;
    const char *rule = ends_rule(usage, dst, src, &to, &from);

    if (rule == NULL && to != NULL && to == from) {
        rule = AGPU_RULE_COPY_ITSELF;
    }
    if (rule == NULL && to != NULL && from != NULL) {
        rule = agpu_rule_copy(&to->resource, &from->resource);
    }
    if (!agpu_usage_refuses(usage, rule)) {
        usage->context.pfnResourceCopy(device, dst, src);
    }
}

static HRESULT checked_copy_region(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                                   uint32_t x, uint32_t y, uint32_t z, D3D10DDI_HRESOURCE src,
                                   uint32_t src_subresource, const D3D10_DDI_BOX *box)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const struct agpu_usage_object *to, *from;
    const char *rule = ends_rule(usage, dst, src, &to, &from);

    if (rule == NULL && to != NULL && from != NULL) {
        rule = agpu_rule_copy_region(&to->resource, dst_subresource, x, y, &from->resource, src_subresource,
                                     box);
    }
    if (agpu_usage_refuses(usage, rule)) {
        return E_INVALIDARG;
    }
    return usage->context.pfnResourceCopyRegion(device, dst, dst_subresource, x, y, z, src, src_subresource,
                                                box);
}

#define CHECKED_UPDATE(name, entry)                                                                          \
    static void name(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE resource, uint32_t subresource,             \
                     const D3D10_DDI_BOX *box, const void *data, uint32_t row_pitch, uint32_t depth_pitch)   \
    {                                                                                                        \
        struct agpu_usage *usage = agpu_usage_of(device);                                                    \
        const struct agpu_usage_object *to;                                                                  \
        const char *rule = end_rule(usage, resource, &to);                                                   \
                                                                                                             \
        if (rule == NULL && to != NULL) {                                                                    \
            rule = agpu_rule_update(&to->resource, subresource, box);                                        \
        }                                                                                                    \
        if (!agpu_usage_refuses(usage, rule)) {                                                              \
            usage->context.entry(device, resource, subresource, box, data, row_pitch, depth_pitch);          \
        }                                                                                                    \
    }
CHECKED_UPDATE(checked_update, pfnResourceUpdateSubresourceUP)
CHECKED_UPDATE(checked_update_constants, pfnDefaultConstantBufferUpdateSubresourceUP)

static void checked_resolve(D3D10DDI_HDEVICE device, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                            D3D10DDI_HRESOURCE src, uint32_t src_subresource, uint32_t format)
{
    struct agpu_usage *usage = agpu_usage_of(device);
    const struct agpu_usage_object *to, *from;
    const char *rule = ends_rule(usage, dst, src, &to, &from);

    if (rule == NULL && to != NULL) {
        rule = agpu_rule_copy_dst(&to->resource);
    }
    if (!agpu_usage_refuses(usage, rule)) {
        usage->context.pfnResourceResolveSubresource(device, dst, dst_subresource, src, src_subresource,
                                                     format);
    }
}

void agpu_usage_check_copies(struct agpu_api_context *context)
{
    AGPU_USAGE_WRAP(context, pfnResourceCopy, checked_copy);
    AGPU_USAGE_WRAP(context, pfnResourceCopyRegion, checked_copy_region);
    AGPU_USAGE_WRAP(context, pfnResourceUpdateSubresourceUP, checked_update);
    AGPU_USAGE_WRAP(context, pfnDefaultConstantBufferUpdateSubresourceUP, checked_update_constants);
    AGPU_USAGE_WRAP(context, pfnResourceResolveSubresource, checked_resolve);
}
