/* format.h: surface formats: block size and kind (commands.md 5). */
#ifndef VGPU_BUS_FORMAT_H
#define VGPU_BUS_FORMAT_H

#include <stdbool.h>
#include <stdint.h>

enum vgpu_format_kind { VGPU_FORMAT_COLOR, VGPU_FORMAT_DEPTH, VGPU_FORMAT_BLOCK };

struct vgpu_format {
    uint8_t kind;        /* enum vgpu_format_kind */
    uint8_t block_edge;  /* texels: 1 or 4 */
    uint8_t block_bytes; /* 0 marks an invalid format */
    bool srgb;
    bool x8;        /* the X byte is ignored; alpha reads as FF */
    uint8_t family; /* formats of one family differ only in sRGB; a view may select another format of the
                     * family */
};

/* The format with this AEROGPU_FORMAT_* number, NULL when there is none. */
const struct vgpu_format *vgpu_format_find(uint32_t number);

#endif
