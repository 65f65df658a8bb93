/* ntstatus.c: kernel results as the user-mode driver sees them (vidmm.md 1). */
#include "mm/base/ntstatus.h"

HRESULT agpu_hresult_from_nt(NTSTATUS status, HRESULT busy)
{
    switch (status) {
    case STATUS_SUCCESS:
        return S_OK;
    case STATUS_INSUFFICIENT_RESOURCES:
    case STATUS_NO_MEMORY:
    case STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER:
        return E_OUTOFMEMORY;
    case STATUS_INVALID_PARAMETER:
        return E_INVALIDARG;
    case STATUS_GRAPHICS_GPU_BUSY:
    case STATUS_PENDING:
        return busy;
    case STATUS_DEVICE_REMOVED:
        return D3DDDIERR_DEVICEREMOVED;
    default:
        return E_FAIL;
    }
}
