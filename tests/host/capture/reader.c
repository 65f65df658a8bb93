/* reader.c: reads and checks the blocks and records of a capture. */
#include "tests/host/capture/reader.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "tests/cases/choice/filter.h"

/* State of a function while cases are selected. */
struct scope {
    bool inside;                     /* in a selected case */
    bool held;                       /* a DEVICE record is held back until the next CASE selects it */
    struct agpu_capture_item device; /* its pointers are into bytes */
    struct {
        struct agpu_capture_device structure;
        uint8_t tail[sizeof(((struct agpu_capture_item *)NULL)->text)];
    } bytes;
};

struct agpu_capture_reader {
    FILE *file; /* NULL: reading from memory */
    const uint8_t *memory;
    uint64_t left;   /* bytes left in memory */
    uint64_t offset; /* offset in the file, of the next read */
    ZSTD_DCtx *unpacker;
    uint64_t blocks, records, sums;
    uint32_t size, at; /* size of the current block's records, and position in them */
    uint64_t block_records;
    enum agpu_capture_next state; /* RECORD while more may follow */
    uint32_t chosen, met;         /* the selected function; one bit for each function with records */
    const char *cases;            /* globs; NULL: all */
    uint64_t cases_met;
    bool waiting; /* a CASE waits, because its held DEVICE is returned first */
    struct agpu_capture_item next;
    struct scope scopes[AGPU_CAPTURE_FUNCTIONS];
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

/* Returns how many bytes were available. */
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
        snprintf(message, message_size, "not a capture: expected a file that begins with \"AGPUCAP\"");
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

struct agpu_capture_reader *agpu_capture_open_stream(FILE *stream, char *message, size_t message_size)
{
    return start(stream, NULL, 0, message, message_size);
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

struct agpu_capture_place agpu_capture_where(const struct agpu_capture_reader *reader)
{
    return (struct agpu_capture_place){.records = reader->records, .bytes = reader->offset};
}

/* ---- blocks ---- */

static enum agpu_capture_next cut(struct agpu_capture_reader *reader, uint64_t at)
{
    return stop(reader, AGPU_CAPTURE_NEXT_CUT,
                "the capture is not complete: it ends at byte %" PRIu64 " within what began at byte %" PRIu64
                ", without an end block, after %" PRIu64
                " records; its writer or a copy of it was interrupted",
                reader->offset, at, reader->records);
}

static enum agpu_capture_next end(struct agpu_capture_reader *reader, const struct agpu_capture_block *block)
{
    uint8_t more;

    if (block->records != reader->records || block->sum != reader->sums) {
        return stop(reader, AGPU_CAPTURE_NEXT_WRONG,
                    "the end block has %" PRIu64 " records, the file has %" PRIu64
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

/* Loads the records of a block whose header was read, into reader->block. */
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
                    "the block at byte %" PRIu64 " does not match the checksum in its header: it was changed",
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

static enum agpu_capture_next wrong_record(struct agpu_capture_reader *reader, const char *what)
{
    return stop(reader, AGPU_CAPTURE_NEXT_WRONG, "record %" PRIu64 ", in block %" PRIu64 ": %s",
                reader->records + 1, reader->blocks - 1, what);
}

/* Reads the record at reader->at. *known: this version knows its type. */
static enum agpu_capture_next take_record(struct agpu_capture_reader *reader, struct agpu_capture_item *item,
                                          bool *known)
{
    uint32_t size;
    const char *wrong = agpu_capture_parse(reader->block, reader->size, reader->at, item, &size, known);

    if (wrong != NULL) {
        return wrong_record(reader, wrong);
    }
    item->number = reader->records + 1;
    reader->at += size;
    reader->records++;
    reader->block_records--;
    return AGPU_CAPTURE_NEXT_RECORD;
}

static void hold_device(struct scope *scope, const struct agpu_capture_item *item)
{
    scope->bytes.structure = *item->device;
    memcpy(scope->bytes.tail, item->tail, item->tail_size); /* its length was checked */
    scope->device = *item;
    scope->device.device = &scope->bytes.structure;
    scope->device.tail = scope->bytes.tail;
    scope->inside = false;
    scope->held = true;
}

/* Returns true when the record in *item belongs to a selected case; may replace it by the DEVICE record in front of
 * the case. */
static bool is_of_case(struct agpu_capture_reader *reader, struct agpu_capture_item *item)
{
    struct scope *scope = &reader->scopes[item->function];

    if (item->type == AGPU_CAPTURE_DEVICE) {
        hold_device(scope, item);
        return false;
    }
    if (item->type == AGPU_CAPTURE_CASE) {
        scope->inside = agpu_filter_match(reader->cases, item->text);
        reader->cases_met += scope->inside;
        if (scope->inside && scope->held) {
            reader->waiting = true;
            reader->next = *item;
            *item = scope->device;
            scope->held = false;
            return true;
        }
    }
    return scope->inside;
}

static bool is_chosen(struct agpu_capture_reader *reader, struct agpu_capture_item *item)
{
    reader->met |= 1u << item->function;
    if (reader->chosen != AGPU_CAPTURE_EVERY_FUNCTION && reader->chosen != item->function) {
        return false;
    }
    return reader->cases == NULL || is_of_case(reader, item);
}

void agpu_capture_choose_cases(struct agpu_capture_reader *reader, const char *filter)
{
    reader->cases = filter;
}

const char *agpu_capture_cases_wanted(const struct agpu_capture_reader *reader)
{
    return reader->cases;
}

uint64_t agpu_capture_cases_met(const struct agpu_capture_reader *reader)
{
    return reader->cases_met;
}

void agpu_capture_choose(struct agpu_capture_reader *reader, uint32_t function)
{
    reader->chosen = function;
}

uint32_t agpu_capture_functions_met(const struct agpu_capture_reader *reader)
{
    return reader->met;
}

enum agpu_capture_next agpu_capture_next(struct agpu_capture_reader *reader, struct agpu_capture_item *item)
{
    bool known = false;

    if (reader->waiting) {
        *item = reader->next;
        reader->waiting = false;
        return AGPU_CAPTURE_NEXT_RECORD;
    }
    while (reader->state == AGPU_CAPTURE_NEXT_RECORD && !known) {
        if (reader->at < reader->size) {
            if (reader->block_records == 0) {
                return wrong_record(reader, "the block has more records than its header states");
            }
            take_record(reader, item, &known);
            known = known && reader->state == AGPU_CAPTURE_NEXT_RECORD && is_chosen(reader, item);
        } else if (reader->block_records != 0) {
            return wrong_record(reader, "the block has fewer records than its header states");
        } else {
            next_block(reader);
        }
    }
    return reader->state;
}
