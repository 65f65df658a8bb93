/* cmd_replay.c: `agpu replay`: replays a capture on any device in this process. */
#include "tests/host/cmd_replay.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/ddi/play.h"
#include "tests/device/plugin/guard.h"
#include "tests/device/plugin/load.h"
#include "tests/device/plugin/model.h"
#include "tests/device/plugin/port.h"
#include "tests/device/plugin/warden.h"
#include "tests/host/capture/copy.h"
#include "tests/host/capture/functions.h"
#include "tests/host/cmd_run.h"
#include "tests/host/exit_status.h"
#include "tests/host/replay/explain.h"
#include "tests/host/replay/replay.h"

static const char usage[] =
    "usage: agpu replay [OPTIONS] FILE [-- OPTIONS OF agpu run]\n"
    "       agpu replay --ddi FILE\n"
    "Plays a capture (agpu run --capture, agpu_inprocess --capture) on a device in this process, or in "
    "QEMU.\n"
    "Stops at the first difference: a register, a fence, error information, memory that the device wrote.\n"
    "A choice that the specification allows is not a difference (tests/handbook/capture.md).\n"
    "After a capture that a crash of the device cut off, plays those of the restarts: FILE-1 and so on.\n"
    "  --device FILE[,OPTIONS]  a shared library (agpu_device_plugin.h) instead of the model; "
    "model,OPTIONS:\n"
    "                 the model with these options\n"
    "  --abi ABI      ABI of the model, " VGPU_MODEL_ABIS "; default: the capture's generation\n"
    "  --fault NAME   use the model that tests/run --fault NAME has built\n"
    "  --until N      stop after submission N, as agpu decode numbers them\n"
    "  --case GLOBS   only these cases: an id, or as agpu run --filter\n"
    "  --function F   of a capture of several functions, only this one: its number or its place (00:04.0), "
    "as\n"
    "                 agpu decode prints it; default: each in turn, each on its own device. With --qemu and\n"
    "                 --unpack: default 0\n"
    "  --loop         repeat until there is a difference or a signal\n"
    "  --qemu         play it in QEMU: the image uses the real path to the device; words after -- are for\n"
    "                 agpu run\n"
    "  --unpack OUT   play nothing, write the capture in the form that the image plays. For hardware, copy "
    "OUT\n"
    "                 onto the stick and write replay=NAME into agpu.cfg\n"
    "  --ddi          FILE has calls into the user-mode driver (agpu_inprocess --record-ddi): makes them on "
    "the\n"
    "                 driver of this build, and names the first call after which a callback or packet "
    "differs\n"
    "Exit status: 0 no difference, 1 a difference, absurd DMA of the device (more than any machine has at\n"
    "once), or the capture cannot be played or is not complete, 2 usage.\n";

/* A call into a plug-in that takes longer counts as a hang. */
#define HANG_S 10u

struct replay_options {
    const char *path, *device, *abi, *fault, *unpack;
    char **run; /* options for agpu run, run_count of them */
    int run_count;
    bool qemu, ddi;
    const char *cases;         /* globs; NULL: all */
    const char *function_name; /* select function by this location; NULL: unused */
    uint32_t function;         /* or AGPU_CAPTURE_EVERY_FUNCTION */
    uint64_t until;            /* 0: to the end */
    bool loop;
};

static bool parse(int argc, char **argv, struct replay_options *options)
{
    static const struct option known[] = {
        {"device", required_argument, NULL, 'd'},   {"abi", required_argument, NULL, 'a'},
        {"fault", required_argument, NULL, 'f'},    {"until", required_argument, NULL, 'u'},
        {"function", required_argument, NULL, 'F'}, {"loop", no_argument, NULL, 'l'},
        {"case", required_argument, NULL, 'c'},     {"ddi", no_argument, NULL, 'D'},
        {"qemu", no_argument, NULL, 'q'},           {"unpack", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},           {0}};
    int option, end_of_own = 1;

    while (end_of_own < argc && strcmp(argv[end_of_own], "--") != 0) {
        end_of_own++;
    }
    options->run = argv + end_of_own + 1;
    options->run_count = end_of_own < argc ? argc - end_of_own - 1 : 0;
    argc = end_of_own;
    optind = 1;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        switch (option) {
        case 'd':
            options->device = optarg;
            break;
        case 'a':
            options->abi = optarg;
            break;
        case 'f':
            options->fault = optarg;
            break;
        case 'u':
            if (!agpu_capture_submission_read("agpu replay", "--until", optarg, &options->until)) {
                return false;
            }
            break;
        case 'c':
            options->cases = optarg;
            break;
        case 'F':
            if (!agpu_capture_function_read("agpu replay", optarg, &options->function,
                                            &options->function_name)) {
                return false;
            }
            break;
        case 'l':
            options->loop = true;
            break;
        case 'D':
            options->ddi = true;
            break;
        case 'q':
            options->qemu = true;
            break;
        case 'o':
            options->unpack = optarg;
            break;
        default:
            return false;
        }
    }
    if (optind + 1 != argc || (options->device != NULL && (options->fault != NULL || options->abi != NULL))) {
        fprintf(stderr, "%s%s",
                optind + 1 == argc ? "agpu replay: --abi and --fault apply to the project's model; they "
                                     "cannot be combined with --device\n"
                                   : "",
                usage);
        return false;
    }
    if (options->run_count != 0 && !options->qemu) {
        fprintf(stderr, "agpu replay: the words after -- are for agpu run: expected --qemu, too\n");
        return false;
    }
    if (options->ddi && argc != 3) {
        fprintf(stderr, "agpu replay: --ddi: expected no other option\n");
        return false;
    }
    options->path = argv[optind];
    return true;
}

/* ---- what is found ---- */

/* Prints the function's number in front of a message; not for function 0, the only one in most captures. */
static void print_function(uint32_t function)
{
    if (function != 0) {
        printf("function %" PRIu32 ": ", function);
    }
}

static void print_difference(const struct replay_options *options, uint32_t function,
                             const struct agpu_replay_difference *found)
{
    char message[300], place[300] = "";
    struct agpu_capture_reader *reader;

    printf("difference in %s, ", found->test[0] != '\0' ? found->test : "the capture");
    if (found->submission != 0) {
        printf("at or after submission %" PRIu64 " (fence %" PRIu64 ")", found->submission, found->fence);
    } else {
        printf("before its first submission");
    }
    printf(", record %" PRIu64 ":\n  %s\n", found->record, found->text);
    if (found->kind == AGPU_REPLAY_MEMORY) {
        reader = agpu_capture_open_function(options->path, function, message, sizeof message);
        if (reader != NULL) {
            agpu_explain_address(reader, found->record, found->address, found->last, place, sizeof place);
            agpu_capture_close(reader);
        }
        if (place[0] != '\0') {
            printf("  that is %s\n", place);
        }
    }
    if (found->submission != 0) {
        printf("  agpu decode --submission %" PRIu64, found->submission);
        if (function != 0) {
            printf(" --function %" PRIu32, function);
        }
        printf(" %s\n", options->path);
    }
}

static void print_counts(const struct agpu_replay_counts *counts, uint32_t function, const char *how)
{
    print_function(function);
    printf("%s: %" PRIu64 " cases, %" PRIu64 " submissions, %" PRIu64 " records, %" PRIu64 " bytes compared",
           how, counts->cases, counts->submissions, counts->records, counts->compared_bytes);
    if (counts->tolerated != 0) {
        printf(", %" PRIu64 " of them different as the specification allows", counts->tolerated);
    }
    putchar('\n');
}

/* Plays the file once. *met receives the functions that the file contains; *cut, that it has no end. */
static int play_once(const struct replay_options *options, uint32_t function, struct agpu_player *replay,
                     uint32_t *met, bool *cut)
{
    char message[300];
    struct agpu_capture_reader *reader =
        agpu_capture_open_function(options->path, function, message, sizeof message);
    enum agpu_replay_state state = AGPU_REPLAY_GOES_ON;
    enum agpu_capture_next next = AGPU_CAPTURE_NEXT_RECORD;
    struct agpu_capture_item item;
    struct agpu_capture_progress progress = {0};
    char place[AGPU_CAPTURE_PROGRESS_TEXT] = "in front of its first case";
    uint64_t last = 0;
    bool reached = false;
    int status = AGPU_EXIT_FAIL;

    if (reader == NULL) {
        fprintf(stderr, "agpu replay: %s: %s\n", options->path, message);
        return AGPU_EXIT_FAIL;
    }
    agpu_capture_choose_cases(reader, options->cases);
    while (state == AGPU_REPLAY_GOES_ON && !reached &&
           (next = agpu_capture_next(reader, &item)) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_SUBMISSION) {
            last = item.submission->number;
        }
        reached = options->until != 0 && last > options->until;
        if (!reached) {
            if (agpu_capture_progress_take(&progress, &item, place, sizeof place)) {
                vgpu_guard_set_place(place);
            }
            state = agpu_replay_feed(replay, &item);
        }
    }
    vgpu_guard_set_place(NULL);
    *met = agpu_capture_functions_met(reader);
    if (state == AGPU_REPLAY_DIFFERS) {
        print_function(function);
        print_difference(options, function, agpu_replay_found(replay));
        if (!agpu_capture_ends(reader)) {
            fprintf(stderr, "agpu replay: %s: %s\n", options->path, agpu_capture_error(reader));
        }
    } else if (state == AGPU_REPLAY_IMPOSSIBLE) {
        fprintf(stderr, "agpu replay: %s cannot be played: %s\n", options->path,
                agpu_replay_found(replay)->text);
    } else if (reached) {
        print_counts(agpu_replay_tally(replay), function, "no difference so far");
        status = AGPU_EXIT_PASS;
    } else if (next == AGPU_CAPTURE_NEXT_DONE && agpu_capture_lacks_cases(reader, message, sizeof message)) {
        fprintf(stderr, "agpu replay: %s: %s\n", options->path, message);
    } else if (next == AGPU_CAPTURE_NEXT_DONE && options->until > last) {
        fprintf(stderr,
                "agpu replay: %s: no submission %" PRIu64 " to stop after, the last is %" PRIu64
                "; no difference up to there\n",
                options->path, options->until, last);
    } else if (next == AGPU_CAPTURE_NEXT_DONE) {
        print_counts(agpu_replay_tally(replay), function, "no difference");
        status = AGPU_EXIT_PASS;
    } else {
        print_counts(agpu_replay_tally(replay), function,
                     "no difference up to this submission; the rest was not played");
        fflush(stdout);
        fprintf(stderr, "agpu replay: %s: %s; its last record is %s\n", options->path,
                agpu_capture_error(reader), place);
        *cut = next == AGPU_CAPTURE_NEXT_CUT;
    }
    agpu_capture_close(reader);
    return status;
}

/* ---- the device ---- */

/* Finds the generation in the capture, so that our model is created with the same. Returns false with a message; *cut
 * is then true when the capture has no end. */
static bool find_generation(const char *path, uint32_t function, bool *legacy, bool *cut)
{
    char message[300];
    struct agpu_capture_reader *reader = agpu_capture_open_function(path, function, message, sizeof message);
    struct agpu_capture_item item;
    bool found = false;

    if (reader == NULL) {
        fprintf(stderr, "agpu replay: %s: %s\n", path, message);
        return false;
    }
    while (!found && agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_RECORD) {
        if (item.type == AGPU_CAPTURE_DEVICE) {
            *legacy = item.device->generation == AGPU_CAPTURE_LEGACY;
            found = true;
        }
    }
    *cut = !found && agpu_capture_next(reader, &item) == AGPU_CAPTURE_NEXT_CUT;
    if (!found && agpu_capture_functions_met(reader) != 0 &&
        agpu_capture_lacks_function(reader, function, message, sizeof message)) {
        fprintf(stderr, "agpu replay: %s: %s\n", path, message);
    } else if (!found) {
        fprintf(stderr, "agpu replay: %s: it has no device: %s\n", path, agpu_capture_error(reader));
    }
    agpu_capture_close(reader);
    return found;
}

static struct agpu_player *create(const struct replay_options *options, uint32_t function, bool *cut)
{
    struct agpu_replay_config config = {0};
    bool legacy = false;
    char own[VGPU_MODEL_OPTIONS], message[512];
    struct agpu_player *replay;

    if (!find_generation(options->path, function, &legacy, cut)) {
        return NULL;
    }
    if (options->device != NULL) {
        config.table = vgpu_named_device(options->device, &config.options, message, sizeof message);
        if (config.table == NULL) {
            fprintf(stderr, "agpu replay: --device: %s\n", message);
            return NULL;
        }
    } else {
        vgpu_model_options(own,
                           options->abi != NULL ? options->abi
                           : legacy             ? "legacy"
                                                : NULL,
                           options->fault);
        config.options = own;
        config.table = vgpu_model_with(&config.options, message, sizeof message);
        if (config.table == NULL) {
            fprintf(stderr, "agpu replay: --fault: %s\n", message);
            return NULL;
        }
    }
    config.trusted = vgpu_is_model(config.table);
    replay = agpu_replay_create(&config, message, sizeof message);
    if (replay == NULL) {
        fprintf(stderr, "agpu replay: no device: %s\n", message);
        return NULL;
    }
    return replay;
}

/* ---- in QEMU ---- */

/* Returns the function to use where only one can be replayed. */
static uint32_t only_function(const struct replay_options *options)
{
    return options->function != AGPU_CAPTURE_EVERY_FUNCTION ? options->function : 0;
}

/* Builds the command line of agpu run. */
static int play_in_qemu(const struct replay_options *options)
{
    const struct {
        const char *name, *value;
    } own[] = {{"--device", options->device},
               {"--abi", options->abi},
               {"--fault", options->fault},
               {"--replay-case", options->cases}};
    char until[24], function[24];
    char **argv = calloc((size_t)options->run_count + 20, sizeof *argv);
    int argc = 0, status;

    if (argv == NULL) {
        fprintf(stderr, "agpu replay: no memory\n");
        return AGPU_EXIT_FAIL;
    }
    argv[argc++] = (char *)(uintptr_t) "run";
    argv[argc++] = (char *)(uintptr_t) "--replay";
    argv[argc++] = (char *)(uintptr_t)options->path;
    if (options->until != 0) {
        snprintf(until, sizeof until, "%" PRIu64, options->until);
        argv[argc++] = (char *)(uintptr_t) "--replay-until";
        argv[argc++] = until;
    }
    snprintf(function, sizeof function, "%" PRIu32, only_function(options));
    argv[argc++] = (char *)(uintptr_t) "--replay-function";
    argv[argc++] = function;
    if (options->loop) {
        argv[argc++] = (char *)(uintptr_t) "--repeat";
        argv[argc++] = (char *)(uintptr_t) "1000000";
    }
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        if (own[i].value != NULL) {
            argv[argc++] = (char *)(uintptr_t)own[i].name;
            argv[argc++] = (char *)(uintptr_t)own[i].value;
        }
    }
    for (int i = 0; i < options->run_count; i++) {
        argv[argc++] = options->run[i];
    }
    status = agpu_cmd_run(argc, argv);
    free(argv);
    return status;
}

static int unpack(const struct replay_options *options)
{
    char message[400];

    if (!agpu_capture_unpack(options->path, only_function(options), options->cases, options->unpack, message,
                             sizeof message)) {
        fprintf(stderr, "agpu replay: --unpack: %s: %s\n", options->path, message);
        return AGPU_EXIT_FAIL;
    }
    printf("%s: the capture in the form that the image plays\n", options->unpack);
    return AGPU_EXIT_PASS;
}

/* Reports a violation even if the capture shows no difference. */
static bool asked_for_absurd(const struct vgpu_port *port)
{
    const uint64_t count = vgpu_port_absurd_dma(port);

    if (count != 0) {
        fprintf(stderr,
                "agpu replay: ERROR: device %s asked for absurd DMA, more than 2^52 bytes at once, %" PRIu64
                " times: expected none; they were refused\n",
                vgpu_port_table(port)->name, count);
    }
    return count != 0;
}

/* Plays the requested functions once, each on its own device. */
static int play_all(const struct replay_options *options, struct agpu_player *players[AGPU_CAPTURE_FUNCTIONS],
                    bool *cut)
{
    uint32_t function = only_function(options), met = 0;
    int status = AGPU_EXIT_PASS;

    while (status == AGPU_EXIT_PASS && function < AGPU_CAPTURE_FUNCTIONS) {
        if (players[function] == NULL) {
            players[function] = create(options, function, cut);
        }
        if (players[function] == NULL) {
            return AGPU_EXIT_FAIL;
        }
        vgpu_guard_watch(agpu_replay_port(players[function]));
        agpu_replay_again(players[function]);
        status = play_once(options, function, players[function], &met, cut);
        fflush(stdout);
        status = asked_for_absurd(agpu_replay_port(players[function])) ? AGPU_EXIT_FAIL : status;
        function = agpu_capture_function_next(options->function, function, met);
    }
    return status;
}

/* Forgets the devices. */
static void destroy_all(struct agpu_player *players[AGPU_CAPTURE_FUNCTIONS])
{
    vgpu_guard_watch(NULL);
    for (uint32_t i = 0; i < AGPU_CAPTURE_FUNCTIONS; i++) {
        agpu_replay_destroy(players[i]);
        players[i] = NULL;
    }
}

/* Finds the capture that the same run wrote when it had restarted the device for the boot-th time: capture-1.agpucap
 * for capture.agpucap, FILE-1 for FILE. An older file is from another run. */
static bool find_restarted(const char *first, unsigned boot, char *path, size_t size)
{
    static const char suffix[] = ".agpucap";
    const size_t length = strlen(first), tail = sizeof suffix - 1;
    const size_t stem = length > tail && strcmp(first + length - tail, suffix) == 0 ? length - tail : length;
    const int used = snprintf(path, size, "%.*s-%u%s", (int)stem, first, boot, first + stem);
    struct stat was, is;

    return used > 0 && (size_t)used < size && stat(first, &was) == 0 && stat(path, &is) == 0 &&
           is.st_mtime >= was.st_mtime;
}

/* Plays the captures behind one that was cut, when its device had crashed and the run continued on another. */
static int play_restarted(const struct replay_options *options,
                          struct agpu_player *players[AGPU_CAPTURE_FUNCTIONS])
{
    char path[4200];
    struct replay_options restarted = *options;
    bool cut = true;

    restarted.path = path;
    for (unsigned boot = 1; cut && find_restarted(options->path, boot, path, sizeof path); boot++) {
        cut = false;
        destroy_all(players);
        printf("%s, on a new device, as in the run:\n", path);
        play_all(&restarted, players, &cut);
    }
    return AGPU_EXIT_FAIL; /* of the first, not all was played */
}

int agpu_cmd_replay(int argc, char **argv)
{
    struct replay_options options = {.function = AGPU_CAPTURE_EVERY_FUNCTION};
    struct agpu_player *players[AGPU_CAPTURE_FUNCTIONS] = {NULL};
    bool cut = false;
    int status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        fputs(usage, stdout);
        return AGPU_EXIT_PASS;
    }
    if (!parse(argc, argv, &options)) {
        return AGPU_EXIT_USAGE;
    }
    if (options.ddi) {
        const struct agpu_host_config machine = {.clock = AGPU_HOST_CLOCK_MANUAL};

        return ddi_play(options.path, &machine) == 0 ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
    }
    if (!agpu_capture_function_find("agpu replay", options.path, options.function_name, &options.function)) {
        return AGPU_EXIT_FAIL;
    }
    if (options.unpack != NULL) {
        return unpack(&options);
    }
    if (options.qemu) {
        return play_in_qemu(&options);
    }
    const bool foreign = options.device != NULL && !vgpu_names_model(options.device);
    if ((foreign && !vgpu_warden_set()) ||
        (options.device != NULL && !vgpu_guard_install(options.device, HANG_S))) {
        fprintf(stderr, "agpu replay: cannot start the process that guards the device\n");
        return AGPU_EXIT_FAIL;
    }
    do {
        status = play_all(&options, players, &cut);
    } while (options.loop && status == AGPU_EXIT_PASS);
    status = cut ? play_restarted(&options, players) : status;
    destroy_all(players);
    return vgpu_warden_dismiss() ? status : AGPU_EXIT_FAIL;
}
