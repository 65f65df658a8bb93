/* test_mirror.c: copies between parts of textures: the packet has the destination, the CPU's copies of both are
 * updated, and an invalid copy changes nothing (umd.md 7). */
#include "tests/unit/umd/resources.h"
#include "umd-port/base/device.h"
#include "umd-port/format/layout.h"

#define MIPS   3u
#define LAYERS 2u
#define SUBS   (MIPS * LAYERS)

static struct world w;
static D3D10DDI_HRESOURCE textures[3];
static uint8_t *expected[3];
static uint32_t seed;

static uint32_t mirror_random(uint32_t bound)
{
    seed = seed * 1664525u + 1013904223u;
    return (seed >> 8) % bound;
}

static struct agpu_subresource sub_of(unsigned texture, uint32_t index)
{
    struct agpu_subresource sub;

    assert_true(agpu_layout_subresource(&res(textures[texture])->layout, index, &sub));
    return sub;
}

/* Returns a random part in whole blocks, or up to the edge. */
static D3D10_DDI_BOX part_of(const struct agpu_subresource *sub, uint32_t block)
{
    const uint32_t across = (sub->width + block - 1) / block, down = (sub->height + block - 1) / block;
    const uint32_t left = mirror_random(across), top = mirror_random(down);
    const uint32_t right = (left + 1 + mirror_random(across - left)) * block;
    const uint32_t bottom = (top + 1 + mirror_random(down - top)) * block;

    return box2((int32_t)(left * block), (int32_t)(top * block),
                (int32_t)(right < sub->width ? right : sub->width),
                (int32_t)(bottom < sub->height ? bottom : sub->height));
}

static bool ends_well(uint32_t at, uint32_t size, uint32_t whole, uint32_t block)
{
    return at % block == 0 && at <= whole && size <= whole - at && (size % block == 0 || at + size == whole);
}

/* Copies through a temporary, so that the areas may overlap. */
static void move_expected(unsigned dst, uint32_t dst_index, uint32_t x, uint32_t y, unsigned src,
                          uint32_t src_index, const D3D10_DDI_BOX *box, uint32_t block, uint32_t block_bytes)
{
    const struct agpu_subresource to = sub_of(dst, dst_index), from = sub_of(src, src_index);
    const uint32_t rows = ((uint32_t)(box->bottom - box->top) + block - 1) / block;
    const uint32_t bytes = ((uint32_t)(box->right - box->left) + block - 1) / block * block_bytes;
    uint8_t *moved = malloc((size_t)rows * bytes);

    for (uint32_t row = 0; row < rows; row++) {
        memcpy(moved + (size_t)row * bytes,
               expected[src] + from.offset + ((uint32_t)box->top / block + row) * (size_t)from.pitch +
                   (uint32_t)box->left / block * block_bytes,
               bytes);
    }
    for (uint32_t row = 0; row < rows; row++) {
        memcpy(expected[dst] + to.offset + (y / block + row) * (size_t)to.pitch + x / block * block_bytes,
               moved + (size_t)row * bytes, bytes);
    }
    free(moved);
}

static void expect_packet(unsigned dst, uint32_t dst_index, uint32_t x, uint32_t y, unsigned src,
                          uint32_t src_index, const D3D10_DDI_BOX *box)
{
    const struct aerogpu_cmd_copy_texture2d *packet =
        recorded_at(&w, AEROGPU_CMD_COPY_TEXTURE2D, recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D) - 1);

    assert_int_equal(packet->dst_texture, res(textures[dst])->handle);
    assert_int_equal(packet->src_texture, res(textures[src])->handle);
    assert_int_equal(packet->dst_mip_level, dst_index % MIPS);
    assert_int_equal(packet->dst_array_layer, dst_index / MIPS);
    assert_int_equal(packet->src_mip_level, src_index % MIPS);
    assert_int_equal(packet->src_array_layer, src_index / MIPS);
    assert_int_equal(packet->dst_x, x);
    assert_int_equal(packet->dst_y, y);
    assert_int_equal(packet->src_x, box->left);
    assert_int_equal(packet->src_y, box->top);
    assert_int_equal(packet->width, box->right - box->left);
    assert_int_equal(packet->height, box->bottom - box->top);
}

static void copy_some(uint32_t block, uint32_t block_bytes, unsigned counts[2])
{
    const unsigned dst = mirror_random(3), src = mirror_random(3);
    const uint32_t dst_index = mirror_random(SUBS), src_index = mirror_random(SUBS);
    const struct agpu_subresource to = sub_of(dst, dst_index), from = sub_of(src, src_index);
    const bool all = mirror_random(4) == 0;
    const D3D10_DDI_BOX box =
        all ? box2(0, 0, (int32_t)from.width, (int32_t)from.height) : part_of(&from, block);
    const uint32_t step = mirror_random(8) == 0 ? 1 : block;
    const uint32_t x = mirror_random(to.width / step + 1) * step,
                   y = mirror_random(to.height / step + 1) * step;
    const bool fits = ends_well(x, (uint32_t)(box.right - box.left), to.width, block) &&
                      ends_well(y, (uint32_t)(box.bottom - box.top), to.height, block);
    const uint32_t before = recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D);
    HRESULT hr = copy_region(&w, textures[dst], dst_index, x, y, textures[src], src_index, all ? NULL : &box);

    if (!fits) {
        assert_int_equal(hr, E_INVALIDARG);
        assert_int_equal(recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D), before);
    } else if (hr == S_OK) {
        move_expected(dst, dst_index, x, y, src, src_index, &box, block, block_bytes);
        if (dst != src && recorded(&w, AEROGPU_CMD_COPY_TEXTURE2D) == before + 1) {
            expect_packet(dst, dst_index, x, y, src, src_index, &box);
        }
    } else {
        assert_int_equal(dst, src); /* in the reference the device refuses it */
    }
    counts[hr == S_OK]++;
}

TEST(parts_of_textures)
{
    static const struct {
        uint32_t format, block, block_bytes;
    } formats[] = {
        {DXGI_FORMAT_B8G8R8A8_UNORM, 1, 4}, {DXGI_FORMAT_BC1_UNORM, 4, 8}, {DXGI_FORMAT_B5G6R5_UNORM, 1, 2}};

    for (size_t i = 0; i < 3; i++) {
        unsigned counts[2] = {0};

        seed = 31 + (uint32_t)i;
        world_open(&w, AGPU_BACKING_HOST);
        for (unsigned t = 0; t < 3; t++) {
            D3D10DDIARG_CREATERESOURCE desc = texture_desc(formats[i].format, 20, 12, DEFAULT, SRV, 0);

            desc.MipLevels = MIPS;
            desc.ArraySize = LAYERS;
            textures[t] = make(&w, &desc);
            assert_non_null(res(textures[t])->shadow);
            expected[t] = malloc((size_t)res(textures[t])->bytes);
            for (size_t at = 0; at < res(textures[t])->bytes; at++) {
                expected[t][at] = res(textures[t])->shadow[at] = (uint8_t)mirror_random(256);
            }
        }
        for (unsigned step = 0; step < 600; step++) {
            copy_some(formats[i].block, formats[i].block_bytes, counts);
            for (unsigned t = 0; t < 3; t++) {
                assert_memory_equal(res(textures[t])->shadow, expected[t], (size_t)res(textures[t])->bytes);
            }
            if (step % 32 == 31) {
                assert_int_equal(flush(&w), S_OK);
            }
        }
        assert_true(counts[0] > 50 && counts[1] > 50);
        for (unsigned t = 0; t < 3; t++) {
            free(expected[t]);
            free_resource(&w, textures[t]);
        }
        w.fake.error_count = 0;
        world_close(&w);
    }
}
