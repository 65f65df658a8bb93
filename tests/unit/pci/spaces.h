/* spaces.h: a machine that consists of configuration spaces and one BAR, and records all writes. */
#ifndef AGPU_TESTS_UNIT_PCI_SPACES_H
#define AGPU_TESTS_UNIT_PCI_SPACES_H

#include <string.h>

#include "pci/function.h"
#include "tests/unit/test.h"

#define SPACES_FUNCTIONS 4
#define SPACES_BAR       0x100

struct spaces {
    struct agpu_platform platform;
    uint8_t bytes[SPACES_FUNCTIONS][256];
    struct agpu_pci_location at[SPACES_FUNCTIONS];
    unsigned count;
    uint8_t bar1[SPACES_BAR];
    uint64_t now;
    uint64_t silent_until; /* until then the vendor id of function 0 reads FFFF */
    /* "at.size=value" of configuration space, with the function's number in front if it is not 0; "bar1+at=value";
     * "stall ns". Each ends with a space. */
    char log[1000];
};

/* Prepares the machine. Returns function 0, an AeroGPU without capabilities. */
struct agpu_function spaces_open(struct spaces *m);
/* Adds a capability to function 0. The first one becomes the head of the list. */
void spaces_put(struct spaces *m, unsigned at, uint8_t id, uint8_t next);
void spaces_set(struct spaces *m, unsigned at, unsigned size, uint32_t value);
uint32_t spaces_get(const struct spaces *m, unsigned at, unsigned size);
/* Compares the log and clears it. */
void spaces_expect(struct spaces *m, const char *log);

#endif
