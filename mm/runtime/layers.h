/* layers.h: the runtime's layers over the driver's tables, found by the device or context of a call. */
#ifndef AGPU_MM_RUNTIME_LAYERS_H
#define AGPU_MM_RUNTIME_LAYERS_H

#include "umd-port/ddi/d3d10ddihandle.h"

enum agpu_layer_kind {
    AGPU_LAYER_API,
    AGPU_LAYER_USAGE,
    AGPU_LAYER_SAVED_STATE,
    AGPU_LAYER_LOCAL_SIZES,
    AGPU_LAYER_KINDS
};

/* First member of the record of each kind. */
struct agpu_layer {
    struct agpu_layer *next;
    D3D10DDI_HDEVICE device;
};

/* Returns the record with this device. Others, NULL or of a device that ended, reach the driver through the newest
 * record; NULL when the process has none of this kind. */
void *agpu_layer_of(enum agpu_layer_kind kind, D3D10DDI_HDEVICE device);
/* Set the device of a record and make it findable; undo that. A record that was never entered is ignored. */
void agpu_layer_enter(enum agpu_layer_kind kind, struct agpu_layer *layer, D3D10DDI_HDEVICE device);
void agpu_layer_leave(enum agpu_layer_kind kind, const struct agpu_layer *layer);
/* For a test system that has taken back the memory of every adapter of this process at any point: forgets all
 * records. */
void agpu_layers_forget_all(void);

#endif
