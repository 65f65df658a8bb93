/* run_options.h: what `agpu run` was asked to do. */
#ifndef AGPU_HOST_RUN_RUN_OPTIONS_H
#define AGPU_HOST_RUN_RUN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/host/run/choice_options.h"
#include "tests/host/run/hardware.h"

#define AGPU_CFG_LINES_MAX    32
#define AGPU_MORE_DEVICES_MAX 7
#define AGPU_FILTER_TEXT_MAX  16384 /* more than the image takes: it is refused with the limit named */
#define AGPU_BARE_MAX         256

struct agpu_run_options {
    const char *abi;    /* NULL: the device model's default */
    const char *fault;  /* NULL: none */
    const char *filter; /* globs with commas between them: of --filter, of bare words, of the failed cases */
    char filter_text[AGPU_FILTER_TEXT_MAX]; /* what filter points to */
    const char *bare[AGPU_BARE_MAX];        /* words that are no option: names of cases */
    size_t bare_count;
    const char *failed_from; /* result folder of an earlier run; NULL: none */
    const char *require;     /* NULL: the image's default */
    const char *expect;      /* NULL: what our model was started as, of another device nothing */
    const char *allow_skips; /* NULL: the image's default */
    const char *trace;       /* words of agpu.cfg; NULL: none */
    const char *repeat;      /* rounds, or seconds with an s; NULL: one round */
    const char *shuffle;     /* seed; NULL: the catalogue's order */
    const char *out;         /* the result folder itself; NULL: the next numbered one in results */
    const char *results;
    const char *accel; /* auto, kvm or tcg */
    const char *qemu;
    const char *ovmf_code;
    const char *ovmf_vars;
    const char *image;
    const char *vdev;       /* program to run as the device model; NULL: this program's vdev subcommand */
    const char *machine;    /* command that starts the machine (command.h); NULL: our QEMU */
    bool tpm;               /* set behind reading: our QEMU has what tpm.h needs */
    char *const *qemu_args; /* further words for our QEMU, NULL at the end; NULL: none */
    unsigned restarts;      /* how often the machine is started again behind a case */
    bool apart;             /* machine and device model run where the kernel puts them */
    bool no_vdev;           /* the machine has the device inside */
    const char *plugin;     /* FILE[,OPTIONS] of a device plug-in; NULL: our model */
    const char *
        more_devices[AGPU_MORE_DEVICES_MAX]; /* model[,OPTIONS] or FILE[,OPTIONS] of those behind the first */
    unsigned more_device_count;
    unsigned devices;  /* --devices; 0: not given */
    char more_abi[96]; /* what more_devices may point to */
    struct agpu_hardware hardware;
    struct agpu_choice_options choice;
    const char *screenshot;
    const char *submission_log;  /* for the device model; NULL: none */
    const char *control;         /* the same */
    const char *device_capture;  /* the same */
    const char *capture;         /* word of agpu.cfg; NULL: off */
    const char *replay;          /* capture that is played instead of the catalogue, stored; NULL: none */
    const char *replay_until;    /* number of a submission; NULL: all */
    const char *replay_cases;    /* globs; NULL: all */
    const char *replay_function; /* number or place; NULL: 0 */
    const char *key_file;        /* of the key of keyed records; NULL: none */
    const char *ctl;             /* on or wait: the image answers agpu ctl; NULL: it does not */
    unsigned ctl_port;           /* of this host's 127.0.0.1, for that; 0: none */
    const char *ctl_socket;      /* the machine's serial port, for that; NULL: nobody may talk to it */
    uint64_t timeout_us;
    uint64_t boot_timeout_us;
    uint64_t case_timeout_us;
    uint64_t silence_us;
    unsigned memory_mib;
    bool nic;
    bool device;
    bool keep;
    const char *cfg[AGPU_CFG_LINES_MAX]; /* key=value lines that go into agpu.cfg as they are */
    size_t cfg_count;
};

enum agpu_options_result { AGPU_OPTIONS_RUN, AGPU_OPTIONS_HELP, AGPU_OPTIONS_BAD };

/* Fills *out from the command line (argv[0] is "run") and the environment. BAD has said on stderr what is
 * wrong. */
enum agpu_options_result agpu_run_options_parse(int argc, char **argv, struct agpu_run_options *out);

/* One option of a command line: its whole name without dashes, "" for a word that is no option; value NULL: it has none. */
struct agpu_run_word {
    const char *name;
    const char *value;
    bool joined; /* the value belongs into the same word: --capture=failures */
};

/* The options of a command line that agpu_run_options_parse() takes, malloc'd, and how many; *rest is the index of the first word
 * behind "--", argc when there is none. NULL when memory is exhausted. */
struct agpu_run_word *agpu_run_words(int argc, char **argv, size_t *count, int *rest);

/* More globs, or names, of cases to run. False with a line on stderr when they have no room. */
bool agpu_run_add_filter(struct agpu_run_options *options, const char *globs);

/* Does the image wait to be told what to run (--ctl, --cfg control=wait), so that the end of cases is not that of the run? */
bool agpu_run_waits(const struct agpu_run_options *options);

/* Is a device served to the machine, ours or another; else it has one inside, or none. */
bool agpu_run_starts_device(const struct agpu_run_options *options);

/* Whether our QEMU and our `agpu vdev` are kept on one processor (together.h): unless --apart says no. */
bool agpu_run_keeps_together(const struct agpu_run_options *options);

#endif
