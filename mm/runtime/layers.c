/* layers.c: layers of this process, in one list of each kind, because entries get only the device. */
#include "mm/runtime/layers.h"

#include <string.h>

static struct agpu_layer *newest[AGPU_LAYER_KINDS];

void *agpu_layer_of(enum agpu_layer_kind kind, D3D10DDI_HDEVICE device)
{
    struct agpu_layer *layer = newest[kind];

    while (layer != NULL && layer->device.pDrvPrivate != device.pDrvPrivate) {
        layer = layer->next;
    }
    return layer != NULL ? layer : newest[kind];
}

void agpu_layer_enter(enum agpu_layer_kind kind, struct agpu_layer *layer, D3D10DDI_HDEVICE device)
{
    *layer = (struct agpu_layer){.next = newest[kind], .device = device};
    newest[kind] = layer;
}

void agpu_layer_leave(enum agpu_layer_kind kind, const struct agpu_layer *layer)
{
    struct agpu_layer **link = &newest[kind];

    while (*link != NULL && *link != layer) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        *link = layer->next;
    }
}

void agpu_layers_forget_all(void)
{
    memset(newest, 0, sizeof newest);
}
