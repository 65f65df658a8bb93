/* rig.c: packet-level submissions. */
#include "tests/cases/rig/rig.h"

#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

#define ALIGNMENT 64u

static uint32_t align_up(uint32_t value)
{
    return (value + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
}

static enum agpu_status alloc_rig_dma(struct agpu_rig *rig, size_t size, struct agpu_dma *out)
{
    const struct agpu_platform *platform = rig->function->platform;

    return platform->dma_alloc(platform->ctx, &rig->function->found.ref, size, out);
}

enum agpu_status agpu_rig_open(struct agpu_rig *rig, const struct agpu_function *function)
{
    enum agpu_status status;

    memset(rig, 0, sizeof *rig);
    rig->function = function;
    status = alloc_rig_dma(rig, AGPU_RIG_CMD_BYTES, &rig->cmd);
    if (status == AGPU_OK) {
        status = alloc_rig_dma(rig, AGPU_RIG_TABLE_BYTES, &rig->table);
    }
    for (unsigned i = 0; i < AGPU_RIG_MEMORY_COUNT && status == AGPU_OK; i++) {
        status = alloc_rig_dma(rig, AGPU_RIG_MEMORY_BYTES, &rig->memory[i]);
    }
    if (status == AGPU_OK) {
        agpu_rig_begin_over(rig);
    } else {
        agpu_rig_close(rig);
    }
    return status;
}

static void free_rig_dma(const struct agpu_rig *rig, struct agpu_dma *memory)
{
    const struct agpu_platform *platform = rig->function->platform;

    if (memory->cpu != NULL) {
        platform->dma_free(platform->ctx, memory);
    }
    *memory = (struct agpu_dma){0};
}

void agpu_rig_close(struct agpu_rig *rig)
{
    if (rig->function == NULL) {
        return;
    }
    free_rig_dma(rig, &rig->cmd);
    free_rig_dma(rig, &rig->table);
    for (unsigned i = 0; i < AGPU_RIG_MEMORY_COUNT; i++) {
        free_rig_dma(rig, &rig->memory[i]);
    }
    for (unsigned i = 0; i < AGPU_RIG_MORE_COUNT; i++) {
        free_rig_dma(rig, &rig->more[i]);
    }
    rig->function = NULL;
}

struct agpu_dma *agpu_rig_more(struct agpu_rig *rig, size_t size)
{
    for (unsigned i = 0; i < AGPU_RIG_MORE_COUNT; i++) {
        if (rig->more[i].cpu == NULL) {
            return alloc_rig_dma(rig, size, &rig->more[i]) == AGPU_OK ? &rig->more[i] : NULL;
        }
    }
    return NULL;
}

static void start_stream(struct agpu_rig *rig)
{
    uint8_t *table = rig->table.cpu;

    rig->cmd_used = rig->cmd_start + (uint32_t)sizeof(struct aerogpu_cmd_stream_header);
    if (rig->cmd_used > AGPU_RIG_CMD_BYTES || rig->table_start >= AGPU_RIG_TABLE_BYTES ||
        agpu_alloc_table_begin(&rig->entries, table + rig->table_start,
                               AGPU_RIG_TABLE_BYTES - rig->table_start) != AGPU_OK) {
        rig->broken = true;
    }
}

void agpu_rig_begin_over(struct agpu_rig *rig)
{
    rig->cmd_start = 0;
    rig->table_start = 0;
    rig->broken = false;
    start_stream(rig);
}

void agpu_rig_begin(struct agpu_rig *rig)
{
    rig->cmd_start = align_up(rig->cmd_used);
    rig->table_start =
        align_up(rig->table_start + (uint32_t)(sizeof(struct aerogpu_alloc_table_header) +
                                               rig->entries.count * sizeof(struct aerogpu_alloc_entry)));
    start_stream(rig);
}

void *agpu_rig_packet(struct agpu_rig *rig, uint32_t opcode, uint32_t size)
{
    struct aerogpu_cmd_hdr *packet;

    if (rig->broken || size > AGPU_RIG_PACKET_MAX ||
        size + rig->trailer > AGPU_RIG_CMD_BYTES - rig->cmd_used) {
        rig->broken = true;
        memset(rig->overflow, 0, sizeof rig->overflow);
        return rig->overflow;
    }
    packet = (struct aerogpu_cmd_hdr *)((uint8_t *)rig->cmd.cpu + rig->cmd_used);
    memset(packet, 0, size);
    packet->opcode = opcode;
    packet->size_bytes = size + rig->trailer;
    memset((uint8_t *)packet + size, 0xFF, rig->trailer);
    rig->cmd_used += size + rig->trailer;
    return packet;
}

void agpu_rig_alloc_range(struct agpu_rig *rig, uint32_t alloc_id, uint64_t address, uint64_t size,
                          uint32_t flags)
{
    if (rig->broken || agpu_alloc_table_add(&rig->entries, alloc_id, address, size, flags) != AGPU_OK) {
        rig->broken = true;
    }
}

void agpu_rig_alloc(struct agpu_rig *rig, uint32_t alloc_id, const struct agpu_dma *memory, uint32_t flags)
{
    agpu_rig_alloc_range(rig, alloc_id, memory->device_address, memory->size, flags);
}

struct aerogpu_cmd_stream_header *agpu_rig_stream_header(struct agpu_rig *rig)
{
    return (struct aerogpu_cmd_stream_header *)((uint8_t *)rig->cmd.cpu + rig->cmd_start);
}

struct aerogpu_alloc_table_header *agpu_rig_table_header(struct agpu_rig *rig)
{
    return rig->entries.header;
}

struct aerogpu_alloc_entry *agpu_rig_table_entry(struct agpu_rig *rig, uint32_t index)
{
    return (struct aerogpu_alloc_entry *)(rig->entries.header + 1) + index;
}

bool agpu_rig_finish(struct agpu_rig *rig, struct agpu_submission *out)
{
    uint32_t size = rig->cmd_used - rig->cmd_start;

    if (rig->broken) {
        return false;
    }
    *out = (struct agpu_submission){.fence = ++rig->fence};
    if (size > sizeof(struct aerogpu_cmd_stream_header)) {
        *agpu_rig_stream_header(rig) = (struct aerogpu_cmd_stream_header){
            .magic = AEROGPU_CMD_STREAM_MAGIC,
            .abi_version = AEROGPU_ABI_VERSION_U32,
            .size_bytes = size,
        };
        out->cmd_address = rig->cmd.device_address + rig->cmd_start;
        out->cmd_size = size;
    }
    if (rig->entries.count != 0) {
        out->table_address = rig->table.device_address + rig->table_start;
        out->table_size = agpu_alloc_table_finish(&rig->entries);
    }
    return true;
}
