/* work.h: entries of a deferred context's function table for work with its own way of recording (umd.md 15). */
#ifndef AGPU_UMD_DEFERRED_WORK_H
#define AGPU_UMD_DEFERRED_WORK_H

#include "umd-port/ddi/d3d11umddi.h"

/* Clears; execution repeats the clear in the CPU's copy of the target. */
void agpu_deferred_clear_rtv(D3D10DDI_HDEVICE, D3D10DDI_HRENDERTARGETVIEW, const float *rgba);
/* Execution of the list reads the arguments from the buffer. */
void agpu_deferred_draw_instanced_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t offset);
void agpu_deferred_draw_indexed_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t offset);
void agpu_deferred_dispatch_indirect(D3D10DDI_HDEVICE, D3D10DDI_HRESOURCE, uint32_t offset);
void agpu_deferred_query_end(D3D10DDI_HDEVICE, D3D10DDI_HQUERY);

/* Records a copy whose offsets or size are not multiples of 4: the CPU performs it when the list is executed. */
struct agpu_buffer_copy;
struct agpu_device;
HRESULT agpu_record_byte_copy(struct agpu_device *recorder, const struct agpu_buffer_copy *copy);
/* Records a copy between formats (agpu_copy_across()). */
struct agpu_texture_copy;
HRESULT agpu_record_copy_across(struct agpu_device *recorder, const struct agpu_texture_copy *copy);

#endif
