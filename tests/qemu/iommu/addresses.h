/* addresses.h: what device address memory gets: by addresses_translating.c never the processor's, by addresses_identity.c
 * always. */
#ifndef AGPU_QEMU_IOMMU_ADDRESSES_H
#define AGPU_QEMU_IOMMU_ADDRESSES_H

#include <stdbool.h>
#include <stdint.h>

/* Looks where memory is. False: there is no room for device addresses. */
bool agpu_iommu_addresses_open(void);

/* The device address for pages of memory, below 4 GiB or above, with a page on each side that nothing is mapped at if there is
 * a choice. 0: there are no more. They are given again late, so that stale ones show. */
uint64_t agpu_iommu_address_take(bool high, uint64_t memory, uint64_t pages);

void agpu_iommu_address_give_back(uint64_t address, uint64_t pages);

#endif
