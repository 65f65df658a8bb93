/* state.c: registers and memory words as evidence (device.md 4, ring.md 2, 4; legacy.md 2). */
#include "tests/cases/rig/state.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/packet_table.h"

/* Packets that a line names before the rest is counted. */
#define PACKETS_NAMED 12u

static const struct {
    uint32_t opcode;
    const char *name;
} packets[] = {
#define AEROGPU_PACKET(NAME, ...) {AEROGPU_CMD_##NAME, #NAME},
#include "ring/protocol/packets.def"
#undef AEROGPU_PACKET
};

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

static void packet_name(struct agpu_text *text, uint32_t opcode)
{
    for (size_t i = 0; i < sizeof packets / sizeof packets[0]; i++) {
        if (packets[i].opcode == opcode) {
            agpu_text_string(text, packets[i].name);
            return;
        }
    }
    state_hex(text, "opcode ", opcode);
}

void agpu_state_packets(const struct agpu_rig *rig, struct agpu_text *text)
{
    const uint8_t *stream = rig->cmd.cpu;
    uint32_t at = rig->cmd_start + (uint32_t)sizeof(struct aerogpu_cmd_stream_header);
    uint32_t count = 0;

    for (; stream != NULL && at + sizeof(struct aerogpu_cmd_hdr) <= rig->cmd_used; count++) {
        const struct aerogpu_cmd_hdr *packet = (const void *)(stream + at);

        if (count < PACKETS_NAMED) {
            agpu_text_string(text, count == 0 ? "" : ", ");
            packet_name(text, packet->opcode);
        }
        if (packet->size_bytes < sizeof *packet || packet->size_bytes > rig->cmd_used - at) {
            break;
        }
        at += packet->size_bytes;
    }
    if (count > PACKETS_NAMED) {
        state_number(text, " and ", count - PACKETS_NAMED);
        agpu_text_string(text, " more");
    }
}
