/* vga.h: the text screen of a PC: 16 bits for each character. */
#ifndef AGPU_EFI_BARE_VGA_H
#define AGPU_EFI_BARE_VGA_H

#include <stdbool.h>
#include <stdint.h>

/* Uses the screen from now on. A size that does not fit into its memory is ignored. */
void agpu_bare_vga_open(uint32_t columns, uint32_t rows);

void agpu_bare_vga_close(void);

/* Returns false when there is no screen. */
bool agpu_bare_vga_size(uint32_t *columns, uint32_t *rows);

/* Writes one character; outside the screen nothing. */
void agpu_bare_vga_put(uint32_t column, uint32_t row, char c, uint8_t attribute);

/* Writes a character of a message: white on red, from the top down. */
void agpu_bare_vga_message(char c);

#endif
