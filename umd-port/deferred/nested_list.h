/* nested_list.h: execution of a command list on a deferred context, which copies it into that context's list (umd.md
 * 15). */
#ifndef AGPU_UMD_DEFERRED_NESTED_LIST_H
#define AGPU_UMD_DEFERRED_NESTED_LIST_H

#include "umd-port/deferred/recording.h"

/* Records default state, then the packets of the list with copies of their data. E_OUTOFMEMORY: the recording is
 * incomplete; the caller reports it, which makes the list lost. */
HRESULT agpu_record_list(struct agpu_deferred_context *dc, const struct agpu_list_body *body);

#endif
