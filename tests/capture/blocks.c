/* blocks.c: block headers, checksums, the end. */
#include "tests/capture/blocks.h"

const char *agpu_capture_blocks_open(struct agpu_capture_blocks *blocks)
{
    struct agpu_capture_header header;

    blocks->size = blocks->at = 0;
    blocks->block_records = blocks->records = blocks->number = 0;
    blocks->sums = AGPU_CAPTURE_SUM_SEED;
    if (!blocks->read(blocks->ctx, &header, sizeof header) || header.magic != AGPU_CAPTURE_MAGIC) {
        return "not a capture: expected a file that begins with AGPUCAP";
    }
    return header.version >> 16 == AGPU_CAPTURE_VERSION >> 16 ? NULL : "a capture of another version";
}

/* Reads the next block with records. Returns NULL with done set at the end of the capture. */
static const char *load(struct agpu_capture_blocks *blocks, bool *done)
{
    struct agpu_capture_block block;

    if (!blocks->read(blocks->ctx, &block, sizeof block)) {
        return "the capture is not complete: it has no end block";
    }
    if (block.magic != AGPU_CAPTURE_BLOCK_MAGIC || block.number != blocks->number) {
        return "the capture is damaged: expected the header of another block";
    }
    if (block.packing == AGPU_CAPTURE_END) {
        *done = true;
        return block.records == blocks->records && block.sum == blocks->sums
                   ? NULL
                   : "the capture is damaged: its end block belongs to another capture";
    }
    if (block.packing == AGPU_CAPTURE_ZSTD) {
        return "the capture is packed, so it cannot be played here: agpu replay --unpack OUT FILE unpacks it";
    }
    if (block.packing != AGPU_CAPTURE_STORED || block.size == 0 || block.size > AGPU_CAPTURE_BLOCK_MAX ||
        block.size % 8 != 0 || block.stored_size != block.size) {
        return "the capture is damaged: a block has an invalid size or packing";
    }
    if (!blocks->read(blocks->ctx, blocks->block, block.size)) {
        return "the capture is not complete: it ends within a block";
    }
    if (agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, blocks->block, block.size) != block.sum) {
        return "the capture is damaged: a block has a wrong checksum";
    }
    blocks->sums = agpu_capture_sum_word(blocks->sums, block.sum);
    blocks->size = block.size;
    blocks->at = 0;
    blocks->block_records = block.records;
    blocks->number++;
    return NULL;
}

bool agpu_capture_blocks_next(struct agpu_capture_blocks *blocks, struct agpu_capture_item *item,
                              const char **wrong)
{
    bool known = false, done = false;

    *wrong = NULL;
    while (!known) {
        uint32_t size;

        if (blocks->at == blocks->size) {
            *wrong = blocks->block_records != 0
                         ? "the capture is damaged: a block has fewer records than its header announces"
                         : load(blocks, &done);
            if (*wrong != NULL || done) {
                return false;
            }
        }
        *wrong = blocks->block_records == 0
                     ? "the capture is damaged: a block has more records than its header announces"
                     : agpu_capture_parse(blocks->block, blocks->size, blocks->at, item, &size, &known);
        if (*wrong != NULL) {
            return false;
        }
        blocks->at += size;
        blocks->block_records--;
        blocks->records++;
        item->number = known ? blocks->records : item->number;
        known = known && item->function == 0; /* agpu replay --unpack makes the selected function number 0 */
    }
    return true;
}
