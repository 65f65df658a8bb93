/* explain.c: follows allocation tables and creations of resources up to a record. */
#include "tests/host/replay/explain.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/host/capture/memory.h"
#include "tests/host/decode/stream.h"

/* Limit of stored resources; beyond it the explanation is less detailed. */
#define RESOURCES_MOST 4096u
#define STREAM_MOST    (64u << 20)
#define ENTRIES_MOST   65536u

/* A resource that is backed by guest memory. */
struct resource {
    uint32_t handle, allocation, format;
    uint64_t offset, bytes, width, height; /* offset: within the allocation */
    bool texture;
};

struct explain {
    struct agpu_capture_memory *memory;
    struct agpu_decoder *decoder;
    struct resource now; /* created by the packet that is being decoded */
    bool creates;
    struct resource resources[RESOURCES_MOST];
    size_t count;
    uint64_t address, last;
    char found[300]; /* description of the newest one that covers the address */
};

/* ---- creations ---- */

static void see_packet(void *ctx, const struct agpu_decoded *packet)
{
    struct explain *explain = ctx;

    explain->now = (struct resource){.texture = packet->opcode == AEROGPU_CMD_CREATE_TEXTURE2D};
    explain->creates =
        packet->opcode == AEROGPU_CMD_CREATE_BUFFER || packet->opcode == AEROGPU_CMD_CREATE_TEXTURE2D;
}

static void see_member(void *ctx, const struct agpu_member *member, const uint8_t *bytes, int64_t element)
{
    struct explain *explain = ctx;
    uint64_t value = 0;

    if (!explain->creates || element >= 0 || member->size > sizeof value) {
        return;
    }
    memcpy(&value, bytes, member->size);
    if (strcmp(member->name, "buffer_handle") == 0 || strcmp(member->name, "texture_handle") == 0) {
        explain->now.handle = (uint32_t)value;
    } else if (strcmp(member->name, "backing_alloc_id") == 0) {
        explain->now.allocation = (uint32_t)value;
    } else if (strcmp(member->name, "backing_offset_bytes") == 0) {
        explain->now.offset = value;
    } else if (strcmp(member->name, "size_bytes") == 0) {
        explain->now.bytes = value;
    } else if (strcmp(member->name, "width") == 0) {
        explain->now.width = value;
    } else if (strcmp(member->name, "height") == 0) {
        explain->now.height = value;
    } else if (strcmp(member->name, "format") == 0) {
        explain->now.format = (uint32_t)value;
    }
}

static void see_packet_end(void *ctx)
{
    struct explain *explain = ctx;

    if (!explain->creates || explain->now.allocation == 0) {
        return;
    }
    for (size_t i = 0; i < explain->count; i++) {
        if (explain->resources[i].handle == explain->now.handle) {
            explain->resources[i] = explain->now;
            return;
        }
    }
    if (explain->count < RESOURCES_MOST) {
        explain->resources[explain->count++] = explain->now;
    }
}

static void skip_stream(void *ctx, uint64_t offset, uint32_t size, uint32_t version)
{
    (void)ctx;
    (void)offset;
    (void)size;
    (void)version;
}

static void skip_handle(void *ctx, uint32_t word, uint32_t handle, const char *what)
{
    (void)ctx;
    (void)word;
    (void)handle;
    (void)what;
}

static void skip_payload(void *ctx, const uint8_t *bytes, uint64_t size)
{
    (void)ctx;
    (void)bytes;
    (void)size;
}

static void skip_problem(void *ctx, uint64_t offset, const char *text, const char *rule, bool fatal)
{
    (void)ctx;
    (void)offset;
    (void)text;
    (void)rule;
    (void)fatal;
}

/* ---- places ---- */

static const struct resource *resource_at(const struct explain *explain, uint32_t allocation, uint64_t offset)
{
    const struct resource *best = NULL;

    for (size_t i = 0; i < explain->count; i++) {
        const struct resource *resource = &explain->resources[i];

        if (resource->allocation == allocation && resource->offset <= offset &&
            (resource->texture || offset - resource->offset < resource->bytes)) {
            best = resource;
        }
    }
    return best;
}

static void explain_allocation(struct explain *explain, const struct agpu_capture_submission *submission,
                               const struct aerogpu_alloc_entry *entry)
{
    const uint64_t first = explain->address - entry->gpa;
    const uint64_t most = entry->size_bytes - 1;
    const uint64_t last = explain->last - entry->gpa < most ? explain->last - entry->gpa : most;
    const struct resource *resource = resource_at(explain, entry->alloc_id, first);
    char what[120] = "";

    if (resource != NULL && resource->texture) {
        const char *format = agpu_value_name("AEROGPU_FORMAT_", resource->format);

        snprintf(what, sizeof what, ", which backs texture %u, %" PRIu64 "x%" PRIu64 " %s", resource->handle,
                 resource->width, resource->height, format != NULL ? format : "of an unknown format");
    } else if (resource != NULL) {
        snprintf(what, sizeof what, ", which backs buffer %u of %" PRIu64 " bytes", resource->handle,
                 resource->bytes);
    }
    snprintf(
        explain->found, sizeof explain->found,
        "bytes %" PRIu64 " to %" PRIu64 " of allocation %u%s%s (submission %" PRIu64 ", fence %" PRIu64 ")",
        first, last, entry->alloc_id, (entry->flags & AEROGPU_ALLOC_FLAG_READONLY) != 0 ? ", read only" : "",
        what, submission->number, submission->fence);
}

static bool is_in(const struct explain *explain, uint64_t address, uint64_t size)
{
    return explain->address >= address && explain->address - address < size;
}

static void see_table(struct explain *explain, const struct agpu_capture_submission *submission)
{
    struct aerogpu_alloc_table_header header;

    if (submission->table_bytes < sizeof header ||
        !agpu_capture_memory_read(explain->memory, submission->table_address, &header, sizeof header) ||
        header.entry_stride_bytes < sizeof(struct aerogpu_alloc_entry)) {
        return;
    }
    for (uint64_t i = 0, at = sizeof header;
         i < header.entry_count && i < ENTRIES_MOST &&
         at + sizeof(struct aerogpu_alloc_entry) <= submission->table_bytes;
         i++, at += header.entry_stride_bytes) {
        struct aerogpu_alloc_entry entry;

        if (!agpu_capture_memory_read(explain->memory, submission->table_address + at, &entry,
                                      sizeof entry)) {
            return;
        }
        if (is_in(explain, entry.gpa, entry.size_bytes)) {
            explain_allocation(explain, submission, &entry);
        }
    }
}

static void see_part(struct explain *explain, const struct agpu_capture_submission *submission,
                     const char *what, uint64_t address, uint64_t size)
{
    if (is_in(explain, address, size)) {
        snprintf(explain->found, sizeof explain->found,
                 "byte %" PRIu64 " of the %s of submission %" PRIu64 ", fence %" PRIu64,
                 explain->address - address, what, submission->number, submission->fence);
    }
}

static void see_submission(struct explain *explain, const struct agpu_capture_submission *submission)
{
    const struct agpu_decode_output output = {.ctx = explain,
                                              .stream = skip_stream,
                                              .packet = see_packet,
                                              .member = see_member,
                                              .handle = skip_handle,
                                              .payload = skip_payload,
                                              .problem = skip_problem,
                                              .packet_end = see_packet_end};
    uint8_t *stream;

    if (submission->cmd_bytes != 0 && submission->cmd_bytes <= STREAM_MOST) {
        stream = malloc(submission->cmd_bytes);
        if (stream != NULL) {
            if (agpu_capture_memory_read(explain->memory, submission->cmd_address, stream,
                                         submission->cmd_bytes)) {
                agpu_decode(explain->decoder, stream, submission->cmd_bytes, 0, &output);
            }
            free(stream);
        }
    }
    see_part(explain, submission, "descriptor", submission->descriptor_address, submission->descriptor_bytes);
    see_part(explain, submission, "command stream", submission->cmd_address, submission->cmd_bytes);
    see_part(explain, submission, "allocation table", submission->table_address, submission->table_bytes);
    see_table(explain, submission);
}

/* Explains structures that are identified by a magic number. */
static void see_structure(struct explain *explain)
{
    const uint64_t page = explain->address & ~UINT64_C(63);
    uint32_t magic = 0;

    if (explain->found[0] != '\0' || !agpu_capture_memory_read(explain->memory, page, &magic, sizeof magic)) {
        return;
    }
    if (magic == AEROGPU_RING_MAGIC) {
        snprintf(explain->found, sizeof explain->found, "byte %" PRIu64 " of the ring header (ring.md 1)",
                 explain->address - page);
    } else if (magic == AEROGPU_FENCE_PAGE_MAGIC) {
        snprintf(explain->found, sizeof explain->found, "byte %" PRIu64 " of the fence page (ring.md 5)",
                 explain->address - page);
    }
}

void agpu_explain_address(struct agpu_capture_reader *reader, uint64_t until, uint64_t address, uint64_t last,
                          char *text, size_t size)
{
    struct explain *explain = calloc(1, sizeof *explain);
    struct agpu_capture_item item;

    text[0] = '\0';
    if (explain == NULL) {
        return;
    }
    explain->address = address;
    explain->last = last;
    explain->memory = agpu_capture_memory_create(AGPU_CAPTURE_TOUCHED_MOST);
    explain->decoder = agpu_decoder_create();
    while (explain->memory != NULL && explain->decoder != NULL &&
           agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD && item.number <= until &&
           agpu_capture_memory_apply(explain->memory, &item) == NULL) {
        if (item.type == AGPU_CAPTURE_CASE || item.type == AGPU_CAPTURE_DEVICE) {
            explain->count = 0;
            explain->found[0] = '\0';
        } else if (item.type == AGPU_CAPTURE_SUBMISSION) {
            see_submission(explain, item.submission);
        } else if (item.type == AGPU_CAPTURE_UNMAP && is_in(explain, item.map->address, item.map->size)) {
            explain->found[0] = '\0';
        }
    }
    if (explain->memory != NULL) {
        see_structure(explain);
    }
    snprintf(text, size, "%s", explain->found);
    agpu_decoder_destroy(explain->decoder);
    agpu_capture_memory_destroy(explain->memory);
    free(explain);
}
