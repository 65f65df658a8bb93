/* http_get.h: reads one file by HTTP, through the firmware's EFI_HTTP_PROTOCOL. */
#ifndef AGPU_EFI_HTTP_GET_H
#define AGPU_EFI_HTTP_GET_H

#include "efi/machine.h"

/* Network card with the firmware's HTTP, and this machine's address on it. */
struct agpu_http_place {
    EFI_HANDLE card; /* carries EFI_HTTP_SERVICE_BINDING_PROTOCOL */
    EFI_IPv4_ADDRESS address, mask;
};

/* Reads the URL, at most max bytes, into memory for agpu_heap_free(). Returns NULL, or what failed:
 * agpu_file_missing when the server answers 404. Waits at most 10 s for each answer. */
const char *agpu_http_get(const struct agpu_http_place *place, const char *url, size_t max, char **data,
                          size_t *size);

#endif
