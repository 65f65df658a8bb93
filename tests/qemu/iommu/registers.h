/* registers.h: one remapping unit of VT-d: found, switched on, its caches emptied (Intel Virtualization Technology for
 * Directed I/O, revision 3, 11.4: registers). */
#ifndef AGPU_QEMU_IOMMU_REGISTERS_H
#define AGPU_QEMU_IOMMU_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

/* The one unit of segment 0, by the DMAR table (VT-d 8.3). False: there is no table yet, no unit in it, or several. */
bool agpu_vtd_find(void);

/* What this unit can do is enough: NULL, or what it lacks (VT-d 11.4.2). After agpu_vtd_find(). */
const char *agpu_vtd_unfit(void);

/* Levels of its tables: 4, or 3. Unfit units have neither. */
unsigned agpu_vtd_levels(void);

/* It reads tables past the processor's caches: what is written there has to be written back (ECAP.C). */
bool agpu_vtd_is_incoherent(void);

/* Translates by the root table at this address from now on. False: the unit did not follow (VT-d 6.6). */
bool agpu_vtd_enable(uint64_t root_table);

/* Root and context entries have changed: the unit reads all tables again. False: it did not follow. */
bool agpu_vtd_forget_all(void);

/* So have the entries of these pages in the tables of one domain. False: it did not follow. */
bool agpu_vtd_forget_pages(uint16_t domain, uint64_t address, uint64_t pages);

#endif
