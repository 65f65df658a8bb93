/* spy.h: intercepts the submissions of the rig's device on their way to the kernel: counts them, and
 * drops them if a case wants to see how the driver reacts. */
#ifndef AGPU_CASES_RIG_SPY_H
#define AGPU_CASES_RIG_SPY_H

#include "umd-port/ddi/d3dddicb.h"

/* Returns the runtime's callback table with these two replaced; counters start at 0, nothing is dropped. For
 * CreateDevice. A case may replace others; the driver reads the table at each use. */
D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void);
/* Returns the original table, for such a case. */
D3DDDI_DEVICECALLBACKS *agpu_callback_table(void);

/* Count RenderCb and PresentCb calls since the device was opened, including dropped ones. */
uint32_t agpu_submission_calls(void);
/* Number of these calls, and the bytes of their command buffers: of all, and of the largest one. */
struct agpu_submitted {
    uint32_t calls, largest;
    uint64_t bytes;
};
struct agpu_submitted agpu_submitted(void);
/* Makes the next count calls return hr without reaching the kernel. */
void agpu_lose_submissions(uint32_t count, HRESULT hr);

#endif
