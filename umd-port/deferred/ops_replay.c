/* ops_replay.c: writes, clears, indirect work and copies of a list, executed as on the immediate context (umd.md
 * 15). */
#include <string.h>

#include "umd-port/base/track.h"
#include "umd-port/deferred/ops_replay.h"
#include "umd-port/draw/clear_mirror.h"
#include "umd-port/resource/copy_cpu.h"
#include "umd-port/resource/memory.h"
#include "umd-port/resource/packets.h"
#include "umd-port/resource/streamed.h"
#include "umd-port/resource/update.h"

/* Upper bounds of the packets without the data. */
#define WRITE_OVERHEAD    256u
#define CPU_OVERHEAD      1024u
#define INDIRECT_OVERHEAD 64u

uint64_t agpu_op_bytes(const struct agpu_list_body *body, const struct agpu_op_header *op)
{
    struct agpu_update update;
    const struct agpu_resource *resource;

    switch (op->hdr.opcode) {
    case AGPU_OP_WRITE:
        resource = agpu_referenced_resource(body, op->object);
        if (!agpu_plan_write((const struct agpu_op_write *)op, resource, &update)) {
            return 0;
        }
        return WRITE_OVERHEAD + (agpu_is_guest_backed(resource)
                                     ? (uint64_t)update.rows.row_bytes * update.rows.rows
                                     : update.bytes);
    case AGPU_OP_WRITE_ON_CPU:
    case AGPU_OP_COPY_ON_CPU:
    case AGPU_OP_COPY_ACROSS:
        return CPU_OVERHEAD;
    case AGPU_OP_DRAW_INDIRECT:
    case AGPU_OP_DRAW_INDEXED_INDIRECT:
    case AGPU_OP_DISPATCH_INDIRECT:
        return INDIRECT_OVERHEAD;
    default:
        return 0;
    }
}

static bool write_buffer_by_copy(struct agpu_device *device, struct agpu_resource *resource,
                                 const struct agpu_update *update)
{
    struct agpu_cmd_writer *cmd = &device->imm.cmd;
    uint64_t bytes = ((uint64_t)update->rows.row_bytes + 3) &
                     ~(uint64_t)3; /* the last bytes may extend into the padding of the buffer */
    const struct agpu_resource temporary = {
        .handle = agpu_adapter_next_handle(device->adapter), .kind = AGPU_KIND_BUFFER, .bytes = bytes};
    const struct agpu_buffer_copy copy = {.dst_offset = update->rows.offset, .bytes = bytes};

    return agpu_emit_create_buffer(cmd, &temporary, AEROGPU_RESOURCE_USAGE_NONE) &&
           agpu_emit_rows(cmd, temporary.handle, bytes, update) &&
           agpu_emit_copy_buffer(cmd, &copy, resource->handle, temporary.handle, true) &&
           agpu_emit_destroy_resource(cmd, temporary.handle);
}

/* Writes a guest-backed resource in the middle of a stream. UPLOAD_RESOURCE is for host-owned resources only, so the
 * bytes go through a temporary. They are written back to guest memory, because a later dirty range may cover it. */
static void write_guest(struct agpu_device *device, struct agpu_resource *resource,
                        const struct agpu_update *update)
{
    bool recorded = resource->kind == AGPU_KIND_BUFFER
                        ? write_buffer_by_copy(device, resource, update)
                        : agpu_emit_texture_write(device, resource, update, true);
    struct agpu_cpu_view memory;

    if (!recorded || !device->env->options->mirror_guest_memory ||
        FAILED(agpu_cpu_open(device, resource, D3D10_DDI_MAP_WRITE, &memory))) {
        return;
    }
    agpu_write_update(update, memory.data);
    agpu_cpu_close(device, resource, &memory);
}

static void replay_write(struct agpu_device *device, const struct agpu_list_body *body,
                         const struct agpu_op_write *write)
{
    struct agpu_resource *resource = agpu_referenced_resource(body, write->head.object);
    struct agpu_update update;

    if (!agpu_plan_write(write, resource, &update)) {
        return;
    }
    if (agpu_is_guest_backed(resource)) {
        write_guest(device, resource, &update);
    } else {
        agpu_update_host(device, resource, &update);
    }
}

static void replay_cleared(struct agpu_device *device, const struct agpu_list_body *body,
                           const struct agpu_op_cleared *cleared)
{
    const struct agpu_view view = {
        .resource = agpu_referenced_resource(body, cleared->head.object),
        .handle = cleared->part,
        .first_mip = cleared->mip,
        .first_layer = cleared->first_layer,
        .layers = cleared->layers,
    };
    float rgba[4];

    memcpy(rgba, cleared->rgba, sizeof rgba);
    agpu_mirror_clear(device, &view, rgba);
}

static void replay_indirect(struct agpu_execution *execution, uint32_t opcode)
{
    struct agpu_cmd_writer *cmd = &execution->device->imm.cmd;
    const uint32_t *arguments = execution->arguments;

    if (opcode == AGPU_OP_DISPATCH_INDIRECT) {
        struct aerogpu_cmd_dispatch *packet;

        if (!arguments[0] || !arguments[1] || !arguments[2] ||
            (packet = agpu_cmd_append(cmd, AEROGPU_CMD_DISPATCH, sizeof *packet)) == NULL) {
            return;
        }
        packet->group_count_x = arguments[0];
        packet->group_count_y = arguments[1];
        packet->group_count_z = arguments[2];
        return;
    }
    if (!arguments[0] || !arguments[1]) {
        return;
    }
    bool indexed = opcode == AGPU_OP_DRAW_INDEXED_INDIRECT;
    size_t bytes = indexed ? sizeof(struct aerogpu_cmd_draw_indexed) : sizeof(struct aerogpu_cmd_draw);
    uint8_t *packet = agpu_cmd_append(cmd, indexed ? AEROGPU_CMD_DRAW_INDEXED : AEROGPU_CMD_DRAW, bytes);
    if (packet != NULL) { /* the arguments are the packet's members, in order */
        memcpy(packet + sizeof(struct aerogpu_cmd_hdr), arguments, bytes - sizeof(struct aerogpu_cmd_hdr));
    }
}
_Static_assert(sizeof(struct aerogpu_cmd_draw) == 8 + 4 * 4, "four arguments of DrawInstancedIndirect");
_Static_assert(sizeof(struct aerogpu_cmd_draw_indexed) == 8 + 5 * 4, "five of DrawIndexedInstancedIndirect");

void agpu_replay_op(struct agpu_execution *execution, const struct agpu_op_header *op)
{
    switch (op->hdr.opcode) {
    case AGPU_OP_WRITE:
        replay_write(execution->device, execution->body, (const struct agpu_op_write *)op);
        break;
    case AGPU_OP_CLEARED:
        replay_cleared(execution->device, execution->body, (const struct agpu_op_cleared *)op);
        break;
    case AGPU_OP_DRAW_INDIRECT:
    case AGPU_OP_DRAW_INDEXED_INDIRECT:
    case AGPU_OP_DISPATCH_INDIRECT:
        replay_indirect(execution, op->hdr.opcode);
        break;
    default: /* AGPU_OP_END_QUERY: done after the list */
        break;
    }
}

static void mirror_buffer(struct agpu_device *device, const struct aerogpu_cmd_copy_buffer *packet,
                          struct agpu_resource *dst, struct agpu_resource *src)
{
    const struct agpu_buffer_copy copy = {
        .dst = dst,
        .src = src,
        .dst_offset = packet->dst_offset_bytes,
        .src_offset = packet->src_offset_bytes,
        .bytes = packet->size_bytes,
    };

    agpu_mirror_buffer_copy(device, &copy);
}

static void mirror_texture(struct agpu_device *device, const struct aerogpu_cmd_copy_texture2d *packet,
                           struct agpu_resource *dst, struct agpu_resource *src)
{
    const struct agpu_texture_copy copy = {
        .dst = dst,
        .src = src,
        .dst_index = packet->dst_mip_level + packet->dst_array_layer * dst->layout.mips,
        .src_index = packet->src_mip_level + packet->src_array_layer * src->layout.mips,
        .dst_x = packet->dst_x,
        .dst_y = packet->dst_y,
        .rect = {packet->src_x, packet->src_y, packet->width, packet->height},
    };

    agpu_mirror_texture_copy(device, &copy);
}

void agpu_replay_copy(struct agpu_execution *execution, void *packet)
{
    const struct agpu_list_body *body = execution->body;
    uint32_t *ends = (uint32_t *)packet + sizeof(struct aerogpu_cmd_hdr) / sizeof(uint32_t);
    struct agpu_resource *dst = agpu_referenced_resource(body, ends[0]);
    struct agpu_resource *src = agpu_referenced_resource(body, ends[1]);

    ends[0] = body->handles[ends[0] - 1];
    ends[1] = body->handles[ends[1] - 1];
    uint32_t flags =
        dst != NULL && agpu_wants_writeback(dst) ? AEROGPU_COPY_FLAG_WRITEBACK_DST : AEROGPU_COPY_FLAG_NONE;
    /* Temporaries have no CPU copy to update. Neither have resources that are copied through one: they are
     * guest-backed. */
    bool mirrors = dst != NULL && src != NULL;
    if (((struct aerogpu_cmd_hdr *)packet)->opcode == AEROGPU_CMD_COPY_BUFFER) {
        struct aerogpu_cmd_copy_buffer *copy = packet;

        copy->flags = flags;
        if (mirrors) {
            mirror_buffer(execution->device, copy, dst, src);
        }
    } else {
        struct aerogpu_cmd_copy_texture2d *copy = packet;

        copy->flags = flags;
        if (mirrors) {
            mirror_texture(execution->device, copy, dst, src);
        }
    }
    if (dst != NULL) {
        agpu_track_staging_write(execution->device, dst);
    }
}
