/* finish.h: finishes a recording (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_FINISH_H
#define AGPU_UMD_DEFERRED_FINISH_H

struct agpu_deferred_context;
struct agpu_list_body;

/* Converts the recording to a list. NULL: no memory, or the list was lost; the recording remains. */
struct agpu_list_body *agpu_deferred_finish(struct agpu_deferred_context *dc);

#endif
