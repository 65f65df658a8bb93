/* kept_restore.h: setting again what was set on the immediate context (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_KEPT_RESTORE_H
#define AGPU_MM_RUNTIME_KEPT_RESTORE_H

struct agpu_runtime_device;

/* Sets everything again in a driver that has default state; nothing without a beginning (kept_state.h). */
void agpu_kept_state_restore(struct agpu_runtime_device *owner);

#endif
