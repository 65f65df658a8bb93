/* test_memory.c: the driver reads no byte outside its arguments and writes none outside mapped or cleared memory. The
 * memory of each argument ends at a guard page. */
#include "tests/unit/guarded_heap.h"
#include "tests/unit/umd/resources.h"
#include "tests/unit/umd/views.h"
#include "umd-port/format/layout.h"

static struct world w;

/* Returns source rows that end with the last row, without the rest of its pitch. */
static void *rows_of(uint32_t rows, uint32_t row_bytes, uint32_t pitch, uint8_t first)
{
    uint8_t *memory = guarded_alloc((size_t)(rows - 1) * pitch + row_bytes, 0);

    for (uint32_t row = 0; row < rows; row++) {
        memset(memory + (size_t)row * pitch, first + (int)row, row_bytes);
    }
    return memory;
}

TEST(initial_contents)
{
    for (unsigned i = 0; i < 3; i++) {
        world_open(&w, all_modes[i]);
        struct agpu_resource_desc desc = texture_desc(DXGI_FORMAT_B8G8R8A8_UNORM, 6, 4, STAGING, 0, CPU_R);
        D3D10_DDIARG_SUBRESOURCE_UP *data = guarded_alloc(6 * sizeof *data, 0);
        desc.MipLevels = 3;
        desc.ArraySize = 2;
        desc.pInitialDataUP = data;
        desc.InitialDataCount = 6;
        for (uint32_t sub = 0; sub < 6; sub++) {
            const uint32_t width = 6u >> sub % 3, height = 4u >> sub % 3;

            data[sub] = (D3D10_DDIARG_SUBRESOURCE_UP){
                .pSysMem = rows_of(height, width * 4, width * 4 + 8, (uint8_t)(16 * sub + 1)),
                .SysMemPitch = width * 4 + 8};
        }
        D3D10DDI_HRESOURCE texture = make(&w, &desc);
        for (uint32_t sub = 0; sub < 6; sub++) {
            const uint32_t width = 6u >> sub % 3, height = 4u >> sub % 3;

            assert_int_equal(map(&w, texture, sub, READ, 0, &m), S_OK);
            for (uint32_t y = 0; y < height; y++) {
                for (uint32_t x = 0; x < width * 4; x++) {
                    assert_int_equal(((const uint8_t *)m.pData)[y * m.RowPitch + x],
                                     (uint8_t)(16 * sub + 1 + y));
                }
            }
            unmap(&w, texture, sub);
            guarded_free((void *)(uintptr_t)data[sub].pSysMem);
        }
        guarded_free(data);
        free_resource(&w, texture);
        /* A buffer whose size is not a multiple of a word. */
        D3D10_DDIARG_SUBRESOURCE_UP *one = guarded_alloc(sizeof *one, 0);
        *one = (D3D10_DDIARG_SUBRESOURCE_UP){.pSysMem = rows_of(1, 13, 0, 7)};
        struct agpu_resource_desc bytes = buffer_desc(13, STAGING, 0, CPU_R);
        bytes.pInitialDataUP = one;
        bytes.InitialDataCount = 1;
        D3D10DDI_HRESOURCE buffer = make(&w, &bytes);
        assert_int_equal(map(&w, buffer, 0, READ, 0, &m), S_OK);
        assert_memory_equal(m.pData, one->pSysMem, 13);
        assert_int_equal(((const uint8_t *)m.pData)[13], 0);
        unmap(&w, buffer, 0);
        free_resource(&w, buffer);
        guarded_free((void *)(uintptr_t)one->pSysMem);
        guarded_free(one);
        world_close(&w);
    }
}

TEST(updates)
{
    for (unsigned i = 0; i < 3; i++) {
        for (uint32_t format = 0; format < 2; format++) {
            world_open(&w, all_modes[i]);
            D3D10DDI_HRESOURCE texture = make_texture(
                &w, format ? DXGI_FORMAT_BC1_UNORM : DXGI_FORMAT_B8G8R8A8_UNORM, 16, 16, DEFAULT, SRV, 0);
            const uint32_t unit = format ? 4 : 1, unit_bytes = format ? 8 : 4;
            for (int32_t left = 0; left < 16; left += 4) {
                const D3D10_DDI_BOX box = box2(left, 4, 16, 16);
                const uint32_t row_bytes = (uint32_t)(16 - left) / unit * unit_bytes, rows = 12 / unit;
                void *source = rows_of(rows, row_bytes, row_bytes + 4, 1);

                update(&w, texture, 0, &box, source, row_bytes + 4);
                expect_errors(&w, 0, S_OK);
                guarded_free(source);
                source = rows_of(rows, row_bytes, row_bytes, 1);
                update(&w, texture, 0, &box, source, row_bytes);
                expect_errors(&w, 0, S_OK);
                guarded_free(source);
            }
            free_resource(&w, texture);
            D3D10DDI_HRESOURCE buffer = make_buffer(&w, 61, DEFAULT, VB, 0);
            for (int32_t left = 0; left < 12; left++) {
                const D3D10_DDI_BOX box = box2(left, 0, 61, 1);
                void *source = rows_of(1, (uint32_t)(61 - left), 0, 9);

                if (all_modes[i] == AGPU_BACKING_WDK ||
                    left == 0) { /* the reference updates whole buffers only */
                    update(&w, buffer, 0, left == 0 ? NULL : &box, source, 0);
                    expect_errors(&w, 0, S_OK);
                }
                guarded_free(source);
            }
            free_resource(&w, buffer);
            world_close(&w);
        }
    }
}

/* Windows applications get aligned memory, whatever the alignment of the runtime's memory. */
TEST(mapped_memory_is_aligned)
{
    for (uint32_t off = 0; off < 16; off++) {
        world_open(&w, AGPU_BACKING_WDK);
        D3D10DDI_HRESOURCE buffer = make_buffer(&w, 64, STAGING, 0, CPU_W | CPU_R);
        flush(&w);
        w.fake.data_offset = off;
        assert_int_equal(map(&w, buffer, 0, WRITE, 0, &m), S_OK);
        assert_int_equal((uintptr_t)m.pData % 16, 0);
        assert_int_equal(m.pData == memory_of(&w, buffer), off == 0);
        memset(m.pData, 0x33, 64);
        unmap(&w, buffer, 0);
        for (uint32_t i = 0; i < 64; i++) {
            assert_int_equal(memory_of(&w, buffer)[off + i], 0x33);
        }
        free_resource(&w, buffer);
        world_close(&w);
    }
}
