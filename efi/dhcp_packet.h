/* dhcp_packet.h: what a DHCP packet, as it was received, says (RFC 2131, 2132, 3396). Freestanding. */
#ifndef AGPU_EFI_DHCP_PACKET_H
#define AGPU_EFI_DHCP_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define AGPU_DHCP_SERVER    54 /* address of the server, 4 bytes */
#define AGPU_DHCP_BOOT_FILE 67 /* its name */
#define AGPU_DHCP_CONFIG                                                                                     \
    224 /* settings as words (words.h): the first of the numbers that are everybody's own */

/* All pieces of an option, one behind the other, of which out gets at most max bytes; their number. 0: there is none. What
 * lies behind the end of the packet's size bytes is not looked at. */
size_t agpu_dhcp_option(const uint8_t *packet, size_t size, uint8_t number, void *out, size_t max);

#endif
