/* nic_driver.h: the operations of a driver for network cards, which are polled and have no offloads. */
#ifndef AGPU_EFI_BARE_NIC_DRIVER_H
#define AGPU_EFI_BARE_NIC_DRIVER_H

#include <stdbool.h>

#include "efi/bare/pci.h"

#define AGPU_NIC_FRAME_BYTES  1518u /* with a VLAN tag, without checksum */
#define AGPU_NIC_BUFFER_BYTES 2048u
#define AGPU_NIC_SLOTS        64u /* frames that a card may be sending */
#define AGPU_NIC_WAIT_MS      1000u

struct agpu_nic {
    EFI_SIMPLE_NETWORK snp; /* first: a pointer to it is one to the card */
    EFI_SIMPLE_NETWORK_MODE mode;
    struct agpu_bare_function *function;
    const struct agpu_nic_driver *driver;
    void *sent[AGPU_NIC_SLOTS]; /* the caller's buffer of each slot */
    unsigned polls;             /* of its status */
    const char *broken;         /* expectation that the card did not meet: it is not used any more */
    bool reported;
};

/* Everything that the card writes is checked before it is used; on nonsense a driver sets broken. */
struct agpu_nic_driver {
    uint16_t vendor, devices[4];
    size_t bytes; /* of the driver's structure, which begins with struct agpu_nic */

    /* Sets mode.CurrentAddress. Returns NULL, or the expectation that the card does not meet. */
    const char *(*open)(struct agpu_nic *nic);
    /* Resets the card and starts sending and receiving. Returns as open(). */
    const char *(*start)(struct agpu_nic *nic);
    void (*stop)(struct agpu_nic *nic); /* resets the card */
    bool (*link_up)(struct agpu_nic *nic);
    /* Copies a frame into a slot and sends it. Returns the slot; -1: the card has all. */
    int (*send)(struct agpu_nic *nic, const void *frame, uint32_t bytes);
    /* Returns a slot that the card has finished; -1: none. */
    int (*finish)(struct agpu_nic *nic);
    /* Copies a received frame of at most `room` bytes. Returns its size; 0: none; -1: a bad one was discarded. */
    int (*receive)(struct agpu_nic *nic, void *to, size_t room);
};

#endif
