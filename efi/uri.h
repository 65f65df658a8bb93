/* uri.h: the parts of an http: or https: URI (RFC 3986) that finding a file beside another needs. Freestanding. */
#ifndef AGPU_EFI_URI_H
#define AGPU_EFI_URI_H

#include <stdbool.h>
#include <stddef.h>

/* Of size bytes of a URI, "http://host:80/boot/agpu.efi?a=b", its folder, "http://host:80/boot/". out has room for max bytes, with the
 * terminator. False when it is no such URI, or does not fit. */
bool agpu_uri_folder(const char *uri, size_t size, char *out, size_t max);

/* Its "host:80", for the header Host. The same. */
bool agpu_uri_host(const char *uri, size_t size, char *out, size_t max);

#endif
