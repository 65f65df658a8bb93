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

static bool put(struct agpu_capture_encoder *encoder, struct agpu_capture_record record,
                const struct agpu_capture_part *parts, size_t count)
{
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

/* Eight words of the bytes, of which there are AGPU_CAPTURE_AGAIN_LEAST or more. */
static uint64_t sample(const uint8_t *bytes, uint32_t size)
{
    const uint32_t step = (size - (uint32_t)sizeof(uint64_t)) / 7;
    uint64_t sum = size, word;

    for (uint32_t i = 0; i < 8; i++) {
        memcpy(&word, bytes + i * step, sizeof word);
        sum = agpu_capture_sum_word(sum, word);
    }
    return sum;
}

/* Memory whose bytes the block may have already: then where they are is enough. */
static bool put_memory(struct agpu_capture_encoder *encoder, const struct agpu_capture_record *record,
                       const struct agpu_capture_bytes *told, const struct agpu_capture_part *bytes)
{
    const uint32_t first = (uint32_t)sizeof(struct agpu_capture_block);
    uint32_t *place = &encoder->places[sample(bytes->bytes, bytes->size) >> 32 & (AGPU_CAPTURE_PLACES - 1)];
    const struct agpu_capture_part whole[] = {{told, sizeof *told}, *bytes};
    struct agpu_capture_bytes reference = *told;
    struct agpu_capture_again again = {.at = *place - first};
    const struct agpu_capture_part parts[] = {{&reference, sizeof reference}, {&again, sizeof again}};

    reference.flags |= AGPU_CAPTURE_AGAIN;
    if (*place >= first && *place < encoder->used && bytes->size <= encoder->used - *place &&
        sizeof *record + sizeof reference + sizeof again <= encoder->capacity - encoder->used &&
        memcmp(encoder->buffer + *place, bytes->bytes, bytes->size) == 0) {
        return put(encoder, *record, parts, 2);
    }
    if (!put(encoder, *record, whole, 2)) {
        return false;
    }
    *place = encoder->used - ((bytes->size + 7u) & ~7u); /* behind two structures of whole words */
    return true;
}

bool agpu_capture_put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                      const struct agpu_capture_part *parts, size_t count)
{
    const struct agpu_capture_record record = {
        .type = (uint16_t)type, .function = encoder->function, .time_ns = time_ns};

    if ((type == AGPU_CAPTURE_CONTENTS || type == AGPU_CAPTURE_CHANGED) && count == 2 &&
        parts[0].size == sizeof(struct agpu_capture_bytes) && parts[1].size >= AGPU_CAPTURE_AGAIN_LEAST &&
        parts[1].size <= AGPU_CAPTURE_BYTES_MAX) {
        return put_memory(encoder, &record, parts[0].bytes, &parts[1]);
    }
    return put(encoder, record, parts, count);
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
