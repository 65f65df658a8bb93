/* cmd_reduce.c: the command line of the reducer. */
#include "tests/device/plugin/model.h"
#include "tests/host/cmd_reduce.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/compare/capture_in.h"
#include "tests/host/compare/capture_out.h"
#include "tests/host/capture/functions.h"
#include "tests/host/compare/emit_case.h"
#include "tests/host/compare/heap.h"
#include "tests/host/compare/lockstep.h"
#include "tests/host/compare/meet.h"
#include "tests/host/compare/report.h"
#include "tests/host/exit_status.h"

static const char usage[] =
    "usage: agpu reduce FILE --device D [--reference R] [--case GLOBS] [--out PREFIX] [--seconds N]\n"
    "       agpu reduce --session N [--seed S] --device D [--reference R] ...\n"
    "Shrinks a failing case of a capture, or a session of random work (agpu compare), to the smallest that\n"
    "still fails: submissions, packets, table entries, sizes, values. It fails while D and R differ.\n"
    "  --device D       the faulty device: \"model[,OPTIONS]\", or FILE[,OPTIONS] of a plug-in\n"
    "  --reference R    the correct device (default: model)\n"
    "  --case GLOBS     the first matching case of the capture that failed, else the first matching case\n"
    "                   (default: of all cases)\n"
    "  --function F     of a capture of several functions, this one: its number or its place (00:04.0), as\n"
    "                   agpu decode prints it (default 0)\n"
    "  --session N, --seed S   random work instead of a capture\n"
    "  --out PREFIX     PREFIX.cap: the result as a capture of R; PREFIX.c: as a case for the catalogue\n"
    "                   (default: reduced, beside FILE)\n"
    "  --as WHOM        model: also compare the model's choices (default when both are the model); any: do "
    "not\n"
    "  --seconds N      time limit of the tries (default 60); the work is also played once before and after "
    "them\n"
    "  --hang S         a call into a device that takes longer is a hang (default 5)\n"
    "Exit status: 0 reduced and written (PREFIX.c if it can be expressed as a case); 1 it does not fail, "
    "could\n"
    "not be written, or a device asked for absurd DMA (which is shrunk and written like any other); 2 "
    "usage.\n";

struct reduce_options {
    const char *file, *device, *reference, *id, *out, *as;
    uint64_t session, seed, seconds, hang_s;
    uint32_t function;
    const char *function_name; /* select function by this location; NULL: unused */
    bool random;
};

static const struct option known[] = {
    {"device", required_argument, NULL, 'd'},  {"reference", required_argument, NULL, 'r'},
    {"case", required_argument, NULL, 'c'},    {"function", required_argument, NULL, 'F'},
    {"session", required_argument, NULL, 'S'}, {"seed", required_argument, NULL, 's'},
    {"out", required_argument, NULL, 'o'},     {"as", required_argument, NULL, 'a'},
    {"seconds", required_argument, NULL, 't'}, {"hang", required_argument, NULL, 'H'},
    {"help", no_argument, NULL, 'h'},          {0}};

#define HANG_MOST_S  3600u
#define SECONDS_MOST 1000000u

static bool take_count(const char *text, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    if (text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0) {
        return true;
    }
    fprintf(stderr, "agpu reduce: \"%s\": expected a number\n", text);
    return false;
}

static bool take_seconds(const char *name, unsigned most, uint64_t *out)
{
    if (!take_count(optarg, out)) {
        return false;
    }
    if (*out == 0 || *out > most) {
        fprintf(stderr, "agpu reduce: --%s %s: expected a number of seconds from 1 to %u\n", name, optarg,
                most);
        return false;
    }
    return true;
}

static bool take_word(struct reduce_options *options, int option)
{
    switch (option) {
    case 'd':
        options->device = optarg;
        return true;
    case 'r':
        options->reference = optarg;
        return true;
    case 'c':
        options->id = optarg;
        return true;
    case 'o':
        options->out = optarg;
        return true;
    case 'F':
        return agpu_capture_function_read("agpu reduce", optarg, &options->function, &options->function_name);
    case 'S':
        options->random = true;
        return take_count(optarg, &options->session);
    case 's':
        return take_count(optarg, &options->seed);
    case 't':
        return take_seconds("seconds", SECONDS_MOST, &options->seconds);
    case 'H':
        return take_seconds("hang", HANG_MOST_S, &options->hang_s);
    case 'a':
        options->as = optarg;
        if (strcmp(optarg, "model") == 0 || strcmp(optarg, "any") == 0) {
            return true;
        }
        fprintf(stderr, "agpu reduce: --as %s: expected model or any\n", optarg);
        return false;
    default:
        return false;
    }
}

static bool parse_reduce(int argc, char **argv, struct reduce_options *options, int *status)
{
    int option;

    *options = (struct reduce_options){.reference = "model", .seed = 1, .seconds = 60, .hang_s = 5};
    *status = AGPU_EXIT_USAGE;
    optind = 1;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            *status = AGPU_EXIT_PASS;
            return false;
        }
        if (!take_word(options, option)) {
            return false;
        }
    }
    options->file = optind < argc ? argv[optind++] : NULL;
    if (options->device == NULL) {
        fputs("agpu reduce: expected --device D, the faulty device, found none\n", stderr);
    }
    if (optind != argc || options->device == NULL || (options->file != NULL) == options->random) {
        fputs(usage, stderr);
        return false;
    }
    return true;
}

/* Opens both devices, and determines their common features. */
static bool open_pair(const struct reduce_options *options, struct agpu_cmp_pair *pair)
{
    const char *const specs[2] = {options->reference, options->device};
    const bool model = options->as != NULL ? strcmp(options->as, "model") == 0
                                           : vgpu_names_model(specs[0]) && vgpu_names_model(specs[1]);
    static struct agpu_cmp_meeting meeting; /* the sides point to it */
    char text[AGPU_CMP_TEXT];

    meeting = (struct agpu_cmp_meeting){.specs = {specs[0], specs[1]},
                                        .hang_s = (unsigned)options->hang_s,
                                        .draws = !options->random, /* a capture may contain draws */
                                        .model = model};
    if (!agpu_cmp_meet(&meeting, pair, text)) {
        fprintf(stderr, "agpu reduce: %s\n", text);
        return false;
    }
    for (int i = 0; i < 2; i++) {
        if (meeting.probes[i].legacy) {
            fprintf(stderr,
                    "agpu reduce: %s is a device of the retired generation, which executes no packets\n",
                    specs[i]);
            return false;
        }
    }
    return true;
}

/* Reports a file that is cut off after the selected case, which is complete; only this checks the rest of the file. */
static void report_incomplete(const char *path)
{
    char message[300];
    struct agpu_capture_reader *reader = agpu_capture_open(path, message, sizeof message);

    if (reader != NULL && !agpu_capture_ends(reader)) {
        fprintf(stderr, "agpu reduce: %s: %s\n", path, agpu_capture_error(reader));
    }
    agpu_capture_close(reader);
}

static bool get_program(const struct reduce_options *options, const struct agpu_cmp_pair *pair,
                        struct agpu_gen_program *program, char name[AGPU_CMP_TEXT])
{
    const struct agpu_gen_plan plan = {
        .seed = options->seed, .areas = UINT32_MAX, .submissions = 128, .common = pair->common};
    struct agpu_gen generator;
    char text[AGPU_CMP_TEXT];

    if (!options->random) {
        uint32_t function = options->function;

        if (!agpu_capture_function_find("agpu reduce", options->file, options->function_name, &function)) {
            return false;
        }
        if (!agpu_cmp_capture_read(options->file, function, options->id, program, name, text)) {
            fprintf(stderr, "agpu reduce: %s: %s\n", options->file, text);
            return false;
        }
        report_incomplete(options->file);
        return true;
    }
    agpu_gen_generate(&generator, &plan, options->session, program);
    snprintf(name, AGPU_CMP_TEXT, "session %" PRIu64 " of seed %" PRIu64, options->session, options->seed);
    return true;
}

/* Builds the name of a result: below --out, else beside the capture, or in the current directory for random work. */
static bool result_path(const struct reduce_options *options, const char *suffix, char path[PATH_MAX])
{
    const char *slash = options->file != NULL ? strrchr(options->file, '/') : NULL;
    const int folder = options->out == NULL && slash != NULL ? (int)(slash - options->file) + 1 : 0;

    return snprintf(path, PATH_MAX, "%.*s%s%s", folder, folder != 0 ? options->file : "",
                    options->out != NULL ? options->out : "reduced", suffix) < PATH_MAX;
}

static bool write_results(const struct reduce_options *options, struct agpu_cmp_pair *pair, const char *name,
                          const struct agpu_cmp_finding *finding)
{
    char path[PATH_MAX], text[AGPU_CMP_TEXT], id[128];
    bool good = true;

    snprintf(id, sizeof id, "reduced: %.100s", name);
    if (!result_path(options, ".cap", path)) {
        fputs("agpu reduce: --out is too long\n", stderr);
        return false;
    }
    if (agpu_cmp_capture_write(path, id, pair, &finding->program, text)) {
        printf("%s: a capture with the answers of %s; agpu replay plays it on any device\n", path,
               options->reference);
    } else {
        fprintf(stderr, "agpu reduce: %s: %s\n", path, text);
        good = false;
    }
    result_path(options, ".c", path);
    if (agpu_cmp_emit_file(path, finding, pair, text)) {
        printf("%s: a case, for a directory of tests/cases and its line in catalogue.def\n", path);
    } else {
        fprintf(stderr, "agpu reduce: %s: %s\n", path, text);
    }
    return good;
}

/* Reports a violation that no device may commit, whatever else is being reduced. */
static bool report_absurd(const struct agpu_cmp_pair *pair)
{
    for (int i = 0; i < 2; i++) {
        if (pair->absurd[i][0] != '\0') {
            fprintf(stderr, "agpu reduce: ERROR: %c, %s: %s\n", 'A' + i, pair->sides[i].spec,
                    pair->absurd[i]);
        }
    }
    return pair->absurd[0][0] != '\0' || pair->absurd[1][0] != '\0';
}

int agpu_cmd_reduce(int argc, char **argv)
{
    struct reduce_options options;
    struct agpu_cmp_pair pair = {0};
    struct agpu_gen_program program = AGPU_CMP_PROGRAM;
    struct agpu_cmp_finding finding = {0};
    char name[AGPU_CMP_TEXT];
    uint32_t submissions, packets, before_submissions, before_packets;
    int status;
    bool good;

    if (!parse_reduce(argc, argv, &options, &status)) {
        return status;
    }
    good = open_pair(&options, &pair) && get_program(&options, &pair, &program, name);
    if (good && !agpu_cmp_investigate(&pair, &program, true, options.seconds, &finding)) {
        fprintf(stderr,
                "agpu reduce: %s: %s and %s do the same with it: expected a difference; check that it is the "
                "right case and the captured device\n",
                name, options.device, options.reference);
        good = false;
    }
    if (good) {
        agpu_cmp_size(&program, &before_submissions, &before_packets);
        agpu_cmp_size(&finding.program, &submissions, &packets);
        printf(
            "%s: %u steps, %u submissions, %u packets; the smallest that fails: %u steps, %u submissions, %u "
            "packets (%u tries)\n",
            name, program.step_count, before_submissions, before_packets, finding.program.step_count,
            submissions, packets, finding.tries);
        printf("%s: %s (A: %s, B: %s)\n", finding.section, finding.sentence, options.reference,
               options.device);
        agpu_cmp_program_text(&finding.program, stdout);
        good = write_results(&options, &pair, name, &finding);
    }
    good = !report_absurd(&pair) && good;
    agpu_cmp_program_free(&program);
    agpu_cmp_program_free(&finding.program);
    for (int i = 0; i < 2; i++) {
        agpu_cmp_side_close(&pair.sides[i]);
    }
    return good ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
