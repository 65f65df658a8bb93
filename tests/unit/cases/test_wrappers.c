/* test_wrappers.c: each wrapper of a machine passes on all callbacks, also those that are added later. */
#include <stdlib.h>
#include <string.h>

#include "pci/machine/test_system.h"
#include "tests/capture/tap.h"
#include "tests/cases/harness/tracker.h"
#include "tests/inject/injection.h"
#include "tests/unit/test.h"

#define WORDS      (sizeof(struct agpu_platform) / sizeof(uintptr_t))
#define TEST_WORDS (sizeof(struct agpu_test_system) / sizeof(uintptr_t))

/* Callbacks of the machine that were called, by offset in struct agpu_platform. */
static bool reached[sizeof(struct agpu_platform)];
static bool test_reached[sizeof(struct agpu_test_system)];

/* ---- the machine: each callback records its call ---- */

#define REACHED(member)      (reached[offsetof(struct agpu_platform, member)] = true)
#define TEST_REACHED(member) (test_reached[offsetof(struct agpu_test_system, member)] = true)

static bool seen_pci_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    (void)ctx;
    (void)index;
    (void)out;
    REACHED(pci_function);
    return false;
}

static uint32_t seen_config_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset,
                                 uint32_t size)
{
    (void)ctx;
    (void)function;
    (void)offset;
    (void)size;
    REACHED(config_read);
    return 0;
}

static void seen_config_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                              uint32_t value)
{
    (void)ctx;
    (void)function;
    (void)offset;
    (void)size;
    (void)value;
    REACHED(config_write);
}

static uint64_t seen_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                              uint32_t size)
{
    (void)ctx;
    (void)function;
    (void)bar;
    (void)offset;
    (void)size;
    REACHED(bar_read);
    return 0;
}

static void seen_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                           uint32_t size, uint64_t value)
{
    (void)ctx;
    (void)function;
    (void)bar;
    (void)offset;
    (void)size;
    (void)value;
    REACHED(bar_write);
}

static bool seen_bar_map(void *ctx, const struct agpu_pci_ref *function, unsigned bar,
                         struct agpu_bar_mapping *out)
{
    (void)ctx;
    (void)function;
    (void)bar;
    (void)out;
    REACHED(bar_map);
    return false;
}

static void seen_bar_order(void *ctx)
{
    (void)ctx;
    REACHED(bar_order);
}

static int seen_intx_level(void *ctx, const struct agpu_pci_ref *function)
{
    (void)ctx;
    (void)function;
    REACHED(intx_level);
    return -1;
}

static enum agpu_status seen_irq_open(void *ctx, const struct agpu_pci_ref *function, enum agpu_irq_way way,
                                      bool (*handler)(void *handler_ctx), void *handler_ctx,
                                      struct agpu_text *why)
{
    (void)ctx;
    (void)function;
    (void)way;
    (void)handler;
    (void)handler_ctx;
    (void)why;
    REACHED(irq_open);
    return AGPU_ERR_PLATFORM;
}

static void seen_irq_close(void *ctx, const struct agpu_pci_ref *function, struct agpu_irq_counts *out)
{
    (void)ctx;
    (void)function;
    (void)out;
    REACHED(irq_close);
}

static void seen_observe(void *ctx, void (*step)(void *step_ctx, bool registers), void *step_ctx)
{
    (void)ctx;
    (void)step;
    (void)step_ctx;
    TEST_REACHED(observe);
}

static void seen_polled(void *ctx)
{
    (void)ctx;
    TEST_REACHED(polled);
}

static bool seen_picture(void *ctx, const struct agpu_pci_ref *function, struct agpu_test_picture *picture)
{
    (void)ctx;
    (void)function;
    (void)picture;
    TEST_REACHED(picture);
    return false;
}

static enum agpu_status seen_dma_alloc(void *ctx, const struct agpu_pci_ref *function, size_t size,
                                       struct agpu_dma *out)
{
    (void)ctx;
    (void)function;
    REACHED(dma_alloc);
    *out = (struct agpu_dma){.cpu = calloc(1, size), .device_address = 0x10000, .size = size};
    return out->cpu != NULL ? AGPU_OK : AGPU_ERR_NO_MEMORY;
}

static void seen_dma_free(void *ctx, struct agpu_dma *dma)
{
    (void)ctx;
    REACHED(dma_free);
    free(dma->cpu);
}

static bool seen_dma_place(void *ctx, const struct agpu_pci_ref *function, enum agpu_dma_place place)
{
    (void)ctx;
    (void)function;
    (void)place;
    REACHED(dma_place);
    return true;
}

static enum agpu_status seen_run_beside(void *ctx, void (*task)(void *arg), void (*here)(void *arg),
                                        void *arg, struct agpu_text *why)
{
    (void)ctx;
    (void)task;
    (void)here;
    (void)arg;
    (void)why;
    REACHED(run_beside);
    return AGPU_OK;
}

static void *seen_heap_alloc(void *ctx, size_t size)
{
    (void)ctx;
    REACHED(heap_alloc);
    return calloc(1, size);
}

static void seen_heap_free(void *ctx, void *memory)
{
    (void)ctx;
    REACHED(heap_free);
    free(memory);
}

static uint64_t seen_now_ns(void *ctx)
{
    (void)ctx;
    REACHED(now_ns);
    return 1;
}

static void seen_relax(void *ctx, enum agpu_relax_reason reason)
{
    (void)ctx;
    (void)reason;
    REACHED(relax);
}

static void seen_stall(void *ctx, uint64_t ns)
{
    (void)ctx;
    (void)ns;
    TEST_REACHED(stall);
}

static void seen_log(void *ctx, enum agpu_log_level level, const char *text)
{
    (void)ctx;
    (void)level;
    (void)text;
    REACHED(log);
}

static int anything;

static const struct agpu_test_system whole_test = {
    .observe = seen_observe,
    .polled = seen_polled,
    .stall = seen_stall,
    .picture = seen_picture,
    .simulated_time = true,
    .late_edges = true,
    .boot_ns = 1,
    .limits = &(struct agpu_wait_limits){UINT64_MAX, UINT64_MAX},
};

static const struct agpu_platform whole = {
    .ctx = &anything,
    .pci_function = seen_pci_function,
    .config_read = seen_config_read,
    .config_write = seen_config_write,
    .bar_read = seen_bar_read,
    .bar_write = seen_bar_write,
    .bar_map = seen_bar_map,
    .bar_order = seen_bar_order,
    .intx_level = seen_intx_level,
    .irq_open = seen_irq_open,
    .irq_close = seen_irq_close,
    .dma_alloc = seen_dma_alloc,
    .dma_free = seen_dma_free,
    .dma_place = seen_dma_place,
    .run_beside = seen_run_beside,
    .heap_alloc = seen_heap_alloc,
    .heap_free = seen_heap_free,
    .now_ns = seen_now_ns,
    .relax = seen_relax,
    .log = seen_log,
    .test = &whole_test,
};

/* ---- requirements on a wrapper ---- */

static uintptr_t word_of(const void *structure, size_t index)
{
    uintptr_t word;

    memcpy(&word, (const char *)structure + index * sizeof word, sizeof word);
    return word;
}

/* Both structures consist of words: pointers and flags. The machine has all of them set, so each must be set in its
 * wrapper. */
static void has_every_word(const char *name, const char *what, const void *structure, size_t words)
{
    for (size_t i = 0; i < words; i++) {
        if (word_of(structure, i) == 0) {
            fail_msg("%s: the member at byte %d of struct %s is lost: expected a callback that passes the "
                     "machine's on",
                     name, (int)(i * sizeof(uintptr_t)), what);
        }
    }
}

static void has_every_member(const char *name, const struct agpu_platform *wrapper)
{
    has_every_word(name, "agpu_platform", wrapper, WORDS);
    has_every_word(name, "agpu_test_system", wrapper->test, TEST_WORDS);
}

static void calls_every_member(const struct agpu_platform *wrapper)
{
    static const struct agpu_pci_ref function;
    struct agpu_pci_ref found;
    struct agpu_bar_mapping mapping;
    struct agpu_dma dma;
    void *memory = wrapper->heap_alloc(wrapper->ctx, 64);

    wrapper->heap_free(wrapper->ctx, memory);
    wrapper->pci_function(wrapper->ctx, 0, &found);
    wrapper->config_write(wrapper->ctx, &function, 4, 2, wrapper->config_read(wrapper->ctx, &function, 4, 2));
    wrapper->bar_write(wrapper->ctx, &function, 0, 0x10, 4,
                       wrapper->bar_read(wrapper->ctx, &function, 0, 0x10, 4));
    wrapper->bar_map(wrapper->ctx, &function, 1, &mapping);
    wrapper->bar_order(wrapper->ctx);
    wrapper->intx_level(wrapper->ctx, &function);
    wrapper->irq_open(wrapper->ctx, &function, (enum agpu_irq_way)0, NULL, NULL, NULL);
    wrapper->irq_close(wrapper->ctx, &function, NULL);
    wrapper->test->observe(wrapper->ctx, NULL, NULL);
    wrapper->test->polled(wrapper->ctx);
    wrapper->dma_place(wrapper->ctx, &function, AGPU_DMA_ANYWHERE);
    wrapper->run_beside(wrapper->ctx, NULL, NULL, NULL, NULL);
    assert_int_equal(wrapper->dma_alloc(wrapper->ctx, &function, 4096, &dma), AGPU_OK);
    wrapper->dma_free(wrapper->ctx, &dma);
    wrapper->now_ns(wrapper->ctx);
    wrapper->relax(wrapper->ctx, AGPU_RELAX_IDLE);
    wrapper->test->stall(wrapper->ctx, 1);
    wrapper->test->picture(wrapper->ctx, &function, NULL);
    wrapper->log(wrapper->ctx, AGPU_LOG_DEBUG, "");
}

static void passes_everything_on(const char *name, const struct agpu_platform *wrapper)
{
    has_every_member(name, wrapper);
    memset(reached, 0, sizeof reached);
    memset(test_reached, 0, sizeof test_reached);
    reached[offsetof(struct agpu_platform, ctx)] = true; /* data, not a callback */
    reached[offsetof(struct agpu_platform, test)] = true;
    test_reached[offsetof(struct agpu_test_system, simulated_time)] = true;
    test_reached[offsetof(struct agpu_test_system, boot_ns)] = true;
    test_reached[offsetof(struct agpu_test_system, limits)] = true;
    calls_every_member(wrapper);
    for (size_t i = 0; i < WORDS + TEST_WORDS; i++) {
        const bool test = i >= WORDS;
        const size_t at = (test ? i - WORDS : i) * sizeof(uintptr_t);

        if (!(test ? test_reached : reached)[at]) {
            fail_msg("%s: a call of the member at byte %d of struct %s does not reach the machine", name,
                     (int)at, test ? "agpu_test_system" : "agpu_platform");
        }
    }
}

/* ---- the wrappers ---- */

TEST(nothing_is_missing_here)
{
    has_every_member("this test: add a callback that says that it was reached, and its call", &whole);
    passes_everything_on("the machine itself", &whole);
}

static void no_tick(void *ctx)
{
    (void)ctx;
}

TEST(the_tracker_passes_everything_on)
{
    static struct agpu_tracker tracker;

    agpu_tracker_init(&tracker, &whole, no_tick, NULL);
    passes_everything_on("tracker", &tracker.platform);
}

static bool keep_nothing(void *ctx, const void *bytes, size_t size)
{
    (void)ctx;
    (void)bytes;
    (void)size;
    return true;
}

TEST(the_tap_passes_everything_on)
{
    const struct agpu_tap_config config = {.mode = AGPU_CAPTURE_ALL,
                                           .producer = "unit",
                                           .pages = 1024,
                                           .case_bytes = 1u << 20,
                                           .write = keep_nothing};
    static struct agpu_tap tap;

    assert_true(agpu_tap_init(&tap, &whole, &config));
    passes_everything_on("tap", &tap.platform);
    agpu_tap_case_begin(&tap, "unit.wrappers", 0); /* also while the tap records */
    passes_everything_on("tap in a case", &tap.platform);
    agpu_tap_case_end(&tap, 0, "PASS", false);
    assert_true(agpu_tap_close(&tap));
}

TEST(an_injection_passes_everything_on)
{
    const char *const running = NULL;

    passes_everything_on("injection", agpu_injection_begin(&whole, AGPU_INJECT_NOTHING, 1, 0, &running));
}

/* Tests the check itself: it finds any member that a wrapper loses. */
TEST(a_lost_member_is_found)
{
    for (size_t i = 0; i < WORDS; i++) {
        struct agpu_platform wrapper = whole;
        size_t missing = 0;

        memset((char *)&wrapper + i * sizeof(uintptr_t), 0, sizeof(uintptr_t));
        for (size_t word = 0; word < WORDS; word++) {
            missing += word_of(&wrapper, word) == 0;
        }
        assert_int_equal(missing, 1);
    }
}
