/* redzone.c: the pattern differs in each word, so that copying one part over another is detected. */
#include "tests/cases/harness/redzone.h"

#define WORDS (AGPU_MARGIN_BYTES / sizeof(uint64_t))

static uint64_t margin_word(const volatile uint64_t *at)
{
    return ((uint64_t)(uintptr_t)at ^ UINT64_C(0x5A17ED6E0FF11315)) * UINT64_C(0x9E3779B97F4A7C15);
}

static void fill_margin(volatile uint64_t *at)
{
    for (unsigned i = 0; i < WORDS; i++) {
        at[i] = margin_word(&at[i]);
    }
}

void agpu_margin_draw(struct agpu_dma *dma)
{
    uint8_t *first = dma->cpu;

    fill_margin((volatile uint64_t *)(void *)first);
    fill_margin((volatile uint64_t *)(void *)(first + dma->size - AGPU_MARGIN_BYTES));
    dma->cpu = first + AGPU_MARGIN_BYTES;
    dma->device_address += AGPU_MARGIN_BYTES;
    dma->size -= 2u * AGPU_MARGIN_BYTES;
}

void agpu_margin_remove(struct agpu_dma *dma)
{
    dma->cpu = (uint8_t *)dma->cpu - AGPU_MARGIN_BYTES;
    dma->device_address -= AGPU_MARGIN_BYTES;
    dma->size += 2u * AGPU_MARGIN_BYTES;
}

/* Returns the number of changed bytes, and the first and last of them. */
static uint64_t changed_bytes(const volatile uint64_t *margin, uint64_t *first, uint64_t *last)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        const uint64_t changed = margin[i] ^ margin_word(&margin[i]);

        for (unsigned byte = 0; changed != 0 && byte < 8; byte++) {
            if ((changed >> (8 * byte) & 0xFF) != 0) {
                *last = 8u * i + byte;
                *first = bytes++ == 0 ? *last : *first;
            }
        }
    }
    return bytes;
}

void agpu_margin_check(const struct agpu_dma *dma, struct agpu_margin_damage *damage)
{
    const uint8_t *cpu = dma->cpu;
    uint64_t first = 0, last = 0;
    const uint64_t before = changed_bytes((const volatile uint64_t *)(const void *)cpu, &first, &last);
    const uint64_t distance_before = AGPU_MARGIN_BYTES - last;
    const uint64_t behind = changed_bytes(
        (const volatile uint64_t *)(const void *)(cpu + dma->size - AGPU_MARGIN_BYTES), &first, &last);

    if (before + behind == 0) {
        return;
    }
    if (damage->count++ == 0) {
        damage->size = dma->size - 2u * AGPU_MARGIN_BYTES;
        damage->before = before != 0;
        damage->distance = before != 0 ? distance_before : first;
        damage->bytes = before + behind;
    }
}

void agpu_margin_describe(const struct agpu_margin_damage *damage, struct agpu_text *text)
{
    agpu_format(text,
                "the device wrote outside its memory: %ju bytes, the %s of them %ju bytes %s an allocation "
                "of %ju bytes; damaged allocations: %ju",
                damage->bytes, damage->before ? "last" : "first", damage->distance,
                damage->before ? "before" : "past the end of", damage->size, damage->count);
}
