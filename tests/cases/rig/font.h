/* font.h: letters of 5 x 7 dots, for pictures that a person reads: capital letters, digits, punctuation. */
#ifndef AGPU_CASES_RIG_FONT_H
#define AGPU_CASES_RIG_FONT_H

#include <stdbool.h>

#define AGPU_FONT_COLUMNS 5u
#define AGPU_FONT_ROWS    7u

/* Is the dot set? Small letters are shown as capitals, what the font has not as a question mark. */
bool agpu_font_dot(char letter, unsigned column, unsigned row);

#endif
