/* edit.h: one key of the text of an agpu.cfg, changed so that everything else stays as it was written. */
#ifndef AGPU_HOST_CFG_EDIT_H
#define AGPU_HOST_CFG_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* The text with the lines of that key taken out and, unless value is NULL, one "key=value" in the place of the first of them; behind
 * the comment that shows the key's default, if there was none; else at the end. With add the lines that are there stay, as
 * those of a list do (quarantine). The caller frees it; NULL without memory. */
char *agpu_cfg_edit(const char *text, const char *key, const char *value, bool add);

#endif
