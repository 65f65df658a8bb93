/* execute.h: CommandListExecute on the immediate context (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_EXECUTE_H
#define AGPU_UMD_DEFERRED_EXECUTE_H

#include "umd-port/deferred/list_body.h"

/* Appends the list to the immediate context: all of it and default state behind it, or nothing.
 * E_OUTOFMEMORY: no room in stream or allocation list. A list that needs several submissions, or the CPU in
 * between, may fail when part of it is done: then the rest only sets state. */
HRESULT agpu_execute_list(struct agpu_device *device, const struct agpu_list_body *body);

#endif
