/* font.h: a font of 5 x 7 dots for pictures that people read: capital letters, digits, punctuation. */
#ifndef AGPU_CASES_RIG_FONT_H
#define AGPU_CASES_RIG_FONT_H

#include <stdbool.h>

#define AGPU_FONT_COLUMNS 5u
#define AGPU_FONT_ROWS    7u

/* Returns true if the dot is set. Small letters are shown as capitals, missing characters as a question mark. */
bool agpu_font_dot(char letter, unsigned column, unsigned row);

#endif
