/* addresses_identity.c: the processor's address, as EDK II's own driver for VT-d has it. */
#include "tests/qemu/iommu/addresses.h"

bool agpu_iommu_addresses_open(void)
{
    return true;
}

uint64_t agpu_iommu_address_take(bool high, uint64_t memory, uint64_t pages)
{
    (void)high;
    (void)pages;
    return memory;
}

void agpu_iommu_address_give_back(uint64_t address, uint64_t pages)
{
    (void)address;
    (void)pages;
}
