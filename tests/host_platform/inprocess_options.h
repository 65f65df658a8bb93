/* inprocess_options.h: the command line of agpu_inprocess. */
#ifndef AGPU_TESTS_HOST_PLATFORM_INPROCESS_OPTIONS_H
#define AGPU_TESTS_HOST_PLATFORM_INPROCESS_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/capture/tap.h"
#include "tests/cases/choice/budget.h"
#include "tests/cases/choice/expect.h"
#include "tests/cases/choice/quarantine.h"
#include "tests/cases/choice/shard.h"
#include "tests/cases/choice/tags.h"
#include "tests/cases/harness/rounds.h"
#include "tests/cases/harness/trace.h"
#include "tests/cases/rig/settings.h"
#include "tests/device/plugin/model.h"
#include "tests/host_platform/host_platform.h"

struct inprocess_options {
    const char *devices[AGPU_HOST_DEVICES_MAX]; /* model[,OPTIONS] or FILE[,OPTIONS]; none: our model */
    struct agpu_host_device found[AGPU_HOST_DEVICES_MAX];
    unsigned device_count;
    const char *foreign; /* the first that is not our model; NULL: none */
    const char *fault;   /* of our model; NULL: none */
    char fault_device[sizeof "model," + VGPU_MODEL_OPTIONS];
    struct agpu_host_config host;
    unsigned hang_s; /* limit for a call into it; 0: the default */
    const char *filter;
    struct agpu_tag_choice tags;
    struct agpu_shard shard;
    unsigned cases_max;
    bool until_failure;
    unsigned stress_s;
    unsigned explore_seed;
    unsigned pattern_s;
    struct agpu_quarantine quarantine;
    struct agpu_budgets budgets;
    const char *select; /* as device= of agpu.cfg; NULL: the only one, or all */
    const char *after;
    const char *died;   /* how the case ended the process before this one; NULL: it did not */
    const char *expect; /* NULL: the ABI of our model, from expected_text */
    char expected_text[AGPU_HOST_DEVICES_MAX * AGPU_EXPECT_MAX];
    const char *allow_skips;
    /* Except model and settings, which are in any and the next field. */
    struct agpu_fixture_config fixture_config;
    struct agpu_settings settings;
    struct agpu_rounds_config rounds;
    const char *capture; /* file; NULL: none */
    enum agpu_capture_mode capture_mode;
    const char *record_ddi; /* file; NULL: none */
    const char *replay;     /* file; NULL: the catalogue */
    uint64_t until;
    bool any; /* the device is not known to be our model */
    bool list;
    bool quiet;
    bool records;
    const char *out; /* folder for the reports; NULL: none */
    char *const *argv;
};

/* Returns false with a message if it is invalid. *options must be zero, and keeps pointers into argv. */
bool agpu_inprocess_parse(int argc, char **argv, struct inprocess_options *options);

/* Text of --help. */
extern const char agpu_inprocess_usage[];

#endif
