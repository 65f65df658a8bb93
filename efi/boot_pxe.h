/* boot_pxe.h: the server that the firmware loaded this application from by PXE: its DHCP packet, and files
 * next to the loaded one, read with the firmware's TFTP. */
#ifndef AGPU_EFI_BOOT_PXE_H
#define AGPU_EFI_BOOT_PXE_H

#include "efi/boot_file.h"

/* False when the application was loaded in another way; the functions below must not be called then. mac: the
 * card that the machine booted from. */
bool agpu_boot_pxe_open(uint8_t mac[6]);

/* Returns the DHCP packet with which the server gave this machine its address, *size bytes. The bytes after
 * its options are undefined. */
const uint8_t *agpu_boot_pxe_dhcp(size_t *size);

/* boot_file.h. The firmware gives up by itself when the server does not answer. A file that is too long or does not
 * arrive in time is aborted, on firmware that reports each packet (EFI_PXE_BASE_CODE_CALLBACK_PROTOCOL). */
agpu_boot_file_fn agpu_boot_pxe_read;

#endif
