/* page.h: the frame and the style of pages about the history: self-contained, without scripts. */
#ifndef AGPU_HOST_HISTORY_PAGE_H
#define AGPU_HOST_HISTORY_PAGE_H

#include <stdbool.h>
#include <stdio.h>

/* Writes the head and the title, which may contain any text. refresh_s: the browser reloads the page after so many
 * seconds; 0: never. */
void agpu_history_page_begin(FILE *out, const char *title, unsigned refresh_s);

/* Returns false when not everything could be written. */
bool agpu_history_page_end(FILE *out);

#endif
