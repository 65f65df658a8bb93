/* local_sizes.h: sizes of context-local handles as the runtime learns them (umd.md 15): which there are, polled twice when the
 * device is made; and that of each object, asked for immediately after the immediate context created it. */
#ifndef AGPU_MM_RUNTIME_LOCAL_SIZES_H
#define AGPU_MM_RUNTIME_LOCAL_SIZES_H

#include <stdbool.h>

#include "umd-port/ddi/d3d11umddi.h"

struct agpu_runtime_device;
struct agpu_local_sizes;

/* For a driver that offers command lists, right after CreateDevice: polls, and puts the question behind each create entry of
 * the table, in place. E_FAIL when the two answers differ or advertise nothing; E_OUTOFMEMORY; the table is as it was then. */
HRESULT agpu_local_sizes_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                               D3D11DDI_DEVICEFUNCS *funcs);
/* Before DestroyDevice; does nothing without a beginning. */
void agpu_local_sizes_end(struct agpu_runtime_device *owner);

/* What was advertised; NULL without a beginning. */
const D3D11DDI_HANDLESIZE *agpu_local_sizes_advertised(const struct agpu_runtime_device *owner,
                                                       uint32_t *count);
/* Asks about an object that no entry of the table makes (a command list), and remembers it; false: no memory. */
bool agpu_local_sizes_ask(struct agpu_runtime_device *owner, uint32_t handle_type, void *immediate);
void agpu_local_sizes_forget(struct agpu_runtime_device *owner, const void *immediate);
/* The answer for an object; 0: there was no question. */
size_t agpu_local_size_of(const struct agpu_runtime_device *owner, const void *immediate);

/* All that was begun is gone, its memory too. For a test system that has taken a case off the stack. */
void agpu_local_sizes_abandon(void);

#endif
