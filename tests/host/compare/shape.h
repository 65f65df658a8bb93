/* shape.h: what a function has that it need not have, as its configuration space and registers say: capabilities, BARs, ABI,
 * features; and what of it no function may have (device.md 1, 1.1, 2, 4.1). */
#ifndef AGPU_HOST_COMPARE_SHAPE_H
#define AGPU_HOST_COMPARE_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/device/plugin/port.h"

/* Capabilities that a rule of device.md 1.1 is about. */
enum agpu_cmp_capability {
    AGPU_CMP_POWER_CAP,
    AGPU_CMP_MSI_CAP,
    AGPU_CMP_EXPRESS_CAP,
    AGPU_CMP_MSIX_CAP,
    AGPU_CMP_CAPABILITIES,
};

#define AGPU_CMP_SHAPE_BARS 6u
#define AGPU_CMP_SHAPE_LIST 48u /* entries of a list: as many as there is room for */

struct agpu_cmp_shape_bar {
    uint64_t size; /* 0: none */
    bool wide, prefetchable;
};

/* Where a structure of MSI-X lies. */
struct agpu_cmp_place {
    uint32_t bar, offset;
};

struct agpu_cmp_shape {
    uint32_t vendor;
    uint32_t abi;      /* of the register */
    uint64_t features; /* both registers */
    uint32_t period_ns;
    struct agpu_cmp_shape_bar bars[AGPU_CMP_SHAPE_BARS];
    uint8_t list[AGPU_CMP_SHAPE_LIST]; /* offsets of all capabilities, in the order of the list */
    uint8_t listed;
    uint8_t at[AGPU_CMP_CAPABILITIES]; /* 0: it has none */
    bool d1, d2, keeps_state;          /* PM */
    bool function_reset;               /* PCI Express */
    bool msi_wide, msi_masks;
    bool delivers; /* what it says of itself lets the machine take a message from it */
    uint32_t msi_vectors, msix_vectors;
    struct agpu_cmp_place table, pending;
    uint64_t config_ns; /* the fastest read of configuration space took so long */
};

/* A rule that a function breaks all by itself, whatever it is compared with. */
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

/* Reads the function behind the port, whose BARs have addresses and whose memory space is on. */
void agpu_cmp_shape_read(struct vgpu_port *port, struct agpu_cmp_shape *shape,
                         struct agpu_cmp_wrongs *wrongs);

/* "PM", ... */
const char *agpu_cmp_capability_name(enum agpu_cmp_capability capability);
uint8_t agpu_cmp_capability_id(enum agpu_cmp_capability capability);

#endif
