/* meet.c: probes, adapts and compares the devices. */
#include "tests/host/compare/meet.h"

#include <stdio.h>
#include <string.h>

const char *agpu_cmp_meeting_spec(const struct agpu_cmp_meeting *meeting, int side)
{
    return meeting->adapted[side][0] != '\0' ? meeting->adapted[side] : meeting->specs[side];
}

static bool probe_side(struct agpu_cmp_side *side, int number, struct agpu_cmp_probe *probe,
                       char text[AGPU_CMP_TEXT])
{
    char why[AGPU_CMP_TEXT];

    if (agpu_cmp_probe(side, probe, why) == AGPU_CMP_RAN) {
        return true;
    }
    snprintf(text, AGPU_CMP_TEXT, "device %c, %.100s: %.380s", 'A' + number, side->spec, why);
    return false;
}

/* One of the two, preferably the first, imitates the shape of the other. It keeps its injected fault. */
static bool adapt(struct agpu_cmp_meeting *meeting, struct agpu_cmp_pair *pair,
                  struct agpu_cmp_probe probes[2], char text[AGPU_CMP_TEXT])
{
    for (int i = 0; i < 2; i++) {
        if (!agpu_cmp_adapt(meeting->specs[i], &probes[i].shape, &probes[1 - i].shape, meeting->adapted[i],
                            sizeof meeting->adapted[i])) {
            meeting->adapted[i][0] = '\0';
            continue;
        }
        pair->sides[i].spec = meeting->adapted[i];
        if (!probe_side(&pair->sides[i], i, &probes[i], text)) {
            return false;
        }
    }
    return true;
}

bool agpu_cmp_meet(struct agpu_cmp_meeting *meeting, struct agpu_cmp_pair *pair, char text[AGPU_CMP_TEXT])
{
    struct agpu_gen_common unused = {0};
    struct agpu_cmp_probe probes[2];
    struct agpu_cmp_shape shapes[2];
    bool good = true;

    for (int i = 0; i < 2; i++) {
        if (!agpu_cmp_side_open(&pair->sides[i], meeting->specs[i], meeting->hang_s)) {
            snprintf(text, AGPU_CMP_TEXT, "no memory");
            good = false;
        }
        pair->sides[i].draws = meeting->draws;
    }
    for (int i = 0; i < 2 && good; i++) {
        good = probe_side(&pair->sides[i], i, &probes[i], text);
        shapes[i] = probes[i].shape;
    }
    if (!good) {
        return false;
    }
    agpu_cmp_agree(shapes, meeting->insisted, &unused, &meeting->chosen);
    if (meeting->chosen.count > 0 && !meeting->as_given && !adapt(meeting, pair, probes, text)) {
        return false;
    }
    for (int i = 0; i < 2; i++) {
        shapes[i] = probes[i].shape;
        meeting->probes[i] = probes[i];
    }
    pair->common.choices.compared =
        ((meeting->model ? UINT64_MAX : 0) | meeting->insisted) & ~meeting->let_go;
    agpu_cmp_agree(shapes, meeting->insisted, &pair->common, &meeting->agreement);
    meeting->common = pair->common;
    return true;
}
