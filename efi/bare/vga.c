/* vga.c: writes to the text memory of a VGA adapter. */
#include "efi/bare/vga.h"

#define TEXT_MEMORY     ((volatile uint16_t *)(uintptr_t)0xB8000)
#define TEXT_CHARACTERS 0x4000u
#define MESSAGE_COLOURS 0x4Fu

static uint32_t screen_columns, screen_rows, message_column, message_row;

void agpu_bare_vga_open(uint32_t columns, uint32_t rows)
{
    if (columns != 0 && rows != 0 && columns <= TEXT_CHARACTERS / rows) {
        screen_columns = columns;
        screen_rows = rows;
    }
}

void agpu_bare_vga_close(void)
{
    screen_columns = screen_rows = 0;
}

bool agpu_bare_vga_size(uint32_t *columns, uint32_t *rows)
{
    *columns = screen_columns;
    *rows = screen_rows;
    return screen_rows != 0;
}

void agpu_bare_vga_put(uint32_t column, uint32_t row, char c, uint8_t attribute)
{
    if (column < screen_columns && row < screen_rows) {
        TEXT_MEMORY[row * screen_columns + column] = (uint16_t)(attribute << 8 | (uint8_t)c);
    }
}

void agpu_bare_vga_message(char c)
{
    if (screen_rows == 0 || c == '\r') {
        return;
    }
    if (c != '\n') {
        agpu_bare_vga_put(message_column++, message_row, c, MESSAGE_COLOURS);
    }
    if (c == '\n' || message_column == screen_columns) {
        message_column = 0;
        message_row = (message_row + 1) % screen_rows;
    }
}
