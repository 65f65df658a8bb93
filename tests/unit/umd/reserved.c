/* reserved.c: checks that the driver sends 0 in all reserved members of packets (commands.md 1). */
#include "tests/unit/umd/fake.h"

#include <stddef.h>
#include <string.h>

#include "ring/protocol/aerogpu_cmd.h"

/* Without those that contain stage_ex, and reserved0 of BIND_SHADERS, which a packet of 24 bytes uses. */
#define RESERVED(opcode, name, member)                                                                       \
    {                                                                                                        \
        AEROGPU_CMD_##opcode, offsetof(struct aerogpu_cmd_##name, member),                                   \
            sizeof(((struct aerogpu_cmd_##name *)0)->member)                                                 \
    }
static const struct {
    uint32_t opcode;
    size_t offset, bytes;
} reserved[] = {
    RESERVED(DESTROY_SAMPLER, destroy_sampler, reserved0),
    RESERVED(PRESENT_EX, present_ex, reserved0),
    RESERVED(FLUSH, flush, reserved0),
    RESERVED(FLUSH, flush, reserved1),
    RESERVED(CREATE_INPUT_LAYOUT, create_input_layout, reserved0),
    RESERVED(DESTROY_INPUT_LAYOUT, destroy_input_layout, reserved0),
    RESERVED(SET_INPUT_LAYOUT, set_input_layout, reserved0),
    RESERVED(SET_INDEX_BUFFER, set_index_buffer, reserved0),
    RESERVED(SET_PRIMITIVE_TOPOLOGY, set_primitive_topology, reserved0),
    RESERVED(CREATE_BUFFER, create_buffer, reserved0),
    RESERVED(CREATE_TEXTURE2D, create_texture2d, reserved0),
    RESERVED(CREATE_TEXTURE_VIEW, create_texture_view, reserved0),
    RESERVED(DESTROY_RESOURCE, destroy_resource, reserved0),
    RESERVED(DESTROY_TEXTURE_VIEW, destroy_texture_view, reserved0),
    RESERVED(RESOURCE_DIRTY_RANGE, resource_dirty_range, reserved0),
    RESERVED(UPLOAD_RESOURCE, upload_resource, reserved0),
    RESERVED(COPY_BUFFER, copy_buffer, reserved0),
    RESERVED(COPY_TEXTURE2D, copy_texture2d, reserved0),
    RESERVED(EXPORT_SHARED_SURFACE, export_shared_surface, reserved0),
    RESERVED(IMPORT_SHARED_SURFACE, import_shared_surface, reserved0),
    RESERVED(RELEASE_SHARED_SURFACE, release_shared_surface, reserved0),
    RESERVED(DESTROY_SHADER, destroy_shader, reserved0),
};

uint32_t fake_reserved_used(const uint8_t *stream, size_t bytes)
{
    static const uint8_t zero[8];
    struct aerogpu_cmd_hdr header;

    for (size_t at = sizeof(struct aerogpu_cmd_stream_header); at + sizeof header <= bytes;
         at += header.size_bytes) {
        memcpy(&header, stream + at, sizeof header);
        if (header.size_bytes < sizeof header || header.size_bytes > bytes - at) {
            break;
        }
        for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
            if (reserved[i].opcode == header.opcode &&
                reserved[i].offset + reserved[i].bytes <= header.size_bytes &&
                memcmp(stream + at + reserved[i].offset, zero, reserved[i].bytes) != 0) {
                return header.opcode;
            }
        }
    }
    return 0;
}
