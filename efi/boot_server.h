/* boot_server.h: the server that the firmware loaded this application from by PXE: what its DHCP packets say, and files beside
 * the one that was loaded, by the firmware's own TFTP. */
#ifndef AGPU_EFI_BOOT_SERVER_H
#define AGPU_EFI_BOOT_SERVER_H

#include "efi/machine.h"

#define AGPU_BOOT_SERVER_NAME_MAX 256

/* False when the application came from anywhere else; nothing below is then to be called. */
bool agpu_boot_server_open(void);

/* The settings of DHCP option AGPU_DHCP_CONFIG as lines; out has room for AGPU_WORDS_MAX + 1 bytes. Bytes written. */
size_t agpu_boot_server_option(char *out);

/* "agpu-52-54-00-12-34-56.cfg", of the card that was booted from. */
void agpu_boot_server_own_name(char name[40]);

/* Reads the file of that name in the folder of the one that was loaded, at most max bytes, into memory for agpu_heap_free(). where
 * says what was asked for, as "tftp://192.0.2.1/boot/agpu.cfg". NULL, or what failed. The firmware gives up by itself when
 * no answer comes. */
const char *agpu_boot_server_read(const char *name, size_t max, char where[AGPU_BOOT_SERVER_NAME_MAX],
                                  char **data, size_t *size);

#endif
