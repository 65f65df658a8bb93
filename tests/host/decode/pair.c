/* pair.c: aligns two lists, case by case. */
#include "tests/host/decode/pair.h"

#include <stdlib.h>

/* Limit of neighbours that are compared to evaluate a position. */
#define RUN 16u
/* Limits of skipped submissions before the next pair: of the guest, and of both. */
#define SKIP_GUEST  64u
#define SKIP_DEVICE 4096u
/* Limit of submissions between two pairs among which changed ones are matched. */
#define GAP 64u
/* Limit of all comparisons of neighbours. */
#define WORK_MOST (UINT64_C(1) << 31)

struct posted_place {
    uint64_t fence, address;
    size_t index;
};

struct pairing {
    struct agpu_posted *guest, *device;
    size_t guest_count, device_count;
    struct posted_place *places; /* the device's submissions, by fence and address, then in order */
    uint64_t work;
};

static int compare_places(const void *left, const void *right)
{
    const struct posted_place *a = left, *b = right;

    if (a->fence != b->fence) {
        return a->fence < b->fence ? -1 : 1;
    }
    if (a->address != b->address) {
        return a->address < b->address ? -1 : 1;
    }
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool is_alike(const struct agpu_posted *guest, const struct agpu_posted *device)
{
    return guest->fence == device->fence && guest->address == device->address;
}

/* Evaluates how well the two lists match from here on: identical submissions count more than similar ones. */
static unsigned agreement(struct pairing *pairing, size_t guest, size_t device)
{
    unsigned score = 0;

    for (size_t i = 0; i < RUN && guest + i < pairing->guest_count && device + i < pairing->device_count &&
                       pairing->guest[guest + i].scope == pairing->guest[guest].scope;
         i++) {
        pairing->work++;
        if (!is_alike(&pairing->guest[guest + i], &pairing->device[device + i])) {
            break;
        }
        score += pairing->guest[guest + i].sum == pairing->device[device + i].sum ? 4 : 1;
    }
    return score;
}

/* Returns the first of the device's submissions, at or after this one, that is similar to the guest's. */
static size_t first_place(const struct pairing *pairing, size_t guest, size_t device)
{
    const struct posted_place wanted = {pairing->guest[guest].fence, pairing->guest[guest].address, device};
    size_t low = 0, high = pairing->device_count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (compare_places(&pairing->places[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_place_of(const struct pairing *pairing, size_t place, size_t guest)
{
    return place < pairing->device_count && pairing->places[place].fence == pairing->guest[guest].fence &&
           pairing->places[place].address == pairing->guest[guest].address && pairing->work < WORK_MOST;
}

/* Finds the next pair that skips the fewest submissions; same: requires equal checksums, too. Returns false, with
 * nothing changed, when there is none nearby. */
static bool find_near(struct pairing *pairing, size_t *guest, size_t *device, size_t case_end, bool same)
{
    const size_t most = same ? GAP : SKIP_DEVICE;
    size_t best = most, best_guest = 0, best_device = 0;

    for (size_t i = *guest; i < case_end && i - *guest < SKIP_GUEST && i - *guest < best; i++) {
        for (size_t place = first_place(pairing, i, *device); is_place_of(pairing, place, i); place++) {
            const size_t at = pairing->places[place].index, cost = i - *guest + (at - *device);

            if (cost >= best) {
                break;
            }
            if ((!same || pairing->guest[i].sum == pairing->device[at].sum) &&
                agreement(pairing, i, at) > (i + 1 < case_end)) { /* similar, and the next one too */
                best = cost;
                best_guest = i;
                best_device = at;
            }
        }
    }
    if (best == most) {
        return false;
    }
    *guest = best_guest;
    *device = best_device;
    return true;
}

/* Finds the best matching pair anywhere. Returns false when there is none. */
static bool find_best(struct pairing *pairing, size_t *guest, size_t *device, size_t case_end)
{
    size_t best_guest = 0, best_device = 0;
    unsigned best = 0;

    for (size_t i = *guest; i < case_end && i - *guest < SKIP_GUEST && best == 0; i++) {
        for (size_t place = first_place(pairing, i, *device);
             is_place_of(pairing, place, i) && best < 4 * RUN; place++) {
            const unsigned score = agreement(pairing, i, pairing->places[place].index);

            if (score > best) {
                best = score;
                best_guest = i;
                best_device = pairing->places[place].index;
            }
        }
    }
    *guest = best_guest;
    *device = best_device;
    return best != 0;
}

static void join(struct pairing *pairing, size_t guest, size_t device)
{
    pairing->guest[guest].partner = device;
    pairing->device[device].partner = guest;
}

/* Advances the walk through a case to the next pair. Returns false when there is none. */
static bool step(struct pairing *pairing, size_t *guest, size_t *device, size_t case_end)
{
    const struct agpu_posted *left = &pairing->guest[*guest], *right = &pairing->device[*device];
    const bool more = *guest + 1 < case_end && *device + 1 < pairing->device_count;

    if (!is_alike(left, right)) {
        return find_near(pairing, guest, device, case_end, false);
    }
    /* Either another submission with the same fence, or this one arrived changed: the following ones decide. */
    if (left->sum != right->sum && !(more && left[1].sum == right[1].sum)) {
        find_near(pairing, guest, device, case_end, true);
    }
    return true;
}

/* Pairs a case from device on; returns where the next case may start. */
static size_t pair_case(struct pairing *pairing, size_t guest, size_t case_end, size_t device)
{
    bool far = !pairing->guest[guest].follows;
    size_t next = device;

    while (guest < case_end && device < pairing->device_count) {
        if (!(far ? find_best : step)(pairing, &guest, &device, case_end)) {
            break;
        }
        far = false;
        join(pairing, guest++, device++);
        next = device;
    }
    return next;
}

/* Pairs the submissions between two pairs of a case that share fence or address. */
static void pair_changed(struct pairing *pairing)
{
    size_t device = 0;

    for (size_t guest = 0; guest < pairing->guest_count; guest++) {
        const struct agpu_posted *posted = &pairing->guest[guest];

        if (posted->partner != AGPU_NO_PARTNER) {
            device = posted->partner + 1;
            continue;
        }
        for (size_t i = device;
             i < pairing->device_count && i - device < GAP && pairing->device[i].partner == AGPU_NO_PARTNER;
             i++) {
            if (pairing->device[i].fence == posted->fence || pairing->device[i].address == posted->address) {
                join(pairing, guest, i);
                device = i + 1;
                break;
            }
        }
    }
}

void agpu_pair(struct agpu_posted *guest, size_t guest_count, struct agpu_posted *device, size_t device_count)
{
    struct pairing pairing = {
        .guest = guest, .device = device, .guest_count = guest_count, .device_count = device_count};
    size_t next = 0;

    for (size_t i = 0; i < guest_count; i++) {
        guest[i].partner = AGPU_NO_PARTNER;
    }
    for (size_t i = 0; i < device_count; i++) {
        device[i].partner = AGPU_NO_PARTNER;
    }
    pairing.places = calloc(device_count + 1, sizeof *pairing.places);
    if (pairing.places == NULL) {
        return;
    }
    for (size_t i = 0; i < device_count; i++) {
        pairing.places[i] = (struct posted_place){device[i].fence, device[i].address, i};
    }
    qsort(pairing.places, device_count, sizeof *pairing.places, compare_places);
    for (size_t i = 0; i < guest_count;) {
        size_t case_end = i;

        while (case_end < guest_count && guest[case_end].scope == guest[i].scope) {
            case_end++;
        }
        next = pair_case(&pairing, i, case_end, next);
        i = case_end;
    }
    pair_changed(&pairing);
    free(pairing.places);
}
