/* hresult.h: the result codes of the driver interface, by value (umd.md 1.1). */
#ifndef AGPU_UMD_DDI_HRESULT_H
#define AGPU_UMD_DDI_HRESULT_H

#include <stdint.h>

/* Negative is failure. One busy code (HRESULT_NT_TIMEOUT) has a clear sign bit, so test for busy codes by value
 * first. */
typedef int32_t HRESULT;

#define SUCCEEDED(hr) ((HRESULT)(hr) >= 0)
#define FAILED(hr)    ((HRESULT)(hr) < 0)

#define S_OK          ((HRESULT)0)
#define E_NOTIMPL     ((HRESULT)0x80004001u)
#define E_NOINTERFACE ((HRESULT)0x80004002u)
#define E_FAIL        ((HRESULT)0x80004005u)
#define E_PENDING     ((HRESULT)0x8000000Au)
#define E_OUTOFMEMORY ((HRESULT)0x8007000Eu)
#define E_INVALIDARG  ((HRESULT)0x80070057u)

/* The busy codes that a wait or a lock may return. */
#define HRESULT_WIN32_WAIT_TIMEOUT   ((HRESULT)0x80070102u)
#define HRESULT_WIN32_ERROR_TIMEOUT  ((HRESULT)0x800705B4u)
#define HRESULT_NT_TIMEOUT           ((HRESULT)0x10000102u) /* HRESULT_FROM_NT(STATUS_TIMEOUT): sign bit clear */
#define HRESULT_NT_GPU_BUSY          ((HRESULT)0xD01E0102u) /* HRESULT_FROM_NT(STATUS_GRAPHICS_GPU_BUSY) */
#define D3DDDIERR_WASSTILLDRAWING    ((HRESULT)0x8876021Cu) /* returned by LockCb */
#define DXGI_ERROR_WAS_STILL_DRAWING ((HRESULT)0x887A000Au) /* the only busy code that the driver returns, */
#define DXGI_DDI_ERR_WASSTILLDRAWING ((HRESULT)0x887B0001u) /* and the only one that it reports */

#define D3DDDIERR_DEVICEREMOVED   ((HRESULT)0x88760870u)
#define DXGI_ERROR_DEVICE_REMOVED ((HRESULT)0x887A0005u)
#define DXGI_ERROR_DEVICE_HUNG    ((HRESULT)0x887A0006u)
#define DXGI_ERROR_DEVICE_RESET   ((HRESULT)0x887A0007u)

#endif
