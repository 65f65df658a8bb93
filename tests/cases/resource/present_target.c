/* present_target.c: the source and the destination of a flagged present: several targets, a view, a half-staged address
 * (commands.md 11, 15, device.md 4.5). */
#include "pci/registers.h"
#include "tests/cases/rig/executor.h"
#include "tests/cases/rig/framebuffer.h"
#include "tests/cases/rig/pipeline_packets.h"

/* Given several targets, a present must show the first bound one. */
static void screen_targets(struct agpu_test *t)
{
    struct agpu_rig *rig = &t->env->rig;
    struct aerogpu_cmd_set_render_targets *set;
    uint32_t handles[2];

    agpu_return_unless(agpu_screen_begin(t));
    for (uint32_t i = 0; i < 4; i++) {
        const bool slot_0 = i < 2;

        if (!slot_0 && !t->env->model) { /* on other devices only slot 0 may count */
            return;
        }
        agpu_screen_poison(t);
        handles[1] = agpu_put_screen_source(rig, &agpu_screen_source_plain, 140 + i);
        handles[0] =
            agpu_put_screen_source(rig, &agpu_screen_source_plain, 150 + i); /* the one in source now */
        set = agpu_rig_packet(rig, AEROGPU_CMD_SET_RENDER_TARGETS, sizeof *set);
        set->color_count = AEROGPU_MAX_RENDER_TARGETS;
        set->colors[slot_0 ? 0 : i] = handles[0];
        set->colors[i == 0 ? 1 : AEROGPU_MAX_RENDER_TARGETS - 1] = handles[1];
        agpu_put_screen_present(rig, false, 0, 0);
        agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
        agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
        agpu_return_unless(agpu_screen_check(t, &agpu_screen_plain, "a present with several targets"));
    }
}

/* A present of a view must show the view's subresource: the second mip of the second layer. */
static void screen_view(struct agpu_test *t)
{
    const struct agpu_screen_source *from = &agpu_screen_source_plain;
    const uint32_t bytes = from->width * from->height * 4, texture = agpu_screen_handle(agpu_rig_of(t));
    const uint32_t view = agpu_screen_handle(agpu_rig_of(t));
    struct agpu_rig *r = agpu_rig_of(t);
    struct aerogpu_cmd_create_texture2d *create;
    struct aerogpu_cmd_create_texture_view *packet;

    agpu_return_unless(agpu_asks(t, AGPU_ASKS_VIEWS | AGPU_ASKS_LAYERS | AGPU_ASKS_TARGET_MIPS));
    agpu_return_unless(agpu_screen_begin(t));
    create = agpu_put_target(r, texture, from->format, 2 * from->width, 2 * from->height);
    create->mip_levels = 2;
    create->array_layers = 2;
    agpu_fill_pattern(agpu_screen_image, bytes, 230);
    agpu_put_upload(r, texture, 9 * bytes, agpu_screen_image, bytes); /* at 4 + 1 + 4 times as many bytes */
    packet = agpu_put_view(r, view, texture, from->format);
    packet->base_mip_level = 1;
    packet->base_array_layer = 1;
    agpu_put_targets(r, view, 0);
    agpu_screen_poison(t);
    agpu_put_screen_present(r, false, 0, 0);
    agpu_screen_expect(&agpu_screen_plain, from);
    agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
    agpu_screen_check(t, &agpu_screen_plain, "a present of a view");
}

/* A half of the address that is staged while the scanout is off must have no effect. */
static void screen_staged_off(struct agpu_test *t)
{
    const struct agpu_function *function = &t->env->function;
    const uint64_t base = t->env->rig.memory[AGPU_SCREEN_MEMORY].device_address;

    agpu_return_unless(agpu_screen_begin(t));
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 0);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, (uint32_t)(base + 8192));
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_ENABLE, 1);
    agpu_screen_poison(t);
    agpu_put_targets(&t->env->rig, agpu_put_screen_source(&t->env->rig, &agpu_screen_source_plain, 240), 0);
    agpu_put_screen_present(&t->env->rig, false, 0, 0);
    agpu_screen_expect(&agpu_screen_plain, &agpu_screen_source_plain);
    agpu_return_unless(agpu_screen_run(t, AEROGPU_SUBMIT_FLAG_PRESENT));
    agpu_screen_check(t, &agpu_screen_plain, "a present with half an address staged while off");
}

#define TARGET_CASE(name, section, function)                                                                 \
    {                                                                                                        \
        .id = "present.screen." name, .spec = (section), .needs = AGPU_NEED_RING,                            \
        .features = AEROGPU_FEATURE_SCANOUT | AEROGPU_FEATURE_TRANSFER | AEROGPU_FEATURE_ERROR_INFO,         \
        .run = (function)                                                                                    \
    }

static const struct agpu_case resource_present_target_cases[] = {
    TARGET_CASE("targets", "commands.md 11", screen_targets),
    TARGET_CASE("view", "commands.md 15", screen_view),
    TARGET_CASE("staged_while_off", "device.md 4.5", screen_staged_off),
};

AGPU_CASE_TABLE(agpu_cases_resource_present_target, resource_present_target_cases);
