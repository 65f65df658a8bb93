/* cmd_ctl.c: `agpu ctl`: sends commands to a running image. */
#include "tests/host/cmd_ctl.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/host/ctl/prompt.h"
#include "tests/host/exit_status.h"
#include "tests/host/run/key_file.h"

#define TIMEOUT_DEFAULT_S 30u /* the running case may have to finish first */
#define TIMEOUT_MAX_S     3600u
#define EVERY_DEFAULT_MS  100u

static const char help[] =
    "usage: agpu ctl TARGET --key-file FILE [OPTIONS] COMMAND...\n"
    "       agpu ctl TARGET --key-file FILE                   a prompt\n"
    "\n"
    "Sends requests to a running image whose agpu.cfg has control=on or control=wait and the same key;\n"
    "agpu run --ctl starts one. One client at a time.\n"
    "\n"
    "  TARGET   HOST[:PORT]          a name, an IPv4 or [IPv6] address; port 6668 unless control= names "
    "another\n"
    "           serial:PATH[,BAUD]   a serial port (115200 baud), or the UNIX socket of an emulator "
    "instead;\n"
    "                                agpu.cfg has control=on,serial or control=wait,serial\n"
    "\n"
    "  id                            build, device, generation, features\n"
    "  status                        the current activity, and the number of cases with each status\n"
    "  reg list                      names of registers\n"
    "  reg read NAME...              values; NAME is a name or an offset; X stands for the pair X_LO, X_HI\n"
    "  reg write NAME VALUE          (control=wait)\n"
    "  reg watch NAME                a line for each change, until interrupted (--every, --changes)\n"
    "  ring                          ring, fences, causes, errors\n"
    "  ring up                       stop the device's work, start a fresh ring (control=wait)\n"
    "  mem                           the image's allocations that the device may use\n"
    "  mem dump NAME|ADDRESS [SIZE]  their bytes (--out)\n"
    "  cases [GLOBS]                 ids\n"
    "  run GLOBS                     run them, print the status of each (control=wait); Ctrl-C stops\n"
    "  submit FILE [FLAGS]           submit a command stream, as agpu decode reads it; allocations 1 to 4 "
    "are\n"
    "                                memory1 to memory4 of mem (control=wait)\n"
    "  go                            start the run that agpu.cfg describes (control=wait)\n"
    "  stop                          start no further cases, also those of another client\n"
    "  quit                          end the image, by at_end=\n"
    "  reboot                        reset the machine\n"
    "\n"
    "  --key-file FILE   64 hexadecimal digits: key= of its agpu.cfg\n"
    "  --json            print answers as JSON, one line each: an object, or a list\n"
    "  --timeout S       limit for a connection, and for an answer (default: 30)\n"
    "  --out FILE        file that mem dump writes\n"
    "  --every MS        interval of reg watch (default: 100)\n"
    "  --changes N       end reg watch after N changes\n"
    "  --console FILE    append other output of the serial port, such as records (agpu listen --serial reads "
    "it)\n"
    "\n"
    "At the prompt, and on standard input that is not a terminal, commands are lines; exit ends it.\n"
    "Exit status: 0; 1 the image refused, a run did not pass, a submission had errors, or there is no\n"
    "connection; 2 wrong command line.\n";

static bool read_count(const char *text, unsigned most, unsigned *out)
{
    char *end;
    const unsigned long value = strtoul(text, &end, 10);

    *out = (unsigned)value;
    return text[0] >= '0' && text[0] <= '9' && *end == '\0' && value != 0 && value <= most;
}

static bool open_console(const char *path, int *out)
{
    *out = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (*out < 0) {
        fprintf(stderr, "agpu ctl: cannot write %s: %s\n", path, strerror(errno));
    }
    return *out >= 0;
}

/* Returns false with a line on stderr, or with *status for --help. */
static bool read_options(int argc, char **argv, struct agpu_ctl_session_options *o, int *status)
{
    static const struct option known[] = {{"key-file", required_argument, NULL, 'k'},
                                          {"json", no_argument, NULL, 'j'},
                                          {"timeout", required_argument, NULL, 't'},
                                          {"out", required_argument, NULL, 'o'},
                                          {"every", required_argument, NULL, 'e'},
                                          {"changes", required_argument, NULL, 'c'},
                                          {"console", required_argument, NULL, 'r'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct agpu_credentials credentials = {.keyed = false};
    unsigned seconds = TIMEOUT_DEFAULT_S;
    bool good = true;

    *status = AGPU_EXIT_USAGE;
    optind = 1;
    for (int option; good && (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'k':
            good = agpu_key_load(optarg, &credentials);
            break;
        case 'j':
            o->json = true;
            break;
        case 't':
            good = read_count(optarg, TIMEOUT_MAX_S, &seconds);
            break;
        case 'o':
            o->out = optarg;
            break;
        case 'e':
            good = read_count(optarg, 3600000, &o->every_ms);
            break;
        case 'c':
            good = read_count(optarg, 1000000000, &o->changes);
            break;
        case 'r':
            good = open_console(optarg, &o->target.rest);
            break;
        case 'h':
            fputs(help, stdout);
            *status = AGPU_EXIT_PASS;
            return false;
        default:
            return false;
        }
        if (!good && option != 'k' && option != 'r') {
            fprintf(stderr, "agpu ctl: expected a number from 1 up, found \"%s\"\n", optarg);
        }
    }
    if (good && (optind == argc || !credentials.keyed)) {
        fputs("agpu ctl: expected a TARGET and --key-file FILE; see agpu ctl --help\n", stderr);
        good = false;
    }
    memcpy(o->target.key, credentials.key, sizeof o->target.key);
    o->target.timeout_ms = seconds * 1000;
    return good;
}

int agpu_cmd_ctl(int argc, char **argv)
{
    static struct agpu_ctl_session_state session = {
        .options = {.target = {.rest = -1}, .every_ms = EVERY_DEFAULT_MS}};
    enum agpu_ctl_outcome outcome;
    int status;

    if (!read_options(argc, argv, &session.options, &status)) {
        return status;
    }
    session.options.target.name = argv[optind++];
    signal(SIGPIPE, SIG_IGN); /* a machine that ends closes the socket of its serial port */
    outcome =
        optind < argc ? agpu_ctl_command(&session, argc - optind, argv + optind) : agpu_ctl_prompt(&session);
    agpu_ctl_session_close(&session);
    if (outcome == AGPU_CTL_MISUSED) {
        return AGPU_EXIT_USAGE;
    }
    return outcome == AGPU_CTL_DONE ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
