/* mbedtls_config.h: Mbed TLS's configuration: SHA-256 and HMAC, on the image's heap. */
#ifndef AGPU_NET_MBEDTLS_CONFIG_H
#define AGPU_NET_MBEDTLS_CONFIG_H

#include <stddef.h>

#define MBEDTLS_MD_C
#define MBEDTLS_SHA256_C

#define MBEDTLS_PLATFORM_C
#define MBEDTLS_PLATFORM_MEMORY
#define MBEDTLS_PLATFORM_NO_STD_FUNCTIONS
#define MBEDTLS_PLATFORM_CALLOC_MACRO agpu_mac_calloc
#define MBEDTLS_PLATFORM_FREE_MACRO   agpu_mac_free

void *agpu_mac_calloc(size_t count, size_t size);
void agpu_mac_free(void *memory);

#endif
