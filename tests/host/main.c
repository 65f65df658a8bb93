/* main.c: `agpu`: selects the subcommand. */
#include <stdio.h>
#include <string.h>

#include "tests/host/cmd_cfg.h"
#include "tests/host/cmd_compare.h"
#include "tests/host/cmd_compare_runs.h"
#include "tests/host/cmd_ctl.h"
#include "tests/host/cmd_decode.h"
#include "tests/host/cmd_history.h"
#include "tests/host/cmd_list.h"
#include "tests/host/cmd_listen.h"
#include "tests/host/cmd_reduce.h"
#include "tests/host/cmd_replay.h"
#include "tests/host/cmd_report.h"
#include "tests/host/cmd_run.h"
#include "tests/host/cmd_serve.h"
#include "tests/host/cmd_vdev.h"
#include "tests/host/exit_status.h"

static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *purpose;
} commands[] = {
    {"run", agpu_cmd_run, "boot the image in QEMU on the device model, collect, report"},
    {"list", agpu_cmd_list, "the test cases, each with a sentence; no boot needed"},
    {"listen", agpu_cmd_listen, "collect from machines on the network, report"},
    {"ctl", agpu_cmd_ctl, "query a running image: registers, ring, memory, cases; a prompt"},
    {"vdev", agpu_cmd_vdev, "the device model, for QEMU's vfio-user-pci"},
    {"decode", agpu_cmd_decode, "print a capture, or command streams, packet by packet"},
    {"replay", agpu_cmd_replay, "play a capture on a device, stop at the first difference"},
    {"reduce", agpu_cmd_reduce, "shrink a failing capture to the smallest that still fails"},
    {"compare", agpu_cmd_compare, "two devices side by side: the catalogue, and random work in lockstep"},
    {"cfg", agpu_cmd_cfg, "read, check, change the configuration in an image or on a stick"},
    {"report", agpu_cmd_report, "write the reports of a results.jsonl again"},
    {"history", agpu_cmd_history, "past runs: failing since when, flaky, slower"},
    {"serve", agpu_cmd_serve, "past and running runs in a browser, on this machine"},
    {"compare-runs", agpu_cmd_compare_runs, "the differences between two runs"},
};

static void print_help(FILE *out)
{
    fputs("usage: agpu COMMAND [OPTIONS]\n\n", out);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        fprintf(out, "  %-12s %s\n", commands[i].name, commands[i].purpose);
    }
    fputs("\nagpu COMMAND --help describes a command; agpu --version prints the version.\n", out);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        print_help(stderr);
        return AGPU_EXIT_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        print_help(stdout);
        return AGPU_EXIT_PASS;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("agpu " AGPU_VERSION);
        return AGPU_EXIT_PASS;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(argv[1], commands[i].name) == 0) {
            return commands[i].run(argc - 1, argv + 1);
        }
    }
    fprintf(stderr, "agpu: no command \"%s\"; agpu --help lists them\n", argv[1]);
    return AGPU_EXIT_USAGE;
}
