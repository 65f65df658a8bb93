/* hardware.c: the tables of parts that QEMU can add to the machine. Disks have the id "esp", the network "n",
 * bridges and everything behind them "behind". */
#include "tests/host/run/hardware.h"

#include <string.h>

#define BOOTINDEX "drive=esp,bootindex=0"
#define BOOT_USB  "-device", "qemu-xhci", "-device", "usb-storage,removable=on," BOOTINDEX
#define BOOT_CD   "-device", "virtio-scsi-pci", "-device", "scsi-cd," BOOTINDEX

/* The first of each kind is the default. */
static const struct agpu_hardware_choice boards[] = {
    {"q35", NULL, {"q35"}},
    {"pc", NULL, {"pc"}},
    {NULL, NULL, {NULL}},
};

/* romfile=: the firmware has its own driver for virtio; the other cards have a driver in their ROM. */
static const struct agpu_hardware_choice nics[] = {
    {"virtio-net", NULL, {"-device", "virtio-net-pci,netdev=n,romfile="}},
    {"e1000", NULL, {"-device", "e1000,netdev=n,romfile=efi-e1000.rom"}},
    {"e1000e", NULL, {"-device", "e1000e,netdev=n,romfile=efi-e1000e.rom"}},
    {"rtl8139", NULL, {"-device", "rtl8139,netdev=n,romfile=efi-rtl8139.rom"}},
    {"none", NULL, {NULL}},
    {NULL, NULL, {NULL}},
};

/* A disk is the only boot entry: so the firmware neither tries the network nor claims the card. By UEFI, but for
 * bios and bios-cd. direct: QEMU loads agpu.elf, and there is no disk. */
static const struct agpu_hardware_choice boots[] = {
    {"uefi", NULL, {"-device", "virtio-blk-pci," BOOTINDEX}},
    {"usb", NULL, {BOOT_USB}},
    {"nvme", NULL, {"-device", "nvme,serial=agpu," BOOTINDEX}},
    {"ahci", NULL, {"-device", "ich9-ahci,id=ahci", "-device", "ide-hd,bus=ahci.0," BOOTINDEX}},
    {"cd", NULL, {BOOT_CD}},
    {"bios", NULL, {BOOT_USB}},
    {"bios-cd", NULL, {BOOT_CD}},
    {"direct", NULL, {NULL}},
    {NULL, NULL, {NULL}},
};

static const struct agpu_hardware_choice bridges[] = {
    {"none", NULL, {NULL}},
    {"root-port", "q35", {"-device", "pcie-root-port,id=behind,chassis=1"}},
    {"switch",
     "q35",
     {"-device", "pcie-root-port,id=rootport,chassis=1", "-device", "x3130-upstream,id=uplink,bus=rootport",
      "-device", "xio3130-downstream,id=behind,bus=uplink,chassis=2"}},
    {"pci-bridge", NULL, {"-device", "pci-bridge,id=behind,chassis_nr=1"}},
    {NULL, NULL, {NULL}},
};

/* The firmware leaves the IOMMU disabled. */
static const struct agpu_hardware_choice iommus[] = {
    {"none", NULL, {NULL}},
    {"intel", "q35", {"-device", "intel-iommu"}},
    {NULL, NULL, {NULL}},
};

static const struct {
    const char *name;
    const char *about;
    const struct agpu_hardware_choice *choices;
} parts[AGPU_HARDWARE_PARTS] = {
    [AGPU_HARDWARE_BOARD] = {"board", "chipset", boards},
    [AGPU_HARDWARE_NIC] = {"nic", "network card", nics},
    [AGPU_HARDWARE_BOOT] = {"boot", "what it boots from", boots},
    [AGPU_HARDWARE_BRIDGE] = {"bridge", "in front of the device", bridges},
    [AGPU_HARDWARE_IOMMU] = {"iommu", "between devices and memory", iommus},
};

const char *agpu_hardware_name(enum agpu_hardware_part part)
{
    return parts[part].name;
}

static void list_choices(FILE *out, enum agpu_hardware_part part)
{
    for (const struct agpu_hardware_choice *c = parts[part].choices; c->name != NULL; c++) {
        fprintf(out, "%s%s", c == parts[part].choices ? "" : c[1].name != NULL ? ", " : " or ", c->name);
    }
}

bool agpu_hardware_choose(struct agpu_hardware *hardware, enum agpu_hardware_part part, const char *name)
{
    for (const struct agpu_hardware_choice *c = parts[part].choices; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            hardware->of[part] = c;
            return true;
        }
    }
    fprintf(stderr, "agpu run: --%s is ", parts[part].name);
    list_choices(stderr, part);
    fprintf(stderr, ", not \"%s\"\n", name);
    return false;
}

const struct agpu_hardware_choice *agpu_hardware_of(const struct agpu_hardware *hardware,
                                                    enum agpu_hardware_part part)
{
    return hardware != NULL && hardware->of[part] != NULL ? hardware->of[part] : parts[part].choices;
}

bool agpu_hardware_check(const struct agpu_hardware *hardware)
{
    const char *board = agpu_hardware_of(hardware, AGPU_HARDWARE_BOARD)->name;

    for (unsigned part = 0; part < AGPU_HARDWARE_PARTS; part++) {
        const struct agpu_hardware_choice *choice = agpu_hardware_of(hardware, part);

        if (choice->boards != NULL && strcmp(choice->boards, board) != 0) {
            fprintf(stderr, "agpu run: --%s %s is for --board %s, not %s\n", parts[part].name, choice->name,
                    choice->boards, board);
            return false;
        }
    }
    return true;
}

const char *agpu_hardware_boots_file(const struct agpu_hardware *hardware)
{
    const char *boot = agpu_hardware_of(hardware, AGPU_HARDWARE_BOOT)->name;

    return strcmp(boot, "direct") == 0 ? "agpu.elf" : strstr(boot, "cd") != NULL ? "agpu.iso" : NULL;
}

enum agpu_firmware agpu_hardware_firmware(const struct agpu_hardware *hardware)
{
    const char *boot = agpu_hardware_of(hardware, AGPU_HARDWARE_BOOT)->name;

    return strcmp(boot, "direct") == 0     ? AGPU_FIRMWARE_NONE
           : strncmp(boot, "bios", 4) == 0 ? AGPU_FIRMWARE_BIOS
                                           : AGPU_FIRMWARE_UEFI;
}

void agpu_hardware_list(FILE *out)
{
    for (unsigned part = 0; part < AGPU_HARDWARE_PARTS; part++) {
        fprintf(out, "  --%-6s NAME        %s: ", parts[part].name, parts[part].about);
        list_choices(out, part);
        fprintf(out, " (default %s)\n", part == AGPU_HARDWARE_BOOT ? "see below" : parts[part].choices->name);
    }
}
