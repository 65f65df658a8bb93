/* execute.h: CommandListExecute on the immediate context (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_EXECUTE_H
#define AGPU_UMD_DEFERRED_EXECUTE_H

#include "umd-port/deferred/list_body.h"

/* Records the list on the immediate context, which has default state afterwards. E_OUTOFMEMORY without room in stream
 * or allocation list: nothing is recorded. A list that needs several submissions, or CPU work in between, may fail half
 * way; then only the state of the rest is recorded. */
HRESULT agpu_execute_list(struct agpu_device *device, const struct agpu_list_body *body);

#endif
