/* words.h: converts a line of key=value words, from a command line or a DHCP option, to lines of agpu.cfg.
 * Freestanding. */
#ifndef AGPU_EFI_WORDS_H
#define AGPU_EFI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_WORDS_MAX 4096 /* characters */

/* Writes each word of text (size bytes, up to a zero byte) to out as a line. Blanks separate words, except
 * between double quotes, which are removed. out holds size + 1 bytes. Returns the number of bytes written. */
size_t agpu_words_lines(const char *text, size_t size, char *out);

/* Like agpu_words_lines(), for the load options of a boot entry or a shell, UTF-16 of size bytes; leaves out the
 * program name with which a shell starts them. out holds AGPU_WORDS_MAX + 1 bytes, of which *length are used. False
 * when they are not plain text, or too long: some firmware stores its own data there. */
bool agpu_words_of_load_options(const void *options, size_t size, char *out, size_t *length);

/* Like agpu_words_lines(), for option AGPU_DHCP_CONFIG of a DHCP packet; the option may be absent. */
bool agpu_words_of_dhcp(const uint8_t *packet, size_t size, char *out, size_t *length);

#endif
