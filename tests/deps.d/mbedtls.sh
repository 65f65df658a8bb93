# Sources of Mbed TLS: the image uses its SHA-256 and HMAC.
# shellcheck shell=bash

agpu_mbedtls=$agpu_cache/mbedtls/src-current

mbedtls_find() {
    [ -f "$agpu_mbedtls/library/sha256.c" ]
}

mbedtls_install() {
    source_install "$1" mbedtls library/sha256.c "the Mbed TLS sources" "5 MB"
}
