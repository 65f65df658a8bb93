/* leak_check.c: the leak check, and the check for writes around the case's memory. */
#include "tests/cases/harness/leak_check.h"

#include "tests/cases/harness/check.h"

struct agpu_left agpu_left(const struct agpu_account *account)
{
    return (struct agpu_left){account->dma_live, account->dma_bytes, account->heap_live};
}

void agpu_left_check(struct agpu_test *test, const struct agpu_left *before, const struct agpu_left *after)
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

void agpu_left_check_margins(struct agpu_test *test, struct agpu_account *account)
{
    char buffer[sizeof test->reason];
    struct agpu_text text;

    if (account->damage.count != 0) {
        agpu_text_begin(&text, buffer, sizeof buffer);
        agpu_margin_describe(&account->damage, &text);
        agpu_result_set(test, AGPU_FAIL, buffer);
        account->damage = (struct agpu_margin_damage){0};
    }
}
