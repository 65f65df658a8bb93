/* usage_rules.c: the rules of usages (umd.md 19), one statement each. */
#include "mm/runtime/usage_rules.h"

#define INPUTS                                                                                               \
    (D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER | D3D10_DDI_BIND_CONSTANT_BUFFER |           \
     D3D10_DDI_BIND_SHADER_RESOURCE)
#define CPU_ACCESS (D3D10_DDI_CPU_ACCESS_READ | D3D10_DDI_CPU_ACCESS_WRITE)

static bool is_buffer(const struct agpu_usage_resource *resource)
{
    return resource->dimension == D3D10DDIRESOURCE_BUFFER;
}

/* ---- creation ---- */

static bool has_initial_data(const struct agpu_resource_desc *desc)
{
    return desc->pInitialDataUP != NULL && desc->InitialDataCount != 0 &&
           desc->pInitialDataUP[0].pSysMem != NULL;
}

static const char *create_dynamic(const struct agpu_resource_desc *desc)
{
    struct agpu_usage_resource resource = agpu_usage_resource_of(desc);

    if (desc->CPUAccessFlags != D3D10_DDI_CPU_ACCESS_WRITE) {
        return AGPU_RULE_DYNAMIC_CPU;
    }
    if (desc->BindFlags == 0) {
        return AGPU_RULE_DYNAMIC_UNBOUND;
    }
    if ((desc->BindFlags & ~INPUTS) != 0) {
        return AGPU_RULE_DYNAMIC_OUTPUT;
    }
    if (resource.mips != 1u || resource.layers != 1u) {
        return AGPU_RULE_DYNAMIC_PARTS;
    }
    return NULL;
}

const char *agpu_rule_create(const struct agpu_resource_desc *desc)
{
    if ((desc->CPUAccessFlags & ~CPU_ACCESS) != 0) {
        return AGPU_RULE_CPU_FLAGS;
    }
    if (!agpu_has_all_data(desc)) {
        return AGPU_RULE_INITIAL_DATA;
    }
    switch (desc->Usage) {
    case D3D10_DDI_USAGE_DEFAULT:
        return desc->CPUAccessFlags != 0 ? AGPU_RULE_DEFAULT_CPU : NULL;
    case D3D10_DDI_USAGE_IMMUTABLE:
        if (desc->CPUAccessFlags != 0) {
            return AGPU_RULE_IMMUTABLE_CPU;
        }
        if ((desc->BindFlags & ~INPUTS) != 0) {
            return AGPU_RULE_IMMUTABLE_OUTPUT;
        }
        return has_initial_data(desc) ? NULL : AGPU_RULE_IMMUTABLE_EMPTY;
    case D3D10_DDI_USAGE_DYNAMIC:
        return create_dynamic(desc);
    case D3D10_DDI_USAGE_STAGING:
        if (desc->BindFlags != 0) {
            return AGPU_RULE_STAGING_BIND;
        }
        return desc->CPUAccessFlags == 0 ? AGPU_RULE_STAGING_CPU : NULL;
    default:
        return AGPU_RULE_USAGE;
    }
}

/* ---- binding ---- */

const char *agpu_rule_bind(const struct agpu_usage_resource *resource, uint32_t bind)
{
    if (resource->usage == D3D10_DDI_USAGE_STAGING) {
        return AGPU_RULE_BIND_STAGING;
    }
    return (resource->bind & bind) == 0 ? AGPU_RULE_BIND_FLAGS : NULL;
}

/* ---- Map ---- */

static const char *map_dynamic(const struct agpu_usage_resource *resource, uint32_t type)
{
    uint32_t streamed = D3D10_DDI_BIND_VERTEX_BUFFER | D3D10_DDI_BIND_INDEX_BUFFER;

    if (type == D3D10_DDI_MAP_WRITE_DISCARD) {
        return NULL;
    }
    if (type != D3D10_DDI_MAP_WRITE_NOOVERWRITE) {
        return AGPU_RULE_MAP_DYNAMIC;
    }
    return (resource->bind & streamed) == 0 ? AGPU_RULE_MAP_NO_OVERWRITE : NULL;
}

static const char *map_staging(const struct agpu_usage_resource *resource, uint32_t type)
{
    uint32_t needed = type == D3D10_DDI_MAP_READ    ? D3D10_DDI_CPU_ACCESS_READ
                      : type == D3D10_DDI_MAP_WRITE ? D3D10_DDI_CPU_ACCESS_WRITE
                                                    : CPU_ACCESS;

    if (type == D3D10_DDI_MAP_WRITE_DISCARD || type == D3D10_DDI_MAP_WRITE_NOOVERWRITE) {
        return AGPU_RULE_MAP_STAGING;
    }
    return (resource->cpu_access & needed) != needed ? AGPU_RULE_MAP_CPU : NULL;
}

static bool has_subresource(const struct agpu_usage_resource *resource, uint32_t subresource)
{
    return resource->opened || subresource < (uint64_t)resource->mips * resource->layers;
}

const char *agpu_rule_map(const struct agpu_usage_resource *resource, uint32_t subresource, uint32_t type,
                          uint32_t flags)
{
    if (type < D3D10_DDI_MAP_READ || type > D3D10_DDI_MAP_WRITE_NOOVERWRITE) {
        return AGPU_RULE_MAP_TYPE;
    }
    if ((flags & ~D3D10_DDI_MAP_FLAG_DONOTWAIT) != 0) {
        return AGPU_RULE_MAP_FLAGS;
    }
    if (!has_subresource(resource, subresource)) {
        return AGPU_RULE_SUBRESOURCE;
    }
    switch (resource->usage) {
    case D3D10_DDI_USAGE_DYNAMIC:
        return map_dynamic(resource, type);
    case D3D10_DDI_USAGE_STAGING:
        return map_staging(resource, type);
    default:
        return AGPU_RULE_MAP_USAGE;
    }
}

/* ---- copies and updates ---- */

/* Families of DXGI formats whose texels may be copied to each other; those of which the driver creates more than one
 * format. */
static uint32_t format_family(uint32_t format)
{
    static const struct {
        uint8_t first, last;
    } families[] = {{DXGI_FORMAT_R8G8B8A8_TYPELESS, DXGI_FORMAT_R8G8B8A8_UNORM_SRGB},
                    {DXGI_FORMAT_BC1_TYPELESS, DXGI_FORMAT_BC1_UNORM_SRGB},
                    {DXGI_FORMAT_BC2_TYPELESS, DXGI_FORMAT_BC2_UNORM_SRGB},
                    {DXGI_FORMAT_BC3_TYPELESS, DXGI_FORMAT_BC3_UNORM_SRGB},
                    {DXGI_FORMAT_BC7_TYPELESS, DXGI_FORMAT_BC7_UNORM_SRGB}};

    for (unsigned i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (format >= families[i].first && format <= families[i].last) {
            return families[i].first;
        }
    }
    switch (format) {
    case DXGI_FORMAT_B8G8R8A8_TYPELESS:
    case DXGI_FORMAT_B8G8R8A8_UNORM_SRGB:
        return DXGI_FORMAT_B8G8R8A8_UNORM;
    case DXGI_FORMAT_B8G8R8X8_TYPELESS:
    case DXGI_FORMAT_B8G8R8X8_UNORM_SRGB:
        return DXGI_FORMAT_B8G8R8X8_UNORM;
    default:
        return format;
    }
}

const char *agpu_rule_copy_dst(const struct agpu_usage_resource *resource)
{
    if (resource->usage == D3D10_DDI_USAGE_IMMUTABLE) {
        return AGPU_RULE_COPY_IMMUTABLE;
    }
    return resource->usage == D3D10_DDI_USAGE_DYNAMIC ? AGPU_RULE_COPY_DYNAMIC : NULL;
}

/* Rules that both kinds of copy have in common. */
static const char *copy_pair(const struct agpu_usage_resource *dst, const struct agpu_usage_resource *src)
{
    const char *rule = agpu_rule_copy_dst(dst);

    if (rule != NULL) {
        return rule;
    }
    if (dst->opened || src->opened) { /* neither kind nor format is known */
        return NULL;
    }
    if (is_buffer(dst) != is_buffer(src)) {
        return AGPU_RULE_COPY_KINDS;
    }
    return format_family(dst->format) != format_family(src->format) ? AGPU_RULE_COPY_FORMATS : NULL;
}

const char *agpu_rule_copy(const struct agpu_usage_resource *dst, const struct agpu_usage_resource *src)
{
    const char *rule = copy_pair(dst, src);
    bool known = !dst->opened && !src->opened;

    if (rule != NULL || !known) {
        return rule;
    }
    return dst->width != src->width || dst->height != src->height || dst->mips != src->mips ||
                   dst->layers != src->layers
               ? AGPU_RULE_COPY_SIZES
               : NULL;
}

/* Texels of one edge of a subresource. */
static uint32_t edge_of(uint32_t edge, uint32_t mip)
{
    uint32_t smaller = mip < 32u ? edge >> mip : 0;

    return smaller != 0 ? smaller : 1u;
}

static bool is_box_inside(const struct agpu_usage_resource *resource, uint32_t subresource,
                          const D3D10_DDI_BOX *box)
{
    uint32_t mip = subresource % resource->mips;

    return box->left >= 0 && box->top >= 0 && box->front == 0 && box->back == 1 && box->right >= box->left &&
           box->bottom >= box->top && (uint32_t)box->right <= edge_of(resource->width, mip) &&
           (uint32_t)box->bottom <= edge_of(resource->height, mip);
}

const char *agpu_rule_copy_region(const struct agpu_usage_resource *dst, uint32_t dst_subresource, uint32_t x,
                                  uint32_t y, const struct agpu_usage_resource *src, uint32_t src_subresource,
                                  const D3D10_DDI_BOX *box)
{
    const char *rule = copy_pair(dst, src);

    if (rule != NULL || dst->opened || src->opened) {
        return rule;
    }
    if (!has_subresource(dst, dst_subresource) || !has_subresource(src, src_subresource)) {
        return AGPU_RULE_SUBRESOURCE;
    }
    if (box != NULL && !is_box_inside(src, src_subresource, box)) {
        return AGPU_RULE_COPY_BOX;
    }
    uint32_t width = edge_of(src->width, src_subresource % src->mips);
    uint32_t height = edge_of(src->height, src_subresource % src->mips);
    if (box != NULL) {
        width = (uint32_t)(box->right - box->left);
        height = (uint32_t)(box->bottom - box->top);
    }
    uint32_t dst_mip = dst_subresource % dst->mips;
    return (uint64_t)x + width > edge_of(dst->width, dst_mip) ||
                   (uint64_t)y + height > edge_of(dst->height, dst_mip)
               ? AGPU_RULE_COPY_FITS
               : NULL;
}

const char *agpu_rule_update(const struct agpu_usage_resource *dst, uint32_t subresource,
                             const D3D10_DDI_BOX *box)
{
    const char *rule = agpu_rule_copy_dst(dst);

    if (rule != NULL || dst->opened) {
        return rule;
    }
    if (!has_subresource(dst, subresource)) {
        return AGPU_RULE_SUBRESOURCE;
    }
    return box != NULL && !is_box_inside(dst, subresource, box) ? AGPU_RULE_UPDATE_BOX : NULL;
}
