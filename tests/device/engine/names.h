/* names.h: names of the protocol's numbers, for logs. */
#ifndef VGPU_ENGINE_NAMES_H
#define VGPU_ENGINE_NAMES_H

#include <stdint.h>

/* Names of an opcode ("COPY_BUFFER"), a format ("B8G8R8A8_UNORM"), an error code ("OOB"); NULL for an unknown
 * number. */
const char *vgpu_opcode_name(uint32_t opcode);
const char *vgpu_format_name(uint32_t format);
const char *vgpu_error_name(uint32_t code);

#endif
