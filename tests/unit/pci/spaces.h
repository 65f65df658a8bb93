/* spaces.h: a machine that is nothing but configuration spaces and one BAR, and writes down what is written to them. */
#ifndef AGPU_TESTS_UNIT_PCI_SPACES_H
#define AGPU_TESTS_UNIT_PCI_SPACES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "pci/function.h"

#define SPACES_FUNCTIONS 4
#define SPACES_BAR       0x100

struct spaces {
    struct agpu_platform platform;
    uint8_t bytes[SPACES_FUNCTIONS][256];
    struct agpu_pci_location at[SPACES_FUNCTIONS];
    unsigned count;
    uint8_t bar1[SPACES_BAR];
    uint64_t now;
    uint64_t silent_until; /* before it function 0 reads as vendor FFFF */
    char log
        [1000]; /* "at.size=value" of configuration space, the function's number before others than 0; "bar1+at=value";
                              "stall ns"; a space behind each */
};

/* Function 0 of it, an AeroGPU without capabilities. */
struct agpu_function spaces_open(struct spaces *m);
/* Function 0 gets this capability; the first one becomes the head of the list. */
void spaces_put(struct spaces *m, unsigned at, uint8_t id, uint8_t next);
void spaces_set(struct spaces *m, unsigned at, unsigned size, uint32_t value);
uint32_t spaces_get(const struct spaces *m, unsigned at, unsigned size);
/* Compares the log, and begins it anew. */
void spaces_expect(struct spaces *m, const char *log);

#endif
