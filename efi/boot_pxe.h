/* boot_pxe.h: the server that the firmware loaded this application from by PXE: what its DHCP packets say, and files beside the
 * one that was loaded, by the firmware's own TFTP. */
#ifndef AGPU_EFI_BOOT_PXE_H
#define AGPU_EFI_BOOT_PXE_H

#include "efi/boot_file.h"

/* False when the application came from anywhere else; nothing below is then to be called. mac: of the card that was booted
 * from. */
bool agpu_boot_pxe_open(uint8_t mac[6]);

/* The DHCP packet with which the server gave this machine its address; *size bytes of it, what is behind its options being
 * undefined. */
const uint8_t *agpu_boot_pxe_dhcp(size_t *size);

/* boot_file.h. The firmware gives up by itself when no answer comes. */
agpu_boot_file_fn agpu_boot_pxe_read;

#endif
