/* model.c: the plug-in table of the model, on top of tests/device/device.h. */
#include "tests/device/plugin/model.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/device.h"
#include "tests/device/inspect/image.h"
#include "tests/device/inspect/inspect.h"
#include "tests/device/plugin/load.h"
#include "tests/device/plugin/port.h"
#include "tests/device/plugin/variant.h"
#include "tests/device/render/attach.h"
#include "tests/device/saved.h"

struct plugged_model {
    struct vgpu_device *device;
    struct vgpu_pci_setup pci;
    struct vgpu_device_bars bars;
    struct vgpu_device_renderer *renderer;
    const struct agpu_device_host *host;
    void *machine;
    uint8_t *picture; /* pixels returned by model_picture() */
};

struct model_options {
    struct vgpu_device_config config;
    bool render;
    uint32_t render_ms; /* 0: the default limit */
};

/* Option parsers return NULL on success, or a description of the valid values, or this for an option that is
 * not theirs. */
static const char unknown[] = "";

/* Parses a number from 1 to most without sign or leading zeros; returns 0 when it is invalid. */
static uint64_t number_of(const char *value, uint64_t most)
{
    uint64_t number;
    char *end;

    errno = 0;
    number = strtoull(value, &end, 10);
    return value[0] >= '1' && value[0] <= '9' && *end == '\0' && errno == 0 && number <= most ? number : 0;
}

/* PCI options: equipment in addition to the table of device.md 1. */
static const char *take_pci_option(struct vgpu_pci_setup *pci, const char *name, const char *value)
{
    const bool on = strcmp(value, "on") == 0;

    if (strcmp(name, "pm") == 0) {
        pci->power = true;
        pci->keeps_state = !on;
        return on || strcmp(value, "keeps") == 0 ? NULL : "on or keeps";
    }
    if (strcmp(name, "pcie") == 0) {
        pci->express = true;
        pci->function_reset = !on;
        return on || strcmp(value, "flr") == 0 ? NULL : "on or flr";
    }
    if (strcmp(name, "bar0") == 0) {
        pci->wide_registers = true;
        return strcmp(value, "64") == 0 ? NULL : "64";
    }
    if (strcmp(name, "bar1") == 0) {
        pci->wide_vram = strcmp(value, "64") == 0;
        pci->no_vram = strcmp(value, "none") == 0;
        return pci->wide_vram || pci->no_vram ? NULL : "64 or none";
    }
    if (strcmp(name, "msi") == 0) {
        pci->msi = (uint8_t)number_of(value, 32);
        return pci->msi != 0 && (pci->msi & (pci->msi - 1)) == 0 ? NULL : "1, 2, 4, 8, 16 or 32 vectors";
    }
    if (strcmp(name, "msix") == 0) {
        pci->msix = (uint8_t)number_of(value, 64);
        return pci->msix != 0 ? NULL : "1 to 64 vectors";
    }
    return unknown;
}

/* Parses features by the names that require= uses. */
static bool take_features(const char *names, uint64_t *features)
{
    static const struct {
        const char *name;
        uint64_t feature;
    } known[] = {
        {"fence_page", AEROGPU_FEATURE_FENCE_PAGE}, {"cursor", AEROGPU_FEATURE_CURSOR},
        {"scanout", AEROGPU_FEATURE_SCANOUT},       {"vblank", AEROGPU_FEATURE_VBLANK},
        {"transfer", AEROGPU_FEATURE_TRANSFER},     {"error_info", AEROGPU_FEATURE_ERROR_INFO},
    };

    while (*names == '-') {
        const size_t length = strcspn(++names, "-");
        unsigned i = 0;

        while (i < sizeof known / sizeof known[0] &&
               (strlen(known[i].name) != length || strncmp(names, known[i].name, length) != 0)) {
            i++;
        }
        if (i == sizeof known / sizeof known[0]) {
            return false;
        }
        *features |= known[i].feature;
        names += length;
    }
    return *names == '\0';
}

/* Cuts an ending that selects the PCI identity of the other generation; returns whether it was present. */
static bool cut_ending(char *text, const char *ending)
{
    const size_t length = strlen(text), last = strlen(ending);

    if (length < last || strcmp(text + length - last, ending) != 0) {
        return false;
    }
    text[length - last] = '\0';
    return true;
}

bool vgpu_model_abi(const char *stated, struct vgpu_device_config *config)
{
    char text[128];

    if (strlen(stated) >= sizeof text) {
        return false;
    }
    strcpy(text, stated);
    config->abi = cut_ending(text, "-as-1aed") ? VGPU_ABI_VERSIONED_AS_LEGACY : VGPU_ABI_VERSIONED;
    config->abi_version = 0;
    config->without = 0;
    if (strcmp(text, "legacy") == 0 && config->abi == VGPU_ABI_VERSIONED) {
        config->abi = VGPU_ABI_LEGACY;
        return true;
    }
    if (strcmp(text, "legacy-as-a3a0") == 0) {
        config->abi = VGPU_ABI_LEGACY_AS_VERSIONED;
        return true;
    }
    if (strncmp(text, "1.", 2) != 0 || text[2] < '0' || text[2] > '0' + (int)AEROGPU_ABI_MINOR) {
        return false;
    }
    config->abi_version = AEROGPU_ABI_MAJOR << 16 | (uint32_t)(text[2] - '0');
    return take_features(text + 3, &config->without);
}

static const char *take_option(struct model_options *options, const char *name, const char *value)
{
    if (strcmp(name, "abi") == 0) {
        return vgpu_model_abi(value, &options->config) ? NULL : VGPU_MODEL_ABIS;
    }
    if (strcmp(name, "executor") == 0) {
        options->config.executor = strcmp(value, "none") == 0       ? VGPU_EXECUTOR_NONE
                                   : strcmp(value, "software") == 0 ? VGPU_EXECUTOR_SOFTWARE
                                                                    : VGPU_EXECUTOR_COMPLETE;
        return options->config.executor != VGPU_EXECUTOR_COMPLETE ? NULL : "none or software";
    }
    if (strcmp(name, "render") == 0) {
        options->render = strcmp(value, "on") == 0;
        return options->render || strcmp(value, "off") == 0 ? NULL : "on or off";
    }
    if (strcmp(name, "render_ms") == 0) {
        options->render_ms = (uint32_t)number_of(value, 999999);
        return options->render_ms != 0 ? NULL : "1 to 999999 milliseconds";
    }
    if (strcmp(name, "vram") == 0) {
        options->config.vram_bytes = number_of(value, UINT64_MAX);
        return options->config.vram_bytes != 0 ? NULL : "a number of bytes, a power of two";
    }
    if (strcmp(name, "fault") == 0) {
        return "it once, in front of the other options: model,fault=NAME,...";
    }
    return take_pci_option(&options->config.pci, name, value);
}

/* Checks that the options can be combined. */
static bool check_together(const struct vgpu_device_config *config, char *message, size_t message_size)
{
    uint64_t bytes;

    if (vgpu_device_vram_size(config, &bytes)) {
        return true;
    }
    if (vgpu_abi_is_legacy(config->abi) || config->pci.no_vram) {
        snprintf(message, message_size,
                 "option \"vram=%" PRIu64 "\": expected none %s, which has no video memory in a BAR",
                 config->vram_bytes, config->pci.no_vram ? "with bar1=none" : "with abi=legacy");
    } else {
        snprintf(message, message_size,
                 "option \"vram=%" PRIu64 "\": expected a power of two from %" PRIu64 " to %" PRIu64
                 " bytes%s",
                 config->vram_bytes, VGPU_VRAM_MIN_BYTES,
                 config->pci.wide_vram ? VGPU_VRAM_WIDE_MAX_BYTES : VGPU_VRAM_MAX_BYTES,
                 config->pci.wide_vram ? "" : "; more with bar1=64");
    }
    return false;
}

/* Returns false, with the option that is not understood in message. */
static bool parse(const char *text, struct model_options *options, char *message, size_t message_size)
{
    char copy[256], *rest = copy, *word, *value;

    if (strlen(text) >= sizeof copy) {
        snprintf(message, message_size, "the options are longer than %zu characters", sizeof copy - 1);
        return false;
    }
    strcpy(copy, text);
    while ((word = strsep(&rest, ",")) != NULL) {
        const char *expected;

        if (*word == '\0') {
            continue;
        }
        value = strchr(word, '=');
        if (value != NULL) {
            *value++ = '\0';
        }
        expected = value != NULL ? take_option(options, word, value) : unknown;
        if (expected == unknown) {
            snprintf(message, message_size,
                     "option \"%s%s%s\": expected one of abi= fault= vram= executor= render= render_ms= "
                     "bar0= bar1= "
                     "pm= pcie= msi= msix=, each with a value",
                     word, value != NULL ? "=" : "", value != NULL ? value : "");
            return false;
        }
        if (expected != NULL) {
            snprintf(message, message_size, "option \"%s=%s\": expected %s", word, value, expected);
            return false;
        }
    }
    return check_together(&options->config, message, message_size);
}

static void log_renderer(void *ctx, const char *text)
{
    const struct plugged_model *model = ctx;

    model->host->log(model->machine, text);
}

static void *model_create(const struct agpu_device_host *host, void *machine, const char *options,
                          char *message, size_t message_size)
{
    /* The model gets the host table directly and has no advantage over any other device. */
    const struct vgpu_device_machine around = {
        .ctx = machine,
        .dma_pointer = host->dma_map,
        .dma_extent = host->dma_extent,
        .set_intx = host->set_interrupt,
        .send_message = host->send_msi,
        .now_ns = host->now_ns,
    };
    struct model_options parsed = {.render = true};
    struct plugged_model *model;

    if (!parse(options, &parsed, message, message_size)) {
        return NULL;
    }
    model = calloc(1, sizeof *model);
    if (model == NULL) {
        snprintf(message, message_size, "no memory");
        return NULL;
    }
    model->host = host;
    model->machine = machine;
    model->device = vgpu_device_create(&around, &parsed.config);
    if (model->device == NULL) {
        snprintf(message, message_size, "no memory for the model");
        free(model);
        return NULL;
    }
    model->pci = parsed.config.pci;
    model->bars = vgpu_device_bars(model->device);
    if (parsed.render) {
        model->renderer = vgpu_device_renderer_attach(model->device, parsed.render_ms, log_renderer, model);
    }
    return model;
}

static void model_destroy(void *device)
{
    struct plugged_model *model = device;

    vgpu_device_destroy(model->device);
    vgpu_device_renderer_free(model->renderer);
    free(model->picture);
    free(model);
}

/* Describes the device that the options ask for. A model with a fault may contradict this in its
 * registers; the front ends leave that to the cases (vgpu_port_machine.trust_description). */
static void model_describe(void *device, struct agpu_device_info *info)
{
    const struct plugged_model *model = device;
    const struct vgpu_device_vram vram = vgpu_device_vram(model->device);

    info->config_bytes = 256;
    info->msi_vectors = model->pci.msi;
    info->bars[VGPU_BAR_REGISTERS].size = model->bars.registers_size;
    info->bars[VGPU_BAR_REGISTERS].is_64_bit = model->pci.wide_registers;
    if (vram.size != 0) {
        info->bars[model->bars.vram_register] = (struct agpu_device_bar){
            .size = vram.size, .is_64_bit = model->pci.wide_vram, .prefetchable = 1, .memory_fd = vram.fd};
    }
}

static void model_reset(void *device, enum agpu_device_reset kind)
{
    const struct plugged_model *model = device;

    vgpu_device_reset(model->device);
    if (kind == AGPU_DEVICE_RESET_COLD) {
        for (uint32_t bar = 0; bar < AGPU_DEVICE_BARS; bar++) {
            vgpu_device_config_write(model->device, 0x10 + 4 * bar, 4, 0);
        }
    }
}

static uint32_t model_config_read(void *device, uint32_t offset, uint32_t size)
{
    return vgpu_device_config_read(((struct plugged_model *)device)->device, offset, size);
}

static void model_config_write(void *device, uint32_t offset, uint32_t size, uint32_t value)
{
    vgpu_device_config_write(((struct plugged_model *)device)->device, offset, size, value);
}

/* Returns the model's BAR for a BAR register; an invalid value when there is none. */
static enum vgpu_bar bar_behind(const struct plugged_model *model, uint32_t bar)
{
    return bar == model->bars.vram_register ? VGPU_BAR_VRAM
           : bar == VGPU_BAR_VRAM           ? (enum vgpu_bar)AGPU_DEVICE_BARS
                                            : (enum vgpu_bar)bar;
}

static uint64_t model_bar_read(void *device, uint32_t bar, uint64_t offset, uint32_t size)
{
    const struct plugged_model *model = device;

    return vgpu_device_bar_read(model->device, bar_behind(model, bar), offset, size);
}

static void model_bar_write(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    const struct plugged_model *model = device;

    vgpu_device_bar_write(model->device, bar_behind(model, bar), offset, size, value);
}

static uint64_t model_poll(void *device, uint64_t now_ns)
{
    (void)now_ns; /* the model reads the machine's clock itself */
    return vgpu_device_service(((struct plugged_model *)device)->device);
}

/* Shows the cursor on the screen, unless there is none. */
static void show_cursor(struct plugged_model *model, const struct vgpu_image *screen)
{
    struct vgpu_pixels pixels = {0};
    int64_t left, top;
    struct vgpu_image cursor = {0};

    if (vgpu_device_read_cursor(model->device, &pixels, &left, &top) == NULL) {
        cursor = (struct vgpu_image){pixels.width, pixels.height,
                                     malloc((size_t)pixels.width * pixels.height * 4)};
    }
    if (cursor.rgba != NULL && vgpu_pixels_to_rgba(&pixels, cursor.rgba) == NULL) {
        vgpu_cursor_compose(screen, &cursor, left, top);
    }
    free(cursor.rgba);
    vgpu_pixels_free(&pixels);
}

static bool model_picture(void *device, struct agpu_device_picture *picture)
{
    struct plugged_model *model = device;
    struct vgpu_pixels pixels = {0};
    const char *why = vgpu_device_read_scanout(model->device, &pixels);

    free(model->picture);
    model->picture = why == NULL ? malloc((size_t)pixels.width * pixels.height * 4) : NULL;
    if (model->picture != NULL) {
        why = vgpu_pixels_to_rgba(&pixels, model->picture);
    }
    if (model->picture != NULL && why == NULL) {
        show_cursor(model, &(struct vgpu_image){pixels.width, pixels.height, model->picture});
    }
    *picture = (struct agpu_device_picture){.width = pixels.width,
                                            .height = pixels.height,
                                            .pitch_bytes = (uint64_t)pixels.width * 4,
                                            .rgba = model->picture};
    vgpu_pixels_free(&pixels);
    return why == NULL && model->picture != NULL;
}

static void model_dump(void *device, agpu_device_line *line, void *ctx)
{
    const struct vgpu_device *model = ((struct plugged_model *)device)->device;
    const struct vgpu_device_stats *stats = vgpu_device_stats(model);
    char text[160];

    snprintf(text, sizeof text,
             "%s: %" PRIu64 " doorbells, %" PRIu64 " submissions, %" PRIu64 " malformed, %" PRIu64
             " vblanks, %" PRIu64 " bytes moved",
             vgpu_device_abi_name(model), stats->doorbells, stats->submissions, stats->malformed,
             stats->vblanks, stats->moved_bytes);
    line(ctx, text);
}

static bool model_save(void *device, agpu_device_store *store, void *ctx)
{
    const struct plugged_model *model = device;
    char message[VGPU_SAVED_MESSAGE];
    const bool saved = vgpu_device_save(model->device, store, ctx, message, sizeof message);

    if (!saved) {
        model->host->log(model->machine, message);
    }
    return saved;
}

static bool model_load(void *device, const void *bytes, uint64_t size, char *message, size_t message_size)
{
    return vgpu_device_load(((struct plugged_model *)device)->device, bytes, size, message, message_size);
}

static const char *model_register_name(void *device, uint32_t bar, uint64_t offset)
{
    return bar == VGPU_BAR_REGISTERS
               ? vgpu_device_register_name(((struct plugged_model *)device)->device, offset)
               : NULL;
}

static const struct agpu_device_plugin model_table = {
    .major = AGPU_DEVICE_PLUGIN_MAJOR,
    .minor = AGPU_DEVICE_PLUGIN_MINOR,
    .size = sizeof(struct agpu_device_plugin),
    .name = "model",
    .about = "The C model of the AeroGPU device.",
    .create = model_create,
    .destroy = model_destroy,
    .describe = model_describe,
    .reset = model_reset,
    .config_read = model_config_read,
    .config_write = model_config_write,
    .bar_read = model_bar_read,
    .bar_write = model_bar_write,
    .poll = model_poll,
    .picture = model_picture,
    .dump = model_dump,
    .register_name = model_register_name,
    .save = model_save,
    .load = model_load,
};

const struct agpu_device_plugin *vgpu_model_plugin(void)
{
    return &model_table;
}

static const char ours[] = "model", with_fault[] = "fault=";

bool vgpu_names_model(const char *spec)
{
    const size_t length = sizeof ours - 1;

    return strncmp(spec, ours, length) == 0 && (spec[length] == '\0' || spec[length] == ',');
}

const struct agpu_device_plugin *vgpu_model_with(const char **options, char *message, size_t message_size)
{
    const size_t length = sizeof with_fault - 1;
    char name[VGPU_MODEL_OPTIONS];

    if (strncmp(*options, with_fault, length) != 0) {
        return &model_table;
    }
    snprintf(name, sizeof name, "%.*s", (int)strcspn(*options + length, ","), *options + length);
    *options += strcspn(*options, ",");
    *options += **options == ',';
    return vgpu_variant_load(name, message, message_size);
}

bool vgpu_is_model(const struct agpu_device_plugin *table)
{
    return strcmp(table->name, ours) == 0;
}

const struct agpu_device_plugin *vgpu_named_device(const char *spec, const char **options, char *message,
                                                   size_t message_size)
{
    if (!vgpu_names_model(spec)) {
        return vgpu_plugin_load(spec, options, message, message_size);
    }
    *options = spec[sizeof ours - 1] == ',' ? spec + sizeof ours : "";
    return vgpu_model_with(options, message, message_size);
}

void vgpu_model_options(char text[VGPU_MODEL_OPTIONS], const char *abi, const char *fault)
{
    snprintf(text, VGPU_MODEL_OPTIONS, "%s%s%sabi=%s", fault == NULL ? "" : with_fault,
             fault == NULL ? "" : fault, fault == NULL ? "" : ",", abi != NULL ? abi : "1.4");
}

struct vgpu_device *vgpu_model_of(const struct vgpu_port *port)
{
    return vgpu_port_table(port) == &model_table ? ((struct plugged_model *)vgpu_port_device(port))->device
                                                 : NULL;
}
