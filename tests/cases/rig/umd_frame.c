/* umd_frame.c: checks the framebuffer after presents of the driver (commands.md 11). */
#include "tests/cases/rig/umd_frame.h"

#include "pci/registers.h"
#include "tests/cases/rig/stack_case.h"
#include "tests/cases/rig/vblank.h"

#define TEXEL       4u
#define PITCH_LIMIT 1024u

void agpu_frame_show(struct agpu_test *test, const struct agpu_frame *screen)
{
    const struct agpu_function *function = &test->env->function;

    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_WIDTH, AGPU_FRAME_WIDTH);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_HEIGHT, AGPU_FRAME_HEIGHT);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_FORMAT, AEROGPU_FORMAT_B8G8R8X8_UNORM);
    agpu_reg_write(function, AEROGPU_MMIO_REG_SCANOUT0_PITCH_BYTES, screen->pitch);
    agpu_reg_write64(function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, screen->address);
    agpu_scanout_enable(test, 1);
}

void agpu_frame_hide(struct agpu_test *test)
{
    agpu_scanout_enable(test, 0);
    agpu_reg_write64(&test->env->function, AEROGPU_MMIO_REG_SCANOUT0_FB_GPA_LO, 0);
}

static bool check_frame_row(struct agpu_test *test, const struct agpu_frame *screen, const uint8_t *row,
                            const uint8_t texel[3], bool written)
{
    bool ok = true;

    if (!written) {
        return agpu_check_filled(test, row, AGPU_FRAME_FILL, screen->pitch);
    }
    for (uint32_t x = 0; x < AGPU_FRAME_WIDTH && ok; x++) {
        ok = agpu_check_eq_mem(test, row + x * TEXEL, texel, 3); /* X is undefined */
    }
    return ok && agpu_check_filled(test, row + AGPU_FRAME_WIDTH * TEXEL, AGPU_FRAME_FILL,
                                   screen->pitch - AGPU_FRAME_WIDTH * TEXEL);
}

bool agpu_frame_check(struct agpu_test *test, const struct agpu_frame *screen)
{
    const struct agpu_umd_rig *umd = &test->env->umd;
    D3D10DDI_HRESOURCE target =
        agpu_make_target(test, DXGI_FORMAT_B8G8R8A8_UNORM, AGPU_FRAME_WIDTH, AGPU_FRAME_HEIGHT);
    D3D10DDI_HRENDERTARGETVIEW view = agpu_make_rtv(test, target);
    const DXGI_DDI_ARG_PRESENT present = {.hSurfaceToPresent = target};
    bool ok = agpu_check(test, view.pDrvPrivate != NULL && screen->pitch <= PITCH_LIMIT);
    bool written = true;

    if (ok) {
        agpu_bind_targets_of(test, &view, 1);
    }
    for (unsigned frame = 0; frame < 3 && ok; frame++) {
        const uint8_t texel[3] = {frame == 2 ? 255 : 0, frame == 1 ? 255 : 0, frame == 0 ? 255 : 0};
        uint8_t row[PITCH_LIMIT];

        agpu_clear_view(test, view, frame == 0, frame == 1, frame == 2, 1);
        ok = agpu_check_hr(test, umd->context.pfnPresent(umd->device, &present), S_OK) &&
             agpu_check(test, agpu_runtime_wait_idle(umd->runtime));
        for (uint32_t y = 0; y < AGPU_FRAME_HEIGHT && ok; y++) {
            ok = screen->read_row(test, screen, y, row);
            if (frame == 0 && y == 0) { /* the first pixel shows which of the two this device does */
                written = test->env->model || row[0] != AGPU_FRAME_FILL || row[2] != AGPU_FRAME_FILL;
            }
            ok = ok && check_frame_row(test, screen, row, texel, written);
        }
    }
    return ok;
}
