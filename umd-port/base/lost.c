/* lost.c: saves the parts of a lost submission that later ones need (umd.md 12.3). */
#include "umd-port/base/lost.h"

#include <string.h>

#include "umd-port/base/packet_info.h"

typedef struct aerogpu_cmd_hdr packet_header;

/* Selects the packets to save. */
struct selection {
    struct agpu_device *device;
    bool (*stays)(struct selection *selection, const packet_header *packet);
    const packet_header *unsendable;
    uint64_t content_bytes; /* so far */
    uint32_t uploaded; /* resource of the UPLOAD_RESOURCE saved just before this packet; 0 = another packet */
    uint32_t handle;   /* of the resource to forget */
    bool created_here;
};

static const packet_header *packet_at(const uint8_t *bytes)
{
    return (const packet_header *)(const void *)bytes;
}

/* Moves the selected packets from first on to the start of the stream, and drops the others. */
static void select_packets(struct selection *selection, const uint8_t *first)
{
    struct agpu_cmd_writer *cmd = &selection->device->imm.cmd;
    uint8_t *out = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES;
    const uint8_t *end = cmd->base + agpu_cmd_used(cmd);

    for (const uint8_t *at = first; at < end;) {
        uint32_t size = packet_at(at)->size_bytes;

        if (selection->stays(selection, packet_at(at))) {
            memmove(out, at, size);
            out += size;
        }
        at += size;
    }
    cmd->error = AGPU_CMD_OK;
    agpu_cmd_truncate(cmd, (size_t)(out - cmd->base));
}

/* Returns the list entry of a resource's allocation, or of an id; NULL: not listed. */
static struct agpu_alloc_entry *entry_of(struct agpu_device *device, uint32_t resource, uint32_t alloc_id)
{
    struct agpu_alloc_list *list = &device->allocs;

    for (uint32_t i = 0; i < list->count; i++) {
        struct agpu_alloc_entry *entry = &list->entries[i];

        if (resource ? entry->resource == resource : entry->alloc_id == alloc_id) {
            return entry;
        }
    }
    return NULL;
}

static bool keep_entry(struct agpu_alloc_entry *entry)
{
    if (entry != NULL) {
        entry->write |= AGPU_ENTRY_KEPT;
    }
    return entry != NULL;
}

/* Returns destination and source of a copy, the first members of both kinds. */
static const uint32_t *ends_of(const packet_header *packet)
{
    return (const uint32_t *)(const void *)(packet + 1);
}

static bool is_copy(const packet_header *packet)
{
    return packet->opcode == AEROGPU_CMD_COPY_BUFFER || packet->opcode == AEROGPU_CMD_COPY_TEXTURE2D;
}

/* Marks the list entries that the packet needs. */
static bool keep_references(struct agpu_device *device, const packet_header *packet)
{
    switch (packet->opcode) {
    case AEROGPU_CMD_CREATE_BUFFER: {
        uint32_t id = ((const struct aerogpu_cmd_create_buffer *)packet)->backing_alloc_id;

        return !id || keep_entry(entry_of(device, 0, id));
    }
    case AEROGPU_CMD_CREATE_TEXTURE2D: {
        uint32_t id = ((const struct aerogpu_cmd_create_texture2d *)packet)->backing_alloc_id;

        return !id || keep_entry(entry_of(device, 0, id));
    }
    case AEROGPU_CMD_RESOURCE_DIRTY_RANGE:
        return keep_entry(
            entry_of(device, ((const struct aerogpu_cmd_resource_dirty_range *)packet)->resource_handle, 0));
    case AEROGPU_CMD_COPY_BUFFER:
    case AEROGPU_CMD_COPY_TEXTURE2D: /* of a streamed update: its source has no allocation */
        return keep_entry(entry_of(device, ends_of(packet)[0], 0));
    default:
        return true;
    }
}

/* True for packets that create objects or carry bytes of the CPU: uploads, dirty ranges, and copies that are the second
 * half of an upload. */
static bool outlives_submission(struct selection *selection, const packet_header *packet)
{
    const struct aerogpu_packet *info = agpu_packet_info(packet->opcode);
    const uint32_t uploaded = selection->uploaded;

    selection->uploaded = 0;
    if (info == NULL || packet == selection->unsendable) {
        return false;
    }
    switch (info->class) {
    case AEROGPU_CLASS_OBJECT:
    case AEROGPU_CLASS_SHARING:
        return keep_references(selection->device, packet);
    case AEROGPU_CLASS_COPY:
        if (!uploaded || ends_of(packet)[1] != uploaded) {
            return false;
        }
        break;
    case AEROGPU_CLASS_CONTENT:
        break;
    default:
        return false;
    }
    selection->content_bytes += packet->size_bytes;
    if (selection->content_bytes > AGPU_LOST_CONTENT_BYTES || !keep_references(selection->device, packet)) {
        return false;
    }
    if (packet->opcode == AEROGPU_CMD_UPLOAD_RESOURCE) {
        selection->uploaded = ((const struct aerogpu_cmd_upload_resource *)packet)->resource_handle;
    }
    return true;
}

/* ---- destroyed resources ---- */

/* True when the packet names the resource or view; with creates set, only when it creates it. */
static bool names(const packet_header *packet, uint32_t handle, bool creates)
{
    const struct aerogpu_packet *info = agpu_packet_info(packet->opcode);
    const uint32_t *words = (const uint32_t *)(const void *)packet;

    for (uint32_t group = 0; info != NULL && group < AEROGPU_HANDLE_GROUPS; group++) {
        const struct aerogpu_packet_handles *handles = &info->handles[group];
        bool counts = handles->kind == AEROGPU_HANDLE_RESOURCE || handles->kind == AEROGPU_HANDLE_VIEW;

        for (uint32_t i = 0; counts && i < handles->words; i++) {
            if (words[handles->word + i] == handle && (!creates || handles->use == AEROGPU_HANDLE_CREATES)) {
                return true;
            }
        }
    }
    return false;
}

/* False for packets that need the resource's memory. The device's copy remains until its DESTROY_RESOURCE. */
static bool survives_resource(struct selection *selection, const packet_header *packet)
{
    if (!names(packet, selection->handle, false)) {
        return true;
    }
    if (selection->created_here) {
        return false;
    }
    return packet->opcode == AEROGPU_CMD_DESTROY_RESOURCE ||
           packet->opcode == AEROGPU_CMD_CREATE_TEXTURE_VIEW ||
           packet->opcode == AEROGPU_CMD_DESTROY_TEXTURE_VIEW;
}

/* True when the stream creates the object, which means that the device does not know it. */
static bool is_created(const struct agpu_cmd_writer *cmd, uint32_t handle)
{
    const uint8_t *end = cmd->base + agpu_cmd_used(cmd);

    for (const uint8_t *at = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES; at < end;
         at += packet_at(at)->size_bytes) {
        if (names(packet_at(at), handle, true)) {
            return true;
        }
    }
    return false;
}

static void forget_handle(struct agpu_device *device, uint32_t handle, bool created_here)
{
    struct selection selection = {
        .device = device, .stays = survives_resource, .handle = handle, .created_here = created_here};

    select_packets(&selection, device->imm.cmd.base + AGPU_CMD_STREAM_HEADER_BYTES);
}

/* Returns the next view that the stream creates of the texture: the device would refuse it. */
static uint32_t next_view_of(const struct agpu_cmd_writer *cmd, uint32_t texture)
{
    const uint8_t *end = cmd->base + agpu_cmd_used(cmd);

    for (const uint8_t *at = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES; at < end;
         at += packet_at(at)->size_bytes) {
        const struct aerogpu_cmd_create_texture_view *view = (const void *)at;

        if (packet_at(at)->opcode == AEROGPU_CMD_CREATE_TEXTURE_VIEW && view->texture_handle == texture) {
            return view->view_handle;
        }
    }
    return 0;
}

/* Drops all packets about a resource that the stream creates. */
static void forget_created(struct agpu_device *device, uint32_t handle)
{
    uint32_t view;

    while ((view = next_view_of(&device->imm.cmd, handle)) != 0) {
        forget_handle(device, view, true);
    }
    forget_handle(device, handle, true);
}

/* True when a copy of the stream reads the resource: it is the temporary of a streamed update. */
static bool is_copied(const struct agpu_cmd_writer *cmd, uint32_t handle)
{
    const uint8_t *end = cmd->base + agpu_cmd_used(cmd);

    for (const uint8_t *at = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES; at < end;
         at += packet_at(at)->size_bytes) {
        if (is_copy(packet_at(at)) && ends_of(packet_at(at))[1] == handle) {
            return true;
        }
    }
    return false;
}

/* Drops the packets of objects that the stream both creates and destroys, unless other objects need their bytes. */
static void forget_short_lived(struct agpu_device *device)
{
    const struct agpu_cmd_writer *cmd = &device->imm.cmd;

    for (const uint8_t *at = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES; at < cmd->base + agpu_cmd_used(cmd);) {
        const struct aerogpu_cmd_destroy_resource *destroy = (const void *)at;

        if (packet_at(at)->opcode == AEROGPU_CMD_DESTROY_RESOURCE &&
            is_created(cmd, destroy->resource_handle) && !is_copied(cmd, destroy->resource_handle)) {
            forget_created(device, destroy->resource_handle);
            at = cmd->base + AGPU_CMD_STREAM_HEADER_BYTES; /* packets have moved */
        } else {
            at += packet_at(at)->size_bytes;
        }
    }
}

bool agpu_keep_lost(struct agpu_device *device, const uint8_t *unsent, const uint8_t *unsendable)
{
    struct selection selection = {
        .device = device,
        .stays = outlives_submission,
        .unsendable = unsendable != NULL ? packet_at(unsendable) : NULL,
    };

    if (device->lost_in_a_row >= AGPU_LOST_IN_A_ROW) {
        device->upload_buffer = device->upload_texture = 0; /* it is unknown whether the device has them */
        return false;
    }
    device->lost_in_a_row++;
    select_packets(&selection, unsent);
    forget_short_lived(device);
    agpu_alloc_list_keep_marked(&device->allocs);
    return !agpu_cmd_empty(&device->imm.cmd);
}

void agpu_forget_resource(struct agpu_device *device, const struct agpu_resource *resource)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    struct agpu_alloc_list *list = &device->allocs;

    if (agpu_cmd_empty(cmd)) {
        return;
    }
    if (is_created(cmd, resource->handle)) {
        forget_created(device, resource->handle);
    } else {
        forget_handle(device, resource->handle, false);
    }
    for (uint32_t i = 0; i < list->count; i++) {
        if (list->entries[i].handle != resource->alloc_handle) {
            list->entries[i].write |= AGPU_ENTRY_KEPT;
        }
    }
    agpu_alloc_list_keep_marked(list);
}
