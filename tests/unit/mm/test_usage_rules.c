/* test_usage_rules.c: each rule of umd.md 19 as a predicate on descriptions: an example that violates it, and one that
 * is just allowed. */

#include "mm/runtime/usage_rules.h"
#include "tests/unit/test.h"

#define READ    D3D10_DDI_CPU_ACCESS_READ
#define WRITE   D3D10_DDI_CPU_ACCESS_WRITE
#define VERTEX  D3D10_DDI_BIND_VERTEX_BUFFER
#define INDEX   D3D10_DDI_BIND_INDEX_BUFFER
#define CONST   D3D10_DDI_BIND_CONSTANT_BUFFER
#define SHADER  D3D10_DDI_BIND_SHADER_RESOURCE
#define TARGET  D3D10_DDI_BIND_RENDER_TARGET
#define STREAM  D3D10_DDI_BIND_STREAM_OUTPUT
#define DEPTH   D3D10_DDI_BIND_DEPTH_STENCIL
#define UAV     D3D11_DDI_BIND_UNORDERED_ACCESS
#define DEFAULT D3D10_DDI_USAGE_DEFAULT
#define IMMUT   D3D10_DDI_USAGE_IMMUTABLE
#define DYNAMIC D3D10_DDI_USAGE_DYNAMIC
#define STAGING D3D10_DDI_USAGE_STAGING

static D3D10DDIARG_CREATERESOURCE buffer(uint32_t usage, uint32_t bind, uint32_t cpu)
{
    return (D3D10DDIARG_CREATERESOURCE){.ResourceDimension = D3D10DDIRESOURCE_BUFFER,
                                        .Usage = usage,
                                        .BindFlags = bind,
                                        .CPUAccessFlags = cpu,
                                        .ByteWidth = 256};
}

static D3D10DDIARG_CREATERESOURCE texture(uint32_t usage, uint32_t bind, uint32_t cpu, uint32_t mips,
                                          uint32_t layers)
{
    return (D3D10DDIARG_CREATERESOURCE){.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
                                        .Usage = usage,
                                        .BindFlags = bind,
                                        .CPUAccessFlags = cpu,
                                        .Format = DXGI_FORMAT_R8G8B8A8_UNORM,
                                        .Width = 16,
                                        .Height = 8,
                                        .MipLevels = mips,
                                        .ArraySize = layers};
}

static void expect_rule(const char *rule, const char *expected)
{
    if (expected == NULL) {
        assert_null(rule);
    } else {
        assert_non_null(rule);
        assert_string_equal(rule, expected);
    }
}

TEST(creation)
{
    static const uint8_t byte = 0;
    static const D3D10_DDIARG_SUBRESOURCE_UP data = {&byte, 0, 0}, empty = {NULL, 0, 0};
    const struct {
        D3D10DDIARG_CREATERESOURCE desc;
        const char *rule;
    } rows[] = {
        {buffer(DEFAULT, 0xFF, 0), NULL},
        {buffer(DEFAULT, VERTEX, WRITE), AGPU_RULE_DEFAULT_CPU},
        {buffer(DEFAULT, VERTEX, READ), AGPU_RULE_DEFAULT_CPU},
        {buffer(DEFAULT, VERTEX, 0x40000), AGPU_RULE_CPU_FLAGS},
        {buffer(STAGING, 0, READ | 1), AGPU_RULE_CPU_FLAGS},
        {buffer(DYNAMIC, VERTEX | INDEX | CONST | SHADER, WRITE), NULL},
        {buffer(DYNAMIC, VERTEX, READ | WRITE), AGPU_RULE_DYNAMIC_CPU},
        {buffer(DYNAMIC, VERTEX, READ), AGPU_RULE_DYNAMIC_CPU},
        {buffer(DYNAMIC, VERTEX, 0), AGPU_RULE_DYNAMIC_CPU},
        {buffer(DYNAMIC, 0, WRITE), AGPU_RULE_DYNAMIC_UNBOUND},
        {buffer(DYNAMIC, VERTEX | STREAM, WRITE), AGPU_RULE_DYNAMIC_OUTPUT},
        {buffer(DYNAMIC, UAV, WRITE), AGPU_RULE_DYNAMIC_OUTPUT},
        {texture(DYNAMIC, SHADER | TARGET, WRITE, 1, 1), AGPU_RULE_DYNAMIC_OUTPUT},
        {texture(DYNAMIC, SHADER | DEPTH, WRITE, 1, 1), AGPU_RULE_DYNAMIC_OUTPUT},
        {texture(DYNAMIC, SHADER, WRITE, 1, 1), NULL},
        {texture(DYNAMIC, SHADER, WRITE, 1, 0), NULL},
        {texture(DYNAMIC, SHADER, WRITE, 2, 1), AGPU_RULE_DYNAMIC_PARTS},
        {texture(DYNAMIC, SHADER, WRITE, 0, 1), AGPU_RULE_DYNAMIC_PARTS}, /* all four rules */
        {texture(DYNAMIC, SHADER, WRITE, 1, 2), AGPU_RULE_DYNAMIC_PARTS},
        {buffer(STAGING, 0, READ), NULL},
        {buffer(STAGING, 0, WRITE), NULL},
        {texture(STAGING, 0, READ | WRITE, 3, 4), NULL},
        {buffer(STAGING, VERTEX, READ), AGPU_RULE_STAGING_BIND},
        {buffer(STAGING, 0, 0), AGPU_RULE_STAGING_CPU},
        {buffer(4, VERTEX, 0), AGPU_RULE_USAGE},
        {buffer(IMMUT, VERTEX, WRITE), AGPU_RULE_IMMUTABLE_CPU},
        {buffer(IMMUT, UAV, 0), AGPU_RULE_IMMUTABLE_OUTPUT},
        {texture(IMMUT, TARGET, 0, 1, 1), AGPU_RULE_IMMUTABLE_OUTPUT},
        {buffer(IMMUT, VERTEX, 0), AGPU_RULE_IMMUTABLE_EMPTY},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        expect_rule(agpu_rule_create(&rows[i].desc), rows[i].rule);
    }
    D3D10DDIARG_CREATERESOURCE desc = buffer(IMMUT, VERTEX, 0);
    desc.pInitialDataUP = &data;
    expect_rule(agpu_rule_create(&desc), AGPU_RULE_IMMUTABLE_EMPTY); /* ignored: none of it counts */
    desc.InitialDataCount = 1;
    expect_rule(agpu_rule_create(&desc), NULL);
    desc.pInitialDataUP = &empty;
    expect_rule(agpu_rule_create(&desc), AGPU_RULE_IMMUTABLE_EMPTY);
}

TEST(descriptions)
{
    D3D10DDIARG_CREATERESOURCE desc = texture(DEFAULT, SHADER, 0, 0, 0);

    assert_int_equal(agpu_usage_resource_of(&desc).mips, 5); /* 16 8 4 2 1 */
    assert_int_equal(agpu_usage_resource_of(&desc).layers, 1);
    desc.Width = 8;
    desc.Height = 33;
    desc.MipLevels = desc.ArraySize = 0xFFFFFFFFu;
    assert_int_equal(agpu_usage_resource_of(&desc).mips, 6);
    assert_int_equal(agpu_usage_resource_of(&desc).layers, 1);
    desc = texture(DEFAULT, SHADER, 0, 2, 3);
    assert_int_equal(agpu_usage_resource_of(&desc).mips, 2);
    assert_int_equal(agpu_usage_resource_of(&desc).layers, 3);
    desc = buffer(DEFAULT, VERTEX, 0);
    desc.MipLevels = desc.ArraySize = 7;
    assert_int_equal(agpu_usage_resource_of(&desc).mips, 1);
    assert_int_equal(agpu_usage_resource_of(&desc).layers, 1);
    assert_int_equal(agpu_usage_resource_of(&desc).width, 256);
    assert_int_equal(agpu_usage_resource_of(&desc).height, 1);
}

TEST(binding)
{
    const struct agpu_usage_resource staging = {.usage = STAGING, .bind = VERTEX};
    const struct agpu_usage_resource plain = {.usage = DEFAULT, .bind = VERTEX | SHADER};

    expect_rule(agpu_rule_bind(&staging, VERTEX), AGPU_RULE_BIND_STAGING);
    expect_rule(agpu_rule_bind(&plain, VERTEX), NULL);
    expect_rule(agpu_rule_bind(&plain, SHADER), NULL);
    expect_rule(agpu_rule_bind(&plain, INDEX), AGPU_RULE_BIND_FLAGS);
}

TEST(maps)
{
    /* Allowed types, bit n for type n. */
    const struct {
        uint32_t usage, bind, cpu, allowed;
        const char *rule; /* rule that the first refused type violates */
    } rows[] = {
        {DEFAULT, VERTEX, 0, 0, AGPU_RULE_MAP_USAGE},
        {IMMUT, VERTEX, 0, 0, AGPU_RULE_MAP_USAGE},
        {DYNAMIC, VERTEX, WRITE, 0x30, AGPU_RULE_MAP_DYNAMIC},
        {DYNAMIC, INDEX | CONST, WRITE, 0x30, AGPU_RULE_MAP_DYNAMIC},
        {DYNAMIC, CONST, WRITE, 0x10, AGPU_RULE_MAP_DYNAMIC},
        {STAGING, 0, READ, 0x02, AGPU_RULE_MAP_CPU},
        {STAGING, 0, WRITE, 0x04, AGPU_RULE_MAP_CPU},
        {STAGING, 0, READ | WRITE, 0x0E, AGPU_RULE_MAP_STAGING},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct agpu_usage_resource resource = {
            .usage = rows[i].usage, .bind = rows[i].bind, .cpu_access = rows[i].cpu, .mips = 2, .layers = 3};
        const char *first = NULL;

        for (uint32_t type = 1; type <= 5; type++) {
            const char *rule = agpu_rule_map(&resource, 5, type, D3D10_DDI_MAP_FLAG_DONOTWAIT);

            assert_int_equal(rule == NULL, rows[i].allowed >> type & 1u);
            first = first == NULL ? rule : first;
            expect_rule(agpu_rule_map(&resource, 6, type, 0), AGPU_RULE_SUBRESOURCE);
            expect_rule(agpu_rule_map(&resource, 0, type, 1), AGPU_RULE_MAP_FLAGS);
        }
        expect_rule(first, rows[i].rule);
        expect_rule(agpu_rule_map(&resource, 0, 0, 0), AGPU_RULE_MAP_TYPE);
        expect_rule(agpu_rule_map(&resource, 0, 6, 0), AGPU_RULE_MAP_TYPE);
    }
    const struct agpu_usage_resource constants = {.usage = DYNAMIC, .bind = CONST, .mips = 1, .layers = 1};
    expect_rule(agpu_rule_map(&constants, 0, D3D10_DDI_MAP_WRITE_NOOVERWRITE, 0), AGPU_RULE_MAP_NO_OVERWRITE);
    const struct agpu_usage_resource opened = {
        .usage = STAGING, .cpu_access = READ, .mips = 1, .layers = 1, .opened = true};
    expect_rule(agpu_rule_map(&opened, 9, D3D10_DDI_MAP_READ, 0), NULL); /* its size is unknown */
}

TEST(copies)
{
    const D3D10DDIARG_CREATERESOURCE descs[] = {texture(DEFAULT, SHADER, 0, 2, 2),
                                                buffer(DEFAULT, VERTEX, 0)};
    const struct agpu_usage_resource dst = agpu_usage_resource_of(&descs[0]);
    const struct agpu_usage_resource plain = agpu_usage_resource_of(&descs[1]);
    struct agpu_usage_resource src = dst;

    expect_rule(agpu_rule_copy(&dst, &src), NULL);
    src.usage = IMMUT;
    expect_rule(agpu_rule_copy(&dst, &src), NULL);
    expect_rule(agpu_rule_copy(&src, &dst), AGPU_RULE_COPY_IMMUTABLE);
    src.usage = DYNAMIC;
    expect_rule(agpu_rule_copy(&dst, &src), NULL);
    expect_rule(agpu_rule_copy(&src, &dst), AGPU_RULE_COPY_DYNAMIC);
    expect_rule(agpu_rule_copy_dst(&src), AGPU_RULE_COPY_DYNAMIC);
    expect_rule(agpu_rule_update(&src, 0, NULL), AGPU_RULE_COPY_DYNAMIC);
    src = dst;
    expect_rule(agpu_rule_copy(&dst, &plain), AGPU_RULE_COPY_KINDS);
    expect_rule(agpu_rule_copy(&plain, &dst), AGPU_RULE_COPY_KINDS);
    src.format = DXGI_FORMAT_R8G8B8A8_UNORM_SRGB; /* of one family */
    expect_rule(agpu_rule_copy(&dst, &src), NULL);
    src.format = DXGI_FORMAT_B8G8R8A8_UNORM;
    expect_rule(agpu_rule_copy(&dst, &src), AGPU_RULE_COPY_FORMATS);
    src.opened = true; /* only usage and kind are known */
    expect_rule(agpu_rule_copy(&dst, &src), NULL);
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t *const members[] = {&src.width, &src.height, &src.mips, &src.layers};

        src = dst;
        *members[i] += 1;
        expect_rule(agpu_rule_copy(&dst, &src), AGPU_RULE_COPY_SIZES);
        src.opened = true;
        expect_rule(agpu_rule_copy(&dst, &src), NULL);
    }
}

/* The DXGI families, one after another. A format in none of them is a family of its own. */
static uint32_t documented_family(uint32_t format)
{
    static const uint8_t families[][8] = {
        {1, 2, 3, 4},
        {5, 6, 7, 8},
        {9, 10, 11, 12, 13, 14},
        {15, 16, 17, 18},
        {19, 20, 21, 22},
        {23, 24, 25},
        {27, 28, 29, 30, 31, 32},
        {33, 34, 35, 36, 37, 38},
        {39, 40, 41, 42, 43},
        {44, 45, 46, 47},
        {48, 49, 50, 51, 52},
        {53, 54, 55, 56, 57, 58, 59},
        {60, 61, 62, 63, 64, 65},
        {70, 71, 72},
        {73, 74, 75},
        {76, 77, 78},
        {79, 80, 81},
        {82, 83, 84},
        {87, 90, 91},
        {88, 92, 93},
        {94, 95, 96},
        {97, 98, 99},
    };

    for (uint32_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        for (uint32_t k = 0; k < 8; k++) {
            if (families[i][k] == format) {
                return 1000 + i;
            }
        }
    }
    return format;
}

TEST(every_pair_of_formats)
{
    for (uint32_t one = 1; one <= 115; one++) {
        for (uint32_t other = 1; other <= 115; other++) {
            const struct agpu_usage_resource dst = {.dimension = D3D10DDIRESOURCE_TEXTURE2D, .format = one};
            const struct agpu_usage_resource src = {.dimension = D3D10DDIRESOURCE_TEXTURE2D, .format = other};
            bool same = documented_family(one) == documented_family(other);

            expect_rule(agpu_rule_copy(&dst, &src), same ? NULL : AGPU_RULE_COPY_FORMATS);
        }
    }
}

/* Subresource 1 is mip 1 of layer 0: 8 x 4 of 16 x 8. */
TEST(regions)
{
    static const D3D10_DDI_BOX all = {0, 0, 0, 8, 4, 1}, part = {2, 1, 0, 4, 3, 1};
    static const D3D10_DDI_BOX outside[] = {{0, 0, 0, 9, 4, 1},  {0, 0, 0, 8, 5, 1}, {-1, 0, 0, 8, 4, 1},
                                            {0, -1, 0, 8, 4, 1}, {0, 0, 1, 8, 4, 2}, {0, 0, 0, 8, 4, 2},
                                            {5, 0, 0, 4, 4, 1},  {0, 3, 0, 8, 2, 1}};
    const D3D10DDIARG_CREATERESOURCE desc = texture(DEFAULT, SHADER, 0, 2, 2);
    const struct agpu_usage_resource one = agpu_usage_resource_of(&desc);
    struct agpu_usage_resource opened = one;

    expect_rule(agpu_rule_copy_region(&one, 1, 0, 0, &one, 3, NULL), NULL);
    expect_rule(agpu_rule_copy_region(&one, 1, 0, 0, &one, 3, &all), NULL);
    expect_rule(agpu_rule_copy_region(&one, 0, 8, 4, &one, 1, &all), NULL);
    expect_rule(agpu_rule_copy_region(&one, 1, 6, 2, &one, 1, &part), NULL);
    expect_rule(agpu_rule_copy_region(&one, 1, 7, 2, &one, 1, &part), AGPU_RULE_COPY_FITS);
    expect_rule(agpu_rule_copy_region(&one, 1, 6, 3, &one, 1, &part), AGPU_RULE_COPY_FITS);
    expect_rule(agpu_rule_copy_region(&one, 1, 0xFFFFFFFFu, 0, &one, 1, &part), AGPU_RULE_COPY_FITS);
    expect_rule(agpu_rule_copy_region(&one, 1, 0, 0, &one, 0, NULL), AGPU_RULE_COPY_FITS);
    expect_rule(agpu_rule_copy_region(&one, 4, 0, 0, &one, 0, NULL), AGPU_RULE_SUBRESOURCE);
    expect_rule(agpu_rule_copy_region(&one, 0, 0, 0, &one, 4, NULL), AGPU_RULE_SUBRESOURCE);
    expect_rule(agpu_rule_update(&one, 3, &all), NULL);
    expect_rule(agpu_rule_update(&one, 4, NULL), AGPU_RULE_SUBRESOURCE);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        expect_rule(agpu_rule_copy_region(&one, 0, 0, 0, &one, 1, &outside[i]), AGPU_RULE_COPY_BOX);
        expect_rule(agpu_rule_update(&one, 1, &outside[i]), AGPU_RULE_UPDATE_BOX);
    }
    opened.opened = true;
    expect_rule(agpu_rule_copy_region(&opened, 9, 99, 99, &one, 9, &outside[0]), NULL);
    expect_rule(agpu_rule_update(&opened, 9, &outside[0]), NULL);
}

/* The smallest mips have an edge of 1, whatever the number of mips. */
TEST(smallest_mips)
{
    static const D3D10_DDI_BOX texel = {0, 0, 0, 1, 1, 1}, two = {0, 0, 0, 1, 2, 1};
    const struct agpu_usage_resource chain = {
        .dimension = D3D10DDIRESOURCE_TEXTURE2D, .width = 16, .height = 2, .mips = 40, .layers = 1};

    for (uint32_t mip = 4; mip < 40; mip++) {
        expect_rule(agpu_rule_update(&chain, mip, &texel), NULL);
        expect_rule(agpu_rule_update(&chain, mip, &two), AGPU_RULE_UPDATE_BOX);
    }
}
