/* capability.c: walks the capability list with a bound, because the device may be faulty. */
#include "pci/capability.h"

#define FIRST 0x40u
#define SPACE 0x100u

#define MSI_CONTROL        2u
#define MSI_CONTROL_64     0x0080u
#define MSI_CONTROL_MASKED 0x0100u

static uint8_t known_bytes(const struct agpu_function *function, uint8_t id, uint32_t at)
{
    uint32_t control;

    switch (id) {
    case AGPU_CAPABILITY_POWER:
        return 8;
    case AGPU_CAPABILITY_MSI:
        control = agpu_config_read(function, at + MSI_CONTROL, 2);
        return (uint8_t)(10 + ((control & MSI_CONTROL_64) != 0 ? 4 : 0) +
                         ((control & MSI_CONTROL_MASKED) != 0 ? 10 : 0));
    case AGPU_CAPABILITY_EXPRESS: /* version 1 of an endpoint ends after the link registers */
        control = agpu_config_read(function, at + 2, 2);
        return (control & 0xF) >= 2 ? 60 : 20;
    case AGPU_CAPABILITY_MSIX:
        return 12;
    default:
        return 2;
    }
}

static void complain(struct agpu_text *why, const char *what, uint32_t at)
{
    agpu_format(why, "%scapability at 0x%x %s", why->length != 0 ? "; " : "", at, what);
}

static void check_overlap(const struct agpu_capability *list, unsigned count, struct agpu_text *why)
{
    const struct agpu_capability *last = &list[count];

    if (last->at + last->bytes > SPACE) {
        complain(why, "does not fit configuration space", last->at);
    }
    for (unsigned i = 0; i < count; i++) {
        if (last->at < list[i].at + list[i].bytes && list[i].at < last->at + last->bytes) {
            complain(why, "overlaps another", last->at);
        }
    }
}

unsigned agpu_capabilities(const struct agpu_function *function,
                           struct agpu_capability out[AGPU_CAPABILITIES_MAX], struct agpu_text *why)
{
    uint32_t at = agpu_config_read(function, AGPU_PCI_CAPABILITY_POINTER, 1) & 0xFF;
    unsigned count = 0;

    if ((agpu_config_read(function, AGPU_PCI_STATUS, 2) & AGPU_PCI_STATUS_CAPABILITIES) == 0) {
        return 0;
    }
    while (at != 0) {
        if (at < FIRST || at % 4 != 0) {
            complain(why,
                     at < FIRST ? "lies in the header"
                                : "is not aligned to 4 bytes: the two lowest bits of a pointer are to be 0",
                     at);
            return count;
        }
        for (unsigned i = 0; i < count; i++) {
            if (out[i].at == at) {
                complain(why, "appears twice: the list does not end", at);
                return count;
            }
        }
        /* out[] cannot overflow: each possible offset occurs at most once. */
        out[count].id = (uint8_t)agpu_config_read(function, at, 1);
        out[count].at = (uint8_t)at;
        out[count].bytes = known_bytes(function, out[count].id, at);
        if (out[count].id == 0xFF) {
            complain(why, "has id 0xff", at);
        }
        check_overlap(out, count, why);
        count++;
        at = agpu_config_read(function, at + 1, 1) & 0xFF;
    }
    return count;
}

uint32_t agpu_capability_find(const struct agpu_function *function, uint8_t id)
{
    struct agpu_capability list[AGPU_CAPABILITIES_MAX];
    char unread[1];
    struct agpu_text why;
    unsigned count;

    agpu_text_begin(&why, unread, sizeof unread);
    count = agpu_capabilities(function, list, &why);
    for (unsigned i = 0; i < count; i++) {
        if (list[i].id == id) {
            return list[i].at;
        }
    }
    return 0;
}
