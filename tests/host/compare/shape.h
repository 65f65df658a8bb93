/* shape.h: the optional properties of a function, from its configuration space and registers: capabilities, BARs,
 * ABI, features; and the properties that no function may have (device.md 1, 1.1, 2, 4.1). */
#ifndef AGPU_HOST_COMPARE_SHAPE_H
#define AGPU_HOST_COMPARE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/port.h"

/* Capabilities that have a rule in device.md 1.1. */
enum agpu_cmp_capability {
    AGPU_CMP_POWER_CAP,
    AGPU_CMP_MSI_CAP,
    AGPU_CMP_EXPRESS_CAP,
    AGPU_CMP_MSIX_CAP,
    AGPU_CMP_CAPABILITIES,
};

#define AGPU_CMP_SHAPE_BARS 6u
#define AGPU_CMP_SHAPE_LIST 48u /* limit of list entries: as many as fit into configuration space */

struct agpu_cmp_shape_bar {
    uint64_t size; /* 0: none */
    bool wide, prefetchable;
};

/* Location of an MSI-X structure. */
struct agpu_cmp_place {
    uint32_t bar, offset;
};

struct agpu_cmp_shape {
    uint32_t vendor;
    uint32_t abi;      /* value of the register */
    uint64_t features; /* both registers */
    uint32_t period_ns;
    struct agpu_cmp_shape_bar bars[AGPU_CMP_SHAPE_BARS];
    uint8_t list[AGPU_CMP_SHAPE_LIST]; /* offsets of all capabilities, in list order */
    uint8_t listed;
    uint8_t at[AGPU_CMP_CAPABILITIES]; /* 0: not present */
    bool d1, d2, keeps_state;          /* PM */
    bool function_reset;               /* PCI Express */
    bool msi_wide, msi_masks;
    bool delivers; /* its description lets the machine receive its messages */
    uint32_t msi_vectors, msix_vectors;
    struct agpu_cmp_place table, pending;
    uint64_t config_ns; /* time of the fastest read of configuration space */
};

/* A rule that a function breaks by itself, independent of the comparison. */
#define AGPU_CMP_WRONGS     8u
#define AGPU_CMP_WRONG_TEXT 200u
struct agpu_cmp_wrong {
    const char *section;
    char text[AGPU_CMP_WRONG_TEXT];
};
struct agpu_cmp_wrongs {
    uint32_t count;
    struct agpu_cmp_wrong list[AGPU_CMP_WRONGS];
};

/* Reads the function behind the port. Its BARs must have addresses, and its memory space must be enabled. */
void agpu_cmp_shape_read(struct vgpu_port *port, struct agpu_cmp_shape *shape,
                         struct agpu_cmp_wrongs *wrongs);

/* "PM", ... */
const char *agpu_cmp_capability_name(enum agpu_cmp_capability capability);
uint8_t agpu_cmp_capability_id(enum agpu_cmp_capability capability);

#endif
