/* guest_config.c: generates agpu.cfg from the options, and answers queries about it. */
#include "tests/host/run/guest_config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cases/choice/expect.h"
#include "tests/host/run/capture_disk.h"

/* Returns true for our model as in the table of device.md 1. With additional features of boards it is treated as any
 * device. */
static bool is_model(const char *device)
{
    static const char *const same[] = {"abi=", "fault=", "render="};
    const char *word = device != NULL ? device : "model";

    if (strncmp(word, "model", 5) != 0 || (word[5] != '\0' && word[5] != ',')) {
        return false;
    }
    for (word = strchr(word, ','); word != NULL; word = strchr(word, ',')) {
        bool known = *++word == '\0';

        for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
            known = known || strncmp(word, same[i], strlen(same[i])) == 0;
        }
        if (!known) {
            return false;
        }
    }
    return true;
}

/* Returns true when every device in the machine is our model. */
static bool all_are_models(const struct agpu_run_options *options)
{
    bool all = is_model(options->plugin);

    for (unsigned i = 0; i < options->more_device_count; i++) {
        all = all && is_model(options->more_devices[i]);
    }
    return all;
}

bool agpu_run_config_has(const struct agpu_run_options *options, const char *key)
{
    size_t length = strlen(key);

    for (size_t i = 0; i < options->cfg_count; i++) {
        if (strncmp(options->cfg[i], key, length) == 0 && options->cfg[i][length] == '=') {
            return true;
        }
    }
    return false;
}

bool agpu_run_captures_to_disk(const struct agpu_run_options *options)
{
    return options->capture != NULL && options->machine == NULL &&
           agpu_hardware_firmware(&options->hardware) == AGPU_FIRMWARE_UEFI;
}

bool agpu_run_resumes(const struct agpu_run_options *options)
{
    static const char key[] = "resume=";
    bool resumes = false;

    for (size_t i = 0; i < options->cfg_count; i++) {
        if (strncmp(options->cfg[i], key, sizeof key - 1) == 0) {
            resumes = strcmp(options->cfg[i] + sizeof key - 1, "0") != 0;
        }
    }
    return resumes;
}

bool agpu_run_spares_serial(const struct agpu_run_options *options)
{
    return options->machine == NULL && options->ctl == NULL && !agpu_run_config_has(options, "serial");
}

/* Writes a line of --cfg; replaces {udp-port} by the port that receives records. */
static void write_cfg_line(FILE *out, const char *line, unsigned udp_port)
{
    static const char place[] = "{udp-port}";
    const char *found = strstr(line, place);

    if (found == NULL) {
        fprintf(out, "%s\n", line);
    } else {
        fprintf(out, "%.*s%u%s\n", (int)(found - line), line, udp_port, found + sizeof place - 1);
    }
}

/* Writes the expectation of --expect; by default the ABI with which each of our models is started, and none for
 * another device. */
static void write_expectation(const struct agpu_run_options *options, FILE *out)
{
    char words[(AGPU_MORE_DEVICES_MAX + 1) * AGPU_EXPECT_MAX];

    if (options->expect != NULL) {
        fprintf(out, "expect=%s\n", options->expect);
        return;
    }
    if (!agpu_run_starts_device(options) || options->vdev != NULL) {
        return;
    }
    if (options->plugin == NULL) {
        agpu_expect_of_model(options->abi, words);
    } else {
        agpu_expect_of_device(options->plugin, words);
    }
    for (unsigned i = 0; i < options->more_device_count; i++) {
        strcat(words, ",");
        agpu_expect_of_device(options->more_devices[i], words + strlen(words));
    }
    if (agpu_expect_check(words, strlen(words))) { /* otherwise starting the device fails */
        fprintf(out, "expect=%s\n", words);
    }
}

char *agpu_run_config_text(const struct agpu_run_options *options, unsigned udp_port, const char *after)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL) {
        return NULL;
    }
    fputs("# written by agpu run\n", out);
    /* 10.0.2.2 is the host in QEMU's user networking; + asks for the extended format. */
    if (udp_port && !agpu_run_config_has(options, "netconsole")) {
        fprintf(out, "netconsole=+6665@/,%u@10.0.2.2/\n", udp_port);
        if (!agpu_run_config_has(options, "stream")) {
            fputs("stream=on\n", out);
        }
    }
    if (options->ctl != NULL) {
        fprintf(out, "control=%s,serial\n", options->ctl);
    }
    if (agpu_run_spares_serial(options)) {
        fputs("serial=spare\n", out);
    }
    if (udp_port && !agpu_run_config_has(options, "ip")) {
        fputs("ip=dhcp\n", out);
    }
    if (options->filter != NULL && !agpu_run_config_has(options, "filter")) {
        fprintf(out, "filter=%s\n", options->filter);
    }
    if (options->require != NULL && !agpu_run_config_has(options, "require")) {
        fprintf(out, "require=%s\n", options->require);
    }
    if (!agpu_run_config_has(options, "expect")) {
        write_expectation(options, out);
    }
    if (options->allow_skips != NULL && !agpu_run_config_has(options, "allow_skips")) {
        fprintf(out, "allow_skips=%s\n", options->allow_skips);
    }
    if (options->trace != NULL && !agpu_run_config_has(options, "trace")) {
        fprintf(out, "trace=%s\n", options->trace);
    }
    if (options->repeat != NULL && !agpu_run_config_has(options, "repeat")) {
        fprintf(out, "repeat=%s\n", options->repeat);
    }
    if (options->explore_seeded && !agpu_run_config_has(options, "explore_seed")) {
        fprintf(out, "explore_seed=%u\n", options->explore_seed);
    }
    if (options->shuffle != NULL && !agpu_run_config_has(options, "shuffle")) {
        fprintf(out, "shuffle=%s\n", options->shuffle);
    }
    agpu_choice_write(&options->choice, options->repeat != NULL || agpu_run_config_has(options, "repeat"),
                      options->timeout_us / 1000000, out);
    agpu_capture_disk_config(agpu_run_config_has(options, "capture") ? NULL : options->capture,
                             options->replay != NULL, options->replay_until, out);
    /* Our model: the image may also check choices that the specification leaves open. */
    if (agpu_run_starts_device(options) && options->vdev == NULL && all_are_models(options)) {
        fputs("device=model\n", out);
    }
    if (options->more_device_count != 0) {
        fputs("device=all\n", out);
    }
    /* OVMF maps none of the memory above 4 GiB, but QEMU's PCI host bridge forwards all of it. */
    if (options->device && options->machine == NULL && !agpu_run_config_has(options, "dma_high")) {
        fputs("dma_high=on\n", out);
    }
    if (!agpu_run_config_has(options, "resume")) { /* this program restarts the machine, with a new device */
        fprintf(out, "resume=0\n");
    }
    if (!agpu_run_config_has(options, "at_end")) {
        fputs("at_end=poweroff\n", out);
    }
    for (size_t i = 0; i < options->cfg_count; i++) {
        write_cfg_line(out, options->cfg[i], udp_port);
    }
    if (after != NULL) {
        fprintf(out, "after=%s\n", after);
    }
    if (fclose(out) != 0) {
        free(text);
        return NULL;
    }
    return text;
}

char *agpu_run_config_value(const struct agpu_run_options *options, const char *key)
{
    char *text = agpu_run_config_text(options, 0, NULL);
    const size_t length = strlen(key);
    char *found = NULL;

    for (const char *line = text; line != NULL && *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, key, length) == 0 && line[length] == '=') { /* the last line takes effect */
            free(found);
            found = strndup(line + length + 1, strcspn(line + length + 1, "\n"));
        }
    }
    free(text);
    return found;
}
