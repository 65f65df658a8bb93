/* edit.h: changes one key in the text of an agpu.cfg, and leaves everything else unchanged. */
#ifndef AGPU_HOST_CFG_EDIT_H
#define AGPU_HOST_CFG_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the text without the lines of that key and, unless value is NULL, with one "key=value" in place of the
 * first of them; if there was none, after the comment with the key's default; else at the end. add: keeps the
 * existing lines, for keys that form a list (quarantine). The caller frees it; NULL when memory is exhausted. */
char *agpu_cfg_edit(const char *text, const char *key, const char *value, bool add);

#endif
