/* ntstatus.h: the kernel side's result codes that umd-port/ddi/d3dkmt.h does not need: "repeat later" and
 * "removed". */
#ifndef AGPU_MM_BASE_NTSTATUS_H
#define AGPU_MM_BASE_NTSTATUS_H

#include "umd-port/ddi/d3dkmt.h"
#include "umd-port/ddi/hresult.h"

/* Not now: nothing happened, the call names the fence to wait for; repeat it then. Neither success nor
 * failure. */
#define STATUS_PENDING ((NTSTATUS)0x00000103)

/* The kernel driver's fallback number for it is C01E0001, the same as ring full; vidmm.md 7 asks to keep the
 * two apart, so this is the number that Windows has. */
#define STATUS_DEVICE_REMOVED ((NTSTATUS)0xC00002B6u)

/* What the user-mode driver sees (vidmm.md 1). busy is the spelling of "still in use" that the callback
 * documents: D3DDDIERR_WASSTILLDRAWING for locks, HRESULT_NT_GPU_BUSY for waits. */
HRESULT agpu_hresult_from_nt(NTSTATUS status, HRESULT busy);

#endif
