/* cmd_compare.c: the command line of the comparison. */
#include "tests/device/plugin/model.h"
#include "tests/host/cmd_compare.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/compare/capture_out.h"
#include "tests/host/compare/catalogue.h"
#include "tests/host/compare/emit_case.h"
#include "tests/host/compare/lockstep.h"
#include "tests/host/compare/meet.h"
#include "tests/host/compare/report.h"
#include "tests/host/compare/report_page.h"
#include "tests/host/exit_status.h"
#include "tests/host/output_file.h"

static const char usage[] =
    "usage: agpu compare --device A --device B [--random N] [--seed S] [OPTIONS]\n"
    "Compares two devices: runs the catalogue on both, and random work on both in lockstep. Each difference\n"
    "is shrunk and printed once, with the section of the specification that decides. Choices that the\n"
    "specification leaves to the device are listed first; they are not differences, and the random work "
    "avoids\n"
    "them. A device is \"model[,OPTIONS]\" (also the default for the second one) or FILE[,OPTIONS], a "
    "plug-in\n"
    "(agpu_device_plugin.h). Each device runs in its own processes.\n"
    "  --random N       number of streams (default 100000; 0: none)\n"
    "  --seed S         seed of the random work (default 1); same seed and options, same work\n"
    "  --session N      start the random work with this session; a difference names its session\n"
    "  --area LIST      only these areas of random work (see --list), separated by commas, and those that "
    "they "
    "need\n"
    "  --without LIST   leave out these areas, and do not compare these choices\n"
    "  --with LIST      also compare these choices, although not both devices are the model\n"
    "  --as WHOM        model: compare all choices (default when both are the model); any: compare none\n"
    "  --as-given       run a \"model\" without options as it is, also where the other device has more "
    "functions\n"
    "  --abi 1.4|legacy|both  generations to compare (default: all that both devices have)\n"
    "  --draws          both devices execute shaders: adds random scenes and dispatches, which take much "
    "longer\n"
    "  --no-catalogue   random work only\n"
    "  --filter GLOBS   only these cases of the catalogue\n"
    "  --most N         stop after N differences of random work (1 to 16, default 8)\n"
    "  --seconds N      time limit of the random work\n"
    "  --hang S         a call into a device that takes longer is a hang (default 5, with --draws 120)\n"
    "  --no-reduce      do not shrink differences\n"
    "  --json FILE, --html FILE   write the report in this format, too; - is standard output\n"
    "  --cases DIR      write each difference as a C case for the catalogue, and as a capture of A\n"
    "  --inprocess FILE program that runs the catalogue (default: the one beside agpu)\n"
    "  --list           print areas and choices, and exit\n"
    "Exit status: 0 no difference, 1 differences, a device that does not run, or an --area without work, "
    "2 usage.\n";

#define HANG_UNSAID UINT64_MAX

struct compare_options {
    const char *specs[2];
    uint32_t spec_count;
    uint64_t random, seed, session, seconds, most, hang_s;
    uint32_t areas, asked;  /* with those that they need; by --area */
    uint64_t with, without; /* choices */
    const char *as, *abi, *filter, *json, *html, *cases, *inprocess;
    bool no_catalogue, no_reduce, draws, as_given, list;
};

static bool take_number(const char *name, const char *text, uint64_t most, uint64_t *out)
{
    char *end;

    errno = 0;
    *out = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || *out > most) {
        fprintf(stderr, "agpu compare: --%s %s: expected a number up to %" PRIu64 "\n", name, text, most);
        return false;
    }
    return true;
}

static bool take_positive(const char *name, const char *text, uint64_t most, uint64_t *out)
{
    if (!take_number(name, text, most, out)) {
        return false;
    }
    if (*out == 0) {
        fprintf(stderr, "agpu compare: --%s 0: expected a number from 1 to %" PRIu64 "\n", name, most);
    }
    return *out != 0;
}

/* Parses a comma-separated list: areas go into areas, choices into choices; NULL: words of that kind are errors. */
static bool take_list(const char *name, const char *text, uint32_t *areas, uint64_t *choices)
{
    while (*text != '\0') {
        const size_t length = strcspn(text, ",");
        enum agpu_gen_area area;
        enum agpu_gen_choice choice;

        if (areas != NULL && agpu_gen_area_find(text, length, &area)) {
            *areas |= 1u << area;
        } else if (choices != NULL && agpu_gen_choice_find(text, length, &choice)) {
            *choices |= UINT64_C(1) << choice;
        } else {
            fprintf(stderr, "agpu compare: --%s: there is no \"%.*s\"; --list names them\n", name,
                    (int)length, text);
            return false;
        }
        text += length + (text[length] == ',');
    }
    return true;
}

static void print_lists(void)
{
    puts("areas of random work:");
    for (size_t i = 0; i < AGPU_GEN_AREA_COUNT; i++) {
        printf("  %-16s %s\n", agpu_gen_area_info(i)->name, agpu_gen_area_info(i)->what);
    }
    puts("choices that the specification leaves to a device, and how a comparison of any two keeps clear of "
         "them:");
    for (size_t i = 0; i < AGPU_GEN_CHOICE_COUNT; i++) {
        const struct agpu_gen_choice_info *info = agpu_gen_choice_info(i);

        printf("  %-16s %s: %s: %s\n", info->name, info->section, info->what, info->how);
    }
}

static const struct option known[] = {{"device", required_argument, NULL, 'd'},
                                      {"random", required_argument, NULL, 'r'},
                                      {"seed", required_argument, NULL, 's'},
                                      {"session", required_argument, NULL, 'S'},
                                      {"area", required_argument, NULL, 'a'},
                                      {"without", required_argument, NULL, 'w'},
                                      {"with", required_argument, NULL, 'W'},
                                      {"as", required_argument, NULL, 'A'},
                                      {"as-given", no_argument, NULL, 'g'},
                                      {"abi", required_argument, NULL, 'b'},
                                      {"no-catalogue", no_argument, NULL, 'C'},
                                      {"filter", required_argument, NULL, 'f'},
                                      {"most", required_argument, NULL, 'm'},
                                      {"seconds", required_argument, NULL, 't'},
                                      {"hang", required_argument, NULL, 'H'},
                                      {"no-reduce", no_argument, NULL, 'R'},
                                      {"draws", no_argument, NULL, 'D'},
                                      {"json", required_argument, NULL, 'j'},
                                      {"html", required_argument, NULL, 'x'},
                                      {"cases", required_argument, NULL, 'c'},
                                      {"inprocess", required_argument, NULL, 'i'},
                                      {"list", no_argument, NULL, 'l'},
                                      {"help", no_argument, NULL, 'h'},
                                      {0}};

static bool one_of(const char *name, const char *value, const char *a, const char *b, const char *c)
{
    if (strcmp(value, a) == 0 || strcmp(value, b) == 0 || (c != NULL && strcmp(value, c) == 0)) {
        return true;
    }
    fprintf(stderr, "agpu compare: --%s %s: expected %s%s%s or %s\n", name, value, a, c != NULL ? ", " : "",
            c != NULL ? c : "", b);
    return false;
}

static bool take_option(struct compare_options *options, int option, uint32_t *without_areas)
{
    switch (option) {
    case 'd':
        if (options->spec_count == 2) {
            fputs("agpu compare: expected at most two --device, found a third\n", stderr);
            return false;
        }
        options->specs[options->spec_count++] = optarg;
        return true;
    case 'r':
        return take_number("random", optarg, UINT64_C(1) << 40, &options->random);
    case 's':
        return take_number("seed", optarg, UINT64_MAX, &options->seed);
    case 'S':
        return take_number("session", optarg, UINT64_C(1) << 40, &options->session);
    case 'a':
        return take_list("area", optarg, &options->areas, NULL);
    case 'w':
        return take_list("without", optarg, without_areas, &options->without);
    case 'W':
        return take_list("with", optarg, NULL, &options->with);
    case 'A':
        options->as = optarg;
        return one_of("as", optarg, "model", "any", NULL);
    case 'b':
        options->abi = optarg;
        return one_of("abi", optarg, "1.4", "legacy", "both");
    case 'C':
        options->no_catalogue = true;
        return true;
    case 'f':
        options->filter = optarg;
        return true;
    case 'm':
        return take_positive("most", optarg, AGPU_CMP_FINDINGS,
                             &options->most); /* --random 0: no random work */
    case 't':
        return take_number("seconds", optarg, 1000000, &options->seconds);
    case 'H':
        return take_positive("hang", optarg, 3600, &options->hang_s);
    case 'D':
        options->draws = true;
        return true;
    case 'g':
        options->as_given = true;
        return true;
    case 'R':
        options->no_reduce = true;
        return true;
    case 'j':
        options->json = optarg;
        return true;
    case 'x':
        options->html = optarg;
        return true;
    case 'c':
        options->cases = optarg;
        return true;
    case 'i':
        options->inprocess = optarg;
        return true;
    default:
        options->list = true;
        return option == 'l';
    }
}

/* False: the exit status is in *status. */
static bool parse(int argc, char **argv, struct compare_options *options, int *status)
{
    uint32_t without_areas = 0;
    int option;

    *options = (struct compare_options){.random = 100000, .seed = 1, .most = 8, .hang_s = HANG_UNSAID};
    *status = AGPU_EXIT_USAGE;
    optind = 1;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            *status = AGPU_EXIT_PASS;
            return false;
        }
        if (!take_option(options, option, &without_areas)) {
            return false;
        }
    }
    if (optind != argc || (options->spec_count == 0 && !options->list)) {
        if (optind != argc) {
            fprintf(stderr, "agpu compare: \"%s\" is not an option: name a device with --device %s\n",
                    argv[optind], argv[optind]);
        } else {
            fputs("agpu compare: expected one --device or two, found none; see --help\n", stderr);
        }
        return false;
    }
    if (options->spec_count == 1) { /* a single device is B, and A is the reference */
        options->specs[1] = options->specs[0];
        options->specs[0] = "model";
    }
    if (options->hang_s == HANG_UNSAID) { /* all shaders of a scene are compiled in one call */
        options->hang_s = options->draws ? 120 : 5;
    }
    options->asked = options->areas;
    options->areas =
        agpu_gen_areas_with_needs(options->areas != 0 ? options->areas : UINT32_MAX) & ~without_areas;
    return true;
}

/* ---- running ---- */

static void print_line(void *ctx, const char *line)
{
    (void)ctx;
    fprintf(stderr, "agpu compare: %s\n", line);
}

/* Checks what both devices support: work that one of them lacks cannot be compared. */
static bool have_something(const struct agpu_cmp_probe probes[2])
{
    if (probes[0].legacy == probes[1].legacy || probes[0].both || probes[1].both) {
        return true;
    }
    fprintf(stderr,
            "agpu compare: A is of the %s generation, B of the %s generation: they have no work in common\n",
            probes[0].legacy ? "legacy" : "versioned", probes[1].legacy ? "legacy" : "versioned");
    return false;
}

static bool has_abi(const struct agpu_cmp_probe *probe, bool legacy)
{
    return probe->both || probe->legacy == legacy;
}

static bool run_random(const struct compare_options *options, struct agpu_cmp_pair *pair, uint64_t streams,
                       uint64_t seconds, bool legacy, struct agpu_cmp_lockstep *out)
{
    char text[AGPU_CMP_TEXT];

    *out = (struct agpu_cmp_lockstep){
        .pair = pair,
        .plan = {.seed = options->seed,
                 .areas = options->areas,
                 .submissions = options->draws ? 24 : 128,
                 .draws = options->draws,
                 .heavy = 12},
        .first_session = options->session,
        .streams = streams,
        .seconds = seconds,
        .most = (uint32_t)options->most,
        .reduce = !options->no_reduce,
        .progress = print_line,
    };
    pair->common.legacy = legacy;
    if (legacy) { /* the registers are where the versioned device has them; our model reports that itself */
        pair->common.features = 8;
    }
    out->plan.common = pair->common;
    if (!agpu_cmp_lockstep_run(out, text)) {
        fprintf(stderr, "agpu compare: %s\n", text);
        return false;
    }
    return true;
}

static bool find_inprocess(const struct compare_options *options, char path[PATH_MAX])
{
    char self[PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash;

    if (options->inprocess != NULL) {
        return snprintf(path, PATH_MAX, "%s", options->inprocess) < PATH_MAX;
    }
    if (length <= 0) {
        return false;
    }
    self[length] = '\0';
    slash = strrchr(self, '/');
    *slash = '\0';
    return snprintf(path, PATH_MAX, "%s/../host_platform/agpu_inprocess", self) < PATH_MAX;
}

static bool write_file(const char *path, bool html, const struct agpu_cmp_report *report)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    bool good = out != NULL;

    if (good && html) {
        agpu_cmp_report_html(report, out);
    } else if (good) {
        good = agpu_cmp_report_json(report, out);
    }
    if (out != NULL) {
        good = fflush(out) == 0 && !ferror(out) && good;
        good = (out == stdout || fclose(out) == 0) && good;
    }
    if (!good) {
        fprintf(stderr, "agpu compare: %s: %s\n", path, strerror(errno));
    }
    return good;
}

/* Writes the cases. Reports a case that cannot be written, and continues. */
static void write_cases(const char *folder, const struct agpu_cmp_lockstep *part, struct agpu_cmp_pair *pair,
                        uint32_t *number)
{
    pair->common = part->plan.common;
    for (uint32_t i = 0; i < part->finding_count; i++) {
        char path[PATH_MAX], id[32], text[AGPU_CMP_TEXT] = "the name is too long";

        if (part->findings[i].history) {
            continue;
        }
        if (snprintf(path, sizeof path, "%s/difference_%u.c", folder, ++*number) >= (int)sizeof path ||
            !agpu_cmp_emit_file(path, &part->findings[i], pair, text)) {
            fprintf(stderr, "agpu compare: %s: %s\n", path, text);
        }
        snprintf(path, sizeof path, "%s/difference_%u.cap", folder, *number);
        snprintf(id, sizeof id, "difference_%u", *number);
        if (!agpu_cmp_capture_write(path, id, pair, &part->findings[i].program, text)) {
            fprintf(stderr, "agpu compare: %s: %s\n", path, text);
        }
    }
}

static void describe_command(int argc, char **argv, char *text, size_t size)
{
    size_t length = (size_t)snprintf(text, size, "agpu");

    for (int i = 0; i < argc && length < size; i++) {
        length += (size_t)snprintf(text + length, size - length,
                                   strpbrk(argv[i], " *?'") != NULL ? " '%s'" : " %s", argv[i]);
    }
}

/* Runs the generations one after the other: the retired one supports less. */
static bool run_parts(const struct compare_options *options, struct agpu_cmp_pair *pair, bool versioned,
                      bool legacy, struct agpu_cmp_lockstep parts[2], struct agpu_cmp_report *report)
{
    const uint64_t share = versioned && legacy ? options->random / 16 : 0;
    uint64_t left = options->seconds;
    bool good = true;

    if (options->random > 0 && versioned) {
        good = run_random(options, pair, options->random - share, left, false, &parts[report->part_count]);
        left = (double)left > parts[report->part_count].busy_seconds
                   ? left - (uint64_t)parts[report->part_count].busy_seconds
                   : left > 0;
        report->part_count += good;
    }
    if (good && options->random > 0 && legacy) {
        good = run_random(options, pair, versioned ? share : options->random, left, true,
                          &parts[report->part_count]);
        report->part_count += good;
    }
    return good;
}

static bool run_catalogue(const struct compare_options *options, const struct agpu_cmp_meeting *meeting,
                          bool versioned, struct agpu_cmp_catalogue *catalogue)
{
    const char *const specs[2] = {agpu_cmp_meeting_spec(meeting, 0), agpu_cmp_meeting_spec(meeting, 1)};
    const struct agpu_cmp_catalogue_setup setup = {
        .specs = {specs[0], specs[1]},
        .model = meeting->model,
        .legacy = !versioned,
        .apart = meeting->agreement.count > 0,
        .filter = options->filter,
        .seconds = 600,
    };
    char path[PATH_MAX], text[AGPU_CMP_TEXT] = "its program was not found: name it with --inprocess";

    if (find_inprocess(options, path) && agpu_cmp_catalogue_run(path, &setup, catalogue, text)) {
        return true;
    }
    fprintf(stderr, "agpu compare: %s\n", text);
    return false;
}

static int compare(const struct compare_options *options, const char *command)
{
    static struct agpu_cmp_lockstep parts[2];
    static struct agpu_cmp_catalogue catalogue;
    static struct agpu_cmp_meeting meeting;
    struct agpu_cmp_pair pair = {0};
    struct agpu_cmp_report report = {
        .meeting = &meeting, .parts = parts, .asked = options->asked, .command = command};
    char text[AGPU_CMP_TEXT];
    bool good, legacy, versioned;
    uint32_t number = 0;

    meeting =
        (struct agpu_cmp_meeting){.specs = {options->specs[0], options->specs[1]},
                                  .hang_s = (unsigned)options->hang_s,
                                  .draws = options->draws,
                                  .as_given = options->as_given,
                                  .insisted = options->with & ~options->without,
                                  .let_go = options->without,
                                  .model = options->as != NULL ? strcmp(options->as, "model") == 0
                                                               : vgpu_names_model(options->specs[0]) &&
                                                                     vgpu_names_model(options->specs[1])};
    if (options->cases != NULL && !agpu_make_folder(options->cases)) {
        fprintf(stderr, "agpu compare: --cases %s: %s\n", options->cases, strerror(errno));
        return AGPU_EXIT_USAGE;
    }
    good = agpu_cmp_meet(&meeting, &pair, text);
    if (!good) {
        fprintf(stderr, "agpu compare: %s\n", text);
    }
    good = good && have_something(meeting.probes);
    legacy = has_abi(&meeting.probes[0], true) && has_abi(&meeting.probes[1], true) &&
             (options->abi == NULL || strcmp(options->abi, "1.4") != 0) &&
             (options->areas >> AGPU_GEN_AREA_LEGACY & 1) != 0;
    versioned = has_abi(&meeting.probes[0], false) && has_abi(&meeting.probes[1], false) &&
                (options->abi == NULL || strcmp(options->abi, "legacy") != 0);
    if (good) {
        agpu_cmp_report_devices(&report, stdout);
        fflush(stdout);
    }
    if (good && !options->no_catalogue) {
        good = run_catalogue(options, &meeting, versioned, &catalogue);
        report.catalogue = &catalogue;
    }
    good = good && run_parts(options, &pair, versioned, legacy, parts, &report);
    if (good) {
        agpu_cmp_report_text(&report, stdout);
        good = agpu_cmp_report_good(&report);
        good = (options->json == NULL || write_file(options->json, false, &report)) && good;
        good = (options->html == NULL || write_file(options->html, true, &report)) && good;
        for (size_t i = 0; i < report.part_count && options->cases != NULL; i++) {
            write_cases(options->cases, &parts[i], &pair, &number);
        }
    } else {
        puts("verdict: no comparison was completed");
    }
    for (size_t i = 0; i < 2; i++) {
        agpu_cmp_lockstep_free(&parts[i]);
        agpu_cmp_side_close(&pair.sides[i]);
    }
    return good ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

int agpu_cmd_compare(int argc, char **argv)
{
    struct compare_options options;
    char command[2048];
    int status;

    describe_command(argc, argv, command, sizeof command);
    if (!parse(argc, argv, &options, &status)) {
        return status;
    }
    if (options.list) {
        print_lists();
        return AGPU_EXIT_PASS;
    }
    return compare(&options, command);
}
