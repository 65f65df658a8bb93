/* edit.h: changes one key in the text of an agpu.cfg, and leaves everything else unchanged. */
#ifndef AGPU_HOST_CFG_EDIT_H
#define AGPU_HOST_CFG_EDIT_H

#include <stdbool.h>
#include <stddef.h>

/* Returns the text without the lines of that key. Unless value is NULL, one "key=value" replaces the first of them,
 * or follows the comment with the key's default, or stands at the end. add: keeps the existing lines, for keys that
 * form a list (quarantine). The caller frees it; NULL when memory is exhausted. */
char *agpu_cfg_edit(const char *text, const char *key, const char *value, bool add);

#endif
