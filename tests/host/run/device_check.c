/* device_check.c: calls `agpu vdev --check` for each device. */
#include "tests/host/run/device_check.h"
#include "tests/host/run/process.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* More than the time that the guard process allows a hanging device. */
#define CHECK_MS 60000

static bool can_be_made(const char *device, const char *abi, const char *fault, const char *save)
{
    char *argv[14] = {"/proc/self/exe", "vdev", "--check"};
    size_t n = 3;
    const struct {
        char *option;
        const char *value;
    } options[] = {{"--device", device}, {"--abi", abi}, {"--fault", fault}, {"--save-restore", save}};
    struct agpu_process check = AGPU_PROCESS_NONE;
    char how[80];
    bool made;

    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (options[i].value != NULL) {
            argv[n++] = options[i].option;
            argv[n++] = (char *)(uintptr_t)options[i].value;
        }
    }
    if (!agpu_process_start(&check, argv, NULL, 0)) {
        fprintf(stderr, "agpu run: cannot start agpu vdev --check: %s\n", strerror(errno));
        return false;
    }
    made = agpu_process_wait(&check, CHECK_MS) && check.status == 0;
    if (!made) {
        snprintf(how, sizeof how, "no answer within %d s", CHECK_MS / 1000);
        if (check.ended) {
            agpu_process_describe(&check, how, sizeof how);
        }
        fprintf(stderr, "agpu run: the device%s%s cannot be created (%s): nothing was started\n",
                device != NULL ? " " : "", device != NULL ? device : "", how);
    }
    agpu_process_kill(&check);
    return made;
}

bool agpu_run_devices_can_be_made(const struct agpu_run_options *options)
{
    bool made = !agpu_run_starts_device(options) || options->vdev != NULL ||
                can_be_made(options->plugin, options->abi, options->fault, options->save_restore);

    for (unsigned i = 0; made && i < options->more_device_count; i++) {
        made = can_be_made(options->more_devices[i], NULL, NULL, options->save_restore);
    }
    return made;
}
