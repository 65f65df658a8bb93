/* control_json.c: creates the JSON of counters and resources. */
#include "tests/host/vdev/control_json.h"

#include <stdlib.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/host/json_out.h"

void agpu_control_stats_copy(const struct vgpu_device *device, struct agpu_control_stats *out)
{
    struct vgpu_unmodelled miss;
    uint32_t position = 0;

    out->abi = vgpu_device_abi_name(device);
    out->counts = *vgpu_device_stats(device);
    out->unmodelled_count = 0;
    while (vgpu_device_unmodelled(device, &position, &miss)) {
        if (out->unmodelled_count < AGPU_CONTROL_UNMODELLED) {
            out->unmodelled[out->unmodelled_count] = miss;
        }
        out->unmodelled_count++;
    }
}

static json_t *packets_json(const struct vgpu_device_stats *counts)
{
    json_t *packets = json_object();

    for (uint32_t opcode = 0; opcode < VGPU_STATS_OPCODES; opcode++) {
        if (counts->packets[opcode] != 0) {
            json_object_set_new(packets, vgpu_opcode_name(opcode), agpu_json_count(counts->packets[opcode]));
        }
    }
    return packets;
}

static json_t *errors_json(const struct vgpu_device_stats *counts)
{
    json_t *errors = json_object();

    for (uint32_t code = 1; code < VGPU_STATS_ERRORS; code++) {
        json_object_set_new(errors, vgpu_error_name(code), agpu_json_count(counts->errors[code]));
    }
    json_object_set_new(errors, vgpu_error_name(AEROGPU_ERROR_INTERNAL), agpu_json_count(counts->errors[0]));
    return errors;
}

static json_t *unmodelled_json(const struct agpu_control_stats *stats)
{
    json_t *list = json_array();

    for (size_t i = 0; i < stats->unmodelled_count && i < AGPU_CONTROL_UNMODELLED; i++) {
        const struct vgpu_unmodelled *miss = &stats->unmodelled[i];

        json_array_append_new(list, json_pack("{s:o,s:o,s:o}", "offset", agpu_json_count(miss->offset),
                                              "reads", agpu_json_count(miss->reads), "writes",
                                              agpu_json_count(miss->writes)));
    }
    return list;
}

json_t *agpu_control_stats_json(const struct agpu_control_stats *stats)
{
    const struct vgpu_device_stats *counts = &stats->counts;

    const struct {
        const char *name;
        uint64_t value;
    } plain[] = {
        {"submissions", counts->submissions},
        {"malformed", counts->malformed},
        {"doorbells", counts->doorbells},
        {"unknown_packets", counts->unknown_packets},
        {"moved_bytes", counts->moved_bytes},
        {"interrupts", counts->interrupts},
        {"vblanks", counts->vblanks},
        {"ring_resets", counts->ring_resets},
        {"device_resets", counts->device_resets},
        {"dma_read_bytes", counts->dma_read_bytes},
        {"dma_written_bytes", counts->dma_written_bytes},
        {"unmodelled_offsets", stats->unmodelled_count},
    };
    json_t *object = json_pack("{s:b,s:s}", "ok", 1, "abi", stats->abi);

    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        json_object_set_new(object, plain[i].name, agpu_json_count(plain[i].value));
    }
    json_object_set_new(object, "packets", packets_json(counts));
    json_object_set_new(object, "errors", errors_json(counts));
    json_object_set_new(object, "unmodelled", unmodelled_json(stats));
    return object;
}

static const char *kind_name(enum vgpu_resource_kind kind)
{
    static const char *const names[] = {"buffer", "texture", "view"};

    return names[kind];
}

static json_t *resource_json(const struct vgpu_resource_info *info)
{
    const char *format = vgpu_format_name(info->format);

    json_t *object = json_pack(
        "{s:o,s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:b,s:b}", "handle", agpu_json_count(info->handle), "kind",
        kind_name(info->kind), "resource", agpu_json_count(info->resource), "size",
        agpu_json_count(info->size), "usage", agpu_json_count(info->usage), "references",
        agpu_json_count(info->references), "alloc_id", agpu_json_count(info->alloc_id), "backing_offset",
        agpu_json_count(info->backing_offset), "version", agpu_json_count(info->version), "renderer_newer",
        info->renderer_newer, "reserved", info->reserved);

    if (info->kind != VGPU_KIND_BUFFER) {
        json_object_set_new(object, "format", json_string(format != NULL ? format : "INVALID"));
        json_object_set_new(object, "width", agpu_json_count(info->width));
        json_object_set_new(object, "height", agpu_json_count(info->height));
        json_object_set_new(object, "mip_levels", agpu_json_count(info->mip_levels));
        json_object_set_new(object, "array_layers", agpu_json_count(info->array_layers));
        json_object_set_new(object, "row_pitch", agpu_json_count(info->row_pitch));
    }
    return object;
}

static int by_handle(const void *a, const void *b)
{
    const uint32_t first = ((const struct vgpu_resource_info *)a)->handle;
    const uint32_t second = ((const struct vgpu_resource_info *)b)->handle;

    return (first > second) - (first < second);
}

json_t *agpu_control_resources_json(struct vgpu_resource_info *infos, size_t count, size_t total)
{
    json_t *list = json_array();

    qsort(infos, count, sizeof *infos, by_handle);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, resource_json(&infos[i]));
    }
    return json_pack("{s:b,s:o,s:o,s:o}", "ok", 1, "count", agpu_json_count(total), "omitted",
                     agpu_json_count(total - count), "resources", list);
}
