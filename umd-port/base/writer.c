/* writer.c: the slow paths of the command writer: starting a stream, growing, checkpoints (umd.md 12.1). */
#include "umd-port/base/writer.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "umd-port/ddi/environment.h"

static void writer_fail(struct agpu_cmd_writer *writer, enum agpu_cmd_error error)
{
    if (writer->error == AGPU_CMD_OK) {
        writer->error = error;
    }
    writer->limit = writer->cursor;
}

/* Sets the cursor and the matching limit. */
static void place_cursor(struct agpu_cmd_writer *writer, size_t used)
{
    if (writer->base == NULL) {
        writer->cursor = writer->limit = NULL;
        return;
    }
    writer->cursor = writer->base + used;
    bool open = used >= AGPU_CMD_STREAM_HEADER_BYTES && writer->error == AGPU_CMD_OK;
    size_t end = writer->capacity < writer->submit_at ? writer->capacity : writer->submit_at;
    writer->limit = open ? writer->base + end : writer->cursor;
}

static void write_header(struct agpu_cmd_writer *writer)
{
    struct aerogpu_cmd_stream_header *header = (struct aerogpu_cmd_stream_header *)(void *)writer->base;

    *header = (struct aerogpu_cmd_stream_header){
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = AGPU_CMD_STREAM_HEADER_BYTES,
        .flags = AEROGPU_CMD_STREAM_FLAG_NONE,
    };
    place_cursor(writer, AGPU_CMD_STREAM_HEADER_BYTES);
}

void agpu_cmd_init_vector(struct agpu_cmd_writer *writer, const struct agpu_umd_environment *heap)
{
    *writer = (struct agpu_cmd_writer){.heap = heap, .submit_at = SIZE_MAX};
}

/* Starts an empty stream in lent memory, else in own memory. */
static void choose_memory(struct agpu_cmd_writer *writer)
{
    bool lent = writer->lent != NULL;

    writer->base = lent ? writer->lent : writer->own;
    writer->capacity = lent ? writer->lent_bytes : writer->own_bytes;
    place_cursor(writer, 0);
}

void agpu_cmd_release(struct agpu_cmd_writer *writer)
{
    if (writer->heap != NULL) {
        writer->heap->heap_free(writer->heap->ctx, writer->own);
    }
    writer->own = writer->lent = NULL;
    writer->own_bytes = writer->lent_bytes = 0;
    writer->error = AGPU_CMD_OK;
    choose_memory(writer);
}

void agpu_cmd_lend(struct agpu_cmd_writer *writer, void *memory, size_t bytes)
{
    if (writer->heap == NULL) {
        return;
    }
    writer->lent = bytes > AGPU_CMD_STREAM_HEADER_BYTES ? memory : NULL;
    writer->lent_bytes = bytes;
    choose_memory(writer);
}

void agpu_cmd_set_buffer(struct agpu_cmd_writer *writer, void *buffer, size_t capacity)
{
    if (writer->heap != NULL) {
        agpu_cmd_release(writer);
    }
    *writer = (struct agpu_cmd_writer){
        .base = buffer, .capacity = buffer != NULL ? capacity : 0, .submit_at = SIZE_MAX};
    place_cursor(writer, 0);
}

void agpu_cmd_reset(struct agpu_cmd_writer *writer)
{
    writer->error = AGPU_CMD_OK;
    if (writer->heap != NULL) {
        choose_memory(writer);
        return;
    }
    place_cursor(writer, 0);
    if (writer->base == NULL) {
        writer_fail(writer, AGPU_CMD_NO_BUFFER);
    } else if (writer->capacity < AGPU_CMD_STREAM_HEADER_BYTES) {
        writer_fail(writer, AGPU_CMD_INSUFFICIENT_SPACE);
    } else {
        write_header(writer);
    }
}

void agpu_cmd_rewind(struct agpu_cmd_writer *writer)
{
    writer->error = AGPU_CMD_OK;
    if (writer->heap != NULL) {
        choose_memory(writer);
    } else {
        place_cursor(writer, 0);
    }
}

size_t agpu_cmd_remaining(const struct agpu_cmd_writer *writer)
{
    if (writer->heap != NULL) {
        return SIZE_MAX;
    }
    size_t used = agpu_cmd_used(writer);
    if (used < AGPU_CMD_STREAM_HEADER_BYTES) {
        used = AGPU_CMD_STREAM_HEADER_BYTES;
    }
    return used < writer->capacity ? writer->capacity - used : 0;
}

uint32_t agpu_cmd_finalize(struct agpu_cmd_writer *writer)
{
    size_t used = agpu_cmd_used(writer);

    if (used < AGPU_CMD_STREAM_HEADER_BYTES) {
        return 0;
    }
    ((struct aerogpu_cmd_stream_header *)(void *)writer->base)->size_bytes = (uint32_t)used;
    return (uint32_t)used;
}

struct agpu_cmd_checkpoint agpu_cmd_checkpoint(const struct agpu_cmd_writer *writer)
{
    return (struct agpu_cmd_checkpoint){agpu_cmd_used(writer), writer->error};
}

void agpu_cmd_rollback(struct agpu_cmd_writer *writer, struct agpu_cmd_checkpoint checkpoint)
{
    writer->error = checkpoint.error;
    place_cursor(writer, checkpoint.used);
}

void agpu_cmd_truncate(struct agpu_cmd_writer *writer, size_t used)
{
    place_cursor(writer, used);
}

void agpu_cmd_swap_memory(struct agpu_cmd_writer *writer, uint8_t **memory, size_t *capacity)
{
    uint8_t *own = writer->own;
    size_t room = writer->own_bytes;

    writer->own = *memory;
    writer->own_bytes = *capacity;
    choose_memory(writer);
    *memory = own;
    *capacity = room;
}

/* Makes the vector hold at least `need` bytes in own memory and keeps the used bytes. */
static bool grow_vector(struct agpu_cmd_writer *writer, size_t need)
{
    size_t used = agpu_cmd_used(writer), capacity = writer->capacity * 2;
    uint8_t *memory = writer->own;

    if (writer->base == writer->lent && writer->own_bytes >= need) {
        capacity = writer->own_bytes; /* it had to grow before */
    } else {
        if (capacity < need + AGPU_CMD_VECTOR_STEP) {
            capacity = need + AGPU_CMD_VECTOR_STEP;
        }
        memory = writer->heap->heap_alloc(writer->heap->ctx, capacity);
    }
    if (memory == NULL) {
        return false;
    }
    if (used) {
        memcpy(memory, writer->base, used);
    }
    if (memory != writer->own) {
        writer->heap->heap_free(writer->heap->ctx, writer->own);
    }
    writer->base = writer->own = memory;
    writer->capacity = writer->own_bytes = capacity;
    place_cursor(writer, used);
    return true;
}

uint8_t *agpu_cmd_make_room(struct agpu_cmd_writer *writer, size_t size)
{
    if (writer->error != AGPU_CMD_OK) {
        return NULL;
    }
    size_t used = agpu_cmd_used(writer);
    size_t start = used < AGPU_CMD_STREAM_HEADER_BYTES ? AGPU_CMD_STREAM_HEADER_BYTES : used;
    if (writer->heap != NULL) {
        if (size > UINT32_MAX - start) {
            writer_fail(writer, AGPU_CMD_SIZE_TOO_LARGE);
            return NULL;
        }
        if (start + size > writer->capacity && !grow_vector(writer, start + size)) {
            writer_fail(writer, AGPU_CMD_INSUFFICIENT_SPACE);
            return NULL;
        }
    } else if (writer->base == NULL) {
        writer_fail(writer, AGPU_CMD_NO_BUFFER);
        return NULL;
    } else if (start > writer->capacity || size > writer->capacity - start) {
        writer_fail(writer, AGPU_CMD_INSUFFICIENT_SPACE);
        return NULL;
    }
    if (start + size > writer->submit_at && writer->pressure != NULL) {
        *writer->pressure |= writer->pressure_bit;
    }
    if (used < AGPU_CMD_STREAM_HEADER_BYTES) {
        write_header(writer);
    }
    return writer->cursor;
}

bool agpu_cmd_overflows(const struct agpu_cmd_writer *writer, size_t size)
{
    return !agpu_cmd_empty(writer) && writer->error == AGPU_CMD_OK && !agpu_cmd_fits(writer, size) &&
           (writer->base == writer->lent || agpu_cmd_used(writer) + size > writer->submit_at);
}

void *agpu_cmd_append_room(struct agpu_cmd_writer *writer, uint32_t opcode, size_t fixed, size_t payload_size)
{
    if (writer->error != AGPU_CMD_OK) {
        return NULL;
    }
    if (fixed < sizeof(struct aerogpu_cmd_hdr)) {
        writer_fail(writer, AGPU_CMD_INVALID_ARGUMENT);
        return NULL;
    }
    if (payload_size > UINT32_MAX - 8 || fixed > UINT32_MAX - 8 - payload_size) {
        writer_fail(writer, writer->heap != NULL ? AGPU_CMD_SIZE_TOO_LARGE : AGPU_CMD_INSUFFICIENT_SPACE);
        return NULL;
    }
    size_t bytes = fixed + payload_size;
    size_t size = (bytes + 3) & ~(size_t)3;
    uint8_t *at = agpu_cmd_make_room(writer, size);
    if (at == NULL) {
        return NULL;
    }
    memset(at, 0, fixed);
    memset(at + bytes, 0, size - bytes);
    struct aerogpu_cmd_hdr *packet = (struct aerogpu_cmd_hdr *)(void *)at;
    packet->opcode = opcode;
    packet->size_bytes = (uint32_t)size;
    writer->cursor = at + size;
    return at;
}

void *agpu_cmd_append(struct agpu_cmd_writer *writer, uint32_t opcode, size_t size)
{
    return agpu_cmd_append_room(writer, opcode, size, 0);
}

void *agpu_cmd_append_payload(struct agpu_cmd_writer *writer, uint32_t opcode, size_t fixed,
                              const void *payload, size_t payload_size)
{
    if (payload == NULL && payload_size && writer->error == AGPU_CMD_OK) {
        writer_fail(writer, AGPU_CMD_INVALID_ARGUMENT);
        return NULL;
    }
    uint8_t *at = agpu_cmd_append_room(writer, opcode, fixed, payload_size);
    if (at != NULL && payload_size) {
        memcpy(at + fixed, payload, payload_size);
    }
    return at;
}
