/* follower_progress.c: records progress: fences, head, reset, and memory that the device changed (ring.md 2 to 5). */
#include "tests/capture/follower_progress.h"

#include <string.h>

#include "tests/capture/follower_put.h"

uint64_t agpu_follower_fence_seen(const struct agpu_follower *follower)
{
    return follower->page_fence > follower->register_fence ? follower->page_fence : follower->register_fence;
}

static bool is_finished(const struct agpu_follower *follower, const struct agpu_follower_pending *pending)
{
    if (follower->legacy) {
        return pending->fence != 0 ? follower->register_fence >= pending->fence
                                   : follower->head == follower->legacy_tail;
    }
    return (pending->disabled || (int32_t)(follower->head - (pending->index + 1)) >= 0) &&
           agpu_follower_fence_seen(follower) >= pending->fence;
}

/* Finishes the oldest submission: records the changes in the memory that it named. On the device's side of the wire
 * the driver continues meanwhile, and may reuse memory that the device only reads. Changes there are not the
 * device's, and are recorded when they are shown to it. */
void agpu_follower_finish_oldest(struct agpu_follower *follower, enum agpu_capture_type type)
{
    const struct agpu_follower_pending *oldest = &follower->pending[follower->pending_first];
    const bool driver_continues = follower->config.view == AGPU_CAPTURE_WIRE && type == AGPU_CAPTURE_CHANGED;

    for (uint32_t i = 0; i < oldest->range_count; i++) {
        const struct agpu_follower_range *range = &follower->ranges[follower->range_first];

        if (!range->read_only || !driver_continues) {
            agpu_follower_compare_once(follower, type, range->address, range->size);
        }
        follower->range_first = (follower->range_first + 1) % AGPU_FOLLOWER_RANGES;
        follower->range_count--;
    }
    follower->finished = oldest->number;
    follower->pending_first = (follower->pending_first + 1) % AGPU_FOLLOWER_PENDING;
    follower->pending_count--;
}

/* late: what the device has not done by now it will not do. moved: it has made progress since the poll. */
static void put_back(struct agpu_follower *follower, bool late, bool moved)
{
    /* Registers may show a fence before the page does (ring.md 5). */
    const bool page_waits =
        !late && follower->fence_word != NULL && follower->page_fence < agpu_follower_fence_seen(follower);
    const struct agpu_capture_back back = {.fence = agpu_follower_fence_seen(follower),
                                           .finished = follower->finished,
                                           .head = follower->head,
                                           .pending = follower->pending_count != 0 ? follower->pending_count
                                                                                   : page_waits || moved};

    follower->count_stands = false;
    agpu_follower_put(follower, AGPU_CAPTURE_BACK, &back, sizeof back, NULL, 0);
    follower->recorded_fence = back.fence;
    follower->recorded_head = back.head;
    follower->recorded_page = follower->page_fence;
    follower->rest_recorded = back.pending == 0;
    if (follower->rest_recorded) {
        agpu_follower_put_registers(follower, AGPU_FOLLOWER_SOMETIMES);
    }
}

static const uint8_t *aligned_word(struct agpu_follower *follower, uint64_t address, uint32_t size)
{
    return address % size == 0 ? agpu_shadow_pointer(&follower->shadow, address, size) : NULL;
}

static void find_words(struct agpu_follower *follower)
{
    const uint64_t ring = follower->ring_address, fence = follower->fence_address;

    if (follower->config.piece == NULL && follower->words_generation == follower->shadow.generation &&
        follower->words_ring == ring && follower->words_fence == fence) {
        return;
    }
    follower->words_generation = follower->shadow.generation;
    follower->words_ring = ring;
    follower->words_fence = fence;
    follower->head_word =
        ring != 0 ? aligned_word(follower, ring + offsetof(struct aerogpu_ring_header, head), 4) : NULL;
    follower->fence_word =
        fence != 0 ? aligned_word(follower, fence + offsetof(struct aerogpu_fence_page, completed_fence), 8)
                   : NULL;
}

/* Sets the state that a poll finds nothing until one of these words changes; NULL: there is none. */
static void be_quiet(struct agpu_follower *follower, const uint8_t *head, const uint8_t *fence)
{
    static const uint64_t nothing = 0;

    follower->quiet = true;
    follower->quiet_head_at = head != NULL ? head : (const uint8_t *)&nothing;
    follower->quiet_head = head != NULL ? follower->head : 0;
    follower->quiet_fence_at = fence != NULL ? fence : (const uint8_t *)&nothing;
    follower->quiet_fence = fence != NULL ? follower->quiet_fence : 0;
}

/* With nothing in flight a device only goes forward, up to what was posted. Any other head or fence is the driver's,
 * which prepares the memory for the next start (device.md 4.2). On the device's side of the wire that may be seen
 * before the write that disables the ring. */
static void poll_memory(struct agpu_follower *follower)
{
    const bool idle = follower->pending_count == 0 && !follower->resetting;
    uint32_t head;

    follower->moment++;
    if (follower->legacy) {
        return;
    }
    find_words(follower);
    if (follower->head_word != NULL) {
        head = agpu_follower_read_head(follower->head_word);
        if (!idle || (follower->posted_known && head - follower->head <= follower->posted - follower->head)) {
            follower->head = head;
        }
    }
    if (follower->fence_word != NULL) {
        follower->quiet_fence = agpu_follower_read_fence(follower->fence_word);
        if (follower->quiet_fence <= follower->highest_fence &&
            (!idle || follower->quiet_fence > follower->page_fence)) {
            follower->page_fence = follower->quiet_fence;
        }
    }
}

/* Records changes in the structures by which the device reports progress: the head, and the fence page, of which only
 * the value if late. The rest of the ring's header is the driver's. Progress since the poll is left to the next one,
 * and then the following BACK does not report rest. Returns true if there was such progress. */
static bool compare_structures(struct agpu_follower *follower, bool late)
{
    const uint32_t head = offsetof(struct aerogpu_ring_header, head);
    const uint32_t value = offsetof(struct aerogpu_fence_page, completed_fence);
    bool head_moved = false, fence_moved = false;

    if (!follower->legacy && follower->ring_address != 0) {
        head_moved =
            follower->head_word != NULL && agpu_follower_read_head(follower->head_word) != follower->head;
        agpu_follower_compare(follower, AGPU_CAPTURE_CHANGED, follower->ring_address + head,
                              head_moved ? 0 : sizeof(uint32_t));
    }
    if (!follower->legacy && follower->fence_address != 0) {
        fence_moved = follower->fence_word != NULL &&
                      agpu_follower_read_fence(follower->fence_word) != follower->quiet_fence;
        const uint32_t end = fence_moved ? value
                             : late      ? value + (uint32_t)sizeof(uint64_t)
                                         : (uint32_t)sizeof(struct aerogpu_fence_page);

        agpu_follower_compare(follower, AGPU_CAPTURE_CHANGED, follower->fence_address + (late ? value : 0),
                              end - (late ? value : 0));
    }
    return head_moved || fence_moved;
}

/* Detects the memory part of a reset, which may come after the write: head is tail, and the fence page shows 0
 * (device.md 4.2). After that the driver sets up the structures again. */
static void find_reset(struct agpu_follower *follower)
{
    uint32_t tail;

    if (follower->head_word != NULL) {
        memcpy(&tail,
               follower->head_word - offsetof(struct aerogpu_ring_header, head) +
                   offsetof(struct aerogpu_ring_header, tail),
               sizeof tail);
        if (follower->head != tail) {
            return;
        }
    }
    if (follower->fence_word != NULL && follower->quiet_fence != 0) {
        return;
    }
    follower->resetting = false;
    agpu_follower_tick(follower);
    put_back(follower, false, compare_structures(follower, false));
}

static bool is_news(const struct agpu_follower *follower)
{
    return agpu_follower_fence_seen(follower) != follower->recorded_fence ||
           follower->head != follower->recorded_head || follower->page_fence != follower->recorded_page;
}

/* If nothing is in flight and that is not recorded yet, records it, because the driver relies on it. */
void agpu_follower_poll_last(struct agpu_follower *follower)
{
    agpu_follower_poll(follower);
    if (follower->active && follower->pending_count == 0 && !follower->rest_recorded) {
        put_back(follower, true, compare_structures(follower, true));
    }
}

void agpu_follower_poll(struct agpu_follower *follower)
{
    const uint64_t finished = follower->finished;

    if (!follower->started || (!follower->legacy && !follower->active && !follower->resetting)) {
        be_quiet(follower, NULL, NULL);
        return;
    }
    poll_memory(follower);
    if (follower->resetting) {
        find_reset(follower);
        return;
    }
    /* Memory found by piece() may move, and legacy devices report only by registers. */
    follower->quiet = false;
    if (follower->config.piece == NULL && !follower->legacy) {
        be_quiet(follower, follower->head_word, follower->fence_word);
    }
    if (follower->pending_count == 0 && (follower->rest_recorded || !is_news(follower))) {
        return; /* with nothing in flight only the driver changes memory, which is recorded when it is shown */
    }
    agpu_follower_tick(follower);
    while (follower->pending_count != 0 &&
           is_finished(follower, &follower->pending[follower->pending_first])) {
        agpu_follower_finish_oldest(follower, AGPU_CAPTURE_CHANGED);
    }
    if (follower->finished == finished && !is_news(follower)) {
        return;
    }
    put_back(follower, false, compare_structures(follower, false));
}
