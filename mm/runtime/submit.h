/* submit.h: RenderCb and PresentCb (vidmm.md 6): entries of the callback table. */
#ifndef AGPU_MM_RUNTIME_SUBMIT_H
#define AGPU_MM_RUNTIME_SUBMIT_H

#include "mm/runtime/types.h"

HRESULT agpu_runtime_render(HANDLE device, D3DDDICB_RENDER *args);
HRESULT agpu_runtime_present(HANDLE device, D3DDDICB_PRESENT *args);

#endif
