/* ntstatus.h: result codes of the kernel side that umd-port/ddi/d3dkmt.h does not need: "repeat later" and
 * "removed". */
#ifndef AGPU_MM_BASE_NTSTATUS_H
#define AGPU_MM_BASE_NTSTATUS_H

#include "umd-port/ddi/d3dkmt.h"
#include "umd-port/ddi/hresult.h"

/* Repeat later: nothing happened, and the call returns the fence to wait for. Neither success nor failure. */
#define STATUS_PENDING ((NTSTATUS)0x00000103)

/* The kernel driver's fallback number is C01E0001, the same as ring full; vidmm.md 7 requires two different codes, so
 * this is the number of Windows. */
#define STATUS_DEVICE_REMOVED ((NTSTATUS)0xC00002B6u)

/* Converts to the result that the user-mode driver gets (vidmm.md 1). busy is the code for "still in use" that the
 * callback documents: D3DDDIERR_WASSTILLDRAWING for locks, HRESULT_NT_GPU_BUSY for waits. */
HRESULT agpu_hresult_from_nt(NTSTATUS status, HRESULT busy);

#endif
