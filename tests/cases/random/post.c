/* post.c: writes rings, descriptors, streams and tables to guest memory. */
#include "tests/cases/random/post.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "ring/protocol/aerogpu_legacy_ring.h"
#include "ring/protocol/aerogpu_ring.h"

#define SLOTS_AT sizeof(struct aerogpu_ring_header)

/* Allocates size bytes: after the previous ones, from the start again when the region ends. */
static uint32_t take_room(uint32_t *at, uint32_t size, uint32_t room)
{
    uint32_t place = (*at + 7) & ~7u;

    if (size > room - place || place > room) {
        place = 0;
    }
    *at = place + size;
    return place;
}

static void apply_patches(const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                          enum agpu_gen_where where, void *structure, size_t size)
{
    for (uint32_t i = 0; i < step->patches; i++) {
        const struct agpu_gen_patch *patch = &program->patches[step->patches_at + i];

        if (patch->where == where && patch->size <= 8 && (size_t)patch->offset + patch->size <= size) {
            memcpy((uint8_t *)structure + patch->offset, &patch->value, patch->size);
        }
    }
}

void agpu_gen_post_ring(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                        const struct agpu_gen_step *step, bool legacy)
{
    struct aerogpu_ring_header *header;

    posting->at = step->offset;
    posting->count = (uint32_t)step->value;
    posting->stride = legacy ? sizeof(union aerogpu_legacy_ring_entry) : 64u + step->size;
    posting->bytes = (uint32_t)SLOTS_AT + posting->count * posting->stride;
    posting->tail = legacy ? 0 : (uint32_t)step->fence;
    posting->since_doorbell = 0;
    if (legacy) {
        return;
    }
    header = memory->write(memory->ctx, AGPU_GEN_RING, step->offset, sizeof *header);
    if (header != NULL) {
        *header = (struct aerogpu_ring_header){
            .magic = AEROGPU_RING_MAGIC,
            .abi_version = AEROGPU_ABI_VERSION_U32,
            .size_bytes = posting->bytes,
            .entry_count = posting->count,
            .entry_stride_bytes = posting->stride,
            .head = posting->tail,
            .tail = posting->tail,
        };
    }
}

static void post_stream(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                        const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                        struct aerogpu_submit_desc *desc)
{
    struct aerogpu_cmd_stream_header header = {
        .magic = AEROGPU_CMD_STREAM_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = (uint32_t)sizeof header + step->bytes,
    };
    const uint32_t size = header.size_bytes;
    const uint32_t at = take_room(&posting->streams_at, size, AGPU_GEN_STREAMS_BYTES);
    uint8_t *place = memory->write(memory->ctx, AGPU_GEN_STREAMS, at, size);

    if (place == NULL) {
        return;
    }
    apply_patches(program, step, AGPU_GEN_IN_STREAM, &header, sizeof header);
    memcpy(place, &header, sizeof header);
    memcpy(place + sizeof header, program->bytes + step->bytes_at, step->bytes);
    desc->cmd_gpa = memory->address(memory->ctx, AGPU_GEN_STREAMS, at);
    desc->cmd_size_bytes = size;
}

static void post_table(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                       const struct agpu_gen_program *program, const struct agpu_gen_step *step,
                       struct aerogpu_submit_desc *desc)
{
    struct aerogpu_alloc_table_header header = {
        .magic = AEROGPU_ALLOC_TABLE_MAGIC,
        .abi_version = AEROGPU_ABI_VERSION_U32,
        .size_bytes = (uint32_t)(sizeof header + step->entries * sizeof(struct aerogpu_alloc_entry)),
        .entry_count = step->entries,
        .entry_stride_bytes = sizeof(struct aerogpu_alloc_entry),
    };
    const uint32_t size = header.size_bytes;
    const uint32_t at = take_room(&posting->tables_at, size, AGPU_GEN_TABLES_BYTES);
    uint8_t *place = memory->write(memory->ctx, AGPU_GEN_TABLES, at, size);

    if (place == NULL) {
        return;
    }
    for (uint32_t i = 0; i < step->entries; i++) {
        const struct agpu_gen_entry *from = &program->entries[step->entries_at + i];
        const struct aerogpu_alloc_entry entry = {
            .alloc_id = from->id,
            .flags = from->flags,
            .gpa = memory->address(memory->ctx, from->region, from->offset),
            .size_bytes = from->size,
        };

        memcpy(place + sizeof header + i * sizeof entry, &entry, sizeof entry);
    }
    memcpy(place, &header, sizeof header);
    apply_patches(program, step, AGPU_GEN_IN_TABLE, place, size);
    desc->alloc_table_gpa = memory->address(memory->ctx, AGPU_GEN_TABLES, at);
    desc->alloc_table_size_bytes = size;
}

static uint32_t post_versioned(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                               const struct agpu_gen_program *program, const struct agpu_gen_step *step)
{
    struct aerogpu_submit_desc desc = {
        .desc_size_bytes = sizeof desc,
        .flags = step->flags,
        .context_id = step->context,
        .signal_fence = step->fence,
    };
    const uint32_t slot =
        posting->at + (uint32_t)SLOTS_AT + (posting->tail & (posting->count - 1)) * posting->stride;
    struct aerogpu_ring_header *header;
    void *place = memory->write(memory->ctx, AGPU_GEN_RING, slot, sizeof desc);

    if (step->bytes > 0 || step->size == 8) { /* 8: write a stream without packets */
        post_stream(posting, memory, program, step, &desc);
    }
    if (step->entries > 0) {
        post_table(posting, memory, program, step, &desc);
    }
    apply_patches(program, step, AGPU_GEN_IN_DESC, &desc, sizeof desc);
    if (place != NULL) {
        memcpy(place, &desc, sizeof desc);
    }
    posting->tail++;
    header = memory->write(memory->ctx, AGPU_GEN_RING, posting->at, sizeof *header);
    if (header != NULL) {
        header->tail = posting->tail;
        apply_patches(program, step, AGPU_GEN_IN_RING, header, sizeof *header);
    }
    return posting->tail;
}

static uint32_t post_legacy(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                            const struct agpu_gen_program *program, const struct agpu_gen_step *step)
{
    struct aerogpu_legacy_submission_desc_header desc = {
        .version = AEROGPU_LEGACY_SUBMISSION_DESC_VERSION,
        .type = AEROGPU_LEGACY_SUBMIT_RENDER,
        .fence = (uint32_t)step->fence,
    };
    struct aerogpu_legacy_ring_entry_submit entry = {
        .type = AEROGPU_LEGACY_RING_ENTRY_SUBMIT,
        .fence = (uint32_t)step->fence,
        .desc_size = sizeof desc,
    };
    const uint32_t desc_at = take_room(&posting->tables_at, sizeof desc, AGPU_GEN_TABLES_BYTES);
    void *place = memory->write(memory->ctx, AGPU_GEN_TABLES, desc_at, sizeof desc);

    if (posting->count == 0) {
        return 0;
    }
    apply_patches(program, step, AGPU_GEN_IN_TABLE, &desc, sizeof desc);
    if (place != NULL) {
        memcpy(place, &desc, sizeof desc);
    }
    entry.desc_gpa = memory->address(memory->ctx, AGPU_GEN_TABLES, desc_at);
    apply_patches(program, step, AGPU_GEN_IN_DESC, &entry, sizeof entry);
    place =
        memory->write(memory->ctx, AGPU_GEN_RING,
                      posting->at + posting->tail % posting->count * (uint64_t)sizeof entry, sizeof entry);
    if (place != NULL) {
        memcpy(place, &entry, sizeof entry);
    }
    posting->tail = (posting->tail + 1) % posting->count;
    return posting->tail;
}

uint32_t agpu_gen_post(struct agpu_gen_posting *posting, const struct agpu_gen_memory *memory,
                       const struct agpu_gen_program *program, const struct agpu_gen_step *step, bool legacy)
{
    posting->since_doorbell++;
    return legacy ? post_legacy(posting, memory, program, step)
                  : post_versioned(posting, memory, program, step);
}
