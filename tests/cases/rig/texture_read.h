/* texture_read.h: reads subresources of device textures: copies each with write-back into a guest-backed texture of
 * its own size, the one way that every known executor supports (commands.md 6.4), and compares it and its
 * surroundings. */
#ifndef AGPU_CASES_RIG_TEXTURE_READ_H
#define AGPU_CASES_RIG_TEXTURE_READ_H

#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/rig.h"

/* Memory, allocation id and first handle that are reserved for reads. */
#define AGPU_READS_MEMORY 3u
#define AGPU_READS_ALLOC  0xFBu
#define AGPU_READS_HANDLE 0x4000u
#define AGPU_READS_MAX    256u

/* Layout of a format (commands.md 5). */
uint32_t agpu_block_edge(uint32_t format);
uint32_t agpu_block_bytes(uint32_t format);
/* Return the texels of an edge at a mip, the bytes of its rows without padding, and its number of rows of blocks. */
uint32_t agpu_mip_edge(uint32_t edge, uint32_t mip);
uint32_t agpu_tight_bytes(uint32_t format, uint32_t width);
uint32_t agpu_block_rows(uint32_t format, uint32_t height);

/* Returns true if device contents of this format can be read at all; otherwise skips the case with the reason. */
bool agpu_format_readable(struct agpu_test *test, const struct agpu_executor *executor, uint32_t format);

/* Starts a series of reads in the stream under construction. */
void agpu_reads_begin(struct agpu_rig *rig);
/* Puts one read of a subresource of width x height texels; returns its number, from 0. */
uint32_t agpu_put_texture_read(struct agpu_rig *rig, uint32_t texture, uint32_t format, uint32_t mip,
                               uint32_t layer, uint32_t width, uint32_t height);
/* After the run: checks for these texels, rows without padding, and nothing changed around them. Bytes may differ by
 * tolerance. what is the caller's text. X bytes of X8 formats are not compared on a device that is not our model. */
#define agpu_check_texture_read(t, number, expected, tolerance, what)                                        \
    agpu_check_texture_read_at((t), (number), (expected), (tolerance), (what), AGPU_HERE)
bool agpu_check_texture_read_at(struct agpu_test *test, uint32_t number, const void *expected,
                                uint32_t tolerance, const char *what, struct agpu_where where);
/* Returns the result of a read, rows without padding. */
const uint8_t *agpu_texture_read_row(const struct agpu_rig *rig, uint32_t number, uint32_t row);
/* Destroys what the reads created, in a later submission than the reads. */
void agpu_put_reads_done(struct agpu_rig *rig);

#endif
