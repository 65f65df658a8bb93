/* base_platform.h: what every test version of the machine interface begins with: no PCI function, no DMA
 * memory, a heap, a clock that stands still, a log that is discarded. A test takes a copy and overrides what
 * it is about. */
#ifndef AGPU_TESTS_HOST_PLATFORM_BASE_PLATFORM_H
#define AGPU_TESTS_HOST_PLATFORM_BASE_PLATFORM_H

#include "pci/machine/platform.h"

/* Every callback that is required; none looks at its ctx. */
extern const struct agpu_platform agpu_base_platform;

#endif
