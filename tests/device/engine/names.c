/* names.c: names of opcodes, formats and error codes. */
#include "tests/device/engine/names.h"

#include <stddef.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_cmd.h"

const char *vgpu_opcode_name(uint32_t opcode)
{
    static const char *const names[] = {
#define AEROGPU_PACKET(NAME, ...) [AEROGPU_CMD_##NAME] = #NAME,
#include "ring/protocol/packets.def"
    };

    return opcode < sizeof names / sizeof names[0] ? names[opcode] : NULL;
}

const char *vgpu_format_name(uint32_t format)
{
#define NAME(name) [AEROGPU_FORMAT_##name] = #name
    static const char *const names[] = {
        NAME(B8G8R8A8_UNORM),      NAME(B8G8R8X8_UNORM),      NAME(R8G8B8A8_UNORM),
        NAME(R8G8B8X8_UNORM),      NAME(B5G6R5_UNORM),        NAME(B5G5R5A1_UNORM),
        NAME(B8G8R8A8_UNORM_SRGB), NAME(B8G8R8X8_UNORM_SRGB), NAME(R8G8B8A8_UNORM_SRGB),
        NAME(R8G8B8X8_UNORM_SRGB), NAME(D24_UNORM_S8_UINT),   NAME(D32_FLOAT),
        NAME(BC1_RGBA_UNORM),      NAME(BC1_RGBA_UNORM_SRGB), NAME(BC2_RGBA_UNORM),
        NAME(BC2_RGBA_UNORM_SRGB), NAME(BC3_RGBA_UNORM),      NAME(BC3_RGBA_UNORM_SRGB),
        NAME(BC7_RGBA_UNORM),      NAME(BC7_RGBA_UNORM_SRGB),
    };
#undef NAME

    return format < sizeof names / sizeof names[0] ? names[format] : NULL;
}

const char *vgpu_error_name(uint32_t code)
{
    switch (code) {
    case AEROGPU_ERROR_NONE:
        return "NONE";
    case AEROGPU_ERROR_CMD_DECODE:
        return "CMD_DECODE";
    case AEROGPU_ERROR_OOB:
        return "OOB";
    case AEROGPU_ERROR_BACKEND:
        return "BACKEND";
    case AEROGPU_ERROR_INTERNAL:
        return "INTERNAL";
    default:
        return NULL;
    }
}
