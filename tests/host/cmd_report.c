/* cmd_report.c: `agpu report`: regenerates the reports of a run from its results.jsonl. */
#include "tests/host/cmd_report.h"
#include "tests/host/exit_status.h"
#include "tests/host/output_file.h"
#include "tests/host/report/replay.h"
#include "tests/host/report/report_files.h"
#include "tests/host/report/result_folder.h"
#include "tests/host/run/serial_source.h"
#include "tests/host/run_timeline.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: agpu report DIR|RESULTS.JSONL [--out DIR] [--format LIST]\n"
    "       agpu report --serial FILE [--out DIR]\n"
    "\n"
    "Writes the reports of a run again, without --out into the folder of its results. A summary.json beside "
    "the\n"
    "results supplies what records do not have: times, environment, the reason why the run ended.\n"
    "\n"
    "  --serial FILE  read the output of a serial console or netconsole (a log of minicom, of nc -u -l); - "
    "is\n"
    "                 standard input. Without --out the next numbered folder in results is used\n"
    "  --out DIR      another folder; - with --format: standard output\n"
    "  --device-capture FILE  the device's view of the run, from agpu run --device-capture (default:\n"
    "                 device.agpucap beside the results): report.html shows it beside the guest's "
    "capture.agpucap\n"
    "  --compare DIR  an earlier run: report.html shows the differences from it\n"
    "  --format LIST  only these, separated by commas: junit, ktap, csv (metrics), html, json (summary),\n"
    "                 github (annotations of its Actions)\n"
    "\n"
    "Exit status: 0 the run passed; 1 it did not, or the file is unusable; 2 usage.\n";

/* Processes a log as a complete run: its records, and then the reports. */
static int report_serial(const char *path, const char *out)
{
    static struct agpu_session session;
    const struct agpu_serial_source source = {.path = path, .signal_fd = -1};
    struct agpu_collector_config config = {0};
    char folder[4096];

    /* Check before a folder is created. */
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0) {
        fprintf(stderr, "agpu report: cannot read %s: %s\n", path, strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    snprintf(folder, sizeof folder, "%s", out != NULL ? out : "");
    if (out == NULL && !agpu_result_folder_next("results", folder, sizeof folder)) {
        fprintf(stderr, "agpu report: cannot make a result folder in results: %s\n", strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (!agpu_session_open(&session, folder, "", &config)) {
        return AGPU_EXIT_FAIL;
    }
    if (out == NULL) {
        agpu_result_folder_set_latest("results", folder);
    }
    const bool read = agpu_serial_feed(&source, &session) == 0;
    const bool written = agpu_session_finish(&session, 0, agpu_now_us());
    const bool passed = agpu_session_passed(&session);
    agpu_session_close(&session);
    return read && written && passed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}

int agpu_cmd_report(int argc, char **argv)
{
    static const struct option known[] = {{"out", required_argument, NULL, 'o'},
                                          {"format", required_argument, NULL, 'f'},
                                          {"serial", required_argument, NULL, 's'},
                                          {"compare", required_argument, NULL, 'c'},
                                          {"device-capture", required_argument, NULL, 'd'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    const char *device_capture = NULL, *out = NULL, *formats = NULL, *serial = NULL, *compare = NULL;

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return AGPU_EXIT_PASS;
        }
        if (option == 'c' || option == 'd') {
            *(option == 'c' ? &compare : &device_capture) = optarg;
            continue;
        }
        if (option != 'o' && option != 'f' && option != 's') {
            return AGPU_EXIT_USAGE;
        }
        *(option == 'o' ? &out : option == 'f' ? &formats : &serial) = optarg;
    }
    if (serial != NULL && optind == argc && formats == NULL) {
        return report_serial(serial, out);
    }
    if (optind + 1 != argc || serial != NULL) {
        fputs("agpu report: expected one result folder, or its results.jsonl; see agpu report --help\n",
              stderr);
        return AGPU_EXIT_USAGE;
    }
    const bool to_stdout = out != NULL && formats != NULL && strcmp(out, "-") == 0;
    if (out != NULL && !to_stdout && !agpu_make_folder(out)) {
        fprintf(stderr, "agpu report: cannot make the folder %s: %s\n", out, strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    struct agpu_replay *replay = calloc(1, sizeof *replay);
    if (replay == NULL) {
        fputs("agpu report: memory is exhausted\n", stderr);
        return AGPU_EXIT_FAIL;
    }
    bool good = agpu_replay_load(replay, argv[optind]);
    out = out != NULL ? out : replay->folder;
    struct agpu_replay *before = good && compare != NULL ? calloc(1, sizeof *before) : NULL;
    if (before != NULL) {
        good = agpu_replay_load(before, compare);
        replay->report.before = &before->run;
        replay->report.before_name = before->folder;
    }
    struct agpu_timeline *timeline = good && (formats == NULL || strstr(formats, "html") != NULL)
                                         ? agpu_run_timeline(replay->folder, device_capture, NULL)
                                         : NULL;
    replay->report.timeline = timeline;
    int lock = -1;
    const struct agpu_report_place place = {
        .path = out, .folder = good && !to_stdout ? agpu_result_folder_open(out, &lock) : -1};
    good = good && (place.folder >= 0 || to_stdout) &&
           (formats != NULL ? agpu_report_write_formats(&replay->report, &place, formats)
                            : agpu_report_write(&replay->report, &place));
    if (place.folder >= 0) {
        close(place.folder);
        close(lock);
    }
    good = good && replay->run.verdict == AGPU_VERDICT_PASS;
    if (!to_stdout && (good || replay->run.concluded)) {
        printf("%s  %s\n", agpu_verdict_name(replay->run.verdict), out);
    }
    if (before != NULL) {
        agpu_replay_free(before);
        free(before);
    }
    agpu_run_timeline_free(timeline);
    agpu_replay_free(replay);
    free(replay);
    return good ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
