/* canvas.h: rows of text on the firmware's consoles. Writes only characters that changed, so slow consoles
 * stay usable. */
#ifndef AGPU_EFI_CANVAS_H
#define AGPU_EFI_CANVAS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pci/machine/text.h"

#define AGPU_CANVAS_COLUMNS_MAX 160
#define AGPU_CANVAS_ROWS_MAX    50

enum agpu_colour { AGPU_PLAIN, AGPU_TITLE, AGPU_GOOD, AGPU_BAD, AGPU_FAINT };

/* Clears the graphics consoles, or every console if uart_too. False when there is none. */
bool agpu_canvas_open(bool uart_too);

/* Size that fits on all consoles; 0 when closed. */
unsigned agpu_canvas_rows(void);
unsigned agpu_canvas_columns(void);

/* Sets the text of a row; longer text is cut. agpu_canvas_flush() writes it. */
void agpu_canvas_row(unsigned row, enum agpu_colour colour, const char *text);

/* Writes what changed since the last call. */
void agpu_canvas_flush(void);

void agpu_canvas_close(void);

#endif
