/* words.h: a line of key=value words, as a command line or a DHCP option has it, as the lines of agpu.cfg. Freestanding. */
#ifndef AGPU_EFI_WORDS_H
#define AGPU_EFI_WORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define AGPU_WORDS_MAX 4096 /* characters */

/* Each word of text (size bytes, up to a zero byte) becomes a line of out; blanks part words, but not between double quotes,
 * which go. out has room for size + 1 bytes. Returns how many bytes it got. */
size_t agpu_words_lines(const char *text, size_t size, char *out);

/* The same of a boot entry's or a shell's load options, UTF-16 of size bytes; the name of the program, with which a shell
 * begins, is left out. out has room for AGPU_WORDS_MAX + 1 bytes, of which *length are used. False when they are no plain
 * text, or too much of it: firmware keeps marks of its own there. */
bool agpu_words_of_load_options(const void *options, size_t size, char *out, size_t *length);

/* The same of option AGPU_DHCP_CONFIG of a DHCP packet, which need not be there. */
bool agpu_words_of_dhcp(const uint8_t *packet, size_t size, char *out, size_t *length);

#endif
