/* cmd_decode.c: the command line around the decoder. */
#include "tests/host/cmd_decode.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/host/decode/stream.h"
#include "tests/host/decode/write_json.h"
#include "tests/host/decode/write_text.h"
#include "tests/host/exit_status.h"

static const char usage[] =
    "usage: agpu decode [--json] FILE...\n"
    "Prints the command streams in each file packet by packet: offset, name, members by name, what handles "
    "name, and\n"
    "what is wrong with a bad packet and which rule it breaks. A file holds streams as the driver submits "
    "them, one\n"
    "after the other, or packets without a stream header. Handles keep their meaning from file to file.\n"
    "  --json   one JSON object a line instead\n"
    "Exit status: 0 when nothing is wrong with them, 1 when something is or a file cannot be read, 2 "
    "usage.\n";

struct decode_files {
    struct agpu_decoder *decoder;
    struct agpu_decode_output output;
    uint64_t problems;
    bool failed;
};

static void decode_file(struct decode_files *files, const char *path)
{
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat info;
    void *bytes = NULL;

    if (fd < 0 || fstat(fd, &info) != 0) {
        fprintf(stderr, "agpu decode: %s: %s\n", path, strerror(errno));
        files->failed = true;
    } else if (!S_ISREG(info.st_mode) || info.st_size == 0) {
        fprintf(stderr, "agpu decode: %s: expected a file with bytes in it\n", path);
        files->failed = true;
    } else {
        /* A copy: somebody may cut the file while it is read. */
        bytes = mmap(NULL, (size_t)info.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (bytes == MAP_FAILED || read(fd, bytes, (size_t)info.st_size) != info.st_size) {
            fprintf(stderr, "agpu decode: %s: cannot be read whole: %s\n", path, strerror(errno));
            files->failed = true;
        } else {
            files->problems += agpu_decode(files->decoder, bytes, (uint64_t)info.st_size, 0, &files->output);
        }
        if (bytes != MAP_FAILED) {
            munmap(bytes, (size_t)info.st_size);
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

int agpu_cmd_decode(int argc, char **argv)
{
    static const struct option known[] = {
        {"json", no_argument, NULL, 'j'}, {"help", no_argument, NULL, 'h'}, {0}};
    static struct agpu_text_writer text;
    static struct agpu_json_writer json;
    struct decode_files files = {0};
    bool as_json = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'h') {
            fputs(usage, stdout);
            return AGPU_EXIT_PASS;
        }
        if (option != 'j') {
            return AGPU_EXIT_USAGE;
        }
        as_json = true;
    }
    if (optind == argc) {
        fputs(usage, stderr);
        return AGPU_EXIT_USAGE;
    }
    files.decoder = agpu_decoder_create();
    if (files.decoder == NULL) {
        fprintf(stderr, "agpu decode: no memory\n");
        return AGPU_EXIT_FAIL;
    }
    files.output = as_json ? agpu_json_writer_output(&json, stdout) : agpu_text_writer_output(&text, stdout);
    for (int i = optind; i < argc; i++) {
        if (!as_json && argc - optind > 1) {
            printf("%s:\n", argv[i]);
        }
        decode_file(&files, argv[i]);
    }
    agpu_decoder_destroy(files.decoder);
    if (fflush(stdout) != 0 || ferror(stdout) || json.failed) {
        fprintf(stderr, "agpu decode: the output is not complete: %s\n",
                json.failed ? "no memory" : strerror(errno));
        return AGPU_EXIT_FAIL;
    }
    if (files.problems != 0) {
        fprintf(stderr, "agpu decode: %" PRIu64 " %s\n", files.problems,
                files.problems == 1 ? "problem" : "problems");
    }
    return files.problems == 0 && !files.failed ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;
}
