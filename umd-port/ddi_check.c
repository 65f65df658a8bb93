/* ddi_check.c: layout of the driver interface against the numbers of umd.md 1.3 and 18; a mismatch is a build error. */
#include "umd-port/ddi/d3dddicb.h"

#define CHECK(condition) _Static_assert(condition, #condition)

CHECK(sizeof(D3DDDICB_LOCKFLAGS) == 4);
CHECK(sizeof(D3DDDICB_ALLOCATEFLAGS) == 4);
CHECK(sizeof(AGPU_DMA_PRIV) == 16);
CHECK(offsetof(AGPU_DMA_PRIV, MetaHandle) == 8);
