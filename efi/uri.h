/* uri.h: the parts of an http: or https: URI (RFC 3986) that are needed to find a file next to another.
 * Freestanding. */
#ifndef AGPU_EFI_URI_H
#define AGPU_EFI_URI_H

#include <stdbool.h>
#include <stddef.h>

/* Folder of a URI of size bytes: "http://host:80/boot/" for "http://host:80/boot/agpu.efi?a=b". out holds max
 * bytes, with the terminator. False when it is no such URI, or does not fit. */
bool agpu_uri_folder(const char *uri, size_t size, char *out, size_t max);

/* Like agpu_uri_folder(), for the "host:80" of the URI, which the Host header needs. */
bool agpu_uri_host(const char *uri, size_t size, char *out, size_t max);

#endif
