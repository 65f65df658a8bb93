/* spy.h: stands between the driver and the runtime: counts its submissions, drops them if a case wants to see how the
 * driver reacts, and records its callbacks as lines of text. */
#ifndef AGPU_CASES_RIG_SPY_H
#define AGPU_CASES_RIG_SPY_H

#include "mm/runtime/device.h"
#include "tests/cases/harness/check.h"

/* Returns the callbacks for CreateDevice of the rig's device; counters start at 0, nothing is dropped or recorded. A
 * case may replace some; the driver reads the table at each use. */
D3DDDI_DEVICECALLBACKS *agpu_watched_callbacks(void);
/* Returns the same table for such a case, and for CreateDevice of the peer. */
D3DDDI_DEVICECALLBACKS *agpu_callback_table(void);
const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_watched_core_callbacks(void);

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

/* Kinds of callbacks. */
#define AGPU_SPY_MEMORY  0x1u /* AllocateCb, DeallocateCb */
#define AGPU_SPY_LOCKS   0x2u /* LockCb, UnlockCb */
#define AGPU_SPY_SUBMITS 0x4u /* RenderCb, PresentCb with their lists; with PACKETS also each packet */
#define AGPU_SPY_PACKETS 0x8u
#define AGPU_SPY_ERRORS  0x10u /* SetErrorCb of the device */
#define AGPU_SPY_WAITS   0x20u /* WaitForSynchronizationObjectCb */
#define AGPU_SPY_ALL     0x3Fu

/* The defaults of those settings of the stack on which the text depends. */
void agpu_spied_config(struct agpu_runtime_config *config);

/* Records these kinds from now on, for a readable text that is the same in every run:
 *
 *     Allocate a1 runtime=1 flags=1 size=256 segments=1: h1 flags=2 kind=1
 *     Lock a1 WriteOnly Discard
 *     Render a1 a2w                          the allocation list; w: written
 *       COPY_BUFFER h1 h2 0 0 0 0 64 0 0 0   a packet: its words; bytes that follow as their number and hash
 *
 * Allocations and protocol objects have names in the order of their first appearance. Members that are 0 are left out,
 * except in packets, and so are members of the private data, after the colon, that repeat a member in front of it. */
void agpu_spy_begin(uint32_t kinds);
/* Stops, and checks that the text since the start is this one; a failure sends it whole, as artifact calls.txt. */
#define agpu_check_calls(t, expected) agpu_check_calls_at((t), (expected), AGPU_HERE)
bool agpu_check_calls_at(struct agpu_test *test, const char *expected, struct agpu_where where);

#endif
