/* needs.c: checks that the host has everything that a run needs (needs.h). */
#include "tests/host/run/needs.h"
#include "tests/host/run/esp_config.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Searches PATH as execvp() does. */
static bool has_program(const char *name)
{
    const char *path = getenv("PATH");
    char file[PATH_MAX];

    if (strchr(name, '/') != NULL) {
        return access(name, X_OK) == 0;
    }
    for (const char *at = path != NULL ? path : "/bin:/usr/bin"; *at != '\0'; at += *at == ':') {
        const size_t length = strcspn(at, ":");

        if (snprintf(file, sizeof file, "%.*s/%s", (int)length, length != 0 ? at : ".", name) <
                (int)sizeof file &&
            access(file, X_OK) == 0) {
            return true;
        }
        at += length;
    }
    return false;
}

bool agpu_run_needs_are_here(const struct agpu_run_options *options)
{
    const bool direct = agpu_hardware_boots_directly(&options->hardware);
    char elf[PATH_MAX];
    const bool has_elf = agpu_find_beside(options->image, "agpu.elf", elf, sizeof elf);
    const struct {
        const char *what;
        bool here;
        const char *where;
    } needs[] = {
        {options->qemu, has_program(options->qemu),
         "Debian's qemu-system-x86, 10.1 or later (trixie-backports); or --qemu FILE, AGPU_QEMU"},
        {options->ovmf_code, direct || access(options->ovmf_code, R_OK) == 0,
         "Debian's ovmf; or --ovmf-code FILE, AGPU_OVMF_CODE"},
        {options->ovmf_vars, direct || access(options->ovmf_vars, R_OK) == 0,
         "Debian's ovmf; or --ovmf-vars FILE, AGPU_OVMF_VARS"},
        {"mcopy", direct || has_program("mcopy"), "Debian's mtools"},
        {options->image, direct || access(options->image, R_OK) == 0,
         "the package agpu, or ninja -C build/image; or --image FILE, AGPU_IMAGE"},
        {elf, !direct || has_elf,
         "ninja -C build/image; --boot direct takes agpu.elf beside the file of --image"},
    };
    bool here = true;

    if (options->machine != NULL) { /* the command starts its own machine */
        return true;
    }
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++) {
        if (!needs[i].here) {
            fprintf(stderr, "%s  %s: %s\n",
                    here ? "agpu run: this machine lacks, or this user cannot use:\n" : "", needs[i].what,
                    needs[i].where);
            here = false;
        }
    }
    return here;
}
