/* replay.c: reads a capture from a file, block by block. */
#include "efi/replay.h"

#include "efi/file.h"
#include "efi/heap.h"
#include "tests/capture/blocks.h"

static struct {
    struct agpu_replay_source source;
    const char *path;
    EFI_FILE_HANDLE file;
    struct agpu_capture_blocks blocks;
} replay;

static bool read_file(void *ctx, void *to, size_t size)
{
    UINTN read = size;

    (void)ctx;
    return !EFI_ERROR(replay.file->Read(replay.file, &read, to)) && read == size;
}

static void close_file(void *ctx)
{
    (void)ctx;
    if (replay.file != NULL) {
        replay.file->Close(replay.file);
        replay.file = NULL;
    }
    agpu_heap_free(NULL, replay.blocks.block);
    replay.blocks.block = NULL;
}

static const char *open_file(void *ctx)
{
    const char *failed = agpu_file_open(replay.path, &replay.file);

    if (failed != NULL) {
        return failed;
    }
    replay.blocks = (struct agpu_capture_blocks){.read = read_file};
    replay.blocks.block = agpu_heap_alloc(NULL, AGPU_CAPTURE_BLOCK_MAX);
    failed = replay.blocks.block != NULL ? agpu_capture_blocks_open(&replay.blocks)
                                         : "out of memory for one of its blocks";
    if (failed != NULL) {
        close_file(ctx);
    }
    return failed;
}

static bool next_record(void *ctx, struct agpu_capture_item *item, const char **wrong)
{
    (void)ctx;
    return agpu_capture_blocks_next(&replay.blocks, item, wrong);
}

const struct agpu_replay_source *agpu_replay_file(const char *path, uint32_t until)
{
    replay.path = path;
    replay.source = (struct agpu_replay_source){
        .open = open_file, .next = next_record, .close = close_file, .until = until};
    return &replay.source;
}
