/* hardware.h: what the virtual machine is made of, where there is a choice: chipset, network card, what it boots from, what
 * is in front of the device. */
#ifndef AGPU_HOST_RUN_HARDWARE_H
#define AGPU_HOST_RUN_HARDWARE_H

#include <stdbool.h>
#include <stdio.h>

enum agpu_hardware_part {
    AGPU_HARDWARE_BOARD,  /* --board */
    AGPU_HARDWARE_NIC,    /* --nic */
    AGPU_HARDWARE_BOOT,   /* --boot */
    AGPU_HARDWARE_BRIDGE, /* --bridge */
    AGPU_HARDWARE_IOMMU,  /* --iommu */
    AGPU_HARDWARE_PARTS
};

/* One thing of a kind: its name on the command line, and the words for QEMU that put it in. */
struct agpu_hardware_choice {
    const char *name;
    const char *boards;   /* on which it can be; NULL: all */
    const char *words[6]; /* NULL at the end */
};

struct agpu_hardware {
    const struct agpu_hardware_choice *of[AGPU_HARDWARE_PARTS]; /* NULL: the usual one */
};

/* "--nic" ... without the dashes. */
const char *agpu_hardware_name(enum agpu_hardware_part part);

/* Takes the choice called name. False with what is known on stderr. */
bool agpu_hardware_choose(struct agpu_hardware *hardware, enum agpu_hardware_part part, const char *name);

/* Whether the choices go together; false with a line on stderr. */
bool agpu_hardware_check(const struct agpu_hardware *hardware);

/* The choice, or the usual one; never NULL. */
const struct agpu_hardware_choice *agpu_hardware_of(const struct agpu_hardware *hardware,
                                                    enum agpu_hardware_part part);

/* It boots from a disc, which has no partition table. */
bool agpu_hardware_boots_disc(const struct agpu_hardware *hardware);

/* One line for each option and what it takes, for --help. */
void agpu_hardware_list(FILE *out);

#endif
