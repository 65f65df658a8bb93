/* tables.h: root, context and second-level tables of VT-d in memory (Intel Virtualization Technology for Directed I/O,
 * 9.1, 9.3, 9.8 to 9.10). Each function has a domain of its own, and none reaches what is not mapped for it. */
#ifndef AGPU_QEMU_IOMMU_TABLES_H
#define AGPU_QEMU_IOMMU_TABLES_H

#include <stdbool.h>
#include <stdint.h>

#define AGPU_IOMMU_PAGE 4096u

struct agpu_iommu_domain {
    uint16_t id;        /* from 1 on */
    uint16_t requester; /* bus, device, function: 8, 5, 3 bits */
    uint64_t *top;
};

/* Takes memory for tables. 0: there is none; else the address of the root table, in which no function has an entry. */
uint64_t agpu_iommu_tables_open(unsigned levels, bool incoherent);

/* The domain of a function; a new one has no pages, and *is_new says that the unit has to read all again. NULL: no memory,
 * or too many. */
struct agpu_iommu_domain *agpu_iommu_domain_of(uint16_t requester, bool *is_new);

/* Lets the domain reach pages of memory at device address. What is there already, from the same memory, is there twice and must
 * be taken away twice; access is that of both. False: no memory for tables, and nothing has changed. */
bool agpu_iommu_tables_map(struct agpu_iommu_domain *domain, uint64_t address, uint64_t memory,
                           uint64_t pages, bool read, bool write);

/* Takes away what one agpu_iommu_tables_map() of the same size gave. */
void agpu_iommu_tables_unmap(struct agpu_iommu_domain *domain, uint64_t address, uint64_t pages);

#endif
