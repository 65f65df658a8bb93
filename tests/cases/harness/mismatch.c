/* mismatch.c: finds the simplest explanation for a difference. */
#include "tests/cases/harness/mismatch.h"

#include <stdbool.h>
#include <string.h>

#define PAGE    4096u
#define MAP_MAX 64u
/* Minimum number of equal bytes for a match with another place; fewer may match by chance. */
#define ALIKE 8u
/* Maximum distance at which moved bytes are searched for. */
#define FAR_MAX 4096u

/* The difference in a region: all wrong bytes are within [first, end). */
struct difference {
    size_t first;
    size_t end;
    size_t count;
};

static struct difference find_difference(const struct agpu_region *region)
{
    struct difference found = {.first = region->size};

    for (size_t i = 0; i < region->size; i++) {
        if (region->actual[i] != region->expected[i]) {
            found.first = found.count == 0 ? i : found.first;
            found.end = i + 1;
            found.count++;
        }
    }
    return found;
}

/* Returns true if nearly all bytes are wrong: a wrong area may contain a few bytes that are right by chance. */
static bool is_dense(const struct difference *found, size_t size)
{
    return size - found->count <= size / 16 + 1;
}

static size_t rows_of(const struct agpu_region *region)
{
    return region->pitch != 0 ? (region->size + region->pitch - 1) / region->pitch : 0;
}

static bool row_differs(const struct agpu_region *region, size_t row)
{
    const size_t at = row * region->pitch;
    const size_t size = region->size - at < region->pitch ? region->size - at : region->pitch;

    return memcmp(region->actual + at, region->expected + at, size) != 0;
}

static void write_span(struct agpu_text *text, const char *one, const char *many, size_t first, size_t last,
                       size_t of)
{
    agpu_format(text, "%s %zu", first == last ? one : many, first);
    if (last != first) {
        agpu_format(text, " to %zu", last);
    }
    agpu_format(text, " of %zu", of);
}

/* Describes the wrong rows if they are contiguous, or every n-th row. Returns false otherwise. */
static bool describe_rows(struct agpu_text *text, const struct agpu_region *region)
{
    const size_t rows = rows_of(region);
    size_t first = rows, last = 0, wrong = 0, step = 0;

    for (size_t row = 0; row < rows; row++) {
        if (row_differs(region, row)) {
            step = wrong == 1 ? row - first : step;
            first = wrong == 0 ? row : first;
            last = row;
            wrong++;
        }
    }
    if (wrong == 0 || rows < 2) {
        return false;
    }
    if (wrong == rows) {
        agpu_format(text, "all %zu rows", rows);
        return true;
    }
    if (wrong == last - first + 1) {
        write_span(text, "row", "rows", first, last, rows);
        return true;
    }
    if (wrong < 3 || step < 2 || (last - first) / step + 1 != wrong) {
        return false;
    }
    for (size_t row = first; row <= last; row += step) {
        if (!row_differs(region, row)) {
            return false;
        }
    }
    if (step == 2) {
        agpu_format(text, "every second row from %zu", first);
    } else {
        agpu_format(text, "every %zuth row from %zu", step, first);
    }
    return true;
}

/* Describes wrong bytes that are at the same offset in each unit, such as one channel. Returns false otherwise. */
static bool describe_lane(struct agpu_text *text, const struct agpu_region *region,
                          const struct difference *found)
{
    const size_t unit = region->unit != 0 ? region->unit : 4;
    size_t lanes = 0, lane = 0;

    if (unit < 2 || unit > 16 || found->count < 3) {
        return false;
    }
    for (size_t i = 0; i < unit; i++) {
        bool differs = false;

        for (size_t at = i; at < region->size && !differs; at += unit) {
            differs = region->actual[at] != region->expected[at];
        }
        lanes += differs;
        lane = differs ? i : lane;
    }
    if (lanes != 1) {
        return false;
    }
    agpu_format(text, "byte %zu of each %zu", lane, unit);
    return true;
}

/* Returns the number of runs of wrong bytes. apart: distance between their starts, 0 if it varies. */
static size_t count_places(const struct agpu_region *region, const struct difference *found, size_t *apart)
{
    size_t places = 0, last = 0;
    bool within = false;

    *apart = 0;
    for (size_t i = found->first; i < found->end; i++) {
        const bool wrong = region->actual[i] != region->expected[i];

        if (wrong && !within) {
            *apart = places == 1 ? i - last : *apart == i - last ? *apart : 0;
            last = i;
            places++;
        }
        within = wrong;
    }
    return places;
}

static void describe_extent(struct agpu_text *text, const struct agpu_region *region,
                            const struct difference *found)
{
    const size_t size = found->end - found->first;
    size_t apart;

    if (found->count == 1) {
        agpu_format(text, "byte %zu alone", found->first);
    } else if (is_dense(found, region->size) && found->first <= region->size / 32) {
        agpu_format(text, "all %zu bytes", region->size);
    } else if (describe_lane(text, region, found) || describe_rows(text, region)) {
        return;
    } else if (!is_dense(found, size)) {
        agpu_format(text, "%zu bytes in %zu places from %zu to %zu", found->count,
                    count_places(region, found, &apart), found->first, found->end - 1);
        if (apart != 0) {
            agpu_format(text, ", every %zu,", apart);
        }
    } else if (found->end == region->size) {
        agpu_format(text, "the last %zu of %zu bytes", size, region->size);
    } else if (found->first == 0) {
        agpu_format(text, "the first %zu of %zu bytes", size, region->size);
    } else {
        write_span(text, "byte", "bytes", found->first, found->end - 1, region->size);
    }
}

/* ---- contents of the wrong bytes ---- */

static bool wrong_are(const struct agpu_region *region, const struct difference *found, const uint8_t *like)
{
    for (size_t i = found->first; i < found->end; i++) {
        if (region->actual[i] != region->expected[i] && region->actual[i] != like[i]) {
            return false;
        }
    }
    return true;
}

/* Returns the value of all wrong bytes; -1: they have several. */
static int wrong_value(const struct agpu_region *region, const struct difference *found)
{
    const uint8_t value = region->actual[found->first];

    for (size_t i = found->first; i < found->end; i++) {
        if (region->actual[i] != region->expected[i] && region->actual[i] != value) {
            return -1;
        }
    }
    return value;
}

/* Values that cases fill memory with before the device writes to it. */
static bool is_never_written(int value)
{
    return value == 0xA5 || value == 0xAB || value == 0xB7 || value == 0xCD;
}

/* Returns the bit that is wrong in each wrong byte; 0: there is no such bit. */
static uint8_t wrong_bits(const struct agpu_region *region, const struct difference *found)
{
    const uint8_t bits = region->actual[found->first] ^ region->expected[found->first];

    for (size_t i = found->first; i < found->end; i++) {
        if (region->actual[i] != region->expected[i] && (region->actual[i] ^ region->expected[i]) != bits) {
            return 0;
        }
    }
    return (bits & (bits - 1)) == 0 ? bits : 0;
}

/* Returns true if each wrong byte is the expected byte of a place `by` bytes further up (down: from below), for all
 * wrong bytes that have such a place. Places where both expected bytes are equal do not count as evidence. */
static bool is_moved(const struct agpu_region *region, const struct difference *found, size_t by,
                     bool from_above)
{
    const uint8_t *const e = region->expected;
    size_t judged = 0, telling = 0;

    for (size_t i = found->first; i < found->end; i++) {
        if (from_above ? i + by >= region->size : i < by) {
            continue;
        }
        const size_t place = from_above ? i + by : i - by;

        if (region->actual[i] != e[place]) {
            return false;
        }
        judged++;
        telling += e[place] != e[i];
    }
    return telling >= ALIKE && judged * 2 >= found->end - found->first;
}

static bool describe_moved(struct agpu_text *text, const struct agpu_region *region,
                           const struct difference *found)
{
    const size_t far = region->size - 1 < FAR_MAX ? region->size - 1 : FAR_MAX;
    size_t by = 0;
    bool above = false, rows;

    for (size_t i = 1; i <= far && by == 0; i++) {
        /* Cheap: for a wrong distance the comparison ends after a few bytes. */
        above = is_moved(region, found, i, true);
        by = above || is_moved(region, found, i, false) ? i : 0;
    }
    if (by == 0) {
        return false;
    }
    rows = region->pitch != 0 && by % region->pitch == 0;
    by = rows ? by / region->pitch : by;
    agpu_format(text, " show what belongs %zu %s%s %s", by, rows ? "row" : "byte", by == 1 ? "" : "s",
                above ? "further on" : "before");
    return true;
}

/* Returns true if words of this many bytes are in reverse byte order. */
static bool is_swapped(const struct agpu_region *region, size_t word)
{
    size_t telling = 0;

    if (region->size % word != 0) {
        return false;
    }
    for (size_t at = 0; at < region->size; at += word) {
        for (size_t i = 0; i < word; i++) {
            if (region->actual[at + i] != region->expected[at + word - 1 - i]) {
                return false;
            }
            telling += region->expected[at + i] != region->expected[at + word - 1 - i];
        }
    }
    return telling >= word;
}

/* Returns true if bytes 0 and 2 of each four are swapped: red and blue. */
static bool is_red_for_blue(const struct agpu_region *region)
{
    size_t telling = 0;

    if (region->size % 4 != 0) {
        return false;
    }
    for (size_t at = 0; at < region->size; at += 4) {
        const uint8_t *const a = region->actual + at, *const e = region->expected + at;

        if (a[0] != e[2] || a[2] != e[0] || a[1] != e[1] || a[3] != e[3]) {
            return false;
        }
        telling += e[0] != e[2];
    }
    return telling != 0;
}

static bool is_upside_down(const struct agpu_region *region)
{
    const size_t rows = rows_of(region);

    if (rows < 2 || region->size % region->pitch != 0) {
        return false;
    }
    for (size_t row = 0; row < rows; row++) {
        if (memcmp(region->actual + row * region->pitch, region->expected + (rows - 1 - row) * region->pitch,
                   region->pitch) != 0) {
            return false;
        }
    }
    return true;
}

/* Returns true if each byte is off by at most two, as after another rounding. */
static bool is_rounded(const struct agpu_region *region, const struct difference *found)
{
    for (size_t i = found->first; i < found->end; i++) {
        const int apart = region->actual[i] - region->expected[i];

        if (apart < -2 || apart > 2) {
            return false;
        }
    }
    return true;
}

/* Describes bytes in another order; returns false if they are not. */
static bool describe_order(struct agpu_text *text, const struct agpu_region *region)
{
    const char *what = is_red_for_blue(region)  ? " have red and blue exchanged"
                       : is_upside_down(region) ? " stand upside down"
                       : is_swapped(region, 4)  ? " have the bytes of each 4 in reverse order"
                       : is_swapped(region, 2)  ? " have the bytes of each 2 in reverse order"
                       : is_swapped(region, 8)  ? " have the bytes of each 8 in reverse order"
                                                : NULL;

    if (what != NULL) {
        agpu_text_string(text, what);
    }
    return what != NULL;
}

void agpu_mismatch_bytes(struct agpu_text *text, const struct agpu_region *region)
{
    const struct difference found = find_difference(region);
    uint8_t bits;
    int value;

    if (found.count == 0) {
        return;
    }
    describe_extent(text, region, &found);
    value = wrong_value(region, &found);
    bits = wrong_bits(region, &found);
    if (region->before != NULL && wrong_are(region, &found, region->before)) {
        agpu_format(text, " %s as before%s", found.count == 1 ? "is" : "are", value == 0 ? ", zero" : "");
    } else if (value == 0 && found.count > 1) {
        agpu_text_string(text, " are zero");
    } else if (value > 0 && found.count > 1) {
        agpu_format(text, " are all 0x%x%s", (unsigned)value,
                    is_never_written(value) ? ": never written" : "");
    } else if (describe_order(text, region) ||
               (found.count >= ALIKE && describe_moved(text, region, &found))) {
        return;
    } else if (bits != 0) {
        agpu_format(text, " %s bit %d wrong", found.count == 1 ? "has" : "have", __builtin_ctz(bits));
    } else if (is_rounded(region, &found)) {
        agpu_format(text, " %s off by one or two", found.count == 1 ? "is" : "are");
    } else {
        agpu_text_string(text, found.count == 1 ? " differs" : " differ");
    }
}

void agpu_mismatch_map(struct agpu_text *text, const struct agpu_region *region)
{
    const bool rows = region->pitch != 0 && rows_of(region) > 1 && rows_of(region) <= MAP_MAX;
    size_t step = rows ? region->pitch : 1;

    while (!rows && (region->size + step - 1) / step > MAP_MAX) {
        step = step == 2048 || (step < PAGE && region->size > (size_t)MAP_MAX * 2048) ? PAGE : step * 2;
    }
    agpu_text_char(text, '[');
    for (size_t at = 0; at < region->size; at += step) {
        const size_t size = region->size - at < step ? region->size - at : step;
        size_t wrong = 0;

        for (size_t i = at; i < at + size; i++) {
            wrong += region->actual[i] != region->expected[i];
        }
        agpu_text_char(text, wrong == 0 ? '.' : wrong == size ? '#' : '+');
    }
    agpu_text_string(text, "] each ");
    if (rows || step == PAGE) {
        agpu_text_string(text, rows ? "a row" : "a page");
    } else {
        agpu_format(text, "%zu byte%s", step, step == 1 ? "" : "s");
    }
}

/* ---- numbers ---- */

#define REPEATED_32 UINT64_C(0x01010101)
#define REPEATED_64 UINT64_C(0x0101010101010101)
/* Below this a hexadecimal number is treated as bits or a code, for which "one more" means nothing. */
#define COUNTS_FROM 16u

static uint64_t swap_halves(uint64_t value)
{
    return value << 32 | value >> 32;
}

static bool is_one_bit(uint64_t value)
{
    return value != 0 && (value & (value - 1)) == 0;
}

static const char *number_as_a_whole(uint64_t actual, uint64_t expected)
{
    const bool wide = expected > UINT32_MAX || (actual > UINT32_MAX && actual != UINT64_MAX);

    if (actual == UINT64_MAX || (actual == UINT32_MAX && !wide)) {
        return "all ones: nothing answers there";
    }
    if (wide && actual == swap_halves(expected)) {
        return "the halves are exchanged";
    }
    if (wide && actual == (expected & UINT32_MAX)) {
        return "the high half is lost";
    }
    if (wide && expected >> 32 != 0 && actual == expected >> 32 << 32) {
        return "the low half is lost";
    }
    if (is_never_written((int)(actual & 0xFF)) &&
        actual == (wide ? REPEATED_64 : REPEATED_32) * (actual & 0xFF)) {
        return "never written";
    }
    if (wide && (uint32_t)actual == (uint32_t)expected) {
        return actual >> 32 == UINT32_MAX ? "the high half is all ones: the low one was extended by its sign"
                                          : "the high half is another one";
    }
    if (!wide && (actual ^ expected) > 0xFF && actual == __builtin_bswap32((uint32_t)expected)) {
        return "its bytes are in reverse order";
    }
    return NULL;
}

/* Names the HRESULT that a driver entry returned instead of the expected value. */
static const char *error_of_driver(uint64_t value)
{
    switch (value) {
    case 0x88760870:
        return "D3DDDIERR_DEVICEREMOVED: the driver gave the device up";
    case 0x8007000E:
        return "E_OUTOFMEMORY";
    case 0x80070057:
        return "E_INVALIDARG";
    case 0x887A000A:
        return "still drawing: the work does not end";
    default:
        return NULL;
    }
}

static void describe_bits(struct agpu_text *text, uint64_t actual, uint64_t expected)
{
    const uint64_t bits = actual ^ expected;

    if (is_one_bit(bits)) {
        agpu_format(text, "bit %d is %s", __builtin_ctzll(bits),
                    (actual & bits) != 0 ? "set, and is not to be" : "clear, and is to be set");
    } else if (actual == 0) {
        agpu_text_string(text, "it is 0");
    } else if ((actual & expected) == expected && expected != 0) {
        agpu_format(text, "bits 0x%jx are set beside those that are to be", bits);
    } else if ((actual & expected) == actual) {
        agpu_format(text, "bits 0x%jx are missing", bits);
    }
}

void agpu_mismatch_number(struct agpu_text *text, uint64_t actual, uint64_t expected, bool hex)
{
    const char *whole = number_as_a_whole(actual, expected);
    const bool counts = !hex || expected >= COUNTS_FROM;

    whole = whole == NULL && hex ? error_of_driver(actual) : whole;
    if (whole != NULL) {
        agpu_text_string(text, whole);
    } else if (counts && (actual == expected + 1 || actual + 1 == expected)) {
        agpu_text_string(text, actual > expected ? "one too many" : "one too few");
    } else if (hex) {
        describe_bits(text, actual, expected);
    } else if (actual == 0) {
        agpu_text_string(text, "it is 0");
    }
}
