/* types.h: types of the interface (reference.h). */
#ifndef AGPU_CASES_REFERENCE_TYPES_H
#define AGPU_CASES_REFERENCE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct agpu_ref_config {
    void *arena; /* 16-byte aligned; all memory of the reference */
    size_t arena_bytes;
    /* Copies guest memory. Returns false, with nothing copied, when a part of the range is not memory. */
    bool (*read)(void *ctx, uint64_t address, void *to, uint64_t size);
    void *ctx;
    uint32_t abi_version; /* of the device: ABI_VERSION and FEATURES_LO */
    uint32_t features;
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
