/* saved_restore.h: restores the state of the immediate context (umd.md 15). */
#ifndef AGPU_MM_RUNTIME_SAVED_RESTORE_H
#define AGPU_MM_RUNTIME_SAVED_RESTORE_H

struct agpu_runtime_device;

/* Sets everything again in a driver that has default state. Does nothing without agpu_saved_state_begin()
 * (saved_state.h). */
void agpu_saved_state_restore(struct agpu_runtime_device *owner);

#endif
