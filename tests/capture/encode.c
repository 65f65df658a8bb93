/* encode.c: records into blocks (format.h). */
#include "tests/capture/encode.h"

#include <string.h>

static bool write_out(struct agpu_capture_encoder *encoder, const void *bytes, size_t size)
{
    if (encoder->failed || !encoder->write(encoder->ctx, bytes, size)) {
        encoder->failed = true;
        return false;
    }
    encoder->bytes += size;
    return true;
}

void agpu_capture_encoder_init(struct agpu_capture_encoder *encoder, void *buffer, size_t size,
                               bool (*write)(void *ctx, const void *bytes, size_t size), void *ctx)
{
    const struct agpu_capture_header header = {.magic = AGPU_CAPTURE_MAGIC, .version = AGPU_CAPTURE_VERSION};

    *encoder = (struct agpu_capture_encoder){
        .write = write,
        .ctx = ctx,
        .buffer = buffer,
        .capacity = (uint32_t)(size < AGPU_CAPTURE_BUFFER_MAX ? size : AGPU_CAPTURE_BUFFER_MAX) & ~7u,
        .used = sizeof(struct agpu_capture_block),
        .sums = AGPU_CAPTURE_SUM_SEED,
    };
    write_out(encoder, &header, sizeof header);
}

bool agpu_capture_flush(struct agpu_capture_encoder *encoder)
{
    const uint32_t size = encoder->used - (uint32_t)sizeof(struct agpu_capture_block);
    const struct agpu_capture_block block = {
        .magic = AGPU_CAPTURE_BLOCK_MAGIC,
        .packing = AGPU_CAPTURE_STORED,
        .number = encoder->block_number,
        .size = size,
        .stored_size = size,
        .records = encoder->block_records,
        .sum = agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, encoder->buffer + sizeof block, size),
    };

    if (size == 0) {
        return !encoder->failed;
    }
    memcpy(encoder->buffer, &block, sizeof block);
    encoder->block_number++;
    encoder->block_records = 0;
    encoder->sums = agpu_capture_sum_word(encoder->sums, block.sum);
    encoder->used = (uint32_t)sizeof block;
    return write_out(encoder, encoder->buffer, sizeof block + size);
}

bool agpu_capture_finish(struct agpu_capture_encoder *encoder)
{
    struct agpu_capture_block end = {.magic = AGPU_CAPTURE_BLOCK_MAGIC, .packing = AGPU_CAPTURE_END};

    agpu_capture_flush(encoder);
    end.number = encoder->block_number;
    end.records = encoder->records;
    end.sum = encoder->sums;
    return write_out(encoder, &end, sizeof end);
}

bool agpu_capture_put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                      const struct agpu_capture_part *parts, size_t count)
{
    struct agpu_capture_record record = {
        .type = (uint16_t)type, .function = encoder->function, .time_ns = time_ns};
    uint64_t size = sizeof record;
    uint8_t *to;

    for (size_t i = 0; i < count; i++) {
        size += parts[i].size;
    }
    if (size > AGPU_CAPTURE_RECORD_MAX || encoder->failed) {
        return false;
    }
    record.size = ((uint32_t)size + 7u) & ~7u;
    record.spare = (uint8_t)(record.size - size);
    if (record.size > encoder->capacity - encoder->used && !agpu_capture_flush(encoder)) {
        return false;
    }
    to = encoder->buffer + encoder->used;
    memcpy(to, &record, sizeof record);
    to += sizeof record;
    for (size_t i = 0; i < count; i++) {
        if (parts[i].size != 0) {
            memcpy(to, parts[i].bytes, parts[i].size);
            to += parts[i].size;
        }
    }
    memset(to, 0, record.spare);
    encoder->used += record.size;
    encoder->block_records++;
    encoder->records++;
    return true;
}

bool agpu_capture_put_text(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                           uint64_t time_ns, const void *structure, uint32_t size, const char *text)
{
    const size_t length = strlen(text);
    const struct agpu_capture_part parts[] = {{structure, size},
                                              {text, (uint32_t)(length < 128 ? length : 128)}};

    return agpu_capture_put(encoder, type, time_ns, parts, 2);
}

bool agpu_capture_put_bytes(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                            uint64_t time_ns, uint64_t address, const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;

    while (size > 0) {
        const uint32_t piece = size < AGPU_CAPTURE_BYTES_MAX ? (uint32_t)size : AGPU_CAPTURE_BYTES_MAX;
        const struct agpu_capture_bytes head = {.address = address, .size = piece};
        const struct agpu_capture_part parts[] = {{&head, sizeof head}, {from, piece}};

        if (!agpu_capture_put(encoder, type, time_ns, parts, 2)) {
            return false;
        }
        address += piece;
        from += piece;
        size -= piece;
    }
    return true;
}
