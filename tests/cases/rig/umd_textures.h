/* umd_textures.h: textures through the driver: descriptors, pattern contents, and readback of any subresource through
 * a staging texture of one mip. */
#ifndef AGPU_CASES_RIG_UMD_TEXTURES_H
#define AGPU_CASES_RIG_UMD_TEXTURES_H

#include "tests/cases/rig/env.h"
#include "tests/cases/rig/resource_packets.h"
#include "tests/cases/rig/umd_buffers.h"

/* Maximum bytes of all subresources of a texture of agpu_make_texture(), and of one image. */
#define AGPU_IMAGE_BYTES 65536u

/* Layout of one subresource without padding, computed independently of the driver. */
struct agpu_image {
    uint32_t width, height; /* texels */
    uint32_t row_bytes;     /* of a row of texels or blocks */
    uint32_t rows;          /* of texels or blocks */
};
struct agpu_image agpu_image_of(const struct agpu_resource_desc *desc, uint32_t subresource);
uint32_t agpu_subresources_of(const struct agpu_resource_desc *desc);

/* Describes a texture of one mip and layer, usage DEFAULT, for sampling; the caller changes what differs. */
struct agpu_resource_desc agpu_texture_desc(uint32_t format, uint32_t width, uint32_t height);
struct agpu_resource_desc agpu_staging_desc(uint32_t format, uint32_t width, uint32_t height,
                                            uint32_t cpu_access);

/* Writes the unpadded image of a subresource that agpu_make_texture(seed) creates. */
void agpu_fill_image(const struct agpu_resource_desc *desc, uint32_t subresource, uint32_t seed,
                     uint8_t *out);

/* Returns false and skips the case if the device behaves like a known executor, or has an ABI minor, that does not
 * accept such a texture, or does not write it back (executor.h). */
bool agpu_asks_texture(struct agpu_test *test, const struct agpu_resource_desc *desc);

/* Creates the texture with a pattern in every subresource; seed 0: without data. pDrvPrivate is NULL if that failed,
 * which is recorded. */
D3D10DDI_HRESOURCE agpu_make_texture(struct agpu_test *test, const struct agpu_resource_desc *desc,
                                     uint32_t seed);

/* Checks that the device's contents of a subresource are this unpadded image: copies it to mip 0 of a fresh staging
 * texture and reads that. */
#define agpu_check_image(t, texture, desc, subresource, expected)                                            \
    agpu_check_image_at((t), (texture), (desc), (subresource), (expected), AGPU_HERE)
bool agpu_check_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                         const struct agpu_resource_desc *desc, uint32_t subresource, const void *expected,
                         struct agpu_where where);
/* Returns whether it is, without a check: for results that a device may choose. */
bool agpu_image_is(struct agpu_test *test, D3D10DDI_HRESOURCE texture, const struct agpu_resource_desc *desc,
                   uint32_t subresource, const void *image);
/* Submits and waits. Returns true if a device that is not our model has recorded an error since the last call, which
 * is then allowed: for optional abilities that devices do not announce. */
bool agpu_device_refused(struct agpu_test *test);
/* Like agpu_check_image(), for the pattern of agpu_fill_image() in every subresource. */
#define agpu_check_texture(t, texture, desc, seed)                                                           \
    agpu_check_texture_at((t), (texture), (desc), (seed), AGPU_HERE)
bool agpu_check_texture_at(struct agpu_test *test, D3D10DDI_HRESOURCE texture,
                           const struct agpu_resource_desc *desc, uint32_t seed, struct agpu_where where);

/* Checks that Map(READ) of a subresource of a staging texture shows this unpadded image. */
#define agpu_check_mapped_image(t, staging, desc, subresource, expected)                                     \
    agpu_check_mapped_image_at((t), (staging), (desc), (subresource), (expected), AGPU_HERE)
bool agpu_check_mapped_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging,
                                const struct agpu_resource_desc *desc, uint32_t subresource,
                                const void *expected, struct agpu_where where);
/* Like agpu_check_mapped_image(), for a texture that was created by agpu_make_poisoned() and copied to since. If a
 * device leaves the texture unchanged and is allowed to, the case is a SKIP; a device that writes back a small texture
 * of the format is not allowed to. */
#define agpu_check_written_back(t, staging, desc, subresource, expected)                                     \
    agpu_check_written_back_at((t), (staging), (desc), (subresource), (expected), AGPU_HERE)
bool agpu_check_written_back_at(struct agpu_test *test, D3D10DDI_HRESOURCE staging,
                                const struct agpu_resource_desc *desc, uint32_t subresource,
                                const void *expected, struct agpu_where where);
/* Returns true if the device writes this format back into mip 0 of layer 0: because it must, or because a small copy
 * shows it. */
bool agpu_is_written_back(struct agpu_test *test, uint32_t format);
/* Creates a staging texture full of bytes that no case expects. */
D3D10DDI_HRESOURCE agpu_make_poisoned(struct agpu_test *test, const struct agpu_resource_desc *desc);
/* Maps a subresource with this type, writes the unpadded image, unmaps. */
#define agpu_write_image(t, resource, desc, subresource, type, image)                                        \
    agpu_write_image_at((t), (resource), (desc), (subresource), (type), (image), AGPU_HERE)
bool agpu_write_image_at(struct agpu_test *test, D3D10DDI_HRESOURCE resource,
                         const struct agpu_resource_desc *desc, uint32_t subresource, uint32_t type,
                         const void *image, struct agpu_where where);

/* Copies a rectangle of texels (blocks for BC: a multiple of 4 texels) between two unpadded images. */
void agpu_paste(const struct agpu_resource_desc *dst_desc, uint32_t dst_subresource, uint8_t *dst, uint32_t x,
                uint32_t y, const struct agpu_resource_desc *src_desc, uint32_t src_subresource,
                const uint8_t *src, const D3D10_DDI_BOX *box);

/* Returns the box [left, right) x [top, bottom) of the only slice. */
static inline D3D10_DDI_BOX agpu_box(int32_t left, int32_t top, int32_t right, int32_t bottom)
{
    return (D3D10_DDI_BOX){.left = left, .top = top, .front = 0, .right = right, .bottom = bottom, .back = 1};
}

/* Scratch images for bodies; contents undefined at the start of a body. */
uint8_t *agpu_scratch(unsigned which /* 0..3 */);

/* UpdateSubresource and CopySubresourceRegion. */
void agpu_umd_update(struct agpu_test *test, D3D10DDI_HRESOURCE resource, uint32_t subresource,
                     const D3D10_DDI_BOX *box, const void *data, uint32_t pitch);
HRESULT agpu_umd_copy_region(struct agpu_test *test, D3D10DDI_HRESOURCE dst, uint32_t dst_subresource,
                             uint32_t x, uint32_t y, D3D10DDI_HRESOURCE src, uint32_t src_subresource,
                             const D3D10_DDI_BOX *box);

#endif
