/* options_agree.c: rejects options that contradict each other, and values that the image would not accept. */
#include "tests/host/run/options_agree.h"
#include "efi/protocol/cfg_limits.h"
#include "tests/cases/choice/expect.h"
#include "tests/host/cfg/check.h"
#include "tests/host/list/cases.h"
#include "tests/host/run/command.h"
#include "tests/host/run/guest_config.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns an option that is for the device although no device is started. */
static const char *device_option(const struct agpu_run_options *options)
{
    return options->plugin != NULL           ? "--device"
           : options->vdev != NULL           ? "--vdev"
           : options->abi != NULL            ? "--abi"
           : options->fault != NULL          ? "--fault"
           : options->submission_log != NULL ? "--submission-log"
           : options->control != NULL        ? "--control"
           : options->save_restore != NULL   ? "--save-restore"
                                             : NULL;
}

/* Checks the options against each other. */
static bool choices_agree(const struct agpu_run_options *options)
{
    if (options->plugin != NULL && options->vdev != NULL) {
        fputs("agpu run: --device and --vdev exclude each other: the run has one device\n", stderr);
        return false;
    }
    if (!agpu_run_starts_device(options) && device_option(options) != NULL) {
        fprintf(stderr, "agpu run: %s applies to a device that this command starts; %s\n",
                device_option(options),
                options->no_vdev || !options->device ? "--no-vdev and --no-device start none"
                                                     : "the command of --machine has no {vdev-socket}");
        return false;
    }
    if (options->save_restore != NULL && (options->vdev != NULL || options->submission_log != NULL)) {
        fprintf(stderr, "agpu run: --save-restore cannot be combined with %s\n",
                options->vdev != NULL ? "--vdev, whose program has its own device"
                                      : "--submission-log, which logs one device");
        return false;
    }
    if (options->choice.one_per_boot && (options->repeat != NULL || options->more_device_count != 0)) {
        fprintf(
            stderr,
            "agpu run: --one-per-boot runs one case of one device at a time; it cannot be combined with %s\n",
            options->repeat != NULL ? "--repeat" : "several devices");
        return false;
    }
    if (options->machine != NULL && options->no_vdev &&
        agpu_command_uses(options->machine, AGPU_PLACE_VDEV_SOCKET)) {
        fputs("agpu run: --no-vdev starts no device, but the command of --machine has {vdev-socket}\n",
              stderr);
        return false;
    }
    if (options->machine != NULL &&
        (options->qemu_args != NULL || options->screenshot != NULL || options->ctl != NULL)) {
        fprintf(stderr, "agpu run: %s needs a QEMU that this command starts itself, not --machine\n",
                options->qemu_args != NULL    ? "-- WORDS"
                : options->screenshot != NULL ? "--screenshot"
                                              : "--ctl");
        return false;
    }
    if (agpu_hardware_firmware(&options->hardware) != AGPU_FIRMWARE_UEFI &&
        (options->machine != NULL || options->replay != NULL || options->screenshot != NULL ||
         (options->capture != NULL && !options->nic))) {
        fprintf(stderr,
                "agpu run: without UEFI the image has no disks and no graphics, so %s needs another --boot\n",
                options->machine != NULL   ? "--machine"
                : options->replay != NULL  ? "--replay"
                : options->capture != NULL ? "--capture without a network card"
                                           : "--screenshot");
        return false;
    }
    if (options->ctl != NULL &&
        (agpu_run_config_has(options, "control") || agpu_run_config_has(options, "key"))) {
        fputs("agpu run: --ctl sets control= and key=, so --cfg cannot set them: use --key FILE for a key\n",
              stderr);
        return false;
    }
    return true;
}

/* Rejects a word of expect= that matches no function and would be ignored. */
static bool expectations_are_used(const struct agpu_run_options *options)
{
    const unsigned devices = 1 + options->more_device_count;
    char *words = agpu_run_config_value(options, "expect");
    /* The machine of --machine may bring its own devices. */
    const bool used = words == NULL || agpu_expect_count(words) <= devices ||
                      !agpu_run_starts_device(options) || options->machine != NULL ||
                      options->qemu_args != NULL;

    if (!used) {
        fprintf(stderr,
                "agpu run: --expect %s: expected a word for each device, found %u words for %u; leave out "
                "the rest, or start more devices (--devices, --device)\n",
                words, agpu_expect_count(words), devices);
    }
    free(words);
    return used;
}

/* Returns the choice of cases that the run will plan, as far as it is known before there is a device. */
static struct agpu_list_choice planned_choice(const struct agpu_run_options *options)
{
    const bool model = agpu_run_starts_device(options) && options->plugin == NULL && options->vdev == NULL &&
                       options->more_device_count == 0;
    const char *abi = options->abi != NULL ? options->abi : "1.4";

    return (struct agpu_list_choice){
        .filter = options->filter,
        .tags = options->choice.tags,
        .shard = options->choice.shard,
        .abi = !model                           ? AGPU_LISTED_ANY
               : strncmp(abi, "legacy", 6) == 0 ? AGPU_LISTED_LEGACY
                                                : AGPU_LISTED_VERSIONED,
    };
}

/* Reports an error in a line that came from the option of this name, or from --cfg. */
static void print_wrong(void *ctx, unsigned number, const char *line, const char *reason)
{
    const struct agpu_run_options *options = ctx;
    const size_t length = strcspn(line, "=");
    char key[64];
    bool by_cfg;

    snprintf(key, sizeof key, "%.*s", (int)length, line);
    by_cfg = agpu_run_config_has(options, key) || line[length] == '\0';
    for (char *p = key; *p != '\0'; p++) {
        *p = *p == '_' ? '-' : *p;
    }
    if (number == 0) {
        fprintf(stderr, "agpu run: agpu.cfg: %s\n", reason);
    } else if (by_cfg) {
        fprintf(stderr, "agpu run: --cfg %s: %s\n", line, reason);
    } else {
        fprintf(stderr, "agpu run: --%s %s: %s\n", key, line + length + 1, reason);
    }
}

/* Parses the configuration with the image's own reader before there is an image: the image would run with the
 * remaining words and ignore wrong ones. */
static bool config_is_understood(const struct agpu_run_options *options)
{
    char *text = agpu_run_config_text(options, UINT16_MAX, NULL);
    struct agpu_cfg_check check = {
        .text = text,
        .spare = AGPU_CONFIG_AFTER_MAX + sizeof "after=\ntoken=\nkey=\n" + AGPU_CONFIG_TOKEN_MAX +
                 2 * AGPU_CONFIG_KEY_SIZE,
        .keyed = options->key_file != NULL || options->ctl != NULL,
        .abi = planned_choice(options).abi,
        .wrong = print_wrong,
        .ctx = (void *)(uintptr_t)options,
    };
    bool understood = text != NULL;

    if (understood) {
        check.size = strlen(text);
        understood = agpu_cfg_check(&check) == 0;
    }
    free(text);
    return understood;
}

struct looked_for {
    const char *id;
    bool found;
};

static void look_for_case(void *ctx, const struct agpu_listed_case *item)
{
    struct looked_for *look = ctx;

    look->found = look->found || strcmp(item->id, look->id) == 0;
}

/* Rejects a budget for something that is not measured: every device would meet it. */
static bool budgets_are_checked(const struct agpu_run_options *options)
{
    const struct agpu_list_choice choice = planned_choice(options);
    const struct agpu_budgets *budgets = &options->choice.budgets;

    if (agpu_run_config_has(options, "filter") || options->failed_from != NULL) {
        return true;
    }
    for (unsigned i = 0; i < budgets->count; i++) {
        struct looked_for look = {.id = agpu_budget_case(&budgets->entries[i])};

        agpu_list_choose(&choice, look_for_case, &look);
        if (!look.found) {
            fprintf(stderr,
                    "agpu run: --budget of %s: %s measures it, which this run leaves out; add the case to "
                    "--filter (see also --tag, --shard, --abi)\n",
                    budgets->entries[i].name, look.id);
            return false;
        }
    }
    return true;
}

bool agpu_run_options_agree(const struct agpu_run_options *options)
{
    return choices_agree(options) && config_is_understood(options) && expectations_are_used(options) &&
           budgets_are_checked(options);
}
