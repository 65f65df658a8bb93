/* local_sizes.h: sizes of context-local handles as the runtime queries them (umd.md 15): the advertised sizes, polled
 * twice at device creation, and each object's size, queried right after the immediate context created the object. */
#ifndef AGPU_MM_RUNTIME_LOCAL_SIZES_H
#define AGPU_MM_RUNTIME_LOCAL_SIZES_H

#include <stdbool.h>

#include "mm/runtime/api.h"

struct agpu_runtime_device;
struct agpu_local_sizes;

/* Call right after CreateDevice of a driver that offers command lists. Polls the sizes and, in place, wraps each create
 * entry of the table with the query. E_FAIL when the two polls differ or advertise nothing; E_OUTOFMEMORY; on error the
 * table is unchanged. */
HRESULT agpu_local_sizes_begin(struct agpu_runtime_device *owner, D3D10DDI_HDEVICE device,
                               struct agpu_api_device *funcs);
/* Call before DestroyDevice, after the last object is destroyed: memory of others is lost. Does nothing without
 * agpu_local_sizes_begin(). */
void agpu_local_sizes_end(struct agpu_runtime_device *owner);

/* Returns the advertised sizes; NULL without agpu_local_sizes_begin(). */
const D3D11DDI_HANDLESIZE *agpu_local_sizes_advertised(const struct agpu_runtime_device *owner,
                                                       uint32_t *count);
/* Queries and stores the size of an object that no entry of the table creates (a command list); false: no memory. */
bool agpu_local_sizes_ask(struct agpu_runtime_device *owner, uint32_t handle_type, void *immediate);
void agpu_local_sizes_forget(struct agpu_runtime_device *owner, const void *immediate);
/* Returns the size stored for an object; 0 when it was not queried. */
size_t agpu_local_size_of(const struct agpu_runtime_device *owner, const void *immediate);

#endif
