/* two_views.c: two_views GUEST DEVICE writes captures of an invented run, as guest and device would record it, with two
 * clocks. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "ring/protocol/aerogpu_ring.h"
#include "tests/capture/encode.h"
#include "tests/capture/submission.h"
#include "tests/host/capture/file.h"

#define MEMORY 0x100000u
#define AHEAD  5000000u /* offset of the device's clock, in ns */

/* A submission is posted every 10 us. The device takes it after 2 us, completes it after 6 us, and the guest sees that
 * after 9 us. The last one of ring.one has no end of its own: it completes with the next one. That of ring.three never
 * completes. */
static const struct {
    const char *id;
    unsigned submissions;
    bool loses_last;
} cases[] = {{"ring.one", 6, true}, {"ring.two", 300, false}, {"ring.three", 2, true}};

static bool put_submission(struct agpu_capture_encoder *to, uint64_t number, unsigned index, uint64_t begins,
                           uint64_t ends)
{
    const struct aerogpu_submit_desc desc = {.desc_size_bytes = sizeof desc, .signal_fence = number};
    const struct agpu_capture_submission told =
        agpu_capture_submission_of(&desc, number, index % 64, MEMORY + 64 * (index % 64), sizeof desc);
    const struct agpu_capture_back back = {.fence = number, .finished = number, .head = index + 1};

    return agpu_capture_put(to, AGPU_CAPTURE_SUBMISSION, begins, &told, sizeof told, &desc, sizeof desc) &&
           (ends == 0 || agpu_capture_put(to, AGPU_CAPTURE_BACK, ends, &back, sizeof back, NULL, 0));
}

static bool write_view(const char *path, enum agpu_capture_view view)
{
    char message[200] = "";
    struct agpu_capture_file *file = agpu_capture_file_create(path, message, sizeof message);
    struct agpu_capture_encoder *to = file != NULL ? agpu_capture_file_encoder(file) : NULL;
    const struct agpu_capture_device device = {.view = (uint32_t)view};
    const bool guest = view == AGPU_CAPTURE_GUEST;
    uint64_t number = 0;
    bool good =
        file != NULL && agpu_capture_put(to, AGPU_CAPTURE_DEVICE, 1, &device, sizeof device, "unit", 4);

    for (unsigned test = 0; test < sizeof cases / sizeof cases[0] && good; test++) {
        const struct agpu_capture_case head = {.index = test};

        good = !guest || agpu_capture_put(to, AGPU_CAPTURE_CASE, 1, &head, sizeof head, cases[test].id,
                                          (uint32_t)strlen(cases[test].id));
        for (unsigned i = 0; i < cases[test].submissions && good; i++) {
            const uint64_t posted = 1000000 + 10000 * ++number;
            const bool lost = cases[test].loses_last && i + 1 == cases[test].submissions;

            if (guest) {
                good = put_submission(to, number, i, posted, lost ? 0 : posted + 9000);
            } else if (!lost) {
                good = put_submission(to, number, i, AHEAD + posted + 2000, AHEAD + posted + 6000);
            }
        }
    }
    if (file == NULL || !agpu_capture_file_close(file, good, message, sizeof message) || !good) {
        fprintf(stderr, "two_views: %s: %s\n", path, message);
        return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fputs("usage: two_views GUEST DEVICE\n", stderr);
        return 2;
    }
    return write_view(argv[1], AGPU_CAPTURE_GUEST) && write_view(argv[2], AGPU_CAPTURE_WIRE) ? 0 : 1;
}
