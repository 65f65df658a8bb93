/* callbacks.h: the callbacks of a device as text, from its creation on, beside the text that a case may request of
 * tests/cases/rig/spy.h. */
#ifndef AGPU_TESTS_DDI_CALLBACKS_H
#define AGPU_TESTS_DDI_CALLBACKS_H

#include "umd-port/ddi/d3d10umddi.h"

/* For struct agpu_umd_watch: the callbacks of one device, with no text so far. */
const D3DDDI_DEVICECALLBACKS *ddi_callbacks(void);
const D3D10DDI_CORELAYER_DEVICECALLBACKS *ddi_core_callbacks(void);

/* Returns the text since the last ddi_callbacks_clear(), lines as tests/cases/rig/spy.h describes them. NULL: it is
 * longer than the buffer, or has more objects than there are names. */
const char *ddi_callbacks_text(void);
void ddi_callbacks_clear(void);
/* Returns the first callback that failed, or that a case had replaced, since the device was created; NULL: none. */
const char *ddi_callbacks_failed(void);

#endif
