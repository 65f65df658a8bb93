/* submit.h: hands the recorded stream to the runtime (umd.md 12.3). */
#ifndef AGPU_UMD_BASE_SUBMIT_H
#define AGPU_UMD_BASE_SUBMIT_H

#include "umd-port/base/device.h"

/* What a present adds to a submission. */
struct agpu_present_args {
    D3DKMT_HANDLE source; /* 0 = none */
    uint32_t sync_interval;
};

/* Submits what is recorded; present NULL = ordinary rendering. S_OK without a callback when nothing is
 * recorded. On failure stream, list and staging writes are dropped. The caller reports. */
HRESULT agpu_submit(struct agpu_device *device, const struct agpu_present_args *present);

#endif
