/* large.c: sizes and numbers above the usual: beyond 64 KiB and 1 MiB, and thousands of resources, through the driver,
 * checked to the last bytes (umd.md 5 to 7, vidmm.md 2). */
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/cases/harness/check.h"
#include "tests/cases/rig/umd_textures.h"

#define KIB(n) ((n)*1024u)
/* Above 1 MiB, and only a multiple of 4. */
#define LARGE (KIB(1024) + KIB(64) + 20u)
#define RGBA  DXGI_FORMAT_R8G8B8A8_UNORM

/* Each word identifies its offset, so that contents shifted by any power of two are wrong. */
static void large_fill(void *memory, uint32_t bytes, uint32_t seed)
{
    uint32_t *words = memory;

    for (uint32_t i = 0; i < bytes / 4; i++) {
        words[i] = (i + (seed << 24)) * 2654435761u;
    }
}

static void *large_memory(struct agpu_test *t, uint32_t bytes)
{
    void *memory = t->env->platform->heap_alloc(t->env->platform->ctx, bytes);

    if (memory == NULL) {
        agpu_error(t, "no heap memory for a large case");
    }
    return memory;
}

static void large_release(struct agpu_test *t, void *memory)
{
    t->env->platform->heap_free(t->env->platform->ctx, memory);
}

static void large_update(struct agpu_test *t, D3D10DDI_HRESOURCE buffer, uint8_t *expected, uint32_t from,
                         uint32_t to)
{
    const D3D10_DDI_BOX box = agpu_box((int32_t)from, 0, (int32_t)to, 1);

    for (uint32_t i = from; i < to; i++) {
        expected[i] = (uint8_t)~expected[i];
    }
    agpu_umd_update(t, buffer, 0, &box, expected + from, 0);
}

/* Updates boxes around each offset where a count of 16 or 20 bits, or a part of 64 KiB, ends; the last ends at the last
 * byte. */
static void large_buffer_body(struct agpu_test *t, uint8_t *expected)
{
    static const uint32_t boxes[][2] = {{0, 4},
                                        {KIB(64) - 3, KIB(64) + 5},
                                        {KIB(128), KIB(128) + 1},
                                        {KIB(1024) - 4, KIB(1024) + 4},
                                        {KIB(64) + 1, KIB(512) + 2},
                                        {LARGE - 1, LARGE}};
    D3D10DDI_HRESOURCE buffer, copy;

    large_fill(expected, LARGE, 1);
    buffer = agpu_make_default(t, LARGE, expected);
    copy = agpu_make_default(t, LARGE, NULL);
    agpu_assert(t, buffer.pDrvPrivate && copy.pDrvPrivate);
    agpu_return_unless(agpu_check_contents(t, buffer, expected, LARGE));
    for (uint32_t i = 0; i < sizeof boxes / sizeof boxes[0]; i++) {
        large_update(t, buffer, expected, boxes[i][0], boxes[i][1]);
    }
    agpu_umd_copy(t, copy, buffer);
    agpu_check_contents(t, copy, expected, LARGE);
}

/* Updates of boxes around 64 KiB and 1 MiB of a large buffer must change exactly their bytes. */
static void large_buffer(struct agpu_test *t)
{
    uint8_t *expected = large_memory(t, LARGE);

    agpu_return_unless(expected != NULL);
    large_buffer_body(t, expected);
    large_release(t, expected);
}

/* Copies regions whose offsets and sizes are beyond 64 KiB and 1 MiB, in both directions. */
static void large_regions_body(struct agpu_test *t, uint8_t *source, uint8_t *expected)
{
    static const uint32_t regions[][3] = {/* to, from, up to the end of */
                                          {KIB(1024), 0, 84},
                                          {0, KIB(1024) + 8, KIB(1024) + 40},
                                          {KIB(100), KIB(900), KIB(1000) + 4},
                                          {KIB(64), KIB(65), KIB(65) + 4},
                                          {LARGE - 4, 4, 8},
                                          {8, LARGE - 4, LARGE}};
    D3D10DDI_HRESOURCE from, to;

    large_fill(source, LARGE, 2);
    large_fill(expected, LARGE, 3);
    from = agpu_make_default(t, LARGE, source);
    to = agpu_make_default(t, LARGE, expected);
    agpu_assert(t, from.pDrvPrivate && to.pDrvPrivate);
    for (uint32_t i = 0; i < sizeof regions / sizeof regions[0]; i++) {
        const D3D10_DDI_BOX box = agpu_box((int32_t)regions[i][1], 0, (int32_t)regions[i][2], 1);

        agpu_check_hr(t, agpu_umd_copy_region(t, to, 0, regions[i][0], 0, from, 0, &box), S_OK);
        memcpy(expected + regions[i][0], source + regions[i][1], regions[i][2] - regions[i][1]);
    }
    agpu_check_contents(t, to, expected, LARGE);
}

/* Copies of regions beyond 64 KiB and 1 MiB must change exactly their bytes, in both directions. */
static void large_regions(struct agpu_test *t)
{
    uint8_t *memory = large_memory(t, 2 * LARGE);

    agpu_return_unless(memory != NULL);
    large_regions_body(t, memory, memory + LARGE);
    large_release(t, memory);
}

/* Discards dynamic memory of that size twice and writes its end afterwards. */
static void large_dynamic_body(struct agpu_test *t, uint8_t *expected)
{
    D3D10DDI_HRESOURCE dynamic = agpu_make_dynamic(t, LARGE, D3D10_DDI_BIND_VERTEX_BUFFER);

    agpu_assert(t, dynamic.pDrvPrivate != NULL);
    for (uint32_t round = 0; round < 2; round++) {
        large_fill(expected, LARGE, 4 + round);
        agpu_return_unless(agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_DISCARD, 0, expected, LARGE));
    }
    memset(expected + LARGE - 7, 0x5A, 7);
    agpu_return_unless(
        agpu_write_through(t, dynamic, D3D10_DDI_MAP_WRITE_NOOVERWRITE, LARGE - 7, expected + LARGE - 7, 7));
    agpu_check_contents(t, dynamic, expected, LARGE);
}

/* A large dynamic buffer must have its contents after discards and a write at its end. */
static void large_dynamic(struct agpu_test *t)
{
    /* Its contents are one packet. */
    const uint32_t most = agpu_runtime_kmd(t->env->umd.runtime)->config.max_dma_bytes;
    uint8_t *expected;

    agpu_require_because(t, most >= 2 * LARGE, AGPU_SKIP_SETTINGS,
                         "requires submissions of 4 MiB: max_dma_kib=");
    expected = large_memory(t, LARGE);
    agpu_return_unless(expected != NULL);
    large_dynamic_body(t, expected);
    large_release(t, expected);
}

/* ---- textures ---- */

struct large_shape {
    uint32_t format, width, height, layers;
};

/* Creates a texture with data, updates the last rows of its last layer, and reads every row of every layer. */
static void large_texture_body(struct agpu_test *t, const struct large_shape *shape, uint8_t *expected,
                               uint32_t layer_bytes)
{
    struct agpu_resource_desc desc = agpu_texture_desc(shape->format, shape->width, shape->height);
    struct agpu_resource_desc staging_desc =
        agpu_staging_desc(shape->format, shape->width, shape->height, D3D10_DDI_CPU_ACCESS_READ);
    const struct agpu_image image = agpu_image_of(&desc, 0);
    const uint32_t rows = 4, edge = shape->height / image.rows;
    const uint32_t last = shape->layers - 1;
    const D3D10_DDI_BOX box =
        agpu_box(0, (int32_t)((image.rows - rows) * edge), (int32_t)shape->width, (int32_t)shape->height);
    D3D10_DDIARG_SUBRESOURCE_UP initial[12];
    D3D10DDI_HRESOURCE texture, staging;
    uint8_t *tail = expected + (last + 1) * layer_bytes - rows * image.row_bytes;
    HRESULT hr;

    large_fill(expected, shape->layers * layer_bytes, 6);
    for (uint32_t i = 0; i < shape->layers; i++) {
        initial[i] = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = expected + i * layer_bytes,
                                                   .SysMemPitch = image.row_bytes};
    }
    desc.ArraySize = shape->layers;
    desc.pInitialDataUP = initial;
    desc.InitialDataCount = shape->layers;
    texture = agpu_umd_create(t, &desc, &hr);
    agpu_return_unless(agpu_check_hr(t, hr, S_OK));
    large_fill(tail, rows * image.row_bytes, 7);
    agpu_umd_update(t, texture, last, &box, tail, image.row_bytes);
    for (uint32_t i = 0; i < shape->layers; i++) {
        staging = agpu_make_texture(t, &staging_desc, 0);
        agpu_assert(t, staging.pDrvPrivate != NULL);
        agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 0, 0, texture, i, NULL), S_OK);
        agpu_require(t, agpu_is_written_back(t, shape->format), AGPU_SKIP_NO_WRITE_BACK);
        agpu_return_unless(agpu_check_mapped_image(t, staging, &staging_desc, 0, expected + i * layer_bytes));
        agpu_umd_destroy(t, staging);
    }
}

/* A large texture must keep every row of every layer, and an update of the last rows. */
static void large_texture(struct agpu_test *t)
{
    const struct large_shape *shape = t->test_case->arg;
    const struct agpu_resource_desc desc = agpu_texture_desc(shape->format, shape->width, shape->height);
    const struct agpu_image image = agpu_image_of(&desc, 0);
    struct agpu_resource_desc whole = desc;
    uint8_t *expected;

    whole.ArraySize = shape->layers;
    agpu_return_unless(agpu_asks_texture(t, &whole));
    expected = large_memory(t, image.row_bytes * image.rows * shape->layers);
    agpu_return_unless(expected != NULL);
    large_texture_body(t, shape, expected, image.row_bytes * image.rows);
    large_release(t, expected);
}

/* ---- many ---- */

#define MANY  1500u
#define SMALL 64u

static void many_fill(uint8_t *bytes, uint32_t i)
{
    large_fill(bytes, SMALL, i % 251);
    memcpy(bytes, &i, sizeof i);
}

/* Gathers all of them into one buffer and checks each; destroyed ones are not copied. */
static void many_check(struct agpu_test *t, const D3D10DDI_HRESOURCE *buffers, uint32_t shift)
{
    D3D10DDI_HRESOURCE all = agpu_make_default(t, MANY * SMALL, NULL);
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, MANY * SMALL, D3D10_DDI_CPU_ACCESS_READ);
    D3D10DDI_MAPPED_SUBRESOURCE mapped;
    uint8_t expected[SMALL];

    agpu_assert(t, all.pDrvPrivate && staging.pDrvPrivate);
    for (uint32_t i = 0; i < MANY; i++) {
        agpu_check_hr(t, agpu_umd_copy_region(t, all, 0, i * SMALL, 0, buffers[i], 0, NULL), S_OK);
    }
    agpu_umd_copy(t, staging, all);
    agpu_return_unless(agpu_check_hr(t, agpu_umd_map(t, staging, D3D10_DDI_MAP_READ, 0, &mapped), S_OK));
    for (uint32_t i = 0; i < MANY; i++) {
        many_fill(expected, i % 3 == 0 ? i + shift : i);
        agpu_part(t, "buffer %u", i);
        if (!agpu_check_eq_mem(t, (const uint8_t *)mapped.pData + (size_t)i * SMALL, expected, SMALL)) {
            break;
        }
    }
    agpu_part_end(t);
    agpu_umd_unmap(t, staging);
    agpu_umd_destroy(t, staging);
    agpu_umd_destroy(t, all);
}

/* Given 1,500 buffers at once, every third replaced by another, each must keep its contents; a submission names more of
 * them than a small table holds. */
static void large_many(struct agpu_test *t)
{
    static D3D10DDI_HRESOURCE buffers[MANY];
    uint8_t bytes[SMALL];

    for (uint32_t i = 0; i < MANY; i++) {
        many_fill(bytes, i);
        buffers[i] = agpu_make_default(t, SMALL, bytes);
        agpu_assert(t, buffers[i].pDrvPrivate != NULL);
    }
    many_check(t, buffers, 0);
    agpu_return_unless(t->result == AGPU_PASS && agpu_time_left(t));
    for (uint32_t i = 0; i < MANY; i += 3) {
        agpu_umd_destroy(t, buffers[i]);
        many_fill(bytes, i + MANY);
        buffers[i] = agpu_make_default(t, SMALL, bytes);
        agpu_assert(t, buffers[i].pDrvPrivate != NULL);
    }
    many_check(t, buffers, MANY);
}

/* Given more guest memory in total than a case has in-process, 1 MiB at a time, the driver must free it all. */
static void large_turn_over(struct agpu_test *t)
{
    static const uint32_t zeros[2];
    const uint32_t rounds = 72, size = KIB(1024);
    D3D10DDI_HRESOURCE staging = agpu_make_staging(t, 8, D3D10_DDI_CPU_ACCESS_READ);
    const D3D10_DDI_BOX end = agpu_box((int32_t)size - 4, 0, (int32_t)size, 1);
    const D3D10_DDI_BOX begin = agpu_box(0, 0, 4, 1);

    agpu_assert(t, staging.pDrvPrivate != NULL);
    for (uint32_t round = 0; round < rounds; round++) {
        const uint32_t words[2] = {round, ~round};
        D3D10DDI_HRESOURCE buffer = agpu_make_default(t, size, NULL);

        agpu_assert(t, buffer.pDrvPrivate != NULL);
        /* Like new at both ends, whatever used this memory before. */
        agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 0, 0, buffer, 0, &begin), S_OK);
        agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 4, 0, buffer, 0, &end), S_OK);
        agpu_return_unless(agpu_check_staging(t, staging, zeros, 8));
        agpu_umd_update(t, buffer, 0, &begin, &words[0], 0);
        agpu_umd_update(t, buffer, 0, &end, &words[1], 0);
        agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 0, 0, buffer, 0, &begin), S_OK);
        agpu_check_hr(t, agpu_umd_copy_region(t, staging, 0, 4, 0, buffer, 0, &end), S_OK);
        agpu_return_unless(agpu_check_staging(t, staging, words, 8));
        agpu_umd_destroy(t, buffer);
        agpu_return_unless(agpu_time_left(t));
    }
}

/* Given one stream of about 190 KiB that copies single words between two buffers, both must hold the result of all
 * copies in order. */
static void large_stream(struct agpu_test *t)
{
    enum { WORDS = 2000 };
    const uint64_t before = agpu_runtime_kmd(t->env->umd.runtime)->submitted;
    uint32_t *expected = (uint32_t *)(void *)agpu_scratch(0);
    D3D10DDI_HRESOURCE buffer, other;

    large_fill(expected, WORDS * 4, 8);
    buffer = agpu_make_default(t, WORDS * 4, expected);
    large_fill(expected + WORDS, WORDS * 4, 9);
    other = agpu_make_default(t, WORDS * 4, expected + WORDS);
    agpu_assert(t, buffer.pDrvPrivate && other.pDrvPrivate);
    for (uint32_t i = 0; i < 2 * WORDS; i++) {
        const uint32_t from = i * 7919u % WORDS, to = i * 104729u % WORDS;
        const D3D10_DDI_BOX box = agpu_box((int32_t)from * 4, 0, (int32_t)from * 4 + 4, 1);
        const bool forth = i % 2 == 0;

        agpu_check_hr(
            t, agpu_umd_copy_region(t, forth ? other : buffer, 0, to * 4, 0, forth ? buffer : other, 0, &box),
            S_OK);
        expected[(forth ? WORDS : 0) + to] = expected[(forth ? 0 : WORDS) + from];
    }
    agpu_metric(t, "submissions", agpu_runtime_kmd(t->env->umd.runtime)->submitted - before, "1");
    agpu_return_unless(agpu_check_contents(t, buffer, expected, WORDS * 4));
    agpu_check_contents(t, other, expected + WORDS, WORDS * 4);
}

#define LARGE_CASE(name, section, function)                                                                  \
    {                                                                                                        \
        .id = "umd.large." name, .spec = (section), .needs = AGPU_NEED_UMD,                                  \
        .features = AEROGPU_FEATURE_TRANSFER, .run = (function)                                              \
    }
#define LARGE_TEXTURE(name, ...)                                                                             \
    {                                                                                                        \
        .id = "umd.large." name, .spec = "umd.md 5.2", .needs = AGPU_NEED_UMD,                               \
        .features = AEROGPU_FEATURE_TRANSFER, .arg = &(const struct large_shape){__VA_ARGS__},               \
        .run = large_texture                                                                                 \
    }

static const struct agpu_case umd_large_cases[] = {
    LARGE_CASE("buffer", "umd.md 7.1", large_buffer),
    LARGE_CASE("regions", "umd.md 7.3", large_regions),
    LARGE_CASE("dynamic", "umd.md 6.3", large_dynamic),
    LARGE_TEXTURE("texture", RGBA, 601, 443, 1),
    LARGE_TEXTURE("array", RGBA, 64, 33, 12),
    LARGE_TEXTURE("blocks", DXGI_FORMAT_BC7_UNORM, 1028, 260, 1),
    LARGE_CASE("many_alive", "vidmm.md 2", large_many),
    LARGE_CASE("turn_over", "vidmm.md 2", large_turn_over),
    LARGE_CASE("stream", "umd.md 12.1", large_stream),
};

AGPU_CASE_TABLE(agpu_cases_umd_large, umd_large_cases);
