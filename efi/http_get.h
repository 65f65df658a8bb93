/* http_get.h: one file by HTTP, through the firmware's EFI_HTTP_PROTOCOL. */
#ifndef AGPU_EFI_HTTP_GET_H
#define AGPU_EFI_HTTP_GET_H

#include "efi/machine.h"

/* The card that the firmware speaks HTTP on, and the address that this machine has there. */
struct agpu_http_place {
    EFI_HANDLE card; /* carries EFI_HTTP_SERVICE_BINDING_PROTOCOL */
    EFI_IPv4_ADDRESS address, mask;
};

/* Reads what the URL names, at most max bytes, into memory for agpu_heap_free(). NULL, or what failed: agpu_file_missing, when the
 * server says 404. Each answer is waited for 10 s at most. */
const char *agpu_http_get(const struct agpu_http_place *place, const char *url, size_t max, char **data,
                          size_t *size);

#endif
