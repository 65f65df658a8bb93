/* file_pieces.h: a long file, written in large pieces. Firmware writes what fills its own blocks straight from where it lies, and
 * reads, keeps and writes again the blocks around whatever does not. */
#ifndef AGPU_EFI_FILE_PIECES_H
#define AGPU_EFI_FILE_PIECES_H

#include "efi/machine.h"

/* Bytes of a piece, which begins at a multiple of them. */
#define AGPU_FILE_PIECE ((size_t)1 << 20)

struct agpu_file_pieces {
    EFI_FILE_HANDLE file;   /* the caller's */
    uint8_t *bytes;         /* the piece that is being filled; pool memory */
    uint64_t start;         /* where it lies in the file */
    size_t filled, written; /* bytes of it that there are, and that are in the file already */
    uint64_t since_ns;      /* what is not in the file is not since then */
    bool failed;            /* the file has a hole, or breaks off: nothing more is written */
};

/* Begins at the start of an open file. False: no memory. */
bool agpu_file_pieces_init(struct agpu_file_pieces *pieces, EFI_FILE_HANDLE file);
/* Gives back the memory. What was not written is not in the file. */
void agpu_file_pieces_close(struct agpu_file_pieces *pieces);

/* size bytes more. False when they, or some before them, could not be written. */
bool agpu_file_pieces_put(struct agpu_file_pieces *pieces, const void *bytes, size_t size);

/* Writes what there is of the last piece, if some of it has waited longer than wait_ns. False as above. */
bool agpu_file_pieces_write(struct agpu_file_pieces *pieces, uint64_t wait_ns);

#endif
