/* main.c: the program that `agpu serve` executes: serves past and running runs as web pages, on this host only. A
 * separate program, so that the other subcommands do not load the HTTP library and its dependencies. */
#include "tests/host/exit_status.h"
#include "tests/host/history/place.h"
#include "tests/host/serve/server.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: agpu serve [OPTIONS]\n"
    "\n"
    "Shows a folder of results in a browser: the running run, past runs with their reports, failing cases "
    "and\n"
    "since when, flaky cases, plots of metrics. Listens on 127.0.0.1 only and is read-only; the page "
    "refreshes\n"
    "every few seconds.\n"
    "\n"
    "  --results DIR the folder of results (default: build/results, else results)\n"
    "  --db FILE     the database of past runs (default: history.sqlite in the folder of results)\n"
    "  --port N      TCP port (default 8080); 0: a free one\n"
    "\n"
    "Exit status: 1 it cannot start; 2 usage; 130 or 143 interrupted.\n";

static bool take_port(const char *text, unsigned *port)
{
    char *end;

    errno = 0;
    const unsigned long number = strtoul(text, &end, 10);
    if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || number > 65535) {
        fprintf(stderr, "agpu serve: --port needs a number from 0 to 65535, not \"%s\"\n", text);
        return false;
    }
    *port = (unsigned)number;
    return true;
}

/* Serves until a signal ends it; returns the exit status. */
static int serve(const struct agpu_pages *pages, unsigned port)
{
    struct agpu_server *server;
    struct stat status;
    sigset_t signals;
    int number = SIGTERM;

    if (stat(pages->results, &status) != 0 || !S_ISDIR(status.st_mode)) {
        fprintf(stderr,
                "agpu serve: no results directory %s: agpu run makes one, --results DIR names another\n",
                pages->results);
        return AGPU_EXIT_FAIL;
    }
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL); /* before any thread is created, since threads inherit the mask */
    server = agpu_server_open(pages, &port);
    if (server == NULL) {
        return AGPU_EXIT_FAIL;
    }
    printf("%s: http://127.0.0.1:%u/\n", pages->results, port);
    fflush(stdout);
    sigwait(&signals, &number);
    agpu_server_close(server);
    return 128 + number;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {{"results", required_argument, NULL, 'R'},
                                          {"db", required_argument, NULL, 'D'},
                                          {"port", required_argument, NULL, 'p'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct agpu_pages pages = {.results = agpu_history_results()};
    const char *database = NULL;
    unsigned port = 8080;
    char path[4096];

    optind = 1;
    for (int option; (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        if (option == 'h') {
            fputs(help, stdout);
            return AGPU_EXIT_PASS;
        }
        if (option == 'R' || option == 'D') {
            *(option == 'R' ? &pages.results : &database) = optarg;
        } else if (option != 'p' || !take_port(optarg, &port)) {
            return AGPU_EXIT_USAGE;
        }
    }
    if (optind < argc) {
        fprintf(stderr, "agpu serve: unexpected argument \"%s\"; see agpu serve --help\n", argv[optind]);
        return AGPU_EXIT_USAGE;
    }
    agpu_history_path(database, pages.results, path, sizeof path);
    pages.database = path;
    return serve(&pages, port);
}
