/* walk.c: framing checks of a finished command stream (commands.md 1). */
#include "umd-port/base/walk.h"

#include "pci/protocol/aerogpu_pci.h"

bool agpu_cmd_walk_begin(struct agpu_cmd_walk *walk, const void *stream, size_t size)
{
    const struct aerogpu_cmd_stream_header *header = stream;

    if (stream == NULL || size < sizeof *header || header->magic != AEROGPU_CMD_STREAM_MAGIC ||
        header->abi_version != AEROGPU_ABI_VERSION_U32 || header->flags != AEROGPU_CMD_STREAM_FLAG_NONE ||
        header->size_bytes < sizeof *header || header->size_bytes > size) {
        return false;
    }
    walk->next = (const uint8_t *)stream + sizeof *header;
    walk->end = (const uint8_t *)stream + header->size_bytes;
    return true;
}

const struct aerogpu_cmd_hdr *agpu_cmd_walk_next(struct agpu_cmd_walk *walk, bool *broken)
{
    *broken = false;
    if (walk->next == walk->end) {
        return NULL;
    }
    size_t left = (size_t)(walk->end - walk->next);
    const struct aerogpu_cmd_hdr *packet = (const struct aerogpu_cmd_hdr *)(const void *)walk->next;
    if (left < sizeof *packet || packet->size_bytes < sizeof *packet || packet->size_bytes % 4 ||
        packet->size_bytes > left) {
        *broken = true;
        return NULL;
    }
    walk->next += packet->size_bytes;
    return packet;
}
