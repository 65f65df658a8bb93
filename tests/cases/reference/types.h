/* types.h: types of the interface (reference.h). */
#ifndef AGPU_CASES_REFERENCE_TYPES_H
#define AGPU_CASES_REFERENCE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Programs of shaders that the reference can run, vertex shaders first, compute shaders last (tests/shaders/hlsl). */
enum agpu_ref_program {
    AGPU_REF_UNKNOWN,
    AGPU_REF_VS_COLOR,
    AGPU_REF_VS_WHOLE,
    AGPU_REF_VS_TABLE,
    AGPU_REF_VS_INSTANCE,
    AGPU_REF_VS_INTEGER,
    AGPU_REF_VS_TRANSFORM,
    AGPU_REF_VS_TEXTURED,
    AGPU_REF_VS_SLOTS,
    AGPU_REF_PS_COLOR,
    AGPU_REF_PS_CONSTANT,
    AGPU_REF_PS_LOAD,
    AGPU_REF_PS_DEPTH,
    AGPU_REF_PS_DISCARD,
    AGPU_REF_PS_BUFFER,
    AGPU_REF_PS_INTEGER,
    AGPU_REF_PS_TARGETS,
    AGPU_REF_PS_TEXTURED,
    AGPU_REF_PS_TWO_TEXTURES,
    AGPU_REF_PS_ARRAY,
    AGPU_REF_PS_TEXTURE_SLOTS,
    AGPU_REF_PS_SAMPLER_SLOTS,
    AGPU_REF_PS_CONSTANT_SLOTS,
    AGPU_REF_CS_FILL,
    AGPU_REF_CS_SCALE,
    AGPU_REF_CS_STRUCTURED,
    AGPU_REF_CS_COUNT,
};

/* A shader that the caller knows by its bytes. */
struct agpu_ref_shader {
    const void *bytes;
    uint32_t size;
    enum agpu_ref_program program;
};

struct agpu_ref_config {
    void *arena; /* 16-byte aligned; all memory of the reference */
    size_t arena_bytes;
    /* Copies guest memory. Returns false, with nothing copied, when a part of the range is not memory. */
    bool (*read)(void *ctx, uint64_t address, void *to, uint64_t size);
    /* NULL, or called before a packet is executed. */
    void (*packet)(void *ctx, const uint32_t *packet);
    void *ctx;
    uint32_t abi_version; /* of the device: ABI_VERSION and FEATURES_LO */
    uint32_t features;
    /* The device is not our model: where the specification leaves a choice, all of it is predicted (README.md). */
    bool any;
    /* Shaders of draws to predict; none for a device that does not run shaders. */
    const struct agpu_ref_shader *shaders;
    uint32_t shader_count;
};

/* Expected value of a register: from value to most, in the bits of known. */
struct agpu_ref_word {
    uint32_t value, most, known;
};

/* States of a byte of memory. */
enum agpu_ref_byte {
    AGPU_REF_UNWRITTEN, /* the device does not write it */
    AGPU_REF_EXACT,
    AGPU_REF_NEAR,  /* may differ by one: rounding near a tie (commands.md 11) */
    AGPU_REF_ANY,   /* the device may write it; the value is not predicted */
    AGPU_REF_MAYBE, /* exact, unless a draw before it was refused; only until agpu_ref_settle() */
};

#define AGPU_REF_CHUNK 256u

struct agpu_ref_counts {
    uint64_t submissions;
    uint64_t exact;      /* of these, predicted completely */
    uint64_t partly;     /* with draws or dispatches, whose results are unspecified */
    uint64_t lost;       /* not predicted: agpu_ref_is_lost() */
    uint64_t unresolved; /* packets whose success is not predicted */
    uint64_t packets;
};

#endif
