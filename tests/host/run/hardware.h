/* hardware.h: the selectable parts of the virtual machine: chipset, network card, boot medium, and the bridge and IOMMU
 * between memory and the device. */
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

/* One choice for a part: its name on the command line, and the QEMU arguments that add it. */
struct agpu_hardware_choice {
    const char *name;
    const char *boards;   /* boards that can have it; NULL: all */
    const char *words[6]; /* NULL at the end */
};

struct agpu_hardware {
    const struct agpu_hardware_choice *of[AGPU_HARDWARE_PARTS]; /* NULL: the default */
};

/* Returns the option's name, "--nic", without the dashes. */
const char *agpu_hardware_name(enum agpu_hardware_part part);

/* Selects the choice called name. Returns false with a list of the known names on stderr. */
bool agpu_hardware_choose(struct agpu_hardware *hardware, enum agpu_hardware_part part, const char *name);

/* Checks that the choices are compatible; returns false with a line on stderr. */
bool agpu_hardware_check(const struct agpu_hardware *hardware);

/* Returns the choice, or the default; never NULL. */
const struct agpu_hardware_choice *agpu_hardware_of(const struct agpu_hardware *hardware,
                                                    enum agpu_hardware_part part);

/* Returns the file beside agpu.img that the machine boots: agpu.elf, agpu.iso; NULL: agpu.img itself. */
const char *agpu_hardware_boots_file(const struct agpu_hardware *hardware);

enum agpu_firmware { AGPU_FIRMWARE_UEFI, AGPU_FIRMWARE_BIOS, AGPU_FIRMWARE_NONE };
enum agpu_firmware agpu_hardware_firmware(const struct agpu_hardware *hardware);

/* Writes one line per option with its possible values, for --help. */
void agpu_hardware_list(FILE *out);

#endif
