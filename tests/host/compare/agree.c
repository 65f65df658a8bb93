/* agree.c: compares two shapes. */
#include "tests/host/compare/agree.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/protocol/aerogpu_pci.h"
#include "tests/device/plugin/model.h"

#define REGISTERS   0u
#define MODEL_MSIX  64u /* limit of vectors for our model */
#define MODEL_MINOR AEROGPU_ABI_MINOR
#define LEAST_VRAM  (UINT64_C(512) << 10)
#define MOST_VRAM   (UINT64_C(1) << 30)

static const struct {
    uint64_t feature;
    const char *name;
    uint32_t since; /* first minor that has it */
} features[] = {
    {AEROGPU_FEATURE_FENCE_PAGE, "fence_page", 0}, {AEROGPU_FEATURE_CURSOR, "cursor", 0},
    {AEROGPU_FEATURE_SCANOUT, "scanout", 0},       {AEROGPU_FEATURE_VBLANK, "vblank", 0},
    {AEROGPU_FEATURE_TRANSFER, "transfer", 1},     {AEROGPU_FEATURE_ERROR_INFO, "error_info", 3},
};
#define FEATURES (sizeof features / sizeof features[0])

static bool is_legacy(const struct agpu_cmp_shape *shape)
{
    return shape->vendor == AEROGPU_LEGACY_PCI_VENDOR_ID;
}

static uint32_t aperture_of(const struct agpu_cmp_shape *shape)
{
    return shape->bars[REGISTERS].wide ? 2 : 1;
}

/* ---- words ---- */

static void describe_bar(const struct agpu_cmp_shape *shape, uint32_t bar, char *text)
{
    const struct agpu_cmp_shape_bar *is = &shape->bars[bar];

    if (is->size == 0) {
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "none");
        return;
    }
    snprintf(text, AGPU_CMP_CHOSEN_TEXT, "%" PRIu64 " KiB, %u bits%s", is->size >> 10, is->wide ? 64 : 32,
             is->prefetchable ? ", prefetchable" : "");
}

static void describe_capability(const struct agpu_cmp_shape *shape, enum agpu_cmp_capability which,
                                char *text)
{
    if (shape->at[which] == 0) {
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "none");
        return;
    }
    switch (which) {
    case AGPU_CMP_POWER_CAP:
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "%s%s%s",
                 shape->keeps_state ? "D3hot keeps state" : "D3hot resets", shape->d1 ? ", D1" : "",
                 shape->d2 ? ", D2" : "");
        break;
    case AGPU_CMP_MSI_CAP:
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "%u vectors, %u bits%s", shape->msi_vectors,
                 shape->msi_wide ? 64 : 32, shape->msi_masks ? ", with masks" : "");
        break;
    case AGPU_CMP_EXPRESS_CAP:
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "%s function level reset",
                 shape->function_reset ? "with" : "without");
        break;
    default:
        snprintf(text, AGPU_CMP_CHOSEN_TEXT, "%u vectors, table at 0x%x of BAR%u", shape->msix_vectors,
                 shape->table.offset, shape->table.bar);
        break;
    }
}

static void describe_features(uint64_t has, char *text)
{
    size_t length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < FEATURES && length < AGPU_CMP_CHOSEN_TEXT - 1; i++) {
        if ((has & features[i].feature) != 0) {
            length += (size_t)snprintf(text + length, AGPU_CMP_CHOSEN_TEXT - length, "%s%s",
                                       length > 0 ? " " : "", features[i].name);
        }
    }
    if (length < AGPU_CMP_CHOSEN_TEXT - 1 && has >> FEATURES != 0) {
        snprintf(text + length, AGPU_CMP_CHOSEN_TEXT - length, "%s0x%" PRIx64, length > 0 ? " " : "",
                 has >> FEATURES << FEATURES);
    }
}

static void describe_places(const struct agpu_cmp_shape *shape, char *text)
{
    size_t length = 0;

    snprintf(text, AGPU_CMP_CHOSEN_TEXT, "none");
    for (uint32_t i = 0; i < shape->listed && length < AGPU_CMP_CHOSEN_TEXT - 6; i++) {
        length += (size_t)snprintf(text + length, AGPU_CMP_CHOSEN_TEXT - length, "%s0x%x",
                                   length > 0 ? " " : "", shape->list[i]);
    }
}

/* ---- what they chose ---- */

static struct agpu_cmp_chosen *add_chosen(struct agpu_cmp_agreement *agreement, enum agpu_gen_choice choice,
                                          const char *what)
{
    /* used when the list is full, which does not occur with the current choices */
    static struct agpu_cmp_chosen beyond;
    struct agpu_cmp_chosen *chosen = &beyond;

    if (agreement->count < AGPU_CMP_CHOSEN) {
        chosen = &agreement->list[agreement->count++];
    }
    memset(chosen, 0, sizeof *chosen);
    chosen->choice = choice;
    snprintf(chosen->what, sizeof chosen->what, "%s", what);
    return chosen;
}

/* Keeps the entry that was added last only when the two sides differ. */
static void keep_if_different(struct agpu_cmp_agreement *agreement, const struct agpu_cmp_chosen *chosen)
{
    if (strcmp(chosen->values[0], chosen->values[1]) == 0) {
        agreement->count--;
    }
}

static void choose_bars(const struct agpu_cmp_shape shapes[2], struct agpu_cmp_agreement *agreement)
{
    static const char *const names[] = {"BAR0", "BAR1, the VRAM aperture"};

    for (uint32_t i = 0; i < 2; i++) {
        struct agpu_cmp_chosen *chosen = add_chosen(agreement, AGPU_GEN_CHOICE_BARS, names[i]);

        for (int side = 0; side < 2; side++) {
            describe_bar(&shapes[side], i == 0 ? REGISTERS : aperture_of(&shapes[side]),
                         chosen->values[side]);
        }
        keep_if_different(agreement, chosen);
    }
}

static void choose_capabilities(const struct agpu_cmp_shape shapes[2], struct agpu_cmp_agreement *agreement)
{
    const uint32_t before = agreement->count;
    struct agpu_cmp_chosen *chosen;

    for (int i = 0; i < AGPU_CMP_CAPABILITIES; i++) {
        chosen = add_chosen(agreement, AGPU_GEN_CHOICE_CAPABILITIES,
                            agpu_cmp_capability_name((enum agpu_cmp_capability)i));
        for (int side = 0; side < 2; side++) {
            describe_capability(&shapes[side], (enum agpu_cmp_capability)i, chosen->values[side]);
        }
        keep_if_different(agreement, chosen);
    }
    /* the same capabilities may be at other offsets, or have others between them */
    if (agreement->count == before) {
        chosen = add_chosen(agreement, AGPU_GEN_CHOICE_CAPABILITIES, "places of capabilities");
        for (int side = 0; side < 2; side++) {
            describe_places(&shapes[side], chosen->values[side]);
        }
        keep_if_different(agreement, chosen);
    }
}

static void choose_registers(const struct agpu_cmp_shape shapes[2], struct agpu_cmp_agreement *agreement)
{
    struct agpu_cmp_chosen *chosen = add_chosen(agreement, AGPU_GEN_CHOICE_ABI_MINOR, "ABI version");

    for (int side = 0; side < 2; side++) {
        snprintf(chosen->values[side], AGPU_CMP_CHOSEN_TEXT, "%u.%u", shapes[side].abi >> 16,
                 shapes[side].abi & 0xFFFF);
    }
    keep_if_different(agreement, chosen);
    chosen = add_chosen(agreement, AGPU_GEN_CHOICE_FEATURES, "features");
    for (int side = 0; side < 2; side++) {
        describe_features(shapes[side].features, chosen->values[side]);
    }
    keep_if_different(agreement, chosen);
    if (shapes[0].period_ns != 0 && shapes[1].period_ns != 0) {
        chosen = add_chosen(agreement, AGPU_GEN_CHOICE_VBLANK_PHASE, "vblank period");
        for (int side = 0; side < 2; side++) {
            snprintf(chosen->values[side], AGPU_CMP_CHOSEN_TEXT, "%u ns", shapes[side].period_ns);
        }
        keep_if_different(agreement, chosen);
    }
}

/* ---- what both have ---- */

static uint32_t capabilities_of(const struct agpu_cmp_shape *shape)
{
    uint32_t has = 0;

    if (shape->at[AGPU_CMP_POWER_CAP] != 0) {
        has |= shape->keeps_state ? AGPU_GEN_HAS_SLEEP : AGPU_GEN_HAS_SLEEP_RESET;
        has |= shape->d1 ? 0 : AGPU_GEN_LACKS_D1;
        has |= shape->d2 ? 0 : AGPU_GEN_LACKS_D2;
    }
    has |= shape->at[AGPU_CMP_MSI_CAP] != 0 && shape->delivers ? AGPU_GEN_HAS_MSI : 0;
    has |= shape->at[AGPU_CMP_MSIX_CAP] != 0 && shape->msix_vectors > 0 ? AGPU_GEN_HAS_MSIX : 0;
    has |= shape->at[AGPU_CMP_EXPRESS_CAP] != 0 && shape->function_reset ? AGPU_GEN_HAS_FUNCTION_RESET : 0;
    return has;
}

void agpu_cmp_agree(const struct agpu_cmp_shape shapes[2], uint64_t insisted, struct agpu_gen_common *common,
                    struct agpu_cmp_agreement *agreement)
{
    const uint64_t bar1[2] = {shapes[0].bars[aperture_of(&shapes[0])].size,
                              shapes[1].bars[aperture_of(&shapes[1])].size};
    uint64_t otherwise = 0;

    agreement->count = 0;
    if (is_legacy(&shapes[0]) != is_legacy(&shapes[1])) {
        struct agpu_cmp_chosen *chosen = add_chosen(agreement, AGPU_GEN_CHOICE_ABI_MINOR, "generation");

        for (int side = 0; side < 2; side++) {
            snprintf(chosen->values[side], AGPU_CMP_CHOSEN_TEXT, "%s",
                     is_legacy(&shapes[side]) ? "legacy" : "versioned");
        }
    } else {
        choose_bars(shapes, agreement);
        choose_capabilities(shapes, agreement);
    }
    if (!is_legacy(&shapes[0]) && !is_legacy(&shapes[1])) {
        choose_registers(shapes, agreement);
    }
    for (uint32_t i = 0; i < agreement->count; i++) {
        otherwise |= UINT64_C(1) << agreement->list[i].choice;
        agreement->list[i].compared = (insisted >> agreement->list[i].choice & 1) != 0;
    }
    if ((otherwise >> AGPU_GEN_CHOICE_ABI_MINOR & 1) != 0) { /* a minor adds packets, and rules for them */
        otherwise |= UINT64_C(1) << AGPU_GEN_CHOICE_VIEWS | UINT64_C(1) << AGPU_GEN_CHOICE_DAMAGED;
    }
    common->choices.compared &= ~(otherwise & ~insisted);
    common->features = shapes[0].features & shapes[1].features;
    common->features_apart = shapes[0].features ^ shapes[1].features;
    common->bar1_bytes = bar1[0] < bar1[1] ? bar1[0] : bar1[1];
    common->has = capabilities_of(&shapes[0]) & capabilities_of(&shapes[1]);
    common->listed = shapes[0].listed != 0 || shapes[1].listed != 0;
    common->wide = false;
    for (uint32_t i = 0; i < AGPU_CMP_SHAPE_BARS; i++) {
        common->wide |= shapes[0].bars[i].wide || shapes[1].bars[i].wide;
    }
}

/* ---- our model, made like another device ---- */

static bool is_bare_model(const char *spec)
{
    static const char *const open[] = {"fault=", "render=", "render_ms="};

    if (!vgpu_names_model(spec)) {
        return false;
    }
    for (spec += strcspn(spec, ","); *spec == ',';) {
        bool found = false;

        spec++;
        for (size_t i = 0; i < sizeof open / sizeof open[0]; i++) {
            found |= strncmp(spec, open[i], strlen(open[i])) == 0;
        }
        if (!found) {
            return false;
        }
        spec += strcspn(spec, ",");
    }
    return true;
}

struct adapting {
    char *text;
    size_t size, length;
    uint32_t added;
};

static void __attribute__((format(printf, 2, 3))) add_word(struct adapting *adapting, const char *format, ...)
{
    va_list arguments;
    int written;

    if (adapting->length >= adapting->size) {
        return;
    }
    va_start(arguments, format);
    written =
        vsnprintf(adapting->text + adapting->length, adapting->size - adapting->length, format, arguments);
    va_end(arguments);
    adapting->length += (size_t)written;
    adapting->added++;
}

static void adapt_capabilities(const struct agpu_cmp_shape *own, const struct agpu_cmp_shape *like,
                               struct adapting *adapting)
{
    const uint32_t vectors = like->msix_vectors < MODEL_MSIX ? like->msix_vectors : MODEL_MSIX;

    if (like->at[AGPU_CMP_POWER_CAP] != 0 &&
        (own->at[AGPU_CMP_POWER_CAP] == 0 || own->keeps_state != like->keeps_state)) {
        add_word(adapting, ",pm=%s", like->keeps_state ? "keeps" : "on");
    }
    if (like->at[AGPU_CMP_EXPRESS_CAP] != 0 &&
        (own->at[AGPU_CMP_EXPRESS_CAP] == 0 || own->function_reset != like->function_reset)) {
        add_word(adapting, ",pcie=%s", like->function_reset ? "flr" : "on");
    }
    if (like->msi_vectors != 0 && own->msi_vectors != like->msi_vectors) {
        add_word(adapting, ",msi=%u", like->msi_vectors);
    }
    if (vectors != 0 && own->msix_vectors != vectors) {
        add_word(adapting, ",msix=%u", vectors);
    }
}

static void adapt_bars(const struct agpu_cmp_shape *own, const struct agpu_cmp_shape *like,
                       struct adapting *adapting)
{
    const struct agpu_cmp_shape_bar *has = &own->bars[aperture_of(own)];
    const struct agpu_cmp_shape_bar *wanted = &like->bars[aperture_of(like)];

    if (like->bars[REGISTERS].wide && !own->bars[REGISTERS].wide) {
        add_word(adapting, ",bar0=64");
    }
    if (wanted->size == 0 && has->size != 0) {
        add_word(adapting, ",bar1=none");
    } else if (wanted->wide && !has->wide) {
        add_word(adapting, ",bar1=64");
    }
    if (wanted->size != has->size && wanted->size >= LEAST_VRAM && wanted->size <= MOST_VRAM) {
        add_word(adapting, ",vram=%" PRIu64, wanted->size);
    }
}

static void adapt_abi(const struct agpu_cmp_shape *own, const struct agpu_cmp_shape *like,
                      struct adapting *adapting)
{
    const uint32_t minor = (like->abi & 0xFFFF) < MODEL_MINOR ? like->abi & 0xFFFF : MODEL_MINOR;

    if (is_legacy(like) != is_legacy(own)) {
        add_word(adapting, ",abi=%s", is_legacy(like) ? "legacy" : "1.4");
        return;
    }
    if (is_legacy(like) || like->abi >> 16 != AEROGPU_ABI_MAJOR ||
        (own->abi == like->abi && own->features == like->features)) {
        return;
    }
    add_word(adapting, ",abi=1.%u", minor);
    for (size_t i = 0; i < FEATURES; i++) {
        if ((like->features & features[i].feature) == 0 && features[i].since <= minor) {
            add_word(adapting, "-%s", features[i].name);
        }
    }
}

bool agpu_cmp_adapt(const char *spec, const struct agpu_cmp_shape *own, const struct agpu_cmp_shape *like,
                    char *out, size_t size)
{
    struct adapting adapting = {.text = out, .size = size};

    if (!is_bare_model(spec)) {
        return false;
    }
    add_word(&adapting, "%s", spec);
    adapting.added = 0;
    adapt_capabilities(own, like, &adapting);
    if (is_legacy(own) == is_legacy(like)) {
        adapt_bars(own, like, &adapting);
    }
    adapt_abi(own, like, &adapting);
    return adapting.added > 0 && adapting.length < size;
}
