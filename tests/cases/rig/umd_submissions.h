/* umd_submissions.h: the submissions of the rig's device on their way to the kernel: counted, and lost when a case wants
 * to see what the driver does then. */
#ifndef AGPU_CASES_RIG_UMD_SUBMISSIONS_H
#define AGPU_CASES_RIG_UMD_SUBMISSIONS_H

#include "umd-port/ddi/d3dddicb.h"

/* The runtime's callback table with these two in place; counters start at 0, nothing is lost. For CreateDevice. A case
 * may put others in; the driver reads the table at each use. */
D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void);
/* The table as it was made, for such a case. */
D3DDDI_DEVICECALLBACKS *agpu_callback_table(void);

/* RenderCb and PresentCb calls since the device was opened, those that were lost included. */
uint32_t agpu_submission_calls(void);
/* The next count calls return hr and do not reach the kernel. */
void agpu_lose_submissions(uint32_t count, HRESULT hr);

#endif
