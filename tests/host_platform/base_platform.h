/* base_platform.h: the base of all test implementations of the machine interface: no PCI function, no DMA memory, a
 * heap, a clock that stands still, a log that is discarded. A test copies it and overrides what it tests. */
#ifndef AGPU_TESTS_HOST_PLATFORM_BASE_PLATFORM_H
#define AGPU_TESTS_HOST_PLATFORM_BASE_PLATFORM_H

#include "pci/machine/platform.h"

/* All required callbacks; none uses its ctx. */
extern const struct agpu_platform agpu_base_platform;

#endif
