/* tap_functions.c: the functions (of PCI) that a tap follows. */
#include "tests/capture/tap_functions.h"

#include "pci/machine/location.h"

static uint64_t follower_now_ns(void *ctx)
{
    const struct agpu_tap *tap = ((const struct agpu_tap_function *)ctx)->tap;

    return tap->inner->now_ns(tap->inner->ctx) - tap->start_ns;
}

static uint32_t follower_register(void *ctx, uint32_t offset)
{
    const struct agpu_tap_function *function = ctx;
    const struct agpu_platform *inner = function->tap->inner;

    return (uint32_t)inner->bar_read(inner->ctx, &function->ref, 0, offset, 4);
}

static uint32_t follower_config(void *ctx, uint32_t offset)
{
    const struct agpu_tap_function *function = ctx;
    const struct agpu_platform *inner = function->tap->inner;

    return inner->config_read(inner->ctx, &function->ref, offset, 4);
}

void agpu_tap_enter(const struct agpu_tap *tap)
{
    if (tap->config.enter != NULL) {
        tap->config.enter(tap->config.ctx);
    }
}

void agpu_tap_leave(const struct agpu_tap *tap)
{
    if (tap->config.leave != NULL) {
        tap->config.leave(tap->config.ctx);
    }
}

struct agpu_tap_function *agpu_tap_find(const struct agpu_tap *tap, const struct agpu_pci_ref *function)
{
    for (uint32_t i = 0; i < tap->count; i++) {
        if (tap->functions[i]->ref.handle == function->handle) {
            return tap->functions[i];
        }
    }
    return NULL;
}

bool agpu_tap_add(struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    const struct agpu_platform *inner = tap->inner;
    const struct agpu_follower_config config = {
        .now_ns = follower_now_ns,
        .register_read = tap->config.registers ? follower_register : NULL,
        .config_read = follower_config,
        .encoder = &tap->hold.encoder,
        .view = AGPU_CAPTURE_GUEST,
        .producer = tap->config.producer,
        .pages = tap->config.pages,
        .heap = tap->hold.heap,
    };
    struct agpu_follower_config own = config;
    const size_t head = (sizeof(struct agpu_tap_function) + 15) & ~(size_t)15;
    struct agpu_tap_function *function = NULL;

    if (tap->count < AGPU_TAP_FUNCTIONS) {
        function = inner->heap_alloc(inner->ctx, head + agpu_follower_bytes(config.pages));
    }
    if (function == NULL) {
        tap->unfollowed = true;
        return false;
    }
    *function = (struct agpu_tap_function){.tap = tap, .ref = *ref};
    own.ctx = function;
    own.storage = (uint8_t *)function + head;
    agpu_follower_init(&function->follower, &own);
    tap->functions[tap->count++] = function;
    return true;
}

struct agpu_tap_function *agpu_tap_find_or_add(struct agpu_tap *tap, const struct agpu_pci_ref *function)
{
    struct agpu_tap_function *found = agpu_tap_find(tap, function);

    if (found != NULL || (tap->count != 0 && tap->functions[0]->ref.handle == NULL)) {
        if (found == NULL) { /* the first was created before its function was known */
            found = tap->functions[0];
            found->ref = *function;
        }
        return found;
    }
    return agpu_tap_add(tap, function) ? tap->functions[tap->count - 1] : NULL;
}

/* Sets the text of its DEVICE records: the producer, and the location of the function. */
static void name_function(struct agpu_tap_function *function)
{
    struct agpu_text text;

    agpu_text_begin(&text, function->producer, sizeof function->producer);
    agpu_format(&text, "%s, function ", function->tap->config.producer);
    agpu_pci_describe_location(&text, &function->ref.location);
    function->follower.config.producer = function->producer;
}

void agpu_tap_begin(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    if (!function->numbered) {
        function->follower.function = (uint8_t)tap->numbers++;
        function->numbered = true;
        name_function(function);
    }
    agpu_follower_case_begin(&function->follower, tap->case_id, tap->case_index);
    function->begun = true;
}

struct agpu_tap_function *agpu_tap_accessed(struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    struct agpu_tap_function *function = agpu_tap_find_or_add(tap, ref);

    if (function != NULL && !tap->running) {
        tap->target = function;
    } else if (function != NULL && !function->begun) {
        agpu_tap_begin(tap, function);
    }
    return function;
}

struct agpu_tap_function *agpu_tap_begun(const struct agpu_tap *tap, const struct agpu_pci_ref *ref)
{
    struct agpu_tap_function *function = agpu_tap_find(tap, ref);

    return function != NULL && tap->running && function->begun ? function : NULL;
}

void agpu_tap_mute(struct agpu_tap *tap, struct agpu_tap_function *function)
{
    if (!function->follower.muted) {
        function->follower.muted = true;
        tap->lost_cases++;
    }
}

void agpu_tap_mute_when_full(struct agpu_tap *tap)
{
    for (uint32_t i = 0; i < tap->count && !agpu_capture_hold_has_room(&tap->hold); i++) {
        if (tap->functions[i]->begun) {
            agpu_tap_mute(tap, tap->functions[i]);
        }
    }
}
