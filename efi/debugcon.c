/* debugcon.c: writes each record with one string instruction. */
#include "efi/debugcon.h"

#include "efi/machine.h"

#define DEBUGCON_PORT  0x402
#define DEBUGCON_READY 0xE9 /* the device returns this when the port is read */

static void debugcon_packet(void *ctx, const char *packet, size_t length)
{
    (void)ctx;
    agpu_out8_string(DEBUGCON_PORT, packet, length);
}

bool agpu_debugcon_add(struct agpu_stream *stream)
{
    if (agpu_in8(DEBUGCON_PORT) != DEBUGCON_READY) {
        return false;
    }
    return agpu_stream_add_sink(stream, &(struct agpu_sink){.name = "debugcon", .packet = debugcon_packet});
}
