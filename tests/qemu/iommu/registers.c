/* registers.c: by registers alone, as a unit in its legacy mode takes it; a queue would be faster and is not needed. Every wait
 * has an end. */
#include "tests/qemu/iommu/registers.h"

#include <stddef.h>
#include <string.h>

#include "efi/acpi.h"
#include "efi/machine.h"

/* Registers (VT-d 11.4). */
#define VTD_CAP    0x08u /* capability */
#define VTD_ECAP   0x10u /* extended capability */
#define VTD_GCMD   0x18u /* global command */
#define VTD_GSTS   0x1Cu /* global status */
#define VTD_RTADDR 0x20u /* root table address */
#define VTD_CCMD   0x28u /* context command */

#define CAP_DOMAINS      0x7u               /* ND: 4 + 2n bits of domain */
#define CAP_WRITE_BUFFER (UINT64_C(1) << 4) /* RWBF */
#define CAP_LEVELS_3     (UINT64_C(1) << 9) /* SAGAW */
#define CAP_LEVELS_4     (UINT64_C(1) << 10)
#define CAP_PAGES_2M     (UINT64_C(1) << 34) /* SLLPS */
#define CAP_PAGE_WISE    (UINT64_C(1) << 39) /* PSI */
#define CAP_MASK_MAX     48u                 /* MAMV: 6 bits from here */

#define ECAP_COHERENT UINT64_C(1)
#define ECAP_IOTLB    8u /* IRO: 10 bits from here, times 16 */

#define GCMD_TRANSLATE 0x80000000u
#define GCMD_SET_ROOT  0x40000000u
#define GCMD_ONE_SHOT  0x69000000u /* SRTP, SFL, WBF, SIRTP: not states, so not written back */

#define CCMD_INVALIDATE (UINT64_C(1) << 63)
#define CCMD_GLOBAL     (UINT64_C(1) << 61)

/* Behind ECAP's offset: the address, then the command. */
#define IOTLB_COMMAND    8u
#define IOTLB_INVALIDATE (UINT64_C(1) << 63)
#define IOTLB_GLOBAL     (UINT64_C(1) << 60)
#define IOTLB_PAGES      (UINT64_C(3) << 60)
#define IOTLB_DRAIN      (UINT64_C(3) << 48) /* reads and writes that are under way */

/* The DMAR table (VT-d 8.1 to 8.3). Flags and scope are not looked at: QEMU names each device instead of all. */
#define DMAR_FIRST   48u
#define DRHD_TYPE    0u
#define DRHD_SEGMENT 6u
#define DRHD_BASE    8u
#define DRHD_SIZE    16u

#define POLLS_MAX 1000000u

static volatile uint8_t *unit;
static uint64_t cap, ecap; /* read once: each access is a trip out of the machine */

static uint64_t read64(unsigned offset)
{
    return *(volatile uint64_t *)(unit + offset);
}

static void write64(unsigned offset, uint64_t value)
{
    *(volatile uint64_t *)(unit + offset) = value;
}

static uint32_t read32(unsigned offset)
{
    return *(volatile uint32_t *)(unit + offset);
}

static bool wait_clear(unsigned offset, uint64_t bit)
{
    for (unsigned poll = 0; poll < POLLS_MAX; poll++) {
        if ((read64(offset) & bit) == 0) {
            return true;
        }
        agpu_pause();
    }
    return false;
}

bool agpu_vtd_find(void)
{
    uint32_t size = 0;
    const uint8_t *table = agpu_acpi_table("DMAR", &size);
    unsigned units = 0;

    for (uint32_t at = DMAR_FIRST; table != NULL && size >= 4 && at <= size - 4;) {
        uint16_t type, length, segment;
        uint64_t base;

        memcpy(&type, table + at, sizeof type);
        memcpy(&length, table + at + 2, sizeof length);
        if (length < 4 || length > size - at) {
            return false;
        }
        if (type == DRHD_TYPE && length >= DRHD_SIZE) {
            memcpy(&segment, table + at + DRHD_SEGMENT, sizeof segment);
            memcpy(&base, table + at + DRHD_BASE, sizeof base);
            if (segment == 0) {
                unit = (volatile uint8_t *)(uintptr_t)base;
                units++;
            }
        }
        at += length;
    }
    if (units == 1) {
        cap = read64(VTD_CAP);
        ecap = read64(VTD_ECAP);
    }
    return units == 1;
}

const char *agpu_vtd_unfit(void)
{
    if (agpu_vtd_levels() == 0) {
        return "tables of three or four levels";
    }
    if ((cap & CAP_WRITE_BUFFER) != 0) {
        return "to need no flush of a write buffer";
    }
    if ((cap & CAP_PAGES_2M) == 0 || (cap & CAP_PAGE_WISE) == 0) {
        return "pages of 2 MiB, or invalidation of pages";
    }
    if ((cap & CAP_DOMAINS) < 2) {
        return "256 domains";
    }
    return NULL;
}

unsigned agpu_vtd_levels(void)
{
    return (cap & CAP_LEVELS_4) != 0 ? 4 : (cap & CAP_LEVELS_3) != 0 ? 3 : 0;
}

bool agpu_vtd_is_incoherent(void)
{
    return (ecap & ECAP_COHERENT) == 0;
}

/* One bit of GCMD, beside the states that are on; its answer is the same bit of GSTS. */
static bool command_unit(uint32_t bit)
{
    const uint32_t on = read32(VTD_GSTS) & ~GCMD_ONE_SHOT;

    *(volatile uint32_t *)(unit + VTD_GCMD) = on | bit;
    for (unsigned poll = 0; poll < POLLS_MAX; poll++) {
        if ((read32(VTD_GSTS) & bit) != 0) {
            return true;
        }
        agpu_pause();
    }
    return false;
}

static unsigned iotlb_offset(void)
{
    return ((unsigned)(ecap >> ECAP_IOTLB) & 0x3FFu) * 16u;
}

static bool forget_translations(uint64_t which)
{
    const unsigned iotlb = iotlb_offset() + IOTLB_COMMAND;

    write64(iotlb, IOTLB_INVALIDATE | IOTLB_DRAIN | which);
    return wait_clear(iotlb, IOTLB_INVALIDATE);
}

bool agpu_vtd_forget_all(void)
{
    write64(VTD_CCMD, CCMD_INVALIDATE | CCMD_GLOBAL);
    return wait_clear(VTD_CCMD, CCMD_INVALIDATE) && forget_translations(IOTLB_GLOBAL);
}

bool agpu_vtd_enable(uint64_t root_table)
{
    write64(VTD_RTADDR, root_table);
    return command_unit(GCMD_SET_ROOT) && agpu_vtd_forget_all() && command_unit(GCMD_TRANSLATE);
}

bool agpu_vtd_forget_pages(uint16_t domain, uint64_t address, uint64_t pages)
{
    const unsigned mask_max = (unsigned)(cap >> CAP_MASK_MAX) & 0x3Fu;

    /* A command takes 2^mask pages at a multiple of as many. */
    while (pages != 0) {
        unsigned mask = 0;

        while (mask < mask_max && (UINT64_C(2) << mask) <= pages &&
               (address & ((UINT64_C(2) << mask) * 4096 - 1)) == 0) {
            mask++;
        }
        write64(iotlb_offset(), address | mask);
        if (!forget_translations(IOTLB_PAGES | (uint64_t)domain << 32)) {
            return false;
        }
        address += UINT64_C(4096) << mask;
        pages -= UINT64_C(1) << mask;
    }
    return true;
}
