/* config_load.c: sources from the weakest to the strongest. */
#include "efi/config_load.h"

#include "efi/boot_server.h"
#include "efi/file.h"
#include "efi/heap.h"
#include "efi/progress.h"
#include "efi/words.h"

#define CONFIG_PATH L"\\EFI\\AGPU\\agpu.cfg"
#define CONFIG_NAME "\\EFI\\AGPU\\agpu.cfg"
#define FILE_NAME   "agpu.cfg"

static struct agpu_config *config;
static struct agpu_stream *records;
static uint64_t *run_hash;
/* Of the file, which the configuration shows as its source. */
static char file_name[AGPU_BOOT_SERVER_NAME_MAX];

static void report_problem(void *ctx, const struct agpu_config_problem *problem)
{
    char buffer[500];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, ctx);
    agpu_text_string(&text, " line ");
    agpu_text_u64(&text, problem->line);
    agpu_text_string(&text, ": ");
    agpu_text_string(&text, problem->reason);
    agpu_text_string(&text, "; what was before is used: ");
    for (size_t i = 0; i < problem->text.size; i++) {
        agpu_text_char(&text, problem->text.at[i]);
    }
    agpu_stream_log(records, AGPU_LOG_WARNING, buffer);
}

static void read_source(const char *name, const char *data, size_t size)
{
    agpu_config_source(config, name);
    agpu_config_parse(config, data, size, report_problem, (void *)(uintptr_t)name);
    *run_hash = agpu_progress_hash(*run_hash, data, size);
}

static void warn_no_file(const char *name, const char *failed)
{
    char buffer[2 * AGPU_BOOT_SERVER_NAME_MAX + 160];
    struct agpu_text text;

    agpu_text_begin(&text, buffer, sizeof buffer);
    agpu_text_string(&text, name);
    agpu_text_string(&text, " not read: ");
    agpu_text_string(&text, failed);
    agpu_text_string(&text,
                     config->source_count != 0 ? "; DHCP and defaults are used" : "; all defaults are used");
    agpu_stream_log(records, AGPU_LOG_WARNING, buffer);
}

static void read_volume(void)
{
    CHAR16 path[AGPU_FILE_PATH_MAX];
    char *data = NULL;
    size_t size = 0;
    const char *failed = "no path";

    if (agpu_file_beside(FILE_NAME, path, file_name)) {
        failed = agpu_file_read(path, AGPU_CONFIG_FILE_MAX, &data, &size);
    }
    if (failed != NULL) {
        struct agpu_text text;

        agpu_text_begin(&text, file_name, sizeof file_name);
        agpu_text_string(&text, CONFIG_NAME);
        failed = agpu_file_read(CONFIG_PATH, AGPU_CONFIG_FILE_MAX, &data, &size);
    }
    if (failed != NULL) {
        warn_no_file(file_name, failed);
        return;
    }
    read_source(file_name, data, size);
    agpu_heap_free(NULL, data);
}

/* One board's own file goes before that of all. */
static void read_server(void)
{
    char own[40];
    char said[2 * AGPU_BOOT_SERVER_NAME_MAX + 60];
    struct agpu_text text;
    char *data = NULL;
    size_t size = 0;
    const char *failed;

    agpu_boot_server_own_name(own);
    failed = agpu_boot_server_read(own, AGPU_CONFIG_FILE_MAX, file_name, &data, &size);
    if (failed != NULL) {
        agpu_text_begin(&text, said, sizeof said);
        agpu_text_string(&text, file_name);
        agpu_text_string(&text, ": ");
        agpu_text_string(&text, failed);
        agpu_text_string(&text, "; and ");
        failed = agpu_boot_server_read(FILE_NAME, AGPU_CONFIG_FILE_MAX, file_name, &data, &size);
    }
    if (failed != NULL) {
        agpu_text_string(&text, file_name);
        warn_no_file(said, failed);
        return;
    }
    read_source(file_name, data, size);
    agpu_heap_free(NULL, data);
}

void agpu_config_load(struct agpu_config *out, struct agpu_stream *stream, uint64_t *hash)
{
    static char words[AGPU_WORDS_MAX + 1];
    EFI_LOADED_IMAGE *loaded = agpu_protocol(agpu_image, &agpu_guid_loaded_image);
    size_t size;

    config = out;
    records = stream;
    run_hash = hash;
    agpu_config_defaults(config);
    if (agpu_boot_server_open()) {
        size = agpu_boot_server_option(words);
        if (size != 0) {
            read_source("DHCP option 224", words, size);
        }
        read_server();
    } else {
        read_volume();
    }
    size = loaded != NULL && loaded->LoadOptions != NULL
               ? agpu_words_of_load_options(loaded->LoadOptions, loaded->LoadOptionsSize, words)
               : 0;
    if (size != 0) {
        read_source("load options", words, size);
    }
}
