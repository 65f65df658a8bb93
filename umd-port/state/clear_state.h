/* clear_state.h: resets everything to its default (umd.md 11). */
#ifndef AGPU_UMD_STATE_CLEAR_STATE_H
#define AGPU_UMD_STATE_CLEAR_STATE_H

#include "umd-port/ddi/d3d11umddi.h"

void agpu_clear_state(D3D10DDI_HDEVICE);

#endif
