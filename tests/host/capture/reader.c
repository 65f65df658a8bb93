/* reader.c: blocks and records of a capture, checked. */
#include "tests/host/capture/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define DESCRIPTOR_MOST 65536u

struct agpu_capture_reader {
    FILE *file; /* NULL: memory */
    const uint8_t *memory;
    uint64_t left;   /* of memory */
    uint64_t offset; /* in the file, of what is read next */
    ZSTD_DCtx *unpacker;
    uint64_t blocks, records, sums;
    uint32_t size, at; /* of the present block's records */
    uint64_t block_records;
    enum agpu_capture_next state; /* RECORD while there may be more */
    char error[300];
    _Alignas(8) uint8_t block[AGPU_CAPTURE_BLOCK_MAX];
    uint8_t packed[ZSTD_COMPRESSBOUND(AGPU_CAPTURE_BLOCK_MAX)];
};

static enum agpu_capture_next stop(struct agpu_capture_reader *reader, enum agpu_capture_next state,
                                   const char *format, ...) __attribute__((format(printf, 3, 4)));

static enum agpu_capture_next stop(struct agpu_capture_reader *reader, enum agpu_capture_next state,
                                   const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(reader->error, sizeof reader->error, format, arguments);
    va_end(arguments);
    reader->state = state;
    return state;
}

/* How many of the bytes there were. */
static size_t take(struct agpu_capture_reader *reader, void *to, size_t size)
{
    size_t got;

    if (reader->file != NULL) {
        got = fread(to, 1, size, reader->file);
    } else {
        got = size < reader->left ? size : (size_t)reader->left;
        memcpy(to, reader->memory, got);
        reader->memory += got;
        reader->left -= got;
    }
    reader->offset += got;
    return got;
}

/* ---- opening ---- */

bool agpu_capture_is_one(const void *bytes, size_t size)
{
    uint64_t magic = AGPU_CAPTURE_MAGIC;

    return size >= sizeof magic && memcmp(bytes, &magic, sizeof magic) == 0;
}

static struct agpu_capture_reader *start(FILE *file, const void *bytes, size_t size, char *message,
                                         size_t message_size)
{
    struct agpu_capture_reader *reader = malloc(sizeof *reader);
    struct agpu_capture_header header = {0};

    if (reader == NULL) {
        snprintf(message, message_size, "no memory");
        goto close_file;
    }
    memset(reader, 0, offsetof(struct agpu_capture_reader, block));
    reader->file = file;
    reader->memory = bytes;
    reader->left = size;
    reader->sums = AGPU_CAPTURE_SUM_SEED;
    reader->unpacker = ZSTD_createDCtx();
    if (reader->unpacker == NULL) {
        snprintf(message, message_size, "no memory");
        goto free_reader;
    }
    if (take(reader, &header, sizeof header) != sizeof header || header.magic != AGPU_CAPTURE_MAGIC) {
        snprintf(message, message_size, "no capture: expected a file that begins with \"AGPUCAP\"");
        goto free_reader;
    }
    if (header.version >> 16 != AGPU_CAPTURE_VERSION >> 16) {
        snprintf(message, message_size, "a capture of version %u.%u: this program reads %u.x",
                 header.version >> 16, header.version & 0xFFFF, AGPU_CAPTURE_VERSION >> 16);
        goto free_reader;
    }
    return reader;

free_reader:
    ZSTD_freeDCtx(reader->unpacker);
    free(reader);
close_file:
    if (file != NULL) {
        fclose(file);
    }
    return NULL;
}

struct agpu_capture_reader *agpu_capture_open(const char *path, char *message, size_t message_size)
{
    FILE *file = fopen(path, "rbe");

    if (file == NULL) {
        snprintf(message, message_size, "%s", strerror(errno));
        return NULL;
    }
    return start(file, NULL, 0, message, message_size);
}

struct agpu_capture_reader *agpu_capture_open_memory(const void *bytes, size_t size, char *message,
                                                     size_t message_size)
{
    return start(NULL, bytes, size, message, message_size);
}

void agpu_capture_close(struct agpu_capture_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    if (reader->file != NULL) {
        fclose(reader->file);
    }
    ZSTD_freeDCtx(reader->unpacker);
    free(reader);
}

const char *agpu_capture_error(const struct agpu_capture_reader *reader)
{
    return reader->error;
}

/* ---- blocks ---- */

static enum agpu_capture_next cut(struct agpu_capture_reader *reader, uint64_t at)
{
    return stop(reader, AGPU_CAPTURE_NEXT_CUT,
                "the capture is not complete: it ends at byte %" PRIu64 " within what began at byte %" PRIu64
                ", without an end block, after %" PRIu64
                " records; whoever wrote it was stopped, or the copy was",
                reader->offset, at, reader->records);
}

static enum agpu_capture_next end(struct agpu_capture_reader *reader, const struct agpu_capture_block *block)
{
    uint8_t more;

    if (block->records != reader->records || block->sum != reader->sums) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                    "the end block says %" PRIu64 " records, the file has %" PRIu64
                    "%s: blocks are missing or from another capture",
                    block->records, reader->records,
                    block->records == reader->records ? ", with another checksum" : "");
    }
    if (take(reader, &more, 1) != 0) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG, "bytes follow the end block at byte %" PRIu64,
                    reader->offset - 1);
    }
    return stop(reader, AGPU_CAPTURE_NEXT_DONE, "complete: %" PRIu64 " records", reader->records);
}

/* The records of a block whose header was read, into reader->block. */
static enum agpu_capture_next load(struct agpu_capture_reader *reader, const struct agpu_capture_block *block,
                                   uint64_t at)
{
    const bool packed = block->packing == AGPU_CAPTURE_ZSTD;
    size_t got;

    if (take(reader, packed ? reader->packed : reader->block, block->stored_size) != block->stored_size) {
        return cut(reader, at);
    }
    if (packed) {
        got = ZSTD_decompressDCtx(reader->unpacker, reader->block, block->size, reader->packed,
                                  block->stored_size);
        if (ZSTD_isError(got) || got != block->size) {
            return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                        "the block at byte %" PRIu64 " does not unpack to its %u bytes: %s", at, block->size,
                        ZSTD_isError(got) ? ZSTD_getErrorName(got) : "fewer came out");
        }
    }
    if (agpu_capture_sum(AGPU_CAPTURE_SUM_SEED, reader->block, block->size) != block->sum) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                    "the block at byte %" PRIu64 " has another checksum than its header says: it was changed",
                    at);
    }
    reader->sums = agpu_capture_sum_word(reader->sums, block->sum);
    reader->size = block->size;
    reader->at = 0;
    reader->block_records = block->records;
    reader->blocks++;
    return AGPU_CAPTURE_NEXT_RECORD;
}

static enum agpu_capture_next next_block(struct agpu_capture_reader *reader)
{
    const uint64_t at = reader->offset;
    struct agpu_capture_block block;

    if (take(reader, &block, sizeof block) != sizeof block) {
        return cut(reader, at);
    }
    if (block.magic != AGPU_CAPTURE_BLOCK_MAGIC || block.number != reader->blocks) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                    "at byte %" PRIu64 ": expected the header of block %" PRIu64, at, reader->blocks);
    }
    if (block.packing == AGPU_CAPTURE_END) {
        return end(reader, &block);
    }
    if (block.packing > AGPU_CAPTURE_ZSTD || block.size == 0 || block.size > AGPU_CAPTURE_BLOCK_MAX ||
        block.size % 8 != 0 || block.stored_size == 0 || block.stored_size > sizeof reader->packed ||
        (block.packing == AGPU_CAPTURE_STORED && block.stored_size != block.size)) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                    "the block at byte %" PRIu64
                    " says packing %u, %u bytes, %u unpacked: expected packing 0 "
                    "or 1 and a multiple of 8 up to %u",
                    at, block.packing, block.stored_size, block.size, AGPU_CAPTURE_BLOCK_MAX);
    }
    return load(reader, &block, at);
}

/* ---- records ---- */

static const char *check_text(struct agpu_capture_item *item)
{
    if (item->tail_size >= sizeof item->text) {
        return "its text is too long";
    }
    for (uint32_t i = 0; i < item->tail_size; i++) {
        const uint8_t c = item->tail[i];

        if (c < 0x20 || c > 0x7E) {
            return "its text is not printable";
        }
        item->text[i] = (char)c;
    }
    item->text[item->tail_size] = '\0';
    return NULL;
}

static bool is_access_size(uint32_t size, uint32_t most)
{
    return size != 0 && size <= most && (size & (size - 1)) == 0;
}

static const char *check_access(const struct agpu_capture_access *access)
{
    const bool config = access->space == AGPU_CAPTURE_CONFIG_SPACE;

    if ((!config && access->space > 5) || access->write > 1 || access->count == 0) {
        return "an access to no BAR, in no direction, or none at all";
    }
    if (!is_access_size(access->size, config ? 4 : 8) || access->offset > UINT64_MAX - access->size ||
        (config && access->offset + access->size > 4096)) {
        return "an access of a size or at an offset that there is not";
    }
    return NULL;
}

static const char *check_bytes(const struct agpu_capture_item *item)
{
    if (item->bytes->size != item->tail_size || item->bytes->size == 0 ||
        item->bytes->size > AGPU_CAPTURE_BYTES_MAX) {
        return "memory of another size than it has bytes";
    }
    return item->bytes->address > UINT64_MAX - item->bytes->size ? "memory past the end of addresses" : NULL;
}

static const char *check_map(const struct agpu_capture_map *map)
{
    if (map->size == 0 || map->address > UINT64_MAX - map->size || map->kind > AGPU_CAPTURE_BAR ||
        map->bar > 5) {
        return "a mapping of nothing, past the end of addresses, or of an unknown kind";
    }
    return NULL;
}

static const char *check_submission(const struct agpu_capture_item *item)
{
    const struct agpu_capture_submission *submission = item->submission;

    if (submission->descriptor_bytes != item->tail_size || submission->descriptor_bytes > DESCRIPTOR_MOST ||
        submission->generation > AGPU_CAPTURE_LEGACY) {
        return "a submission whose descriptor has another size, or of an unknown generation";
    }
    return NULL;
}

/* The type's pointer at the structure, and what must hold of it. NULL: all is well. */
static const char *check_record(struct agpu_capture_item *item, const uint8_t *structure)
{
    const void *at = structure;

    switch (item->type) {
    case AGPU_CAPTURE_DEVICE:
        item->device = at;
        if (item->device->view > AGPU_CAPTURE_WIRE || item->device->generation > AGPU_CAPTURE_LEGACY) {
            return "an unknown view or generation";
        }
        return check_text(item);
    case AGPU_CAPTURE_CASE:
    case AGPU_CAPTURE_CASE_END:
        item->test = at;
        return check_text(item);
    case AGPU_CAPTURE_MAP:
    case AGPU_CAPTURE_UNMAP:
        item->map = at;
        return check_map(item->map);
    case AGPU_CAPTURE_ACCESS:
        item->access = at;
        return check_access(item->access);
    case AGPU_CAPTURE_CONTENTS:
    case AGPU_CAPTURE_CHANGED:
        item->bytes = at;
        return check_bytes(item);
    case AGPU_CAPTURE_SUBMISSION:
        item->submission = at;
        return check_submission(item);
    case AGPU_CAPTURE_BACK:
        item->back = at;
        return NULL;
    case AGPU_CAPTURE_REGISTERS:
        item->registers = at;
        return (uint64_t)item->registers->count * sizeof(struct agpu_capture_register) != item->tail_size
                   ? "another number of registers than it says"
                   : NULL;
    case AGPU_CAPTURE_LINE:
        item->line = at;
        return NULL;
    case AGPU_CAPTURE_LOST:
        item->lost = at;
        return check_text(item);
    case AGPU_CAPTURE_NOTE:
        return check_text(item);
    }
    return NULL;
}

/* Bytes of the type's structure; UINT32_MAX for a type that this version does not know. */
static uint32_t structure_size(uint16_t type)
{
    static const uint8_t sizes[] = {
        [AGPU_CAPTURE_DEVICE] = sizeof(struct agpu_capture_device),
        [AGPU_CAPTURE_CASE] = sizeof(struct agpu_capture_case),
        [AGPU_CAPTURE_CASE_END] = sizeof(struct agpu_capture_case),
        [AGPU_CAPTURE_MAP] = sizeof(struct agpu_capture_map),
        [AGPU_CAPTURE_UNMAP] = sizeof(struct agpu_capture_map),
        [AGPU_CAPTURE_ACCESS] = sizeof(struct agpu_capture_access),
        [AGPU_CAPTURE_CONTENTS] = sizeof(struct agpu_capture_bytes),
        [AGPU_CAPTURE_CHANGED] = sizeof(struct agpu_capture_bytes),
        [AGPU_CAPTURE_SUBMISSION] = sizeof(struct agpu_capture_submission),
        [AGPU_CAPTURE_BACK] = sizeof(struct agpu_capture_back),
        [AGPU_CAPTURE_REGISTERS] = sizeof(struct agpu_capture_registers),
        [AGPU_CAPTURE_LINE] = sizeof(struct agpu_capture_line),
        [AGPU_CAPTURE_LOST] = sizeof(struct agpu_capture_lost),
        [AGPU_CAPTURE_NOTE] = 0,
    };

    return type >= AGPU_CAPTURE_DEVICE && type <= AGPU_CAPTURE_NOTE ? sizes[type] : UINT32_MAX;
}

static enum agpu_capture_next wrong_record(struct agpu_capture_reader *reader, const char *what)
{
    return stop(reader, AGPU_CAPTURE_NEXT_WRONG, "record %" PRIu64 ", in block %" PRIu64 ": %s",
                reader->records + 1, reader->blocks - 1, what);
}

/* The record at reader->at. *known: it is of a type that this version knows. */
static enum agpu_capture_next take_record(struct agpu_capture_reader *reader, struct agpu_capture_item *item,
                                          bool *known)
{
    const uint8_t *start_of = reader->block + reader->at;
    const uint32_t left = reader->size - reader->at;
    struct agpu_capture_record record;
    uint32_t structure, payload;
    const char *wrong;

    if (left < sizeof record) {
        return wrong_record(reader, "too few bytes are left in the block for another");
    }
    memcpy(&record, start_of, sizeof record);
    structure = structure_size(record.type);
    *known = structure != UINT32_MAX;
    if (record.size < sizeof record || record.size > left || record.size % 8 != 0 || record.spare > 7 ||
        record.size - sizeof record < record.spare) {
        return wrong_record(reader, "its size is not within its block");
    }
    payload = record.size - (uint32_t)sizeof record - record.spare;
    if (*known) {
        if (payload < structure) {
            return wrong_record(reader, "it is shorter than records of its type are");
        }
        *item = (struct agpu_capture_item){.type = (enum agpu_capture_type)record.type,
                                           .number = reader->records + 1,
                                           .time_ns = record.time_ns,
                                           .tail = start_of + sizeof record + structure,
                                           .tail_size = payload - structure};
        wrong = check_record(item, start_of + sizeof record);
        if (wrong != NULL) {
            return wrong_record(reader, wrong);
        }
    }
    reader->at += record.size;
    reader->records++;
    reader->block_records--;
    return AGPU_CAPTURE_NEXT_RECORD;
}

enum agpu_capture_next agpu_capture_next(struct agpu_capture_reader *reader, struct agpu_capture_item *item)
{
    bool known = false;

    while (reader->state == AGPU_CAPTURE_NEXT_RECORD && !known) {
        if (reader->at < reader->size) {
            if (reader->block_records == 0) {
                return wrong_record(reader, "the block has more records than its header says");
            }
            take_record(reader, item, &known);
        } else if (reader->block_records != 0) {
            return wrong_record(reader, "the block has fewer records than its header says");
        } else {
            next_block(reader);
        }
    }
    return reader->state;
}
