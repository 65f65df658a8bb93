/* handle.h: 32-bit kernel handles: bit 31 kind, bits 21-30 generation, bits 0-20 record. A closed handle stays invalid
 * until its record was recycled 1024 times, and records are recycled as late as possible (slab.h). */
#ifndef AGPU_MM_VIDMM_HANDLE_H
#define AGPU_MM_VIDMM_HANDLE_H

#include <stdint.h>

#define AGPU_HANDLE_INDEX_MASK     0x001FFFFFu
#define AGPU_HANDLE_GENERATION     0x00200000u
#define AGPU_HANDLE_GENERATION_ALL 0x7FE00000u
#define AGPU_HANDLE_RESOURCE       0x80000000u

/* Returns a record's next handle; previous is the handle that the record had before (0 = never used). */
static inline uint32_t agpu_handle_next(uint32_t previous, uint32_t index, uint32_t kind)
{
    return kind | ((previous + AGPU_HANDLE_GENERATION) & AGPU_HANDLE_GENERATION_ALL) | index;
}

#endif
