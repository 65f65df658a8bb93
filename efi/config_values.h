/* config_values.h: the values of agpu.cfg, which the readers of its keys (config.def) set. Freestanding. */
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
#define AGPU_CONFIG_PATH_MAX 100 /* bytes of trace_file and replay */
/* Longer lines are cut in reports. */
#define AGPU_CONFIG_LINE_SHOWN 120

enum agpu_at_end {
    AGPU_AT_END_POWEROFF, /* power off */
    AGPU_AT_END_REBOOT,   /* cold reset */
    AGPU_AT_END_SHELL,    /* return to the caller: the UEFI shell, or the next boot option */
    AGPU_AT_END_HALT,     /* stay, with the result on the screen */
};

/* Source of this machine's address. */
enum agpu_ip_source {
    AGPU_IP_DHCP,  /* IPv4; a target that needs IPv6 gets a router-assigned (SLAAC) address */
    AGPU_IP_SLAAC, /* IPv6, from the prefix of a router; names are resolved as IPv6 */
    AGPU_IP_STATIC,
};

#define AGPU_CONFIG_MORE_TARGETS 3

/* UART for records (serial=; the values are in the order of its words, as in the other enumerations). */
enum agpu_serial_use {
    AGPU_SERIAL_AUTO,  /* the first UART found */
    AGPU_SERIAL_SPARE, /* the first UART found, unless a debug console carries records */
    AGPU_SERIAL_OFF,
};

/* Requests of `agpu ctl` to the running image. */
enum agpu_control_use {
    AGPU_CONTROL_OFF,
    AGPU_CONTROL_ON,   /* served while cases run */
    AGPU_CONTROL_WAIT, /* also waits for requests before and after the cases */
};

/* Destination of a capture. */
enum agpu_capture_to {
    AGPU_CAPTURE_TO_ANY,    /* a volume; the stream when no volume takes it */
    AGPU_CAPTURE_TO_VOLUME, /* a volume only */
    AGPU_CAPTURE_TO_STREAM, /* the stream only */
};

/* DMA memory at and above 4 GiB. */
enum agpu_dma_high {
    AGPU_DMA_HIGH_AUTO, /* when the firmware maps it for the function */
    AGPU_DMA_HIGH_OFF,
    AGPU_DMA_HIGH_ON, /* also without a mapping of the firmware: device address is CPU address */
};

#define AGPU_CONFIG_SOURCES_MAX 4
#define AGPU_CONFIG_KEYS_MAX    96

struct agpu_config {
    /* Sources of values: their names in the order in which they were read, and for each key the number (from
     * 1) of the source that set it; 0: the default. */
    const char *sources[AGPU_CONFIG_SOURCES_MAX];
    unsigned source_count;
    uint8_t source_of[AGPU_CONFIG_KEYS_MAX];
    struct agpu_netconsole netconsole;
    char token[AGPU_CONFIG_TOKEN_MAX + 1]; /* shown in every datagram of records; "": none */
    bool keyed;                            /* datagrams also carry a hash with this key */
    uint8_t key[AGPU_CONFIG_KEY_SIZE];
    bool stream; /* sends the lossless stream, too, to the address of the datagrams */
    uint16_t stream_port;
    enum agpu_control_use control;
    uint16_t control_port; /* TCP */
    bool control_serial;   /* also on the first serial port */
    /* Other machines that get copies of the datagrams. */
    struct agpu_target more_targets[AGPU_CONFIG_MORE_TARGETS];
    unsigned more_target_count;
    enum agpu_ip_source ip_source;
    struct agpu_ip ip, gateway; /* for AGPU_IP_STATIC; an all-zero gateway: none */
    unsigned ip_bits;           /* prefix length, in the address's own family */
    struct agpu_ip dns;         /* all zero: from DHCP or the router */
    uint16_t vlan;              /* 802.1Q VLAN number; 0: frames without a tag */
    struct agpu_trace trace;    /* of the user-mode driver; any kind sets log_level to debug */
    enum agpu_log_level log_level;
    char trace_file[AGPU_CONFIG_PATH_MAX + 1]; /* on the boot volume; "": none */
    char replay[AGPU_CONFIG_PATH_MAX + 1];     /* "": none */
    struct agpu_settings settings;             /* of the driver stack */
    uint32_t watchdog_s;                       /* 0: none */
    uint32_t repeat;                           /* rounds of the catalogue, or seconds; 0: one round */
    bool repeat_seconds;
    bool model; /* the devices are known to be the project's model */
    char
        device[AGPU_CONFIG_DEVICE_MAX + 1]; /* functions to run on (pci/select.h); "": the first usable one */
    struct agpu_tag_choice tags;            /* kinds of cases */
    struct agpu_shard shard;                /* part of the chosen cases */
    struct agpu_quarantine quarantine;      /* known failures; the field today is not set here */
    struct agpu_budgets budgets;            /* limits on the figures that perf.* measures */
    /* All other keys are in config.def. */
#define NUMBER(key, ...)            uint32_t key;
#define WORD(key, usual, type, ...) type key;
#define TEXT(key, usual, most, ...) char key[(most) + 1];
#include "efi/config.def"
};

#endif
