/* config_values.h: the values of agpu.cfg, which the readers of its keys (config.def) fill in. Freestanding. */
#ifndef AGPU_EFI_CONFIG_VALUES_H
#define AGPU_EFI_CONFIG_VALUES_H

#include "efi/netconsole.h"
#include "efi/protocol/cfg_limits.h"
#include "pci/machine/platform.h"
#include "tests/capture/tap.h"
#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"
#include "tests/cases/harness/fixture.h"
#include "tests/cases/harness/trace.h"
#include "tests/cases/rig/settings.h"

#define AGPU_CONFIG_HOOK_MAX 400
#define AGPU_CONFIG_PATH_MAX 100 /* of trace_file, replay */
/* Lines longer than this are reported cut. */
#define AGPU_CONFIG_LINE_SHOWN 120

enum agpu_at_end {
    AGPU_AT_END_POWEROFF, /* power off */
    AGPU_AT_END_REBOOT,   /* cold reset */
    AGPU_AT_END_SHELL,    /* return to the caller: the UEFI shell, or the next boot option */
    AGPU_AT_END_HALT,     /* stay, with the result on the screen */
};

/* Where this machine's address comes from. */
enum agpu_ip_source {
    AGPU_IP_DHCP,  /* IPv4; where a target needs IPv6, that from the router */
    AGPU_IP_SLAAC, /* IPv6, made from what the router says; names are asked for as IPv6 */
    AGPU_IP_STATIC,
};

#define AGPU_CONFIG_MORE_TARGETS 3

/* Which UART carries records (serial=, in the order of its words, as the other enumerations here). */
enum agpu_serial_use {
    AGPU_SERIAL_AUTO,  /* the first one that there is */
    AGPU_SERIAL_SPARE, /* that, unless a debug console carries them */
    AGPU_SERIAL_OFF,
};

/* Whether `agpu ctl` may ask the running image for something. */
enum agpu_control_use {
    AGPU_CONTROL_OFF,
    AGPU_CONTROL_ON,   /* while it runs its cases */
    AGPU_CONTROL_WAIT, /* and before and behind them it waits for that */
};

/* Where a capture goes. */
enum agpu_capture_to {
    AGPU_CAPTURE_TO_ANY,    /* a volume; the stream when none takes it */
    AGPU_CAPTURE_TO_VOLUME, /* or nowhere */
    AGPU_CAPTURE_TO_STREAM, /* likewise */
};

/* Whether DMA memory may lie from 4 GiB on. */
enum agpu_dma_high {
    AGPU_DMA_HIGH_AUTO, /* where the firmware maps it for the function */
    AGPU_DMA_HIGH_OFF,
    AGPU_DMA_HIGH_ON, /* also where the firmware has no mapping to offer: device address is CPU address */
};

#define AGPU_CONFIG_SOURCES_MAX 4
#define AGPU_CONFIG_KEYS_MAX    64

struct agpu_config {
    /* Where values came from: names of sources in the order in which they were read, and of each key the number of the one
     * that had it, from 1; 0: the default. */
    const char *sources[AGPU_CONFIG_SOURCES_MAX];
    unsigned source_count;
    uint8_t source_of[AGPU_CONFIG_KEYS_MAX];
    struct agpu_netconsole netconsole;
    char token[AGPU_CONFIG_TOKEN_MAX + 1]; /* shown in every datagram of records; "": none */
    bool keyed;                            /* and a keyed hash, of this key */
    uint8_t key[AGPU_CONFIG_KEY_SIZE];
    bool stream; /* beside the datagrams: the lossless stream, to the same address */
    uint16_t stream_port;
    enum agpu_control_use control;
    uint16_t control_port; /* TCP */
    bool control_serial;   /* also on the first serial port */
    /* Other machines that get copies of the datagrams. */
    struct agpu_target more_targets[AGPU_CONFIG_MORE_TARGETS];
    unsigned more_target_count;
    enum agpu_ip_source ip_source;
    struct agpu_ip ip, gateway; /* when static; gateway none: none */
    unsigned ip_bits;           /* of the prefix, in the address's own family */
    struct agpu_ip dns;         /* none: as DHCP or the router says */
    uint16_t vlan;              /* 802.1Q's number; 0: frames without a tag */
    struct agpu_trace trace;    /* of the user-mode driver; any makes log_level debug */
    enum agpu_log_level log_level;
    char trace_file[AGPU_CONFIG_PATH_MAX + 1]; /* of the boot volume; "": none */
    char replay[AGPU_CONFIG_PATH_MAX + 1];     /* "": none */
    struct agpu_settings settings;             /* of the driver stack */
    uint32_t watchdog_s;                       /* 0: none */
    uint32_t repeat;                           /* rounds of the catalogue, or seconds; 0: one round */
    bool repeat_seconds;
    bool model; /* the devices are known to be the project's model */
    char
        device[AGPU_CONFIG_DEVICE_MAX + 1]; /* functions to run on (pci/select.h); "": the first usable one */
    struct agpu_tag_choice tags;            /* kinds of cases */
    struct agpu_shard shard;                /* and a part of those */
    struct agpu_quarantine quarantine;      /* known failures; today is not set */
    struct agpu_budgets budgets;            /* limits on figures that perf.* measures */
    /* All other keys: config.def. */
#define NUMBER(key, ...)            uint32_t key;
#define WORD(key, usual, type, ...) type key;
#define TEXT(key, usual, most, ...) char key[(most) + 1];
#include "efi/config.def"
};

#endif
