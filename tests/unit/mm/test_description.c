/* test_description.c: the driver's description of a resource (umd.md 18). */
#include <string.h>

#include "mm/runtime/description.h"
#include "tests/unit/test.h"

static void expect_mip(const D3D10DDI_MIPINFO *mip, uint32_t width, uint32_t height, uint32_t physical_width,
                       uint32_t physical_height)
{
    const D3D10DDI_MIPINFO expected = {width, height, 1, physical_width, physical_height, 1};

    assert_memory_equal(mip, &expected, sizeof expected);
}

TEST(buffer)
{
    static const D3D10_DDIARG_SUBRESOURCE_UP data = {.SysMemPitch = 1};
    const struct agpu_resource_desc desc = {.ResourceDimension = D3D10DDIRESOURCE_BUFFER,
                                            .Usage = D3D10_DDI_USAGE_STAGING,
                                            .BindFlags = 3,
                                            .CPUAccessFlags = D3D10_DDI_CPU_ACCESS_READ,
                                            .MiscFlags = 5,
                                            .ByteWidth = 13,
                                            .StructureByteStride = 4,
                                            .pInitialDataUP = &data,
                                            .InitialDataCount = 7};
    struct agpu_resource_args made;

    assert_true(agpu_has_all_data(&desc));
    const D3D11DDIARG_CREATERESOURCE *args = agpu_resource_args(&desc, &made);
    const D3D11DDIARG_CREATERESOURCE expected = {.pMipInfoList = made.mips,
                                                 .pInitialDataUP = &data,
                                                 .ResourceDimension = D3D10DDIRESOURCE_BUFFER,
                                                 .Usage = D3D10_DDI_USAGE_STAGING,
                                                 .BindFlags = 3,
                                                 .MapFlags = D3D10_DDI_CPU_ACCESS_READ,
                                                 .MiscFlags = 5,
                                                 .MipLevels = 1,
                                                 .ArraySize = 1,
                                                 .ByteStride = 4};
    assert_memory_equal(args, &expected, offsetof(D3D11DDIARG_CREATERESOURCE, ByteStride) + 4);
    expect_mip(made.mips, 13, 1, 13, 1);
    assert_null(agpu_resource_args(NULL, &made));
}

TEST(texture)
{
    static const D3D10_DDIARG_SUBRESOURCE_UP data[8];
    static const DXGI_DDI_PRIMARY_DESC primary;
    static const uint32_t sizes[4][4] = {{10, 6, 12, 8}, {5, 3, 8, 4}, {2, 1, 4, 4}, {1, 1, 4, 4}};
    struct agpu_resource_desc desc = {.ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D,
                                      .Width = 10,
                                      .Height = 6,
                                      .ArraySize = 2,
                                      .SampleDesc = {1, 2},
                                      .pInitialDataUP = data,
                                      .InitialDataCount = 8,
                                      .pPrimaryDesc = &primary};
    struct agpu_resource_args made;

    for (uint32_t format = 69; format < 101; format++) {
        bool blocks =
            (format > 69 && format < 85) || (format > 93 && format < 100); /* BC1 to 5, BC6H and 7 */

        desc.Format = format;
        assert_ptr_equal(agpu_resource_args(&desc, &made), &made.args);
        for (int i = 0; i < 4; i++) {
            expect_mip(&made.mips[i], sizes[i][0], sizes[i][1], sizes[i][blocks ? 2 : 0],
                       sizes[i][blocks ? 3 : 1]);
        }
    }
    assert_int_equal(made.args.MipLevels, 4);
    assert_int_equal(made.args.ArraySize, 2);
    assert_int_equal(made.args.Format, 100);
    assert_int_equal(made.args.SampleDesc.Count, 1);
    assert_int_equal(made.args.SampleDesc.Quality, 2);
    assert_ptr_equal(made.args.pInitialDataUP, data);
    assert_ptr_equal(made.args.pPrimaryDesc, &primary);
    for (uint32_t count = 0; count < 20; count++) {
        desc.InitialDataCount = count;
        assert_int_equal(agpu_has_all_data(&desc), count == 0 || count == 8);
    }
    desc.InitialDataCount = 0; /* none */
    assert_null(agpu_resource_args(&desc, &made)->pInitialDataUP);
}

/* Sizes and counts that the driver refuses arrive there, and the list of mips is not overrun. */
TEST(out_of_range)
{
    struct agpu_resource_desc desc = {
        .ResourceDimension = D3D10DDIRESOURCE_TEXTURE2D, .Height = UINT32_MAX, .MipLevels = UINT32_MAX - 1};
    struct agpu_resource_args made[2];

    memset(made, 0xA5, sizeof made);
    agpu_resource_args(&desc, &made[0]);
    assert_int_equal(made[0].args.MipLevels, UINT32_MAX - 1);
    expect_mip(&made[0].mips[0], 0, UINT32_MAX, 0, UINT32_MAX);
    expect_mip(&made[0].mips[31], 0, 1, 0, 1);
    assert_int_equal(*(const uint8_t *)&made[1], 0xA5);
    desc.ArraySize = UINT32_MAX;
    desc.MipLevels = 0;
    desc.Width = 1;
    agpu_resource_args(&desc, &made[0]);
    assert_int_equal(made[0].args.MipLevels, 32);
    assert_int_equal(made[0].args.ArraySize, 1);
}
