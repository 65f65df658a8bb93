/* run_options.c: parses the command line and environment of `agpu run`. */
#include "tests/host/run/run_options.h"
#include "tests/host/run/cache.h"
#include "tests/host/run/command.h"
#include "tests/host/report/wrap.h"
#include "tests/host/run/run_help.h"
#include "tests/host/wire/run_model.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* A capture is one case, and may take long. */
#define TIMEOUT_US         UINT64_C(900000000)
#define MINUTE_US          UINT64_C(60000000)
#define EXPLORE_MOST_MIN   100000u
#define EXPLORE_MOST_SEED  999999999u
#define BOOT_TIMEOUT_US    UINT64_C(60000000)
#define WAITING_TIMEOUT_US UINT64_C(86400000000)
#define REPLAY_TIMEOUT_US  UINT64_C(3600000000)

enum {
    BARE_WORD = 1, /* getopt_long()'s value for an argument that is not an option */
    OPT_ABI = 256,
    OPT_FAULT,
    OPT_FILTER,
    OPT_REQUIRE,
    OPT_EXPECT,
    OPT_ALLOW_SKIPS,
    OPT_TRACE,
    OPT_REPEAT,
    OPT_EXPLORE,
    OPT_EXPLORE_SEED,
    OPT_SHUFFLE,
    OPT_OUT,
    OPT_RESULTS,
    OPT_FAILED_FROM,
    OPT_ACCEL,
    OPT_QEMU,
    OPT_OVMF_CODE,
    OPT_OVMF_VARS,
    OPT_IMAGE,
    OPT_VDEV,
    OPT_DEVICE,
    OPT_SCREENSHOT,
    OPT_SUBMISSION_LOG,
    OPT_CONTROL,
    OPT_CAPTURE,
    OPT_DEVICE_CAPTURE,
    OPT_SAVE_RESTORE,
    OPT_REPLAY,
    OPT_REPLAY_UNTIL,
    OPT_REPLAY_CASE,
    OPT_REPLAY_FUNCTION,
    OPT_TIMEOUT,
    OPT_BOOT_TIMEOUT,
    OPT_CASE_TIMEOUT,
    OPT_KEY,
    OPT_SILENCE,
    OPT_MEMORY,
    OPT_NO_NIC,
    OPT_NO_DEVICE,
    OPT_KEEP,
    OPT_CFG,
    OPT_MACHINE,
    OPT_NO_VDEV,
    OPT_APART,
    OPT_RESTARTS,
    OPT_HELP,
    OPT_DEVICES,
    OPT_CTL,
    OPT_COLOR,
    OPT_CHOICE,                                      /* and the following ones of choice_options.h */
    OPT_HARDWARE = OPT_CHOICE + AGPU_CHOICE_OPTIONS, /* and the following parts of hardware.h */
};

static const struct option long_options[] = {
    {"abi", required_argument, NULL, OPT_ABI},
    {"fault", required_argument, NULL, OPT_FAULT},
    {"filter", required_argument, NULL, OPT_FILTER},
    {"require", required_argument, NULL, OPT_REQUIRE},
    {"expect", required_argument, NULL, OPT_EXPECT},
    {"allow-skips", required_argument, NULL, OPT_ALLOW_SKIPS},
    {"trace", required_argument, NULL, OPT_TRACE},
    {"repeat", required_argument, NULL, OPT_REPEAT},
    {"explore", required_argument, NULL, OPT_EXPLORE},
    {"explore-seed", required_argument, NULL, OPT_EXPLORE_SEED},
    {"shuffle", required_argument, NULL, OPT_SHUFFLE},
    {"out", required_argument, NULL, OPT_OUT},
    {"results", required_argument, NULL, OPT_RESULTS},
    {"failed-from", required_argument, NULL, OPT_FAILED_FROM},
    {"accel", required_argument, NULL, OPT_ACCEL},
    {"qemu", required_argument, NULL, OPT_QEMU},
    {"ovmf-code", required_argument, NULL, OPT_OVMF_CODE},
    {"ovmf-vars", required_argument, NULL, OPT_OVMF_VARS},
    {"image", required_argument, NULL, OPT_IMAGE},
    {"vdev", required_argument, NULL, OPT_VDEV},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"screenshot", required_argument, NULL, OPT_SCREENSHOT},
    {"submission-log", required_argument, NULL, OPT_SUBMISSION_LOG},
    {"control", required_argument, NULL, OPT_CONTROL},
    {"capture", optional_argument, NULL, OPT_CAPTURE},
    {"device-capture", required_argument, NULL, OPT_DEVICE_CAPTURE},
    {"save-restore", required_argument, NULL, OPT_SAVE_RESTORE},
    {"replay", required_argument, NULL, OPT_REPLAY},
    {"replay-until", required_argument, NULL, OPT_REPLAY_UNTIL},
    {"replay-case", required_argument, NULL, OPT_REPLAY_CASE},
    {"replay-function", required_argument, NULL, OPT_REPLAY_FUNCTION},
    {"timeout", required_argument, NULL, OPT_TIMEOUT},
    {"boot-timeout", required_argument, NULL, OPT_BOOT_TIMEOUT},
    {"case-timeout", required_argument, NULL, OPT_CASE_TIMEOUT},
    {"key", required_argument, NULL, OPT_KEY},
    {"ctl", optional_argument, NULL, OPT_CTL},
    {"color", required_argument, NULL, OPT_COLOR},
    {"silence", required_argument, NULL, OPT_SILENCE},
    {"memory", required_argument, NULL, OPT_MEMORY},
    {"no-nic", no_argument, NULL, OPT_NO_NIC},
    {"no-device", no_argument, NULL, OPT_NO_DEVICE},
    {"keep", no_argument, NULL, OPT_KEEP},
    {"cfg", required_argument, NULL, OPT_CFG},
    {"machine", required_argument, NULL, OPT_MACHINE},
    {"no-vdev", no_argument, NULL, OPT_NO_VDEV},
    {"apart", no_argument, NULL, OPT_APART},
    {"restarts", required_argument, NULL, OPT_RESTARTS},
    {"help", no_argument, NULL, OPT_HELP},
    {"devices", required_argument, NULL, OPT_DEVICES},
    {"tag", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_TAG},
    {"shard", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_SHARD},
    {"until-failure", no_argument, NULL, OPT_CHOICE + AGPU_CHOICE_UNTIL_FAILURE},
    {"one-per-boot", no_argument, NULL, OPT_CHOICE + AGPU_CHOICE_ONE_PER_BOOT},
    {"pattern", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_PATTERN},
    {"stress", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_STRESS},
    {"budget", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_BUDGET},
    {"quarantine", required_argument, NULL, OPT_CHOICE + AGPU_CHOICE_QUARANTINE},
    {"board", required_argument, NULL, OPT_HARDWARE + AGPU_HARDWARE_BOARD},
    {"nic", required_argument, NULL, OPT_HARDWARE + AGPU_HARDWARE_NIC},
    {"boot", required_argument, NULL, OPT_HARDWARE + AGPU_HARDWARE_BOOT},
    {"bridge", required_argument, NULL, OPT_HARDWARE + AGPU_HARDWARE_BRIDGE},
    {"iommu", required_argument, NULL, OPT_HARDWARE + AGPU_HARDWARE_IOMMU},
    {NULL, 0, NULL, 0},
};

static bool parse_seconds(const char *name, const char *text, uint64_t *us)
{
    char *end;
    double value = strtod(text, &end);

    if (end == text || *end != '\0' || !(value > 0 && value <= 1e6)) {
        fprintf(stderr, "agpu run: %s needs seconds, more than 0 and at most 1000000, not \"%s\"\n", name,
                text);
        return false;
    }
    *us = (uint64_t)(value * 1e6);
    return true;
}

static bool parse_number(const char *name, const char *text, unsigned least, unsigned most, unsigned *out)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    if (text[0] < '0' || text[0] > '9' || *end != '\0' || value < least || value > most) {
        fprintf(stderr, "agpu run: %s needs a number from %u to %u, not \"%s\"\n", name, least, most, text);
        return false;
    }
    *out = (unsigned)value;
    return true;
}

static bool one_of(const char *name, const char *text, const char *a, const char *b, const char *c)
{
    if (strcmp(text, a) == 0 || strcmp(text, b) == 0 || (c != NULL && strcmp(text, c) == 0)) {
        return true;
    }
    fprintf(stderr, "agpu run: %s is %s, %s%s%s, not \"%s\"\n", name, a, b, c != NULL ? " or " : "",
            c != NULL ? c : "", text);
    return false;
}

static bool one_line(const char *name, const char *text)
{
    if (strpbrk(text, "\r\n") == NULL) {
        return true;
    }
    fprintf(stderr, "agpu run: %s must be a single line\n", name);
    return false;
}

static bool add_cfg(struct agpu_run_options *out, const char *line)
{
    const char *equals = strchr(line, '=');

    if (equals == NULL || equals == line || strpbrk(line, "\r\n") != NULL ||
        out->cfg_count == AGPU_CFG_LINES_MAX) {
        fprintf(stderr, "agpu run: --cfg needs KEY=VALUE on one line, at most %d times, not \"%s\"\n",
                AGPU_CFG_LINES_MAX, line);
        return false;
    }
    out->cfg[out->cfg_count++] = line;
    return true;
}

static bool add_device(struct agpu_run_options *out, const char *device)
{
    if (out->plugin == NULL) {
        out->plugin = device;
        return true;
    }
    if (out->more_device_count == AGPU_MORE_DEVICES_MAX) {
        fprintf(stderr, "agpu run: --device: one machine has room for %d\n", AGPU_MORE_DEVICES_MAX + 1);
        return false;
    }
    out->more_devices[out->more_device_count++] = device;
    return true;
}

static bool parse_devices(const char *text, struct agpu_run_options *out)
{
    if (text[0] < '1' || text[0] > '1' + AGPU_MORE_DEVICES_MAX || text[1] != '\0') {
        fprintf(stderr, "agpu run: --devices needs 1 to %d, not \"%s\"\n", AGPU_MORE_DEVICES_MAX + 1, text);
        return false;
    }
    out->devices = (unsigned)(text[0] - '0');
    return true;
}

/* Applies --devices, after all options are parsed. */
static bool complete_devices(struct agpu_run_options *out)
{
    if (out->devices > 1 && out->more_device_count != 0) {
        fputs("agpu run: --devices N starts N of one --device; it cannot be combined with several --device\n",
              stderr);
        return false;
    }
    if (out->abi != NULL) {
        snprintf(out->more_abi, sizeof out->more_abi, "model,abi=%s", out->abi);
    }
    while (out->devices > out->more_device_count + 1) {
        out->more_devices[out->more_device_count++] = out->plugin != NULL ? out->plugin
                                                      : out->abi != NULL  ? out->more_abi
                                                                          : "model";
    }
    if (out->more_device_count != 0 && (out->vdev != NULL || out->machine != NULL)) {
        fprintf(
            stderr,
            "agpu run: %s has one device: only the QEMU that agpu run starts takes several, with --device\n",
            out->vdev != NULL ? "--vdev" : "--machine");
        return false;
    }
    if (out->more_device_count != 0) {
        out->restarts = 0; /* continuing after a case works with a single device only */
    }
    return true;
}

static bool parse_machine(const char *text, struct agpu_run_options *out)
{
    char message[600];

    out->machine = text;
    if (agpu_command_check(text, message, sizeof message)) {
        return true;
    }
    fprintf(stderr, "agpu run: --machine: %s\n", message);
    return false;
}

bool agpu_run_add_filter(struct agpu_run_options *out, const char *globs)
{
    const size_t used = strlen(out->filter_text);
    const int n = snprintf(out->filter_text + used, sizeof out->filter_text - used, "%s%s",
                           used != 0 ? "," : "", globs);

    out->filter = out->filter_text;
    if (n < 0 || (size_t)n >= sizeof out->filter_text - used) {
        fprintf(stderr, "agpu run: --filter: names and globs of more than %d bytes\n",
                AGPU_FILTER_TEXT_MAX - 1);
        return false;
    }
    return true;
}

static bool add_bare(struct agpu_run_options *out, const char *word)
{
    if (strpbrk(word, "/= \r\n") != NULL) {
        fprintf(stderr,
                "agpu run: unexpected argument \"%s\": expected an option or the name of a case; words for "
                "QEMU go after --\n",
                word);
        return false;
    }
    if (out->bare_count == AGPU_BARE_MAX) {
        fprintf(stderr, "agpu run: more than %d names; use globs\n", AGPU_BARE_MAX);
        return false;
    }
    out->bare[out->bare_count++] = word;
    return agpu_run_add_filter(out, word);
}

static bool parse_option(int option, struct agpu_run_options *out)
{
    if (option >= OPT_HARDWARE && option < OPT_HARDWARE + AGPU_HARDWARE_PARTS) {
        return agpu_hardware_choose(&out->hardware, (enum agpu_hardware_part)(option - OPT_HARDWARE), optarg);
    }
    if (option >= OPT_CHOICE && option < OPT_CHOICE + AGPU_CHOICE_OPTIONS) {
        return agpu_choice_option(&out->choice, (enum agpu_choice_option)(option - OPT_CHOICE), optarg);
    }
    switch (option) {
    case OPT_ABI:
        out->abi = optarg;
        return true; /* agpu vdev lists the names that it knows */
    case OPT_FAULT:
        out->fault = optarg;
        return true;
    case OPT_FILTER:
        return one_line("--filter", optarg) && agpu_run_add_filter(out, optarg);
    case BARE_WORD:
        return add_bare(out, optarg);
    case OPT_REQUIRE:
        out->require = optarg;
        return one_line("--require", optarg);
    case OPT_ALLOW_SKIPS:
        out->allow_skips = optarg;
        return one_line("--allow-skips", optarg);
    case OPT_EXPECT:
        out->expect = optarg;
        return one_line("--expect", optarg);
    case OPT_TRACE:
        out->trace = optarg;
        return one_line("--trace", optarg);
    case OPT_REPEAT:
        out->repeat = optarg;
        return one_line("--repeat", optarg);
    case OPT_EXPLORE:
        return parse_number("--explore", optarg, 1, EXPLORE_MOST_MIN, &out->explore_min);
    case OPT_EXPLORE_SEED:
        out->explore_seeded = true;
        return parse_number("--explore-seed", optarg, 0, EXPLORE_MOST_SEED, &out->explore_seed);
    case OPT_SHUFFLE:
        out->shuffle = optarg;
        return one_line("--shuffle", optarg);
    case OPT_OUT:
        out->out = optarg;
        return true;
    case OPT_RESULTS:
        out->results = optarg;
        return true;
    case OPT_FAILED_FROM:
        out->failed_from = optarg;
        return true;
    case OPT_ACCEL:
        out->accel = optarg;
        return one_of("--accel", optarg, "auto", "kvm", "tcg");
    case OPT_QEMU:
        out->qemu = optarg;
        return true;
    case OPT_OVMF_CODE:
        out->ovmf_code = optarg;
        out->own_firmware = true;
        return true;
    case OPT_OVMF_VARS:
        out->ovmf_vars = optarg;
        out->own_firmware = true;
        return true;
    case OPT_IMAGE:
        out->image = optarg;
        return true;
    case OPT_VDEV:
        out->vdev = optarg;
        return true;
    case OPT_DEVICE:
        return add_device(out, optarg);
    case OPT_DEVICES:
        return parse_devices(optarg, out);
    case OPT_SCREENSHOT:
        out->screenshot = optarg;
        return true;
    case OPT_SUBMISSION_LOG:
        out->submission_log = optarg;
        return true;
    case OPT_CONTROL:
        out->control = optarg;
        return true;
    case OPT_CAPTURE:
        out->capture = optarg != NULL ? optarg : "submissions";
        return one_of("--capture", out->capture, "submissions", "failures", "off");
    case OPT_DEVICE_CAPTURE:
        out->device_capture = optarg;
        return true;
    case OPT_SAVE_RESTORE:
        out->save_restore = optarg;
        return true;
    case OPT_REPLAY:
        out->replay = optarg;
        out->case_timeout_us = REPLAY_TIMEOUT_US;
        out->timeout_us = REPLAY_TIMEOUT_US;
        return true;
    case OPT_REPLAY_UNTIL:
        out->replay_until = optarg;
        return true;
    case OPT_REPLAY_CASE:
        out->replay_cases = optarg;
        return true;
    case OPT_REPLAY_FUNCTION:
        out->replay_function = optarg;
        return true;
    case OPT_TIMEOUT:
        return parse_seconds("--timeout", optarg, &out->timeout_us);
    case OPT_BOOT_TIMEOUT:
        return parse_seconds("--boot-timeout", optarg, &out->boot_timeout_us);
    case OPT_CASE_TIMEOUT:
        return parse_seconds("--case-timeout", optarg, &out->case_timeout_us);
    case OPT_KEY:
        out->key_file = optarg;
        return true;
    case OPT_CTL:
        out->ctl = optarg != NULL ? optarg : "wait";
        return one_of("--ctl", out->ctl, "wait", "on", "on");
    case OPT_COLOR:
        return one_of("--color", optarg, "auto", "always", "never") && agpu_color_choose(optarg);
    case OPT_SILENCE:
        return parse_seconds("--silence", optarg, &out->silence_us);
    case OPT_MEMORY:
        return parse_number("--memory (MiB)", optarg, 128, 65536, &out->memory_mib);
    case OPT_NO_NIC:
        out->nic = false;
        return true;
    case OPT_NO_DEVICE:
        out->device = false;
        return true;
    case OPT_KEEP:
        out->keep = true;
        return true;
    case OPT_CFG:
        return add_cfg(out, optarg);
    case OPT_MACHINE:
        return parse_machine(optarg, out);
    case OPT_NO_VDEV:
        out->no_vdev = true;
        return true;
    case OPT_APART:
        out->apart = true;
        return true;
    case OPT_RESTARTS:
        return parse_number("--restarts", optarg, 0, AGPU_RESTARTS_MAX, &out->restarts);
    default:
        fputs("agpu run: see agpu run --help\n", stderr);
        return false;
    }
}

static const char *environment_or(const char *name, const char *fallback)
{
    const char *value = getenv(name);

    return value != NULL && *value ? value : fallback;
}

/* Returns the image in the current directory, else that of this program: PREFIX/share/agpu/agpu.img belongs to
 * PREFIX/libexec/agpu/agpu, build/image to build/PRESET/tests/host/agpu. */
static const char *default_image(void)
{
    static const char *const from_program[] = {"/../../share/agpu/agpu.img", "/../../../image/efi/agpu.img"};
    static char path[PATH_MAX + 40];
    const ssize_t length = readlink("/proc/self/exe", path, PATH_MAX);

    path[length > 0 ? length : 0] = '\0';
    char *const slash = strrchr(path, '/');
    for (size_t i = 0; i < 2 && slash != NULL && access("agpu.img", R_OK) != 0; i++) {
        strcpy(slash, from_program[i]);
        if (access(path, R_OK) == 0) {
            return path;
        }
    }
    return "agpu.img";
}

/* Returns the QEMU that tests/deps unpacked where the system's is too old, else the system's. */
static const char *default_qemu(void)
{
    static char path[4096];

    return agpu_cache_path("/qemu/bin/qemu-system-x86_64", path, sizeof path) && access(path, X_OK) == 0
               ? path
               : "qemu-system-x86_64";
}

/* Applies --explore, after all options are parsed. */
static bool complete_explore(struct agpu_run_options *out)
{
    if (out->explore_min == 0) {
        return true;
    }
    snprintf(out->explore_repeat, sizeof out->explore_repeat, "%us", 60 * out->explore_min);
    out->repeat = out->repeat != NULL ? out->repeat : out->explore_repeat;
    out->timeout_us = out->timeout_us != 0 ? out->timeout_us : TIMEOUT_US + out->explore_min * MINUTE_US;
    if (!out->explore_seeded) {
        out->explore_seed = (unsigned)((uint64_t)time(NULL) % EXPLORE_MOST_SEED);
        out->explore_seeded = true;
    }
    return agpu_run_add_filter(out, "explore.*");
}

/* Sets the default time limits. A machine that waits for commands waits for a person. */
static void set_bounds(struct agpu_run_options *out)
{
    const bool waits = out->ctl != NULL && agpu_run_waits(out);

    if (out->timeout_us == 0) {
        out->timeout_us = waits ? WAITING_TIMEOUT_US : TIMEOUT_US;
    }
    if (out->boot_timeout_us == 0) {
        out->boot_timeout_us = waits ? out->timeout_us : BOOT_TIMEOUT_US;
    }
}

enum agpu_options_result agpu_run_options_parse(int argc, char **argv, struct agpu_run_options *out)
{
    *out = (struct agpu_run_options){
        .results = "results",
        .accel = "auto",
        .qemu = environment_or("AGPU_QEMU", default_qemu()),
        .ovmf_code = environment_or("AGPU_OVMF_CODE", "/usr/share/OVMF/OVMF_CODE_4M.fd"),
        .ovmf_vars = environment_or("AGPU_OVMF_VARS", "/usr/share/OVMF/OVMF_VARS_4M.fd"),
        .image = environment_or("AGPU_IMAGE", default_image()),
        .case_timeout_us = 60000000,
        .silence_us = 15000000,
        .memory_mib = 6144,
        .restarts = 8,
        .nic = true,
        .device = true,
    };
    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "-", long_options, NULL)) != -1;) {
        if (option == OPT_HELP) {
            agpu_run_help(stdout);
            return AGPU_OPTIONS_HELP;
        }
        if (!parse_option(option, out)) {
            return AGPU_OPTIONS_BAD;
        }
    }
    if (optind < argc) {
        out->qemu_args = argv + optind; /* after -- */
    }
    if (!complete_explore(out)) {
        return AGPU_OPTIONS_BAD;
    }
    set_bounds(out);
    out->case_timeout_us += (out->choice.stress_s + out->choice.pattern_s) * UINT64_C(1000000);
    if (!complete_devices(out) || !agpu_hardware_check(&out->hardware)) {
        return AGPU_OPTIONS_BAD;
    }
    out->nic = out->nic && strcmp(agpu_hardware_of(&out->hardware, AGPU_HARDWARE_NIC)->name, "none") != 0;
    return AGPU_OPTIONS_RUN;
}

struct agpu_run_word *agpu_run_words(int argc, char **argv, size_t *count, int *rest)
{
    struct agpu_run_word *words = calloc((size_t)argc + 1, sizeof *words);
    int at = 0;

    *count = 0;
    optind = 1;
    for (int option; words != NULL && (option = getopt_long(argc, argv, "-", long_options, &at)) != -1;) {
        const bool bare = option == BARE_WORD;

        words[(*count)++] =
            (struct agpu_run_word){.name = bare ? "" : long_options[at].name,
                                   .value = optarg,
                                   .joined = !bare && long_options[at].has_arg == optional_argument};
    }
    *rest = optind;
    return words;
}

bool agpu_run_starts_device(const struct agpu_run_options *options)
{
    return options->device && !options->no_vdev &&
           (options->machine == NULL || agpu_command_uses(options->machine, AGPU_PLACE_VDEV_SOCKET));
}

bool agpu_run_keeps_together(const struct agpu_run_options *options)
{
    /* Another device than our model gets its own processor, so that races with its driver can show. */
    return !options->apart && options->machine == NULL && options->vdev == NULL && options->plugin == NULL &&
           agpu_run_starts_device(options);
}

bool agpu_run_waits(const struct agpu_run_options *options)
{
    static const char key[] = "control=wait";
    bool waits = options->ctl != NULL && strcmp(options->ctl, "wait") == 0;

    for (size_t i = 0; i < options->cfg_count; i++) {
        waits = waits || strncmp(options->cfg[i], key, sizeof key - 1) == 0;
    }
    return waits;
}
