/* run_timeline.c: places both views of each submission on the guest's clock (run_timeline.h). */
#include "tests/host/run_timeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/host/decode/side.h"

struct builder {
    struct agpu_side guest, device; /* the caller owns the guest's lists when it supplied them */
    struct agpu_timeline *timeline;
};

/* Returns the difference of two times; clamped, since the file may be hostile. */
static int64_t between(uint64_t from, uint64_t to)
{
    const uint64_t difference = to > from ? to - from : from - to;
    const int64_t bounded = difference < INT64_MAX / 4 ? (int64_t)difference : INT64_MAX / 4;

    return to > from ? bounded : -bounded;
}

static const struct agpu_posted_view *device_of(const struct builder *builder, size_t guest)
{
    const size_t partner = builder->timeline->device ? builder->guest.posted[guest].partner : AGPU_NO_PARTNER;

    return partner < builder->device.count ? &builder->device.views[partner] : NULL;
}

/* Estimates how far the device's clock is ahead of the guest's in the submissions from first to end: the middle of
 * the possible range. Returns false when no submission has both views. */
static bool lay_over(const struct builder *builder, size_t first, size_t end, int64_t *ahead,
                     int64_t *play_ns)
{
    int64_t least = -INT64_MAX / 4, most = INT64_MAX / 4;
    bool any = false;

    for (size_t i = first; i < end; i++) {
        const struct agpu_posted_view *guest = &builder->guest.views[i], *device = device_of(builder, i);

        if (device == NULL) {
            continue;
        }
        const int64_t taken = between(guest->posted_ns, device->posted_ns);
        most = taken < most ? taken : most;
        any = true;
        if (guest->back_ns != 0 && device->back_ns != 0) {
            const int64_t seen = between(guest->back_ns, device->back_ns);
            least = seen > least ? seen : least;
        }
    }
    if (any && least == -INT64_MAX / 4) { /* no completion was seen: assume that each was fetched at once */
        least = most;
    }
    *ahead = least / 2 + most / 2;
    *play_ns = (most - least) / 2;
    return any;
}

static int64_t place(uint64_t zero, uint64_t time_ns, int64_t ahead)
{
    return time_ns != 0 ? between(zero, time_ns) - ahead : AGPU_TIMELINE_UNKNOWN;
}

/* Adds the submissions of one case, from first to end in the guest's list. */
static void add_case(struct builder *builder, size_t first, size_t end)
{
    struct agpu_timeline *timeline = builder->timeline;
    const size_t scope = builder->guest.posted[first].scope;
    const uint64_t zero = builder->guest.views[first].posted_ns;
    int64_t ahead = 0, play_ns = 0;

    if (timeline->entry_count == AGPU_TIMELINE_MAX || scope == 0 || scope > builder->guest.test_count) {
        timeline->cases_left_out++;
        return;
    }
    const bool both = lay_over(builder, first, end, &ahead, &play_ns);
    struct agpu_timeline_case *test = &timeline->cases[timeline->case_count++];

    *test = (struct agpu_timeline_case){.first = timeline->entry_count, .play_ns = both ? play_ns : 0};
    memcpy(test->id, builder->guest.tests[scope - 1], sizeof test->id);
    test->id[sizeof test->id - 1] = '\0';
    for (size_t i = first; i < end; i++) {
        const struct agpu_posted_view *guest = &builder->guest.views[i], *device = device_of(builder, i);

        if (test->count == AGPU_TIMELINE_CASE_MAX || timeline->entry_count == AGPU_TIMELINE_MAX) {
            test->left_out = end - i;
            break;
        }
        timeline->entries[timeline->entry_count++] = (struct agpu_timeline_entry){
            .fence = guest->fence,
            .slot = guest->slot,
            .stream_bytes = guest->stream_bytes,
            .posted = between(zero, guest->posted_ns),
            .seen = place(zero, guest->back_ns, 0),
            .taken = device != NULL ? place(zero, device->posted_ns, ahead) : AGPU_TIMELINE_UNKNOWN,
            .done = device != NULL ? place(zero, device->back_ns, ahead) : AGPU_TIMELINE_UNKNOWN,
        };
        test->count++;
    }
}

/* Returns false when memory is exhausted. */
static bool build(struct builder *builder)
{
    const size_t count = builder->guest.count;
    struct agpu_timeline *timeline = builder->timeline;

    timeline->entries = calloc(AGPU_TIMELINE_MAX, sizeof *timeline->entries);
    timeline->cases = calloc(builder->guest.test_count + 1, sizeof *timeline->cases);
    if (timeline->entries == NULL || timeline->cases == NULL) {
        fputs("agpu: memory is exhausted: report.html has no submissions\n", stderr);
        return false;
    }
    for (size_t first = 0, end; first < count; first = end) {
        end = first + 1;
        while (end < count && builder->guest.posted[end].scope == builder->guest.posted[first].scope) {
            end++;
        }
        add_case(builder, first, end);
    }
    return true;
}

/* Returns false with a line on stderr. alone: there is no other view. */
static bool list(struct agpu_side *side, enum agpu_capture_view view, const char *path, bool alone)
{
    char message[400];

    *side = (struct agpu_side){.path = path, .view = view, .alone = alone};
    if (agpu_side_list(side, message, sizeof message)) {
        return true;
    }
    fprintf(stderr, "agpu: report.html goes without the submissions of %s: %s\n", path, message);
    return false;
}

struct agpu_side agpu_run_timeline_list(void)
{
    return (struct agpu_side){.view = AGPU_CAPTURE_GUEST, .alone = true};
}

struct agpu_timeline *agpu_run_timeline(const char *folder, const char *device_path,
                                        const struct agpu_side *listed)
{
    char guest_path[4400], beside[4400];
    struct builder builder = {.timeline = NULL};
    bool good;

    snprintf(guest_path, sizeof guest_path, "%s/capture.agpucap", folder);
    if (access(guest_path, R_OK) != 0) {
        return NULL;
    }
    snprintf(beside, sizeof beside, "%s/device.agpucap", folder);
    if (device_path == NULL && access(beside, R_OK) == 0) {
        device_path = beside;
    }
    builder.timeline = calloc(1, sizeof *builder.timeline);
    listed = device_path == NULL ? listed : NULL; /* with a second view the list needs checksums */
    if (listed != NULL) {
        builder.guest = *listed;
    }
    good = builder.timeline != NULL &&
           (listed != NULL || list(&builder.guest, AGPU_CAPTURE_GUEST, guest_path, device_path == NULL));
    if (good && device_path != NULL && list(&builder.device, AGPU_CAPTURE_WIRE, device_path, false)) {
        builder.timeline->device = true;
        agpu_pair(builder.guest.posted, builder.guest.count, builder.device.posted, builder.device.count);
    }
    good = good && build(&builder);
    if (listed == NULL) {
        agpu_side_close(&builder.guest);
    }
    agpu_side_close(&builder.device);
    if (!good) {
        agpu_run_timeline_free(builder.timeline);
        return NULL;
    }
    return builder.timeline;
}

void agpu_run_timeline_free(struct agpu_timeline *timeline)
{
    if (timeline != NULL) {
        free(timeline->entries);
        free(timeline->cases);
        free(timeline);
    }
}
