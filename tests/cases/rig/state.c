/* state.c: registers and memory words as evidence (device.md 4, ring.md 2, 4; legacy.md 2). */
#include "tests/cases/rig/state.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/aerogpu_ring.h"

#define REGISTER(name)                                                                                       \
    {                                                                                                        \
        AEROGPU_MMIO_REG_##name, #name                                                                       \
    }

static const struct {
    uint32_t offset;
    const char *name;
} registers[] = {
    REGISTER(MAGIC),
    REGISTER(ABI_VERSION),
    REGISTER(FEATURES_LO),
    REGISTER(FEATURES_HI),
    REGISTER(RING_GPA_LO),
    REGISTER(RING_GPA_HI),
    REGISTER(RING_SIZE_BYTES),
    REGISTER(RING_CONTROL),
    REGISTER(FENCE_GPA_LO),
    REGISTER(FENCE_GPA_HI),
    REGISTER(COMPLETED_FENCE_LO),
    REGISTER(COMPLETED_FENCE_HI),
    REGISTER(DOORBELL),
    REGISTER(IRQ_STATUS),
    REGISTER(IRQ_ENABLE),
    REGISTER(IRQ_ACK),
    REGISTER(ERROR_CODE),
    REGISTER(ERROR_FENCE_LO),
    REGISTER(ERROR_FENCE_HI),
    REGISTER(ERROR_COUNT),
    REGISTER(SCANOUT0_ENABLE),
    REGISTER(SCANOUT0_WIDTH),
    REGISTER(SCANOUT0_HEIGHT),
    REGISTER(SCANOUT0_FORMAT),
    REGISTER(SCANOUT0_PITCH_BYTES),
    REGISTER(SCANOUT0_FB_GPA_LO),
    REGISTER(SCANOUT0_FB_GPA_HI),
    REGISTER(SCANOUT0_VBLANK_SEQ_LO),
    REGISTER(SCANOUT0_VBLANK_SEQ_HI),
    REGISTER(SCANOUT0_VBLANK_TIME_NS_LO),
    REGISTER(SCANOUT0_VBLANK_TIME_NS_HI),
    REGISTER(SCANOUT0_VBLANK_PERIOD_NS),
    REGISTER(CURSOR_ENABLE),
    REGISTER(CURSOR_X),
    REGISTER(CURSOR_Y),
    REGISTER(CURSOR_HOT_X),
    REGISTER(CURSOR_HOT_Y),
    REGISTER(CURSOR_WIDTH),
    REGISTER(CURSOR_HEIGHT),
    REGISTER(CURSOR_FORMAT),
    REGISTER(CURSOR_FB_GPA_LO),
    REGISTER(CURSOR_FB_GPA_HI),
    REGISTER(CURSOR_PITCH_BYTES),
};

const char *agpu_register_name(uint32_t offset)
{
    for (size_t i = 0; i < sizeof registers / sizeof registers[0]; i++) {
        if (registers[i].offset == offset) {
            return registers[i].name;
        }
    }
    return "?";
}

static void state_hex(struct agpu_text *text, const char *label, uint64_t value)
{
    agpu_text_string(text, label);
    agpu_text_hex(text, value);
}

static void state_number(struct agpu_text *text, const char *label, uint64_t value)
{
    agpu_text_string(text, label);
    agpu_text_u64(text, value);
}

static const char *error_name(uint32_t code)
{
    switch (code) {
    case AEROGPU_ERROR_NONE:
        return "NONE";
    case AEROGPU_ERROR_CMD_DECODE:
        return "CMD_DECODE";
    case AEROGPU_ERROR_OOB:
        return "OOB";
    case AEROGPU_ERROR_BACKEND:
        return "BACKEND";
    case AEROGPU_ERROR_INTERNAL:
        return "INTERNAL";
    default:
        return "no code of device.md 4.6";
    }
}

void agpu_state_errors(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_function *function = &env->function;
    uint32_t code;

    if (env->abi.legacy || !(env->abi.features & AEROGPU_FEATURE_ERROR_INFO)) {
        agpu_text_string(text, "no error registers");
        return;
    }
    code = agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_CODE);
    state_hex(text, "ERROR_CODE ", code);
    agpu_text_string(text, " (");
    agpu_text_string(text, error_name(code));
    state_hex(text, "), ERROR_FENCE ", agpu_reg_read64(function, AEROGPU_MMIO_REG_ERROR_FENCE_LO));
    state_number(text, ", ERROR_COUNT ", agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_COUNT));
}

static void describe_legacy(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_function *function = &env->function;

    state_number(text, "RING_HEAD ", agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_HEAD));
    state_number(text, ", RING_TAIL ", agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL));
    state_number(text, ", RING_ENTRY_COUNT ", agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT));
    state_hex(text, "; FENCE_COMPLETED ", agpu_reg_read(function, AEROGPU_LEGACY_REG_FENCE_COMPLETED));
    state_hex(text, "; INT_STATUS ", agpu_reg_read(function, AEROGPU_LEGACY_REG_INT_STATUS));
}

void agpu_state_describe(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_function *function = &env->function;
    const struct agpu_ring *ring = &env->ring;

    if (agpu_reg_gone(function)) {
        agpu_text_string(text, "every register reads all ones");
        return;
    }
    if (env->abi.legacy) {
        describe_legacy(env, text);
        return;
    }
    if (ring->memory.cpu != NULL) {
        state_number(text, "head ", agpu_ring_head(ring));
        state_number(text, ", tail ", ring->tail);
        state_hex(text, "; last fence submitted ", ring->last_submitted);
        if (ring->page.cpu != NULL) {
            state_hex(text, ", fence page ", agpu_fence_page_value(ring));
        }
        agpu_text_string(text, ", ");
    }
    state_hex(text, "COMPLETED_FENCE ", agpu_fence_mmio_value(function));
    state_hex(text, "; IRQ_STATUS ", agpu_irq_status(function));
    state_hex(text, ", IRQ_ENABLE ", agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE));
    state_hex(text, "; RING_CONTROL ", agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL));
    agpu_text_string(text, "; ");
    agpu_state_errors(env, text);
}
