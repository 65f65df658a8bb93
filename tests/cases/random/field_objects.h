/* field_objects.h: the objects that draws of fields.c use. */
#ifndef AGPU_CASES_RANDOM_FIELD_OBJECTS_H
#define AGPU_CASES_RANDOM_FIELD_OBJECTS_H

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/cases/random/elements.h"
#include "tests/cases/random/world.h"

#define WIDTH   16u
#define HEIGHT  4u
#define ID      0xFFFFFD00u /* allocation of the read-back memory */
#define VERTEX  AEROGPU_SHADER_STAGE_VERTEX
#define PIXEL   AEROGPU_SHADER_STAGE_PIXEL
#define COMPUTE AEROGPU_SHADER_STAGE_COMPUTE
#define TARGET  AEROGPU_FORMAT_B8G8R8A8_UNORM
#define IMAGE   AEROGPU_FORMAT_R8G8B8A8_UNORM

/* Numbers as floats. */
#define FIFTH       0x3E4CCCCDu
#define MORE        0x3EA00000u /* than the depth of a vertex, and less than that with BIAS: 0.3125 */
#define TWO_FIFTHS  0x3ECCCCCDu
#define FOUR_FIFTHS 0x3F4CCCCDu
#define HALF        0x3F000000u
#define ONE         0x3F800000u
#define TWO         0x40000000u
#define FOUR        0x40800000u
#define EIGHT       0x41000000u
#define SIXTEEN     0x41800000u
#define BIAS        (1u << 22)

/* Vertices: six of one point, then quads, pairs of triangles that do not touch, quads that are too far away; each of
 * them for all rows of the target. */
#define ROW_VERTICES 6u
#define QUADS        6u
#define TRIANGLES    30u
#define FAR          54u
#define VERTICES     78u
/* Their second values: those of the first six and after the last vertex differ from the others. */
#define VALUES     (2 * VERTICES)
#define POINT      16u /* bytes of either */
#define OTHERS     (VERTICES * POINT)
#define LAST_OTHER ((QUADS - 1) * POINT) /* the last one in front of the others */
/* Coordinates: one place, a place between texels, then those for which the width of MIPS takes a level each. */
#define BETWEEN       OTHERS
#define AT_LEVEL(n)   ((2 + (n)) * OTHERS)
#define LEVELS_TAKEN  6u
#define MIPS_EXPONENT 12u

/* Handles. */
enum {
    VS_COLOR = 0x101,
    VS_TEXTURED,
    VS_SLOTS,
    PS_COLOR,
    PS_CONSTANT,
    PS_TEXTURED,
    PS_TWO_TEXTURES,
    PS_ARRAY,
    PS_LOAD,
    PS_BUFFER,
    PS_TARGETS,
    CS_SCALE,
    GS_SLOTS,
    GS_EXPAND,
    HS_SLOTS,
    HS_POINTS,
    DS_SLOTS,
    DS_COLOR,
    INPUTS, /* a layout */
    SAMPLER0,
    SAMPLER1,
    GONE_SAMPLER, /* bound and destroyed in front of each draw */
    GONE_TEXTURE,
    GONE_BUFFER,
    COLOR0, /* targets */
    COLOR1,
    COLOR2,
    COLOR_RGBA,
    LEVELS, /* two mips of two layers */
    FIRST_LEVEL,
    FIRST_SRGB,
    SECOND_MIP,
    SECOND_LAYER,
    DEPTH0,
    DEPTH1,
    POSITIONS, /* buffers */
    POSITIONS1,
    COLORS,
    COORDINATES,
    INDICES0,
    INDICES1,
    DATA0,
    DATA1,
    BIG, /* zeros, but at high places */
    RESULT0,
    RESULT1,
    IMAGE0, /* textures */
    IMAGE1,
    SMALL0,
    SMALL1,
    IMAGES, /* two mips of two layers, each of one colour */
    IMAGES_MIP,
    IMAGES_LAYER,
    IMAGES_FIRST,
    IMAGES_SRGB,
    LAYERS,
    LAYERS_LAST,
    LAYERS_TWO,
    MIPS, /* each of one colour */
    MIPS_SIX,
    READ_COLOR0,
    READ_COLOR1,
    READ_DEPTH,
    READ_BUFFER,
};

/* Uploads size bytes; returns the place for them. */
uint32_t *agpu_gen_put_words(struct agpu_gen *g, uint32_t handle, uint32_t offset, uint32_t size);
/* Creates the objects of a session. */
void agpu_gen_field_objects(struct agpu_gen *g);

#endif
