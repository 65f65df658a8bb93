/* leak_check.c: the leak check, and the check for writes around the case's memory. */
#include "tests/cases/harness/leak_check.h"

#include "tests/cases/harness/check.h"

struct agpu_leak_counts agpu_leak_counts(const struct agpu_tracker *tracker)
{
    return (struct agpu_leak_counts){tracker->dma_live, tracker->dma_bytes, tracker->heap_live};
}

void agpu_leak_check(struct agpu_test *test, const struct agpu_leak_counts *before,
                     const struct agpu_leak_counts *after)
{
    char buffer[sizeof test->reason];

    if (after->dma_live == before->dma_live && after->heap_live == before->heap_live) {
        return;
    }
    agpu_format_line(buffer, sizeof buffer, "leak: live DMA allocations %jd, bytes %jd, heap %jd",
                     (int64_t)(after->dma_live - before->dma_live),
                     (int64_t)(after->dma_bytes - before->dma_bytes),
                     (int64_t)(after->heap_live - before->heap_live));
    agpu_error(test, buffer);
}

void agpu_leak_check_redzones(struct agpu_test *test, struct agpu_tracker *tracker)
{
    char buffer[sizeof test->reason];
    struct agpu_text text;

    if (tracker->damage.count != 0) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_redzone_describe(&tracker->damage, &text);
        agpu_result_set(test, AGPU_FAIL, buffer);
        tracker->damage = (struct agpu_redzone_damage){0};
    }
}
