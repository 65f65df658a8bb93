/* pieces.h: pieces of files that arrive beside their records in the lossless stream (tests/handbook/stream.md 1):
 * accepts each once, and counts the missing ones. No I/O. */
#ifndef AGPU_HOST_REPORT_PIECES_H
#define AGPU_HOST_REPORT_PIECES_H

#include "tests/host/wire/collector.h"

/* Zero-initialised: none. */
struct agpu_pieces {
    char boot[AGPU_BOOT_ID_MAX + 1]; /* the boot that sent them */
    struct agpu_seq_set came;        /* numbers of their records */
    uint64_t announced, taken;       /* totals over all boots */
};

/* Splits an item of the stream into its message, up to the newline, and the piece. Returns false when it has no
 * piece. */
bool agpu_pieces_cut(const char *item, size_t size, size_t *message, const char **piece, size_t *piece_size);

/* Counts a piece that a new record announces. */
void agpu_pieces_announced(struct agpu_pieces *pieces, const struct agpu_parsed_record *record);

/* Decides whether to store the piece beside this message, which the collector has already received as of this boot.
 * Returns NULL, with the announcing record in *record, to store it; else the reason against. */
const char *agpu_pieces_take(struct agpu_pieces *pieces, const struct agpu_collector *collector,
                             const char *boot, const char *message, size_t size, size_t piece_size,
                             struct agpu_parsed_record *record);

/* Returns how many announced pieces never arrived. */
uint64_t agpu_pieces_missing(const struct agpu_pieces *pieces);

void agpu_pieces_free(struct agpu_pieces *pieces);

#endif
