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
    switch (format) {
#define AEROGPU_FORMAT(NAME, ...)                                                                            \
    case AEROGPU_FORMAT_##NAME:                                                                              \
        return #NAME;
#include "pci/protocol/formats.def"
    default:
        return NULL;
    }
}

const char *vgpu_error_name(uint32_t code)
{
    switch (code) {
#define AEROGPU_ERROR(NAME, ...)                                                                             \
    case AEROGPU_ERROR_##NAME:                                                                               \
        return #NAME;
#include "pci/protocol/errors.def"
    default:
        return NULL;
    }
}
