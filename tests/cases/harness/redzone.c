/* redzone.c: the pattern differs in each word, so that copying one part over another is detected. */
#include "tests/cases/harness/redzone.h"

#define WORDS (AGPU_REDZONE_BYTES / sizeof(uint64_t))

static uint64_t redzone_word(const volatile uint64_t *at)
{
    return ((uint64_t)(uintptr_t)at ^ UINT64_C(0x5A17ED6E0FF11315)) * UINT64_C(0x9E3779B97F4A7C15);
}

static void fill_redzone(volatile uint64_t *at)
{
    for (unsigned i = 0; i < WORDS; i++) {
        at[i] = redzone_word(&at[i]);
    }
}

void agpu_redzone_draw(struct agpu_dma *dma)
{
    uint8_t *first = dma->cpu;

    fill_redzone((volatile uint64_t *)(void *)first);
    fill_redzone((volatile uint64_t *)(void *)(first + dma->size - AGPU_REDZONE_BYTES));
    dma->cpu = first + AGPU_REDZONE_BYTES;
    dma->device_address += AGPU_REDZONE_BYTES;
    dma->size -= 2u * AGPU_REDZONE_BYTES;
}

void agpu_redzone_remove(struct agpu_dma *dma)
{
    dma->cpu = (uint8_t *)dma->cpu - AGPU_REDZONE_BYTES;
    dma->device_address -= AGPU_REDZONE_BYTES;
    dma->size += 2u * AGPU_REDZONE_BYTES;
}

/* Returns the number of changed bytes, and the first and last of them. */
static uint64_t changed_bytes(const volatile uint64_t *redzone, uint64_t *first, uint64_t *last)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < WORDS; i++) {
        const uint64_t changed = redzone[i] ^ redzone_word(&redzone[i]);

        for (unsigned byte = 0; changed != 0 && byte < 8; byte++) {
            if ((changed >> (8 * byte) & 0xFF) != 0) {
                *last = 8u * i + byte;
                *first = bytes++ == 0 ? *last : *first;
            }
        }
    }
    return bytes;
}

void agpu_redzone_check(const struct agpu_dma *dma, struct agpu_redzone_damage *damage)
{
    const uint8_t *cpu = dma->cpu;
    uint64_t first = 0, last = 0;
    const uint64_t before = changed_bytes((const volatile uint64_t *)(const void *)cpu, &first, &last);
    const uint64_t distance_before = AGPU_REDZONE_BYTES - last;
    const uint64_t behind = changed_bytes(
        (const volatile uint64_t *)(const void *)(cpu + dma->size - AGPU_REDZONE_BYTES), &first, &last);

    if (before + behind == 0) {
        return;
    }
    if (damage->count++ == 0) {
        damage->size = dma->size - 2u * AGPU_REDZONE_BYTES;
        damage->before = before != 0;
        damage->distance = before != 0 ? distance_before : first;
        damage->bytes = before + behind;
    }
}

void agpu_redzone_describe(const struct agpu_redzone_damage *damage, struct agpu_text *text)
{
    agpu_format(text,
                "the device wrote outside its memory: %ju bytes, the %s of them %ju bytes %s an allocation "
                "of %ju bytes; damaged allocations: %ju",
                damage->bytes, damage->before ? "last" : "first", damage->distance,
                damage->before ? "before" : "past the end of", damage->size, damage->count);
}
