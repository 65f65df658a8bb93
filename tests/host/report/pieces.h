/* pieces.h: pieces of files that come beside their records in the lossless stream (tests/host/wire/README.md 1): each once, and which
 * of them never came. No I/O. */
#ifndef AGPU_HOST_REPORT_PIECES_H
#define AGPU_HOST_REPORT_PIECES_H

#include "tests/host/wire/collector.h"

/* Zero-initialised: none. */
struct agpu_pieces {
    char boot[AGPU_BOOT_ID_MAX + 1]; /* whose they are */
    struct agpu_seq_set came;        /* by the numbers of their records */
    uint64_t announced, taken;       /* of all boots */
};

/* An item of the stream, cut in two: its message, to its newline, and the piece. False when there is no piece. */
bool agpu_pieces_cut(const char *item, size_t size, size_t *message, const char **piece, size_t *piece_size);

/* A record arrived that was not known before. */
void agpu_pieces_announced(struct agpu_pieces *pieces, const struct agpu_parsed_record *record);

/* Is the piece beside this message, which the collector was given as of this boot, one to be kept? Then *record is what announces it;
 * it is taken. NULL, or why not. */
const char *agpu_pieces_take(struct agpu_pieces *pieces, const struct agpu_collector *collector,
                             const char *boot, const char *message, size_t size, size_t piece_size,
                             struct agpu_parsed_record *record);

/* How many were announced, and never came. */
uint64_t agpu_pieces_missing(const struct agpu_pieces *pieces);

void agpu_pieces_free(struct agpu_pieces *pieces);

#endif
