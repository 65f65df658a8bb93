/* umd_peer.h: a second device of another process on the case's runtime, through any of the three interfaces;
 * and shared surfaces between the two. */
#ifndef AGPU_CASES_RIG_UMD_PEER_H
#define AGPU_CASES_RIG_UMD_PEER_H

#include "tests/cases/rig/umd_buffers.h"

/* Opens the peer. Direct3D 10 and 10.1 devices show their functions through the rig's Direct3D 11 tables,
 * members that they do not have being NULL. False, and an ERROR recorded, when it cannot be opened. */
bool agpu_peer_open(struct agpu_test *test, uint32_t interface_version);
/* Destroys it with what it still has; errors that it reported and the body did not take fail the case. */
void agpu_peer_close(struct agpu_test *test);

/* The driver's own table of a Direct3D 10 or 10.1 peer. */
const D3D10DDI_DEVICEFUNCS *agpu_peer_table10(void);

/* The rig and the peer change places: all helpers of the rig now act as the other device. */
void agpu_peer_swap(struct agpu_test *test);

/* Share token that the newest shared allocation got. */
uint64_t agpu_newest_token(struct agpu_test *test);
/* OpenResource of a token as the current device; the result code in *result, the handle in any case valid. */
D3D10DDI_HRESOURCE agpu_umd_open_shared(struct agpu_test *test, uint64_t token, HRESULT *result);
/* The same with usage, bind flags and CPU access of as; the above binds it as target and to shaders. */
D3D10DDI_HRESOURCE agpu_umd_open_shared_as(struct agpu_test *test, uint64_t token,
                                           const D3D10DDIARG_OPENRESOURCE *as, HRESULT *result);

/* After a case that was ended by force: it is gone with all its memory. */
void agpu_peer_forget(void);

#endif
