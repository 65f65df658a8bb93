/* nested_list.h: execution of a command list on a deferred context: it becomes part of that context's list (umd.md
 * 15). */
#ifndef AGPU_UMD_DEFERRED_NESTED_LIST_H
#define AGPU_UMD_DEFERRED_NESTED_LIST_H

#include "umd-port/deferred/recording.h"

/* Records default state, then everything the list holds, contents copied. E_OUTOFMEMORY: the recording is not
 * usable any more. */
HRESULT agpu_record_list(struct agpu_deferred_context *dc, const struct agpu_list_body *body);

#endif
