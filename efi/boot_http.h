/* boot_http.h: files from the server that the firmware loaded this application (or the disc or disk that it
 * is on) from by UEFI HTTP boot over IPv4. Reads files next to the loaded one with the firmware's HTTP. */
#ifndef AGPU_EFI_BOOT_HTTP_H
#define AGPU_EFI_BOOT_HTTP_H

#include "efi/boot_file.h"

/* False when the application was loaded in another way; agpu_boot_http_read() must not be called then. mac:
 * the card that the machine booted from. */
bool agpu_boot_http_open(uint8_t mac[6]);

/* boot_file.h */
agpu_boot_file_fn agpu_boot_http_read;

#endif
