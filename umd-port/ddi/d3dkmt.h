/* d3dkmt.h: kernel handles and status codes of the driver interface (umd.md 1.1). */
#ifndef AGPU_UMD_DDI_D3DKMT_H
#define AGPU_UMD_DDI_D3DKMT_H

#include <stdint.h>

/* A kernel object (allocation, resource, synchronisation object); 0 = none. */
typedef uint32_t D3DKMT_HANDLE;

/* An object of the runtime. The driver passes it back and never accesses it. */
typedef void *HANDLE;

/* Negative is failure; STATUS_TIMEOUT is positive. */
typedef int32_t NTSTATUS;

#define STATUS_SUCCESS                          ((NTSTATUS)0)
#define STATUS_TIMEOUT                          ((NTSTATUS)0x00000102)
#define STATUS_INVALID_PARAMETER                ((NTSTATUS)0xC000000Du)
#define STATUS_NO_MEMORY                        ((NTSTATUS)0xC0000017u)
#define STATUS_BUFFER_TOO_SMALL                 ((NTSTATUS)0xC0000023u)
#define STATUS_INTEGER_OVERFLOW                 ((NTSTATUS)0xC0000095u)
#define STATUS_INSUFFICIENT_RESOURCES           ((NTSTATUS)0xC000009Au)
#define STATUS_DEVICE_NOT_READY                 ((NTSTATUS)0xC00000A3u)
#define STATUS_NOT_SUPPORTED                    ((NTSTATUS)0xC00000BBu)
#define STATUS_INVALID_DEVICE_STATE             ((NTSTATUS)0xC0000184u)
#define STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER ((NTSTATUS)0xC01E0001u)
#define STATUS_GRAPHICS_GPU_BUSY                ((NTSTATUS)0xC01E0102u)

#endif
