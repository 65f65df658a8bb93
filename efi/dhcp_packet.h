/* dhcp_packet.h: reads options of a received DHCP packet (RFC 2131, 2132, 3396). Freestanding. */
#ifndef AGPU_EFI_DHCP_PACKET_H
#define AGPU_EFI_DHCP_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define AGPU_DHCP_SERVER    54 /* server identifier, 4 bytes */
#define AGPU_DHCP_BOOT_FILE 67 /* boot file name */
#define AGPU_DHCP_CONFIG                                                                                     \
    224 /* settings as words (words.h), in the first of the options for site-specific use */

/* Copies all pieces of an option, in order, to out, at most max bytes. Returns the number of bytes copied; 0:
 * no such option. Reads nothing past size bytes of the packet. */
size_t agpu_dhcp_option(const uint8_t *packet, size_t size, uint8_t number, void *out, size_t max);

#endif
