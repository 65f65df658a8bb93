/* umd_peer.h: the peer is a second device, in another process, on the case's runtime, through any of the three
 * interfaces. Also shared surfaces between the two devices. */
#ifndef AGPU_CASES_RIG_UMD_PEER_H
#define AGPU_CASES_RIG_UMD_PEER_H

#include "tests/cases/rig/umd_buffers.h"

/* Opens the peer. Direct3D 10 and 10.1 devices show their functions through the rig's Direct3D 11 tables, in which
 * missing members are NULL. Returns false, with an ERROR recorded, if it cannot be opened. */
bool agpu_peer_open(struct agpu_test *test, uint32_t interface_version);
/* Destroys the peer with all its objects; errors that it reported and the body did not take fail the case. */
void agpu_peer_close(struct agpu_test *test);

/* Returns the driver's own table of a Direct3D 10 or 10.1 peer. */
const D3D10DDI_DEVICEFUNCS *agpu_peer_table10(void);

/* Swaps rig and peer: all helpers of the rig now act as the other device. */
void agpu_peer_swap(struct agpu_test *test);

/* Returns the share token of the newest shared allocation. */
uint64_t agpu_newest_token(struct agpu_test *test);
/* OpenResource of a token as the current device; the result code is in *result, the handle is always valid. */
D3D10DDI_HRESOURCE agpu_umd_open_shared(struct agpu_test *test, uint64_t token, HRESULT *result);
/* Like agpu_umd_open_shared(), with usage, bind flags and CPU access of as; the function above binds it as target and
 * to shaders. */
D3D10DDI_HRESOURCE agpu_umd_open_shared_as(struct agpu_test *test, uint64_t token,
                                           const D3D10DDIARG_OPENRESOURCE *as, HRESULT *result);

/* Forgets the peer after the runner terminated the case; its memory is freed separately. */
void agpu_peer_forget(void);

#endif
