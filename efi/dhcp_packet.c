/* dhcp_packet.c: walks the options after the magic cookie. */
#include "efi/dhcp_packet.h"

#include <string.h>

#define OPTIONS_AT 240 /* after the cookie */
#define OPTION_PAD 0
#define OPTION_END 255

size_t agpu_dhcp_option(const uint8_t *packet, size_t size, uint8_t number, void *out, size_t max)
{
    uint8_t *bytes = out;
    size_t used = 0;

    for (size_t i = OPTIONS_AT; i + 1 < size && packet[i] != OPTION_END;) {
        if (packet[i] == OPTION_PAD) {
            i++;
            continue;
        }
        const size_t length = packet[i + 1];
        if (length > size - i - 2) {
            break;
        }
        if (packet[i] == number) {
            const size_t taken = length < max - used ? length : max - used;

            memcpy(bytes + used, packet + i + 2, taken);
            used += taken;
        }
        i += 2 + length;
    }
    return used;
}
