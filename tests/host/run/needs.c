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
    const enum agpu_firmware firmware = agpu_hardware_firmware(&options->hardware);
    const bool uefi = firmware == AGPU_FIRMWARE_UEFI;
    char medium[PATH_MAX];
    const bool has_medium = agpu_find_medium(options->image, &options->hardware, medium, sizeof medium);
    const struct {
        const char *what;
        bool here;
        const char *where;
    } needs[] = {
        {options->qemu, has_program(options->qemu),
         "Debian's qemu-system-x86, 10.1 or later (trixie-backports); or --qemu FILE, AGPU_QEMU"},
        {options->ovmf_code, !uefi || access(options->ovmf_code, R_OK) == 0,
         "Debian's ovmf; or --ovmf-code FILE, AGPU_OVMF_CODE"},
        {options->ovmf_vars, !uefi || access(options->ovmf_vars, R_OK) == 0,
         "Debian's ovmf; or --ovmf-vars FILE, AGPU_OVMF_VARS"},
        {"mcopy", firmware == AGPU_FIRMWARE_NONE || has_program("mcopy"), "Debian's mtools"},
        {medium, has_medium,
         "the package agpu, or ninja -C build/image; or --image FILE, AGPU_IMAGE (agpu.elf and agpu.iso: "
         "beside it)"},
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
