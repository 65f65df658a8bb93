/* fence.c: fence completion (ring.md 4, 5, 7). */
#include "tests/device/engine/fence.h"

#include <stddef.h>
#include <string.h>

#include "pci/protocol/aerogpu_pci.h"
#include "ring/protocol/aerogpu_ring.h"
#include "tests/device/bus/dma.h"
#include "tests/device/bus/irq.h"
#include "tests/device/bus/archive.h"
#include "tests/device/engine/engine.h"

static struct vgpu_fence_entry *fence_entry(struct vgpu_fences *fences, uint32_t index)
{
    return &fences->queue[(fences->first + index) % VGPU_FENCE_QUEUE_LENGTH];
}

bool vgpu_fence_has_room(const struct vgpu_fences *fences)
{
    return fences->count < VGPU_FENCE_QUEUE_LENGTH;
}

void vgpu_fence_write_page(struct vgpu_engine *engine)
{
    struct vgpu_fences *fences = &engine->fences;
    struct aerogpu_fence_page *page = &fences->image;
    const uint64_t value_gpa = fences->page_gpa + offsetof(struct aerogpu_fence_page, completed_fence);

    if (fences->page_gpa == 0 || vgpu_range_wraps(fences->page_gpa, sizeof *page)) {
        return;
    }
    page->magic = AEROGPU_FENCE_PAGE_MAGIC;
    page->abi_version = engine->bus->abi_version;
    if (fences->page == NULL) {
        fences->page = vgpu_dma_map(engine->bus, fences->page_gpa, sizeof *page, true);
    }
    if (fences->page != NULL && (uintptr_t)fences->page % _Alignof(struct aerogpu_fence_page) == 0) {
        struct aerogpu_fence_page *mapped = fences->page;

        mapped->magic = page->magic;
        mapped->abi_version = page->abi_version;
        __atomic_store_n(&mapped->completed_fence, fences->completed, __ATOMIC_RELEASE);
        engine->bus->stats.dma_written_bytes += offsetof(struct aerogpu_fence_page, reserved0);
    } else {
        vgpu_dma_write(engine->bus, fences->page_gpa, page,
                       offsetof(struct aerogpu_fence_page, completed_fence));
        vgpu_dma_publish64(engine->bus, value_gpa, fences->completed);
    }
}

/* One step of completion: value first, interrupt last. */
static void complete_fence(struct vgpu_engine *engine, uint64_t value, bool wants_irq)
{
    engine->fences.completed = value;
    vgpu_fence_write_page(engine);
    if (wants_irq) {
        vgpu_irq_raise(engine->bus, AEROGPU_IRQ_FENCE);
    }
}

void vgpu_fence_signal(struct vgpu_engine *engine, uint64_t value, bool wants_irq, bool held)
{
    struct vgpu_fences *fences = &engine->fences;

    if (value <= fences->completed) { /* none, duplicate or stale: nothing is signalled */
        return;
    }
    if (fences->count > 0) {
        struct vgpu_fence_entry *last = fence_entry(fences, fences->count - 1);

        if (value < last->value) { /* covered by the later value */
            return;
        }
        if (value == last->value) {
            last->wants_irq |= wants_irq;
            last->held |= held;
            return;
        }
    } else if (!held) {
        complete_fence(engine, value, wants_irq);
        return;
    }
    *fence_entry(fences, fences->count++) = (struct vgpu_fence_entry){value, wants_irq, held};
}

void vgpu_fence_edge(struct vgpu_fences *fences)
{
    for (uint32_t i = 0; i < fences->count; i++) {
        if (fence_entry(fences, i)->held) {
            fence_entry(fences, i)->held = false;
            return;
        }
    }
}

void vgpu_fence_release_all(struct vgpu_fences *fences)
{
    for (uint32_t i = 0; i < fences->count; i++) {
        fence_entry(fences, i)->held = false;
    }
}

bool vgpu_fence_ready(const struct vgpu_fences *fences)
{
    return fences->count > 0 && !fences->queue[fences->first].held;
}

void vgpu_fence_drain(struct vgpu_engine *engine)
{
    struct vgpu_fences *fences = &engine->fences;
    uint64_t value = 0;
    bool wants_irq = false;

    while (vgpu_fence_ready(fences)) {
        const struct vgpu_fence_entry *done = fence_entry(fences, 0);

        value = done->value;
        wants_irq |= done->wants_irq;
        fences->first = (fences->first + 1) % VGPU_FENCE_QUEUE_LENGTH;
        fences->count--;
    }
    if (value > fences->completed) {
        complete_fence(engine, value, wants_irq);
    }
}

void vgpu_fence_reset(struct vgpu_fences *fences)
{
    fences->completed = 0;
    fences->first = 0;
    fences->count = 0;
}

static const struct vgpu_field fences_fields[] = {
    VGPU_FIELD(vgpu_fences, completed),
    VGPU_FIELD(vgpu_fences, page_gpa),
    VGPU_FIELD_UP_TO(vgpu_fences, count, VGPU_FENCE_QUEUE_LENGTH),
};

static const struct vgpu_field entry_fields[] = {
    VGPU_FIELD(vgpu_fence_entry, value),
    VGPU_FIELD(vgpu_fence_entry, wants_irq),
    VGPU_FIELD(vgpu_fence_entry, held),
};

void vgpu_fence_visit(struct vgpu_fences *fences, struct vgpu_archive *archive)
{
    VGPU_ARCHIVE_FIELDS(archive, fences, fences_fields);
    for (uint32_t i = 0; i < fences->count; i++) {
        VGPU_ARCHIVE_FIELDS(archive, fence_entry(fences, i), entry_fields);
    }
}
