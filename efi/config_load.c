/* config_load.c: reads the configuration's sources, in order of precedence. */
#include "efi/config_load.h"

#include "efi/boot_http.h"
#include "efi/boot_pxe.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/progress.h"
#include "efi/words.h"

#define CONFIG_PATH L"\\EFI\\AGPU\\agpu.cfg"
#define CONFIG_NAME "\\EFI\\AGPU\\agpu.cfg"
#define FILE_NAME   "agpu.cfg"
#define DHCP_NAME   "DHCP option 224"

/* EDK II marks its own boot entries with a GUID. */
#define FIRMWARE_MARK_SIZE 16

static struct agpu_config *config;
static struct agpu_stream *records;
static uint64_t *run_hash;
static bool dhcp_read, ended;
static unsigned wrong; /* lines and sources that were not understood or not read */
/* Name of the file, shown as source of the configuration. */
static char file_name[AGPU_BOOT_NAME_MAX];
static char words[AGPU_WORDS_MAX + 1];

/* Result of a search for a file. NOT_READ: the file exists but could not be read, and a warning was
 * logged. */
enum found {
    FOUND,
    NOT_THERE,
    NOT_READ,
};

static void report_problem(void *ctx, const struct agpu_config_problem *problem)
{
    char buffer[500];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_format(&text, "%s line %u: %s; the line is ignored, the run is an ERROR: ", (const char *)ctx,
                problem->line, problem->reason);
    for (size_t i = 0; i < problem->text.size; i++) {
        agpu_text_char(&text, problem->text.at[i]);
    }
    agpu_stream_log(records, AGPU_LOG_ERROR, buffer);
    wrong++;
}

static void warn_source(const char *name, const char *failed)
{
    agpu_stream_format(records, AGPU_LOG_WARNING, "%s not read: %s", name, failed);
}

static void read_source(const char *name, const char *data, size_t size)
{
    agpu_config_source(config, name);
    agpu_config_parse(config, data, size, report_problem, (void *)(uintptr_t)name);
    *run_hash = agpu_progress_hash(*run_hash, data, size);
}

/* Reads the configuration from the contents of file_name, unless reading that file failed. */
static enum found take_file(const char *failed, char *data, size_t size)
{
    if (failed == agpu_file_missing) {
        return NOT_THERE;
    }
    if (failed != NULL) {
        warn_source(file_name, failed);
        wrong++; /* the file exists, and its settings are unknown */
        return NOT_READ;
    }
    read_source(file_name, data, size);
    agpu_heap_free(NULL, data);
    return FOUND;
}

/* Reads the file next to the application, else the one at CONFIG_PATH of our own media. */
static enum found read_volume(void)
{
    CHAR16 path[AGPU_FILE_PATH_MAX];
    char *data = NULL;
    size_t size = 0;
    const char *failed;

    if (agpu_file_beside(FILE_NAME, path, file_name)) {
        failed = agpu_file_read(path, AGPU_CONFIG_FILE_MAX, &data, &size);
        const enum found found = take_file(failed, data, size);
        if (found != NOT_THERE) {
            return found;
        }
    }
    agpu_format_line(file_name, sizeof file_name, "%s", CONFIG_NAME);
    failed = agpu_file_read(CONFIG_PATH, AGPU_CONFIG_FILE_MAX, &data, &size);
    return take_file(failed, data, size);
}

/* Reads the file of this board, else the one for all boards. */
static enum found read_server(agpu_boot_file_fn *read, const uint8_t mac[6])
{
    char own[40];
    char *data = NULL;
    size_t size = 0;
    const char *failed;
    enum found found;

    agpu_format_line(own, sizeof own, "agpu-%02X-%02X-%02X-%02X-%02X-%02X.cfg", mac[0], mac[1], mac[2],
                     mac[3], mac[4], mac[5]);
    failed = read(own, AGPU_CONFIG_FILE_MAX, file_name, &data, &size);
    found = take_file(failed, data, size);
    if (found != NOT_THERE) {
        return found;
    }
    failed = read(FILE_NAME, AGPU_CONFIG_FILE_MAX, file_name, &data, &size);
    return take_file(failed, data, size);
}

static void warn_no_file(const char *own)
{
    agpu_stream_format(records, AGPU_LOG_WARNING,
                       "no configuration file: expected %s%s, found none; defaults apply to all keys that no "
                       "other source sets",
                       file_name, own);
}

/* A boot server's file precedes one on a disc: a disc that was loaded by HTTP is the same for all boards. */
static void read_file(void)
{
    uint8_t mac[6];
    const char *own = "";
    enum found found = NOT_THERE;
    const bool by_pxe = agpu_boot_pxe_open(mac), by_http = !by_pxe && agpu_boot_http_open(mac);

    if (by_pxe || by_http) {
        own = ", or a file beside it named agpu- and the card's address";
        found = read_server(by_pxe ? agpu_boot_pxe_read : agpu_boot_http_read, mac);
    }
    if (found == NOT_THERE && agpu_file_has_volume()) {
        own = "";
        found = read_volume();
    }
    if (found == NOT_THERE && (by_pxe || by_http || agpu_file_has_volume())) {
        warn_no_file(own);
    } else if (found == NOT_THERE) {
        warn_source(
            FILE_NAME,
            "the application was started neither from a file system nor from a boot server over IPv4");
    }
    if (by_pxe) {
        size_t size;
        const uint8_t *packet = agpu_boot_pxe_dhcp(&size);

        agpu_config_load_dhcp(packet, size);
    }
}

void agpu_config_load(struct agpu_config *out, struct agpu_stream *stream, uint64_t *hash)
{
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);
    size_t size = 0;

    config = out;
    records = stream;
    run_hash = hash;
    dhcp_read = ended = false;
    agpu_config_defaults(config);
    if (loaded != NULL && loaded->LoadOptions != NULL &&
        !agpu_words_of_load_options(loaded->LoadOptions, loaded->LoadOptionsSize, words, &size) &&
        loaded->LoadOptionsSize != FIRMWARE_MARK_SIZE) {
        warn_source("load options", "expected at most 4096 plain characters");
    }
    if (size != 0) {
        read_source("load options", words, size);
    }
    read_file();
}

/* DHCP must not give control of the machine: any host on the network may answer first. */
static void read_dhcp(size_t size)
{
    const enum agpu_control_use control = config->control;
    const bool keyed = config->keyed;

    read_source(DHCP_NAME, words, size);
    if (config->control != control) {
        config->control = control;
        warn_source(DHCP_NAME, "control= is not accepted from this source");
    } else if (control != AGPU_CONTROL_OFF && config->keyed != keyed) {
        config->control = AGPU_CONTROL_OFF;
        warn_source(DHCP_NAME, "control= is off: its key= must not come from this source");
    }
}

void agpu_config_load_dhcp(const uint8_t *packet, size_t size)
{
    size_t length;

    if (dhcp_read || !config->dhcp_config) {
        return;
    }
    if (!agpu_words_of_dhcp(packet, size, words, &length)) {
        warn_source(DHCP_NAME, "expected plain characters"); /* the option may belong to other software */
    } else if (length != 0 && ended) {
        warn_source(DHCP_NAME, "the cases had already started when it arrived");
    } else if (length != 0) {
        read_dhcp(length);
        dhcp_read = true;
    }
}

void agpu_config_load_end(void)
{
    ended = true;
}

bool agpu_config_is_wrong(void *ctx, struct agpu_text *what)
{
    static bool reported;

    (void)ctx;
    if (wrong != 0 && !reported) {
        agpu_format(what,
                    "%u lines or sources of the configuration were not understood, expected none: the run is "
                    "an ERROR even if its cases pass; see the records before the plan, or agpu cfg --check",
                    wrong);
        reported = true;
    }
    return wrong != 0;
}
