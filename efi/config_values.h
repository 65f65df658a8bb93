/* config_values.h: what agpu.cfg says, in one piece: its readers (config.h, config_net.h) fill it in. Freestanding. */
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

/* Which UART carries records. */
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

/* Whether DMA memory may lie from 4 GiB on. */
enum agpu_capture_to {
    AGPU_CAPTURE_TO_ANY,    /* a volume; the stream when none takes it */
    AGPU_CAPTURE_TO_VOLUME, /* or nowhere */
    AGPU_CAPTURE_TO_STREAM, /* likewise */
};

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
    bool dhcp_config;           /* whose option 224 is looked at */
    enum agpu_at_end at_end;
    enum agpu_log_level log_level;             /* log records less important than this are not sent */
    struct agpu_trace trace;                   /* of the user-mode driver; any makes log_level debug */
    char trace_file[AGPU_CONFIG_PATH_MAX + 1]; /* of the boot volume; "": none */
    struct agpu_settings settings;             /* of the driver stack */
    enum agpu_serial_use serial;
    uint32_t dhcp_timeout_ms; /* how long the cases may be kept waiting for an address */
    uint32_t pattern_s;       /* the run is the test picture, for so long; 0: the catalogue */
    uint32_t stress_s;        /* for so long each case of the tag stress goes on; 0: as it does */
    uint32_t case_timeout_s;  /* for one case; 0: the harness's own bound */
    uint32_t run_timeout_s;   /* for the whole catalogue; 0: likewise */
    uint32_t resume;          /* how many resets of the machine the run goes on behind; 0: it does not */
    uint32_t watchdog_s;      /* 0: none */
    enum agpu_dma_high dma_high;
    enum agpu_capture_mode capture;        /* what is written down */
    enum agpu_capture_to capture_to;       /* and where */
    char replay[AGPU_CONFIG_PATH_MAX + 1]; /* capture that is played instead of the catalogue; "": none */
    uint32_t replay_until;                 /* number of the last submission that is; 0: all */
    uint32_t repeat;                       /* rounds of the catalogue, or seconds; 0: one round */
    bool repeat_seconds;
    uint32_t shuffle; /* seed of the order of the cases; 0: none */
    bool model;       /* the devices are known to be the project's model */
    enum agpu_stack_mode stack_mode;
    char test_hook[AGPU_CONFIG_HOOK_MAX + 1];  /* test_hook.h; "": none */
    char device[AGPU_CONFIG_DEVICE_MAX + 1];   /* which functions (pci/select.h); "": the first usable one */
    char filter[AGPU_CONFIG_FILTER_MAX + 1];   /* globs over case ids; "": all */
    struct agpu_tag_choice tags;               /* kinds of cases */
    struct agpu_shard shard;                   /* and a part of those */
    uint32_t cases_max;                        /* the run stops behind so many; 0: at the end */
    bool all_evidence;                         /* of every case that fails */
    bool until_failure;                        /* and behind the first failure */
    struct agpu_quarantine quarantine;         /* known failures; today is not set */
    struct agpu_budgets budgets;               /* limits on what perf.* measures */
    char after[AGPU_CONFIG_AFTER_MAX + 1];     /* id of the case behind which to begin; "": at the first */
    char require[AGPU_CONFIG_REQUIRE_MAX + 1]; /* tests/cases/rig/require.h; "": the default */
    char expect[AGPU_CONFIG_REQUIRE_MAX + 1];  /* tests/cases/choice/expect.h; "": nothing is stated */
    char allow_skips[AGPU_CONFIG_FILTER_MAX + 1]; /* tests/cases/choice/skips.h; "": the usual ones */
};

#endif
