/* boot_http.h: the server that the firmware loaded this application, or the disc or disk that it is on, from by UEFI HTTP boot over
 * IPv4: files beside what was loaded, by the firmware's own HTTP. */
#ifndef AGPU_EFI_BOOT_HTTP_H
#define AGPU_EFI_BOOT_HTTP_H

#include "efi/boot_file.h"

/* False when the application came from anywhere else; then the function below is not to be called. mac: of the card that was
 * booted from. */
bool agpu_boot_http_open(uint8_t mac[6]);

/* boot_file.h */
agpu_boot_file_fn agpu_boot_http_read;

#endif
