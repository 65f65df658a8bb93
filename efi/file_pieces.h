/* file_pieces.h: writes a long file in large aligned pieces. Firmware writes whole blocks straight from the
 * caller's memory, but reads, merges and rewrites a block that is only partly covered. */
#ifndef AGPU_EFI_FILE_PIECES_H
#define AGPU_EFI_FILE_PIECES_H

#include "efi/machine.h"

/* Bytes of a piece; each begins at a multiple of this. */
#define AGPU_FILE_PIECE ((size_t)1 << 20)

struct agpu_file_pieces {
    EFI_FILE_HANDLE file;   /* owned by the caller */
    uint8_t *bytes;         /* the piece being filled; pool memory */
    uint64_t start;         /* its offset in the file */
    size_t filled, written; /* bytes in the piece, and bytes of these already in the file */
    uint64_t since_ns;      /* time of the oldest byte that is not in the file */
    bool failed;            /* the file has a hole or is cut off: nothing more is written */
};

/* Starts at the beginning of an open file. False: no memory. */
bool agpu_file_pieces_init(struct agpu_file_pieces *pieces, EFI_FILE_HANDLE file);
/* Frees the memory. Bytes not yet written are lost. */
void agpu_file_pieces_close(struct agpu_file_pieces *pieces);

/* Appends size bytes. False when these, or earlier ones, could not be written. */
bool agpu_file_pieces_put(struct agpu_file_pieces *pieces, const void *bytes, size_t size);

/* Writes the bytes of the last piece if one of them has waited longer than wait_ns. False as above. */
bool agpu_file_pieces_write(struct agpu_file_pieces *pieces, uint64_t wait_ns);

#endif
