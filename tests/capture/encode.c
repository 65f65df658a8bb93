/* encode.c: records into blocks (format.h). */
#include "tests/capture/encode.h"

#include <string.h>

/* Size in bytes up to which an inlined loop is faster than a call. */
#define SHORT 128u

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

/* Most copies here are a few words, and copying these takes less time than a call. */
static inline uint8_t *add_bytes(uint8_t *to, const void *bytes, uint32_t size)
{
    const uint8_t *from = bytes;
    uint64_t word;

    if (size > SHORT) {
        memcpy(to, from, size);
        return to + size;
    }
    for (uint64_t words[4]; size >= sizeof words;
         size -= (uint32_t)sizeof words, from += sizeof words, to += sizeof words) {
        memcpy(words, from, sizeof words);
        memcpy(to, words, sizeof words);
    }
    for (; size >= sizeof word; size -= (uint32_t)sizeof word, from += sizeof word, to += sizeof word) {
        memcpy(&word, from, sizeof word);
        memcpy(to, &word, sizeof word);
    }
    for (; size > 0; size--) {
        *to++ = *from++;
    }
    return to;
}

static inline bool put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                       const void *structure, uint32_t size, const void *tail, uint32_t tail_size)
{
    struct agpu_capture_record record = {
        .type = (uint16_t)type, .function = encoder->function, .time_ns = time_ns};
    const uint64_t whole = (uint64_t)sizeof record + size + tail_size;
    uint8_t *to;

    if (whole > AGPU_CAPTURE_RECORD_MAX || encoder->failed) {
        return false;
    }
    record.size = ((uint32_t)whole + 7u) & ~7u;
    record.spare = (uint8_t)(record.size - whole);
    if (record.size > encoder->capacity - encoder->used && !agpu_capture_flush(encoder)) {
        return false;
    }
    to = encoder->buffer + encoder->used;
    memcpy(to, &record, sizeof record);
    to = add_bytes(to + sizeof record, structure, size);
    to = add_bytes(to, tail, tail_size);
    for (uint32_t i = 0; i < record.spare; i++) {
        to[i] = 0;
    }
    encoder->used += record.size;
    encoder->block_records++;
    encoder->records++;
    return true;
}

/* Returns a hash of eight words of the bytes, of which there are at least AGPU_CAPTURE_AGAIN_LEAST. */
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

/* Adds memory. If the block has the same bytes already, records only their place. */
static bool put_memory(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                       const struct agpu_capture_bytes *recorded, const uint8_t *bytes, uint32_t size)
{
    const uint32_t first = (uint32_t)sizeof(struct agpu_capture_block);
    uint32_t *place = &encoder->places[sample(bytes, size) >> 32 & (AGPU_CAPTURE_PLACES - 1)];
    struct agpu_capture_bytes reference = *recorded;
    const struct agpu_capture_again again = {.at = *place - first};

    reference.flags |= AGPU_CAPTURE_AGAIN;
    if (*place >= first && *place < encoder->used && size <= encoder->used - *place &&
        sizeof(struct agpu_capture_record) + sizeof reference + sizeof again <=
            encoder->capacity - encoder->used &&
        memcmp(encoder->buffer + *place, bytes, size) == 0) {
        return put(encoder, type, time_ns, &reference, sizeof reference, &again, sizeof again);
    }
    if (!put(encoder, type, time_ns, recorded, sizeof *recorded, bytes, size)) {
        return false;
    }
    *place = encoder->used - ((size + 7u) & ~7u); /* after two structures of whole words */
    return true;
}

bool agpu_capture_put(struct agpu_capture_encoder *encoder, enum agpu_capture_type type, uint64_t time_ns,
                      const void *structure, uint32_t size, const void *tail, uint32_t tail_size)
{
    if ((type == AGPU_CAPTURE_CONTENTS || type == AGPU_CAPTURE_CHANGED) &&
        size == sizeof(struct agpu_capture_bytes) && tail_size >= AGPU_CAPTURE_AGAIN_LEAST &&
        tail_size <= AGPU_CAPTURE_BYTES_MAX) {
        return put_memory(encoder, type, time_ns, structure, tail, tail_size);
    }
    return put(encoder, type, time_ns, structure, size, tail, tail_size);
}

bool agpu_capture_put_text(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                           uint64_t time_ns, const void *structure, uint32_t size, const char *text)
{
    const size_t length = strlen(text);

    return agpu_capture_put(encoder, type, time_ns, structure, size, text,
                            (uint32_t)(length < 128 ? length : 128));
}

bool agpu_capture_put_bytes(struct agpu_capture_encoder *encoder, enum agpu_capture_type type,
                            uint64_t time_ns, uint64_t address, const void *bytes, uint64_t size)
{
    const uint8_t *from = bytes;

    while (size > 0) {
        const uint32_t piece = size < AGPU_CAPTURE_BYTES_MAX ? (uint32_t)size : AGPU_CAPTURE_BYTES_MAX;
        const struct agpu_capture_bytes head = {.address = address, .size = piece};

        if (!agpu_capture_put(encoder, type, time_ns, &head, sizeof head, from, piece)) {
            return false;
        }
        address += piece;
        from += piece;
        size -= piece;
    }
    return true;
}
