/* cmd_cfg.c: `agpu cfg`: prints the settings, or changes, checks and writes them. */
#include "tests/host/cmd_cfg.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/cfg/check.h"
#include "tests/host/cfg/edit.h"
#include "tests/host/exit_status.h"
#include "tests/host/run/esp_config.h"

static const char help[] = "usage: agpu cfg TARGET                     print the configuration\n"
                           "       agpu cfg TARGET [KEY=VALUE...]      change it\n"
                           "\n"
                           "TARGET is agpu.img, agpu.iso, a stick or disk with one of them (/dev/sdX; not "
                           "mounted), or an agpu.cfg, which need not exist.\n"
                           "A KEY=VALUE replaces the key's line; a quarantine= is added. Comments and all "
                           "other lines stay. Values that\n"
                           "the image would reject or could not follow are not written: an unknown word, a "
                           "filter that matches no case,\n"
                           "control= without key=. The file on the media explains every key.\n"
                           "\n"
                           "  --check             check the configuration, change nothing\n"
                           "  --unset KEY         restore the key's default (repeatable)\n"
                           "  --from FILE         replace all of it by FILE first (- is standard input)\n"
                           "\n"
                           "Exit status: 0 valid, and written if there was a change; 1 not valid or not "
                           "written; 2 wrong command line.\n";

struct request {
    const char *target, *from;
    bool check;
    char **changes; /* "KEY=VALUE", or "KEY" to be unset */
    unsigned count;
};

static char *read_all(FILE *file)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    char bytes[4096];
    size_t read;

    while (out != NULL && (read = fread(bytes, 1, sizeof bytes, file)) != 0) {
        fwrite(bytes, 1, read, out);
    }
    if (out == NULL || ferror(file) || ferror(out) || fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

static char *read_file(const char *path)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "re");
    char *text = file != NULL ? read_all(file) : NULL;

    if (text == NULL) {
        fprintf(stderr, "agpu cfg: cannot read %s: %s\n", path, strerror(errno));
    }
    if (file != NULL && file != stdin) {
        fclose(file);
    }
    return text;
}

/* Returns true when the target is an agpu.cfg that this request creates. */
static bool is_new(const struct request *request)
{
    const char *const end = strrchr(request->target, '.');

    return request->count != 0 && !request->check && end != NULL && strcmp(end, ".cfg") == 0 &&
           access(request->target, F_OK) != 0 && errno == ENOENT;
}

static bool apply_changes(const struct request *request, char **text)
{
    for (unsigned i = 0; i < request->count; i++) {
        const char *change = request->changes[i];
        const size_t length = strcspn(change, "=");
        char *key = strndup(change, length);
        char *edited = key != NULL
                           ? agpu_cfg_edit(*text, key, change[length] == '=' ? change + length + 1 : NULL,
                                           strcmp(key, "quarantine") == 0 && change[length] == '=')
                           : NULL;

        free(key);
        if (edited == NULL) {
            fputs("agpu cfg: out of memory\n", stderr);
            return false;
        }
        free(*text);
        *text = edited;
    }
    return true;
}

static void print_wrong(void *ctx, unsigned number, const char *line, const char *reason)
{
    if (number == 0) {
        fprintf(stderr, "%s: %s\n", (const char *)ctx, reason);
    } else {
        fprintf(stderr, "%s:%u: %s: %s\n", (const char *)ctx, number, reason, line);
    }
}

static bool is_understood(const char *name, const char *text)
{
    const struct agpu_cfg_check check = {
        .text = text, .size = strlen(text), .wrong = print_wrong, .ctx = (void *)(uintptr_t)name};

    return agpu_cfg_check(&check) == 0;
}

static bool serve(const struct request *request)
{
    const bool medium = agpu_esp_is_medium(request->target);
    char *text = medium            ? agpu_esp_read_config(request->target)
                 : is_new(request) ? strdup("")
                                   : read_file(request->target);
    bool good = text != NULL;

    if (good && request->from != NULL) {
        free(text);
        text = read_file(request->from);
        good = text != NULL;
    }
    good = good && apply_changes(request, &text);
    if (good && !is_understood(request->from != NULL ? request->from : "agpu.cfg", text)) {
        if (!request->check && (request->count != 0 || request->from != NULL)) {
            fprintf(stderr, "agpu cfg: %s stays as it was\n", request->target);
        }
        good = false;
    } else if (good && !request->check && (request->count != 0 || request->from != NULL)) {
        good = medium ? agpu_esp_write_config(request->target, NULL, text)
                      : agpu_write_text(request->target, text);
    }
    if (text != NULL && !request->check && request->count == 0 && request->from == NULL) {
        fputs(text, stdout); /* printed even if it has errors */
    }
    free(text);
    return good;
}

static bool is_change(const char *word)
{
    const size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789_");

    return length != 0 && word[length] == '=' && strpbrk(word, "\r\n") == NULL;
}

int agpu_cmd_cfg(int argc, char **argv)
{
    static const struct option known[] = {{"check", no_argument, NULL, 'c'},
                                          {"unset", required_argument, NULL, 'u'},
                                          {"from", required_argument, NULL, 'f'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    struct request request = {.changes = calloc((size_t)argc + 1, sizeof(char *))};
    int status = request.changes != NULL ? AGPU_EXIT_PASS : AGPU_EXIT_FAIL;

    optind = 1;
    for (int option; status == AGPU_EXIT_PASS && (option = getopt_long(argc, argv, "", known, NULL)) != -1;) {
        switch (option) {
        case 'c':
            request.check = true;
            break;
        case 'u':
            request.changes[request.count++] = optarg;
            break;
        case 'f':
            request.from = optarg;
            break;
        case 'h':
            fputs(help, stdout);
            free(request.changes);
            return AGPU_EXIT_PASS;
        default:
            fputs("agpu cfg: see agpu cfg --help\n", stderr);
            status = AGPU_EXIT_USAGE;
        }
    }
    for (; status == AGPU_EXIT_PASS && optind < argc; optind++) {
        if (request.target == NULL) {
            request.target = argv[optind];
        } else if (is_change(argv[optind])) {
            request.changes[request.count++] = argv[optind];
        } else {
            fprintf(stderr, "agpu cfg: expected KEY=VALUE, found \"%s\"\n", argv[optind]);
            status = AGPU_EXIT_USAGE;
        }
    }
    if (status == AGPU_EXIT_PASS && request.target == NULL) {
        fputs("agpu cfg: expected agpu.img, agpu.iso, a stick, or an agpu.cfg; see agpu cfg --help\n",
              stderr);
        status = AGPU_EXIT_USAGE;
    }
    if (status == AGPU_EXIT_PASS && !serve(&request)) {
        status = AGPU_EXIT_FAIL;
    }
    free(request.changes);
    return status;
}
