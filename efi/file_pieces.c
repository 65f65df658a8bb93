/* file_pieces.c: fills and writes pieces. */
#include "efi/file_pieces.h"

#include <string.h>

#include "efi/clock.h"
#include "efi/heap.h"

bool agpu_file_pieces_init(struct agpu_file_pieces *pieces, EFI_FILE_HANDLE file)
{
    *pieces = (struct agpu_file_pieces){.file = file, .bytes = agpu_heap_alloc(NULL, AGPU_FILE_PIECE)};
    return pieces->bytes != NULL;
}

void agpu_file_pieces_close(struct agpu_file_pieces *pieces)
{
    agpu_heap_free(NULL, pieces->bytes);
    *pieces = (struct agpu_file_pieces){0};
}

/* Writes the whole piece again, including the part already in the file, because only its start is aligned to
 * the firmware's blocks. */
static void write_piece(struct agpu_file_pieces *pieces)
{
    UINTN size = pieces->filled;

    if (pieces->failed || pieces->filled == pieces->written) {
        return;
    }
    pieces->failed =
        (pieces->written != 0 && EFI_ERROR(pieces->file->SetPosition(pieces->file, pieces->start))) ||
        EFI_ERROR(pieces->file->Write(pieces->file, &size, pieces->bytes)) || size != pieces->filled;
    pieces->written = pieces->filled;
    if (pieces->filled == AGPU_FILE_PIECE) {
        pieces->start += AGPU_FILE_PIECE;
        pieces->filled = pieces->written = 0;
    }
}

bool agpu_file_pieces_put(struct agpu_file_pieces *pieces, const void *bytes, size_t size)
{
    const uint8_t *from = bytes;

    while (size > 0 && !pieces->failed) {
        const size_t room = AGPU_FILE_PIECE - pieces->filled, part = size < room ? size : room;

        if (pieces->filled == pieces->written) {
            pieces->since_ns = agpu_clock_ns(NULL);
        }
        memcpy(pieces->bytes + pieces->filled, from, part);
        pieces->filled += part;
        from += part;
        size -= part;
        if (pieces->filled == AGPU_FILE_PIECE) {
            write_piece(pieces);
        }
    }
    return !pieces->failed;
}

bool agpu_file_pieces_write(struct agpu_file_pieces *pieces, uint64_t wait_ns)
{
    if (wait_ns == 0 || agpu_clock_ns(NULL) - pieces->since_ns > wait_ns) {
        write_piece(pieces);
    }
    return !pieces->failed;
}
