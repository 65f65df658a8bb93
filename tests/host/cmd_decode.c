/* cmd_decode.c: the command line of the decoder. */
#include "tests/host/cmd_decode.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/capture/functions.h"
#include "tests/host/decode/both_print.h"
#include "tests/host/decode/capture_json.h"
#include "tests/host/decode/capture_text.h"
#include "tests/host/decode/stream.h"
#include "tests/host/exit_status.h"

static const char usage[] =
    "usage: agpu decode [--json] [--case GLOBS] [--submission N] [--function F] FILE...\n"
    "       agpu decode --both [--json] [--case GLOBS] [--function F] GUEST DEVICE\n"
    "Prints a capture (agpu run --capture): every submission with its allocation table and its packets, "
    "register\n"
    "accesses by name, contents of memory, and the answers of the device. Also prints a file of command "
    "streams\n"
    "as the driver submits them, or of packets without a stream header. For each packet: offset, name, "
    "members\n"
    "by name, the object that each handle names, and for a bad packet the error and the broken rule. "
    "Handles\n"
    "keep their meaning from file to file.\n"
    "  --json           print one JSON object per line; the last one of a file, {\"end\":{\"status\":...}}, "
    "reports\n"
    "                   whether the file was complete, or where it was cut\n"
    "  --case GLOBS     of a capture, only these cases: an id, or as agpu run --filter\n"
    "  --submission N   of a capture, only submission N and its results\n"
    "  --function F     of a capture of several functions, only this one: its number or its place "
    "(00:04.0);\n"
    "                   default: each in turn. With --both: the one in DEVICE (default 0)\n"
    "  --both           print two captures of one run (agpu run --capture --device-capture DEVICE) side by "
    "side:\n"
    "                   matches the submissions of driver and device, and prints what differs or is in one "
    "only\n"
    "Exit status: 0 all was printed, 1 a file cannot be read or is not complete, a stream outside of "
    "captures\n"
    "has problems, or two views differ, 2 usage.\n";

struct decode_files {
    struct agpu_decoder *decoder;
    struct agpu_decode_output output;
    struct agpu_capture_view_output capture;
    struct agpu_capture_choice choice;
    uint64_t shown;            /* number of submissions printed from the file */
    uint32_t function;         /* in captures; or AGPU_CAPTURE_EVERY_FUNCTION */
    const char *function_name; /* select by this name in each file; or NULL */
    bool as_json;
    uint64_t problems;
    bool failed;
    struct agpu_capture_json_end end; /* end of the current file */
    char end_text[300];
};

/* Records how the current file ended; copies the text. */
static void note_end(struct decode_files *files, const char *status, struct agpu_capture_place place,
                     const char *text)
{
    snprintf(files->end_text, sizeof files->end_text, "%s", text);
    files->end = (struct agpu_capture_json_end){.status = status, .place = place, .text = files->end_text};
}

static const char *status_of(enum agpu_capture_next next)
{
    return next == AGPU_CAPTURE_NEXT_DONE ? "whole" : next == AGPU_CAPTURE_NEXT_CUT ? "cut" : "wrong";
}

/* Decodes one function of a capture. *met receives the functions that the file contains. Returns false, with a
 * message, when the file could not be decoded completely. */
static bool decode_function(struct decode_files *files, const char *path, uint32_t function, uint32_t *met)
{
    char message[300];
    struct agpu_capture_reader *reader = agpu_capture_open_function(path, function, message, sizeof message);
    enum agpu_capture_next next;
    uint64_t problems;
    bool good = false;

    if (function != 0 && !files->as_json) {
        printf("== function %u\n", (unsigned)function);
    }
    if (reader == NULL) {
        note_end(files, "unread", (struct agpu_capture_place){0}, "not a capture that this program can read");
    } else {
        agpu_capture_choose_cases(reader, files->choice.test);
        next = agpu_capture_walk(reader, &files->choice, &files->capture, &problems, message, sizeof message);
        note_end(files, status_of(next), agpu_capture_where(reader), message);
        *met = agpu_capture_functions_met(reader);
        good = next == AGPU_CAPTURE_NEXT_DONE &&
               !agpu_capture_lacks_function(reader, *met == 0 ? AGPU_CAPTURE_EVERY_FUNCTION : function,
                                            message, sizeof message) &&
               !agpu_capture_lacks_cases(reader, message, sizeof message);
    }
    if (!good) {
        fflush(stdout);
        fprintf(stderr, "agpu decode: %s: %s\n", path, message);
        files->failed = true;
    }
    agpu_capture_close(reader);
    return good;
}

/* Returns true when the file is a capture: it was printed, or an error was reported. */
static bool decode_capture(struct decode_files *files, const char *path)
{
    uint8_t start[8] = {0};
    FILE *file = fopen(path, "rbe");
    uint32_t function = files->function != AGPU_CAPTURE_EVERY_FUNCTION ? files->function : 0, met = 0;
    bool is_one = false;

    files->shown = 0;
    if (file != NULL) {
        is_one =
            fread(start, 1, sizeof start, file) == sizeof start && agpu_capture_is_one(start, sizeof start);
        fclose(file);
    }
    if (!is_one) {
        return false;
    }
    if (!agpu_capture_function_find("agpu decode", path, files->function_name, &function)) {
        files->failed = true;
        return true;
    }
    while (function < AGPU_CAPTURE_FUNCTIONS && decode_function(files, path, function, &met)) {
        function = agpu_capture_function_next(files->function_name != NULL ? function : files->function,
                                              function, met);
    }
    if (files->choice.submission != 0 && files->shown == 0 && !files->failed) {
        fflush(stdout);
        fprintf(stderr,
                "agpu decode: %s has no submission %" PRIu64 "%s%s: without --submission all are printed\n",
                path, files->choice.submission, files->choice.test != NULL ? " of case " : "",
                files->choice.test != NULL ? files->choice.test : "");
        files->failed = true;
    }
    return true;
}

static void decode_file(struct decode_files *files, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes = NULL;

    note_end(files, "unread", (struct agpu_capture_place){0},
             "nothing was read; the reason is on standard error");
    if (decode_capture(files, path)) {
        if (fd >= 0) {
            close(fd);
        }
        return;
    }
    if (fd < 0 || fstat(fd, &info) != 0) {
        fprintf(stderr, "agpu decode: %s: %s\n", path, strerror(errno));
        files->failed = true;
    } else if (!S_ISREG(info.st_mode) || info.st_size == 0) {
        fprintf(stderr, "agpu decode: %s: expected a file with bytes in it\n", path);
        files->failed = true;
    } else {
        /* Makes a private copy: another process may truncate the file while it is read. */
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED || read(fd, bytes, (size_t)info.st_size) != info.st_size) {
            fprintf(stderr, "agpu decode: %s: cannot be read whole: %s\n", path, strerror(errno));
            files->failed = true;
        } else {
            files->problems += agpu_decode(files->decoder, bytes, (uint64_t)info.st_size, 0, &files->output);
            note_end(files, "whole", (struct agpu_capture_place){.bytes = (uint64_t)info.st_size},
                     "not a capture: command streams or packets");
        }
        if (bytes != MAP_FAILED) {
            munmap(bytes, (size_t)info.st_size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

static int decode_both(const char *guest, uint32_t function, const char *device, const char *test,
                       bool as_json)
{
    struct agpu_both_print printer;
    const struct agpu_both_output output =
        as_json ? agpu_both_json(&printer, stdout) : agpu_both_text(&printer, stdout);
    struct agpu_both_counts counts;
    char message[500];
    const bool good = agpu_both(guest, function, device, test, &output, &counts, message, sizeof message);

    if (good && as_json) {
        agpu_both_json_end(&printer, &counts);
    } else if (good) {
        agpu_both_text_end(&printer, &counts);
    }
    if (fflush(stdout) != 0 || ferror(stdout) || printer.failed) {
        fprintf(stderr, "agpu decode: the output is not complete: %s\n",
                printer.failed ? "no memory" : strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (!good) {
        fprintf(stderr, "agpu decode: %s\n", message);
    } else if (counts.pairs + counts.guest_only == 0) {
        fprintf(stderr, "agpu decode: %s has no submission%s%s\n", guest, test != NULL ? " of case " : "",
                test != NULL ? test : "");
    }
    return good && counts.pairs != 0 && counts.differing + counts.guest_only + counts.device_only == 0
               ? AGPU_EXIT_PASS
               : AGPU_EXIT_FAIL;
}

int agpu_cmd_decode(int argc, char **argv)
{
    static const struct option known[] = {{"json", no_argument, NULL, 'j'},
                                          {"case", required_argument, NULL, 'c'},
                                          {"submission", required_argument, NULL, 's'},
                                          {"function", required_argument, NULL, 'f'},
                                          {"both", no_argument, NULL, 'b'},
                                          {"help", no_argument, NULL, 'h'},
                                          {0}};
    static struct agpu_capture_text text;
    static struct agpu_capture_json json;
    struct decode_files files = {.function = AGPU_CAPTURE_EVERY_FUNCTION, .choice.shown = &files.shown};
    bool both = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return AGPU_EXIT_PASS;
        }
        switch (option) {
        case 'j':
            files.as_json = true;
            break;
        case 'b':
            both = true;
            break;
        case 'f':
            if (!agpu_capture_function_read("agpu decode", optarg, &files.function, &files.function_name)) {
                return AGPU_EXIT_USAGE;
            }
            break;
        case 'c':
            files.choice.test = optarg;
            break;
        case 's':
            if (!agpu_capture_submission_read("agpu decode", "--submission", optarg,
                                              &files.choice.submission)) {
                return AGPU_EXIT_USAGE;
            }
            break;
        default:
            return AGPU_EXIT_USAGE;
        }
    }
    if (optind == argc || (both && (argc - optind != 2 || files.choice.submission != 0))) {
        fputs(usage, stderr);
        return AGPU_EXIT_USAGE;
    }
    if (both) {
        if (!agpu_capture_function_find("agpu decode", argv[optind], files.function_name, &files.function)) {
            return AGPU_EXIT_FAIL;
        }
        return decode_both(argv[optind], files.function != AGPU_CAPTURE_EVERY_FUNCTION ? files.function : 0,
                           argv[optind + 1], files.choice.test, files.as_json);
    }
    files.decoder = agpu_decoder_create();
    if (files.decoder == NULL) {
        fprintf(stderr, "agpu decode: no memory\n");
        return AGPU_EXIT_FAIL;
    }
    files.capture =
        files.as_json ? agpu_capture_json_output(&json, stdout) : agpu_capture_text_output(&text, stdout);
    files.output = files.capture.stream;
    for (int i = optind; i < argc; i++) {
        if (!files.as_json && argc - optind > 1) {
            printf("%s:\n", argv[i]);
        }
        decode_file(&files, argv[i]);
        if (files.as_json) {
            agpu_capture_json_finish(&json, &files.end);
        } else {
            agpu_capture_text_end(&text);
        }
    }
    agpu_decoder_destroy(files.decoder);
    if (fflush(stdout) != 0 || ferror(stdout) || json.stream.failed) {
        fprintf(stderr, "agpu decode: the output is not complete: %s\n",
                json.stream.failed ? "no memory" : strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (files.problems != 0) {
        fprintf(stderr, "agpu decode: %" PRIu64 " %s\n", files.problems,
                files.problems == 1 ? "problem" : "problems");
    }
    return files.problems == 0 && !files.failed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
