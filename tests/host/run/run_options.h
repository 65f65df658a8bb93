/* run_options.h: the command line of `agpu run`. */
#ifndef AGPU_HOST_RUN_RUN_OPTIONS_H
#define AGPU_HOST_RUN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/run/choice_options.h"
#include "tests/host/run/hardware.h"

#define AGPU_CFG_LINES_MAX    32
#define AGPU_MORE_DEVICES_MAX 7
/* above the limit of the image, so that a longer text is refused with that limit */
#define AGPU_FILTER_TEXT_MAX 16384
#define AGPU_BARE_MAX        256

struct agpu_run_options {
    const char *abi;    /* NULL: the device model's default */
    const char *fault;  /* NULL: none */
    const char *filter; /* globs separated by commas: of --filter, of plain arguments, of the failed cases */
    char filter_text[AGPU_FILTER_TEXT_MAX]; /* storage for filter */
    const char *bare[AGPU_BARE_MAX];        /* arguments that are not options: names of cases */
    size_t bare_count;
    const char *failed_from; /* result folder of an earlier run; NULL: none */
    const char *require;     /* NULL: the image's default */
    const char *expect;      /* NULL: the ABI of our model; no expectation for another device */
    const char *allow_skips; /* NULL: the image's default */
    const char *trace;       /* words of agpu.cfg; NULL: none */
    const char *repeat;      /* rounds, or seconds with an s suffix; NULL: one round */
    unsigned explore_min;    /* the cases explore.* repeat for this many minutes; 0: not chosen */
    unsigned explore_seed;   /* of their first round, if explore_seeded */
    bool explore_seeded;
    char explore_repeat[16]; /* storage for repeat */
    const char *shuffle;     /* seed; NULL: the catalogue's order */
    const char *out;         /* the result folder itself; NULL: the next numbered one in results */
    const char *results;
    const char *accel; /* auto, kvm or tcg */
    const char *qemu;
    const char *ovmf_code;
    const char *ovmf_vars;
    bool own_firmware; /* --ovmf-code or --ovmf-vars is given */
    const char *image;
    const char *vdev;       /* program to run as the device model; NULL: this program's vdev subcommand */
    const char *machine;    /* command that starts the machine (command.h); NULL: our QEMU */
    bool tpm;               /* set after parsing: our QEMU supports what tpm.h needs */
    char *const *qemu_args; /* further arguments for our QEMU, NULL at the end; NULL: none */
    unsigned restarts;      /* limit for restarts of the machine after a case */
    bool apart;             /* the kernel may run machine and device model on different processors */
    bool no_vdev;           /* the machine brings its own device */
    const char *plugin;     /* FILE[,OPTIONS] of a device plug-in; NULL: our model */
    const char *
        more_devices[AGPU_MORE_DEVICES_MAX]; /* model[,OPTIONS] or FILE[,OPTIONS] of those behind the first */
    unsigned more_device_count;
    unsigned devices;  /* --devices; 0: not given */
    char more_abi[96]; /* storage that more_devices may use */
    struct agpu_hardware hardware;
    struct agpu_choice_options choice;
    const char *screenshot;
    const char *submission_log;  /* passed to the device model; NULL: none */
    const char *control;         /* likewise */
    const char *device_capture;  /* likewise */
    const char *save_restore;    /* likewise */
    const char *capture;         /* word of agpu.cfg; NULL: off */
    const char *replay;          /* stored capture to replay instead of the catalogue; NULL: none */
    const char *replay_until;    /* number of a submission; NULL: all */
    const char *replay_cases;    /* globs; NULL: all */
    const char *replay_function; /* number or place; NULL: 0 */
    const char *key_file;        /* file with the key of keyed records; NULL: none */
    const char *ctl;             /* on or wait: the image serves agpu ctl; NULL: it does not */
    unsigned ctl_port;           /* port of this host's 127.0.0.1 for agpu ctl; 0: none */
    const char *ctl_socket;      /* socket of the machine's serial port for agpu ctl; NULL: none */
    uint64_t timeout_us;
    uint64_t boot_timeout_us;
    uint64_t case_timeout_us;
    uint64_t silence_us;
    unsigned memory_mib;
    bool nic;
    bool device;
    bool keep;
    const char *cfg[AGPU_CFG_LINES_MAX]; /* key=value lines that are copied into agpu.cfg */
    size_t cfg_count;
};

enum agpu_options_result { AGPU_OPTIONS_RUN, AGPU_OPTIONS_HELP, AGPU_OPTIONS_BAD };

/* Fills *out from the command line (argv[0] is "run") and the environment. BAD: the error was written to stderr. */
enum agpu_options_result agpu_run_options_parse(int argc, char **argv, struct agpu_run_options *out);

/* One option of a command line: its whole name without dashes, "" for an argument that is not an option; value NULL:
 * it has none. */
struct agpu_run_word {
    const char *name;
    const char *value;
    bool joined; /* the value is part of the same argument: --capture=failures */
};

/* Returns the options of a command line that agpu_run_options_parse() accepts, malloc'd, and their count; *rest is
 * the index of the first argument after "--", argc when there is none. NULL when memory is exhausted. */
struct agpu_run_word *agpu_run_words(int argc, char **argv, size_t *count, int *rest);

/* Adds globs, or names, of cases to run. Returns false with a line on stderr when there is no room. */
bool agpu_run_add_filter(struct agpu_run_options *options, const char *globs);

/* Returns true when the image waits for commands (--ctl, --cfg control=wait), so that the run does not end with its
 * cases. */
bool agpu_run_waits(const struct agpu_run_options *options);

/* Returns true when this program starts a device for the machine, ours or another; otherwise the machine brings one,
 * or has none. */
bool agpu_run_starts_device(const struct agpu_run_options *options);

/* Returns true when our QEMU and our `agpu vdev` are to share one processor (together.h): the default, unless
 * --apart is given. */
bool agpu_run_keeps_together(const struct agpu_run_options *options);

#endif
