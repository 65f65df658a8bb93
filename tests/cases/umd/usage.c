/* usage.c: the runtime's usage rules for creation, Map, copies and updates. A call that breaks a rule is refused and
 * nothing of it reaches the device; the nearest permitted call works there (umd.md 19). */
#include "mm/runtime/usage_rules.h"

#include "ring/protocol/aerogpu_ring.h"
#include "tests/cases/rig/umd_textures.h"

#define SIZE  256u
#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM
#define EDGE  8u
#define READ  D3D10_DDI_CPU_ACCESS_READ
#define WRITE D3D10_DDI_CPU_ACCESS_WRITE

/* Returns the bytes of the stream that a Flush submits. */
static uint32_t umd_usage_flush(struct agpu_test *t)
{
    const struct aerogpu_ring_header *header = agpu_ring_header(&t->env->ring);
    const struct aerogpu_submit_desc *newest;

    agpu_check_hr(t, t->env->umd.context.pfnFlush(t->env->umd.device), S_OK);
    newest = (const struct aerogpu_submit_desc *)(const void *)((const uint8_t *)(header + 1) +
                                                                (size_t)((header->tail - 1) %
                                                                         header->entry_count) *
                                                                    header->entry_stride_bytes);
    return newest->cmd_size_bytes;
}

/* Call in front of refused calls: returns the bytes that a Flush of nothing submits. */
static uint32_t umd_usage_quiet(struct agpu_test *t)
{
    umd_usage_flush(t);
    return umd_usage_flush(t);
}

/* Call after them: checks the number of refusals for this rule, and that the driver has recorded, submitted and
 * reported nothing. */
#define umd_usage_refused(t, count, rule, quiet) refused_at((t), (count), (rule), (quiet), AGPU_HERE)
static bool refused_at(struct agpu_test *t, uint32_t count, const char *rule, uint32_t quiet,
                       struct agpu_where where)
{
    bool ok = agpu_check_refused_at(t, count, rule, where);

    ok &= agpu_check_errors_at(t, 0, S_OK, where);
    return agpu_check_u64(t, umd_usage_flush(t), quiet, "bytes of the stream after the refused call", false,
                          where) &&
           ok;
}

/* ---- creation ---- */

struct what {
    uint32_t usage, bind, cpu;
    uint32_t mips, layers; /* 0 mips: a buffer; 0 layers: 1 */
    uint8_t data;          /* 0: none, 1: all, 2: one element too few */
};

static const struct creation {
    const char *rule;
    struct what refused, allowed;
} creations[] = {
#define VERTEX D3D10_DDI_BIND_VERTEX_BUFFER
#define VIEWED D3D10_DDI_BIND_SHADER_RESOURCE
    {AGPU_RULE_USAGE, {4, VERTEX, 0, 0, 0, true}, {0, VERTEX, 0, 0, 0, true}},
    {AGPU_RULE_CPU_FLAGS, {3, 0, READ | 1, 0, 0, true}, {3, 0, READ, 0, 0, true}},
    {AGPU_RULE_INITIAL_DATA, {0, VIEWED, 0, 2, 1, 2}, {0, VIEWED, 0, 2, 1, true}},
    {AGPU_RULE_INITIAL_DATA, {0, VIEWED, 0, 1, 2, 2}, {0, VIEWED, 0, 1, 2, true}},
    {AGPU_RULE_DEFAULT_CPU, {0, VERTEX, READ, 0, 0, true}, {0, VERTEX, 0, 0, 0, true}},
    {AGPU_RULE_DEFAULT_CPU, {0, VIEWED, WRITE, 1, 1, true}, {0, VIEWED, 0, 1, 1, true}},
    {AGPU_RULE_IMMUTABLE_CPU, {1, VERTEX, WRITE, 0, 0, true}, {1, VERTEX, 0, 0, 0, true}},
    {AGPU_RULE_IMMUTABLE_EMPTY, {1, VERTEX, 0, 0, 0, false}, {1, VERTEX, 0, 0, 0, true}},
    {AGPU_RULE_IMMUTABLE_OUTPUT,
     {1, D3D10_DDI_BIND_RENDER_TARGET | VIEWED, 0, 1, 1, true},
     {1, VIEWED, 0, 2, 2, true}},
    {AGPU_RULE_IMMUTABLE_OUTPUT,
     {1, D3D10_DDI_BIND_DEPTH_STENCIL, 0, 1, 1, true},
     {1, VIEWED, 0, 1, 1, true}},
    {AGPU_RULE_IMMUTABLE_OUTPUT,
     {1, D3D11_DDI_BIND_UNORDERED_ACCESS, 0, 0, 0, true},
     {1, VIEWED, 0, 0, 0, true}},
    {AGPU_RULE_IMMUTABLE_OUTPUT,
     {1, D3D10_DDI_BIND_STREAM_OUTPUT, 0, 0, 0, true},
     {1, VERTEX, 0, 0, 0, true}},
    {AGPU_RULE_DYNAMIC_CPU, {2, VERTEX, 0, 0, 0, true}, {2, VERTEX, WRITE, 0, 0, true}},
    {AGPU_RULE_DYNAMIC_CPU, {2, VERTEX, READ | WRITE, 0, 0, true}, {2, VERTEX, WRITE, 0, 0, true}},
    {AGPU_RULE_DYNAMIC_UNBOUND, {2, 0, WRITE, 0, 0, true}, {2, VERTEX, WRITE, 0, 0, true}},
    {AGPU_RULE_DYNAMIC_OUTPUT,
     {2, D3D10_DDI_BIND_RENDER_TARGET, WRITE, 1, 1, true},
     {2, VIEWED, WRITE, 1, 1, true}},
    {AGPU_RULE_DYNAMIC_OUTPUT,
     {2, D3D11_DDI_BIND_UNORDERED_ACCESS, WRITE, 0, 0, true},
     {2, D3D10_DDI_BIND_INDEX_BUFFER, WRITE, 0, 0, true}},
    {AGPU_RULE_DYNAMIC_PARTS, {2, VIEWED, WRITE, 2, 1, true}, {2, VIEWED, WRITE, 1, 1, true}},
    {AGPU_RULE_DYNAMIC_PARTS, {2, VIEWED, WRITE, 1, 2, true}, {2, VIEWED, WRITE, 1, 0, true}},
    {AGPU_RULE_STAGING_BIND, {3, VERTEX, READ, 0, 0, true}, {3, 0, READ, 0, 0, true}},
    {AGPU_RULE_STAGING_BIND, {3, D3D10_DDI_BIND_RENDER_TARGET, READ, 1, 1, true}, {3, 0, READ, 1, 1, true}},
    {AGPU_RULE_STAGING_CPU, {3, 0, 0, 0, 0, true}, {3, 0, WRITE, 0, 0, true}},
};

static struct agpu_resource_desc umd_usage_desc(const struct what *what)
{
    struct agpu_resource_desc desc;

    if (what->mips == 0) {
        return agpu_buffer_desc(SIZE, what->usage, what->bind, what->cpu);
    }
    desc = agpu_texture_desc(RGBA, EDGE, EDGE);
    desc.Usage = what->usage;
    desc.BindFlags = what->bind;
    desc.CPUAccessFlags = what->cpu;
    desc.MipLevels = what->mips;
    desc.ArraySize = what->layers;
    return desc;
}

/* Creates the resource with the pattern of agpu_make_texture() or of this seed. */
static D3D10DDI_HRESOURCE umd_usage_create(struct agpu_test *t, const struct what *what, uint32_t seed,
                                           HRESULT *hr)
{
    struct agpu_resource_desc desc = umd_usage_desc(what);
    D3D10_DDIARG_SUBRESOURCE_UP initial[4];
    uint32_t parts = (what->mips != 0 ? what->mips : 1) * (what->layers != 0 ? what->layers : 1);
    uint8_t *bytes = agpu_scratch(0);

    for (uint32_t i = 0; i < parts; i++, bytes += EDGE * EDGE * 4u) {
        if (what->mips == 0) {
            agpu_fill_pattern(bytes, SIZE, seed);
        } else {
            agpu_fill_image(&desc, i, seed, bytes);
        }
        initial[i] = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = bytes};
    }
    if (what->data) {
        desc.pInitialDataUP = initial;
        desc.InitialDataCount = what->data == 1 ? parts : parts - 1;
    }
    return agpu_umd_create(t, &desc, hr);
}

/* Given a creation that breaks a usage rule, the runtime must refuse it before the driver; the permitted neighbour of
 * each must work on the device. */
static void umd_usage_creation(struct agpu_test *t)
{
    for (unsigned i = 0; i < sizeof creations / sizeof creations[0]; i++) {
        const struct creation *row = &creations[i];
        struct agpu_resource_desc desc = umd_usage_desc(&row->allowed);
        uint32_t quiet = umd_usage_quiet(t);
        D3D10DDI_HRESOURCE resource;
        uint8_t expected[SIZE];
        HRESULT hr;

        resource = umd_usage_create(t, &row->refused, i + 1, &hr);
        agpu_check_hr(t, hr, E_INVALIDARG);
        agpu_umd_destroy(t, resource); /* which the driver does not receive either */
        agpu_return_unless(umd_usage_refused(t, 1, row->rule, quiet));
        resource = umd_usage_create(t, &row->allowed, i + 1, &hr);
        agpu_return_unless(agpu_check_hr(t, hr, S_OK));
        if (row->allowed.mips != 0) {
            agpu_return_unless(agpu_check_texture(t, resource, &desc, i + 1));
        } else {
            agpu_fill_pattern(expected, SIZE, i + 1);
            agpu_return_unless(agpu_check_contents(t, resource, expected, SIZE));
        }
        agpu_umd_destroy(t, resource);
    }
}

/* ---- Map ---- */

static const struct mapping {
    const char *rule;
    struct what what;
    uint32_t refused, allowed; /* types of Map; 0: none is permitted */
    uint32_t flags, subresource;
} mappings[] = {
    {AGPU_RULE_MAP_USAGE, {0, VERTEX, 0, 0, 0, true}, D3D10_DDI_MAP_WRITE_DISCARD, 0, 0, 0},
    {AGPU_RULE_MAP_USAGE, {0, VERTEX, 0, 0, 0, true}, D3D10_DDI_MAP_READ, 0, 0, 0},
    {AGPU_RULE_MAP_USAGE, {1, VERTEX, 0, 0, 0, true}, D3D10_DDI_MAP_WRITE, 0, 0, 0},
    {AGPU_RULE_MAP_DYNAMIC,
     {2, VERTEX, WRITE, 0, 0, true},
     D3D10_DDI_MAP_READ,
     D3D10_DDI_MAP_WRITE_DISCARD,
     0,
     0},
    {AGPU_RULE_MAP_DYNAMIC,
     {2, VERTEX, WRITE, 0, 0, true},
     D3D10_DDI_MAP_WRITE,
     D3D10_DDI_MAP_WRITE_NOOVERWRITE,
     0,
     0},
    {AGPU_RULE_MAP_NO_OVERWRITE,
     {2, D3D10_DDI_BIND_CONSTANT_BUFFER, WRITE, 0, 0, true},
     D3D10_DDI_MAP_WRITE_NOOVERWRITE,
     D3D10_DDI_MAP_WRITE_DISCARD,
     0,
     0},
    {AGPU_RULE_MAP_NO_OVERWRITE,
     {2, VIEWED, WRITE, 1, 1, true},
     D3D10_DDI_MAP_WRITE_NOOVERWRITE,
     D3D10_DDI_MAP_WRITE_DISCARD,
     0,
     0},
    {AGPU_RULE_MAP_STAGING,
     {3, 0, READ | WRITE, 0, 0, true},
     D3D10_DDI_MAP_WRITE_DISCARD,
     D3D10_DDI_MAP_READWRITE,
     0,
     0},
    {AGPU_RULE_MAP_STAGING,
     {3, 0, WRITE, 0, 0, true},
     D3D10_DDI_MAP_WRITE_NOOVERWRITE,
     D3D10_DDI_MAP_WRITE,
     0,
     0},
    {AGPU_RULE_MAP_CPU, {3, 0, READ, 0, 0, true}, D3D10_DDI_MAP_WRITE, D3D10_DDI_MAP_READ, 0, 0},
    {AGPU_RULE_MAP_CPU, {3, 0, READ, 0, 0, true}, D3D10_DDI_MAP_READWRITE, D3D10_DDI_MAP_READ, 0, 0},
    {AGPU_RULE_MAP_CPU, {3, 0, WRITE, 1, 1, true}, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_WRITE, 0, 0},
    {AGPU_RULE_MAP_TYPE, {3, 0, READ | WRITE, 0, 0, true}, 6, D3D10_DDI_MAP_READ, 0, 0},
    {AGPU_RULE_MAP_TYPE, {3, 0, READ | WRITE, 0, 0, true}, 0, D3D10_DDI_MAP_WRITE, 0, 0},
    {AGPU_RULE_MAP_FLAGS, {3, 0, READ, 0, 0, true}, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_READ, 1, 0},
    {AGPU_RULE_SUBRESOURCE, {3, 0, READ, 0, 0, true}, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_READ, 0, 1},
    {AGPU_RULE_SUBRESOURCE, {3, 0, READ, 2, 2, true}, D3D10_DDI_MAP_READ, D3D10_DDI_MAP_READ, 0, 4},
};

/* Checks that the device gets what is written through a permitted Map, at the start of the resource. */
static void umd_usage_allowed_map(struct agpu_test *t, D3D10DDI_HRESOURCE resource, const struct mapping *row)
{
    struct agpu_resource_desc desc = umd_usage_desc(&row->what);
    uint8_t *image = agpu_scratch(2);
    uint8_t bytes[SIZE];

    if (row->what.mips != 0) {
        agpu_fill_image(&desc, 0, 90, image);
        if (row->allowed == D3D10_DDI_MAP_READ) {
            agpu_fill_image(&desc, 0, 40, image);
            agpu_check_mapped_image(t, resource, &desc, 0, image);
        } else if (agpu_write_image(t, resource, &desc, 0, row->allowed, image)) {
            agpu_check_image(t, resource, &desc, 0, image);
        }
        return;
    }
    agpu_fill_pattern(bytes, SIZE, row->allowed == D3D10_DDI_MAP_READ ? 40 : 90);
    if (row->allowed == D3D10_DDI_MAP_READ) {
        agpu_check_staging(t, resource, bytes, SIZE);
    } else if (agpu_write_through(t, resource, row->allowed, 0, bytes, SIZE)) {
        agpu_check_contents(t, resource, bytes, SIZE);
    }
}

/* Given a map type that the usage forbids, the runtime must refuse it before the driver; a permitted one must work, and
 * the contents stay. */
static void umd_usage_maps(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;

    for (unsigned i = 0; i < sizeof mappings / sizeof mappings[0]; i++) {
        const struct mapping *row = &mappings[i];
        D3D10DDI_MAPPED_SUBRESOURCE mapped;
        D3D10DDI_HRESOURCE resource;
        uint32_t quiet;
        HRESULT hr;

        resource = umd_usage_create(t, &row->what, 40, &hr);
        agpu_return_unless(agpu_check_hr(t, hr, S_OK));
        quiet = umd_usage_quiet(t);
        agpu_check_hr(t,
                      umd->context.pfnResourceMap(umd->device, resource, row->subresource, row->refused,
                                                  row->flags, &mapped),
                      E_INVALIDARG);
        agpu_return_unless(umd_usage_refused(t, 1, row->rule, quiet));
        if (row->allowed != 0) {
            umd_usage_allowed_map(t, resource, row);
        } else {
            uint8_t bytes[SIZE];

            agpu_fill_pattern(bytes, SIZE, 40);
            agpu_check_contents(t, resource, bytes, SIZE); /* by copy to STAGING, as the documents require */
        }
        agpu_umd_destroy(t, resource);
    }
}

/* A mapped resource must not be mapped again, copied or updated; after Unmap all of these must work. */
static void umd_usage_mapped(struct agpu_test *t)
{
    const struct agpu_umd_rig *umd = &t->env->umd;
    uint8_t first[SIZE], second[SIZE];
    D3D10DDI_HRESOURCE staging, buffer;
    D3D10DDI_MAPPED_SUBRESOURCE mapped, again;
    uint32_t quiet;

    agpu_fill_pattern(first, SIZE, 1);
    agpu_fill_pattern(second, SIZE, 2);
    buffer = agpu_make_default(t, SIZE, first);
    staging = agpu_make_staging(t, SIZE, READ | WRITE);
    agpu_assert(t, buffer.pDrvPrivate != NULL && staging.pDrvPrivate != NULL);
    quiet = umd_usage_quiet(t);
    agpu_umd_unmap(t, staging);
    agpu_return_unless(umd_usage_refused(t, 1, AGPU_RULE_UNMAP, quiet));
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READWRITE, 0, &mapped), S_OK));
    quiet = umd_usage_quiet(t);
    agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &again), E_INVALIDARG);
    agpu_check_hr(t,
                  umd->context.pfnStagingResourceMap(umd->device, staging, 0, D3D10_DDI_MAP_READ, 0, &again),
                  E_INVALIDARG);
    agpu_check_refused(t, 2, AGPU_RULE_MAP_NESTED);
    umd->context.pfnResourceUnmap(umd->device, staging, 1); /* Unmap of another subresource: no effect */
    agpu_check_refused(t, 1, AGPU_RULE_UNMAP);
    agpu_umd_copy(t, staging, buffer);
    agpu_umd_copy(t, buffer, staging);
    agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 0, 0, buffer, 0, NULL), E_INVALIDARG);
    agpu_umd_update(t, staging, 0, NULL, second, 0);
    umd->context.pfnResourceResolveSubresource(umd->device, staging, 0, buffer, 0,
                                               DXGI_FORMAT_R8G8B8A8_UNORM);
    umd->context.pfnResourceResolveSubresource(umd->device, buffer, 0, staging, 0,
                                               DXGI_FORMAT_R8G8B8A8_UNORM);
    agpu_return_unless(umd_usage_refused(t, 6, AGPU_RULE_COPY_MAPPED, quiet));
    for (uint32_t i = 0; i < SIZE; i++) {
        ((uint8_t *)mapped.pData)[i] = second[i];
    }
    agpu_umd_unmap(t, staging);
    agpu_check_staging(t, staging, second, SIZE); /* the refused calls have not written */
    agpu_check_contents(t, buffer, first, SIZE);
    agpu_umd_copy(t, buffer, staging);
    agpu_check_contents(t, buffer, second, SIZE);
}

/* ---- copies and updates ---- */

/* Copies and resolves to, and updates of, resources that the device may not write must be refused. */
static void umd_usage_sources(struct agpu_test *t)
{
    static const struct what only_sources[] = {{1, VERTEX, 0, 0, 0, true}, {2, VERTEX, WRITE, 0, 0, true}};
    uint8_t old[SIZE], bytes[SIZE];
    D3D10DDI_HRESOURCE plain;

    agpu_fill_pattern(old, SIZE, 1);
    agpu_fill_pattern(bytes, SIZE, 2);
    plain = agpu_make_default(t, SIZE, bytes);
    agpu_assert(t, plain.pDrvPrivate != NULL);
    for (unsigned i = 0; i < 2; i++) {
        const char *rule = i == 0 ? AGPU_RULE_COPY_IMMUTABLE : AGPU_RULE_COPY_DYNAMIC;
        D3D10DDI_HRESOURCE source;
        uint32_t quiet;
        HRESULT hr;

        source = umd_usage_create(t, &only_sources[i], 1, &hr);
        agpu_return_unless(agpu_check_hr(t, hr, S_OK));
        quiet = umd_usage_quiet(t);
        agpu_umd_copy(t, source, plain);
        agpu_check_hr(t, agpu_umd_copy_region(t, source, 0, 0, 0, plain, 0, NULL), E_INVALIDARG);
        agpu_umd_update(t, source, 0, NULL, bytes, 0);
        t->env->umd.context.pfnResourceResolveSubresource(t->env->umd.device, source, 0, plain, 0,
                                                          DXGI_FORMAT_R8G8B8A8_UNORM);
        agpu_return_unless(umd_usage_refused(t, 4, rule, quiet));
        agpu_check_contents(t, source, old, SIZE); /* which is a copy from it */
        agpu_umd_copy(t, plain, source);
        agpu_return_unless(agpu_check_contents(t, plain, old, SIZE));
        agpu_umd_update(t, plain, 0, NULL, bytes, 0);
        agpu_return_unless(agpu_check_contents(t, plain, bytes, SIZE));
    }
}

/* CopyResource must be refused if kinds, sizes or formats differ. */
static void umd_usage_pairs(struct agpu_test *t)
{
    static const struct what texture = {0, VIEWED, 0, 2, 1, true};
    struct agpu_resource_desc desc = umd_usage_desc(&texture);
    struct agpu_resource_desc other = desc;
    D3D10DDI_HRESOURCE buffer, shorter, source, target, fewer, blue;
    uint8_t bytes[SIZE];
    uint32_t quiet;
    HRESULT hr;

    agpu_fill_pattern(bytes, SIZE, 1);
    buffer = agpu_make_default(t, SIZE, bytes);
    shorter = agpu_make_default(t, SIZE / 2, bytes);
    source = umd_usage_create(t, &texture, 7, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    target = agpu_make_texture(t, &desc, 8);
    other.MipLevels = 1;
    fewer = agpu_make_texture(t, &other, 9);
    other.MipLevels = 2;
    other.Format = DXGI_FORMAT_B8G8R8A8_UNORM;
    blue = agpu_make_texture(t, &other, 10);
    agpu_assert(t, buffer.pDrvPrivate && shorter.pDrvPrivate && target.pDrvPrivate && fewer.pDrvPrivate &&
                       blue.pDrvPrivate);
    quiet = umd_usage_quiet(t);
    agpu_umd_copy(t, target, buffer);
    agpu_umd_copy(t, buffer, source);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_COPY_KINDS, quiet));
    agpu_umd_copy(t, buffer, shorter);
    agpu_umd_copy(t, fewer, source);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_COPY_SIZES, quiet));
    agpu_umd_copy(t, blue, source);
    agpu_check_hr(t, agpu_umd_copy_region(t, blue, 0, 0, 0, source, 0, NULL), E_INVALIDARG);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_COPY_FORMATS, quiet));
    agpu_umd_copy(t, source, source);
    agpu_return_unless(umd_usage_refused(t, 1, AGPU_RULE_COPY_ITSELF, quiet));
    agpu_return_unless(agpu_check_texture(t, target, &desc, 8));
    agpu_umd_copy(t, target, source);
    agpu_check_texture(t, target, &desc, 7);
    agpu_check_contents(t, buffer, bytes, SIZE);
}

/* Copies and updates with invalid subresources or boxes must be refused. */
static void umd_usage_ranges(struct agpu_test *t)
{
    static const struct what texture = {0, VIEWED, 0, 2, 2, true};
    struct agpu_resource_desc desc = umd_usage_desc(&texture);
    const D3D10_DDI_BOX wide = agpu_box(4, 0, EDGE + 1, EDGE), whole = agpu_box(0, 0, EDGE, EDGE);
    const D3D10_DDI_BOX half = agpu_box(4, 0, EDGE, EDGE), small = agpu_box(0, 0, 4, 4);
    const D3D10_DDI_BOX empty = agpu_box(4, 4, 4, 4);
    uint8_t *image = agpu_scratch(1), *from = agpu_scratch(3);
    D3D10DDI_HRESOURCE source, target;
    uint32_t quiet;

    source = agpu_make_texture(t, &desc, 3);
    target = agpu_make_texture(t, &desc, 4);
    agpu_assert(t, source.pDrvPrivate != NULL && target.pDrvPrivate != NULL);
    agpu_fill_image(&desc, 0, 3, from);
    quiet = umd_usage_quiet(t);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 4, 0, 0, source, 0, NULL), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 0, 0, source, 4, NULL), E_INVALIDARG);
    agpu_umd_update(t, target, 4, NULL, from, EDGE * 4);
    agpu_return_unless(umd_usage_refused(t, 3, AGPU_RULE_SUBRESOURCE, quiet));
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 0, 0, source, 0, &wide), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 0, 0, source, 1, &whole), E_INVALIDARG);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_COPY_BOX, quiet));
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 5, 0, source, 0, &half), E_INVALIDARG);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 1, 0, 0, source, 0, &half), E_INVALIDARG);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_COPY_FITS, quiet));
    agpu_umd_update(t, target, 0, &wide, from, EDGE * 4);
    agpu_umd_update(t, target, 1, &whole, from, EDGE * 4);
    agpu_return_unless(umd_usage_refused(t, 2, AGPU_RULE_UPDATE_BOX, quiet));
    agpu_return_unless(agpu_check_texture(t, target, &desc, 4));
    /* The smallest and the largest that are permitted. */
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 0, 0, source, 0, &empty), S_OK);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 0, 4, 0, source, 0, &half), S_OK);
    agpu_check_hr(t, agpu_umd_copy_region(t, target, 3, 0, 0, source, 2, &small), S_OK);
    agpu_umd_update(t, target, 1, &small, from, EDGE * 4);
    agpu_fill_image(&desc, 0, 4, image);
    agpu_paste(&desc, 0, image, 4, 0, &desc, 0, from, &half);
    agpu_check_image(t, target, &desc, 0, image);
    agpu_paste(&desc, 1, image, 0, 0, &desc, 0, from, &small);
    agpu_check_image(t, target, &desc, 1, image);
    agpu_fill_image(&desc, 2, 3, from);
    agpu_paste(&desc, 3, image, 0, 0, &desc, 2, from, &small);
    agpu_check_image(t, target, &desc, 3, image);
}

/* With the rules off, the same calls must reach the driver, which answers them itself. */
static void umd_usage_off(struct agpu_test *t)
{
    struct agpu_resource_desc desc = agpu_buffer_desc(SIZE, D3D10_DDI_USAGE_STAGING, VERTEX, READ);
    uint8_t bytes[SIZE];
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    D3D10DDI_HRESOURCE plain;
    HRESULT hr;

    agpu_without_rules(t);
    agpu_fill_pattern(bytes, SIZE, 5);
    agpu_umd_create(t, &desc, &hr);
    agpu_check_hr(t, hr, S_OK);
    plain = agpu_make_default(t, SIZE, bytes);
    agpu_assert(t, plain.pDrvPrivate != NULL);
    agpu_check_hr(t, agpu_umd_map(t, plain, D3D10_DDI_MAP_READ, 0, &mapped), E_INVALIDARG);
    agpu_check_errors(t, 1, E_INVALIDARG); /* the driver's, through SetErrorCb */
    agpu_check_refused(t, 0, NULL);
    agpu_check_contents(t, plain, bytes, SIZE);
}

#define USAGE(name, function)                                                                                \
    {                                                                                                        \
        .id = (name), .spec = "umd.md 19", .needs = AGPU_NEED_UMD, .features = AEROGPU_FEATURE_TRANSFER,     \
        .run = (function),                                                                                   \
    }

static const struct agpu_case umd_usage_cases[] = {
    USAGE("umd.usage.creation", umd_usage_creation), USAGE("umd.usage.maps", umd_usage_maps),
    USAGE("umd.usage.mapped", umd_usage_mapped),     USAGE("umd.usage.only_sources", umd_usage_sources),
    USAGE("umd.usage.pairs", umd_usage_pairs),       USAGE("umd.usage.ranges", umd_usage_ranges),
    USAGE("umd.usage.off", umd_usage_off),
};

AGPU_CASE_TABLE(agpu_cases_umd_usage, umd_usage_cases);
