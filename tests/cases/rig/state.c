/* state.c: registers and memory words as evidence (device.md 4, ring.md 2, 4; legacy.md 2). */
#include "tests/cases/rig/state.h"

#include "pci/protocol/aerogpu_legacy_pci.h"
#include "pci/registers.h"
#include "ring/irq.h"
#include "ring/protocol/packet_table.h"

/* Number of packets that a line names; the others are counted. */
#define PACKETS_NAMED 12u

static const char *error_name(uint32_t code)
{
    switch (code) {
#define AEROGPU_ERROR(NAME, ...)                                                                             \
    case AEROGPU_ERROR_##NAME:                                                                               \
        return #NAME;
#include "pci/protocol/errors.def"
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
    agpu_format(text, "ERROR_CODE 0x%x (%s), ERROR_FENCE 0x%jx, ERROR_COUNT %u", code, error_name(code),
                agpu_reg_read64(function, AEROGPU_MMIO_REG_ERROR_FENCE_LO),
                agpu_reg_read(function, AEROGPU_MMIO_REG_ERROR_COUNT));
}

static void describe_legacy(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_function *function = &env->function;

    agpu_format(text,
                "RING_HEAD %u, RING_TAIL %u, RING_ENTRY_COUNT %u; FENCE_COMPLETED 0x%x; INT_STATUS 0x%x",
                agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_HEAD),
                agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_TAIL),
                agpu_reg_read(function, AEROGPU_LEGACY_REG_RING_ENTRY_COUNT),
                agpu_reg_read(function, AEROGPU_LEGACY_REG_FENCE_COMPLETED),
                agpu_reg_read(function, AEROGPU_LEGACY_REG_INT_STATUS));
}

/* Appends the diagnosis from the numbers below; nothing if they may be valid. */
static void diagnose(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_ring *ring = &env->ring;
    const uint64_t completed = agpu_fence_mmio_value(&env->function);
    const uint64_t last = ring->last_submitted;
    const uint32_t head = agpu_ring_head(ring);

    if ((agpu_reg_read(&env->function, AEROGPU_MMIO_REG_RING_CONTROL) & AEROGPU_RING_CONTROL_ENABLE) == 0) {
        agpu_text_string(text, "the ring is off; ");
    } else if (last == 0) {
        return;
    } else if (head != ring->tail && completed < last) {
        agpu_text_string(text, "the device leaves slots unread; ");
    } else if (completed == (last & UINT32_MAX) && completed != last) {
        agpu_text_string(text, "the fence register has lost its high half; ");
    } else if (completed < last) {
        agpu_format(text, "the device has read every slot and completes none of the last %ju fences; ",
                    last - completed);
    } else if (ring->page.cpu != NULL && agpu_fence_page_value(ring) < last) {
        agpu_text_string(text, "the fence register is there and the fence page is not; ");
    }
}

/* All registers read ones: reports if the function is off the bus, or has lost its configuration. */
static void describe_gone(const struct agpu_function *function, struct agpu_text *text)
{
    const uint32_t id = agpu_config_read(function, AGPU_PCI_VENDOR_ID, 2);
    const uint16_t command = agpu_command_read(function);

    agpu_text_string(text, "every register reads all ones; ");
    if (id == 0xFFFF) {
        agpu_text_string(text, "configuration space too: the function has vanished from the bus");
    } else if ((command & AGPU_PCI_COMMAND_MEMORY) == 0) {
        agpu_format(text, "the function has reset itself: its command register is back at 0x%x", command);
    } else {
        agpu_format(text, "configuration space answers, and its command register is as it was set: 0x%x",
                    command);
    }
}

void agpu_state_describe(const struct agpu_env *env, struct agpu_text *text)
{
    const struct agpu_function *function = &env->function;
    const struct agpu_ring *ring = &env->ring;

    if (agpu_reg_gone(function)) {
        describe_gone(function, text);
        return;
    }
    if (env->abi.legacy) {
        describe_legacy(env, text);
        return;
    }
    if (ring->memory.cpu != NULL) {
        diagnose(env, text);
        agpu_format(text, "head %u, tail %u; last fence submitted 0x%jx", agpu_ring_head(ring), ring->tail,
                    ring->last_submitted);
        if (ring->page.cpu != NULL) {
            agpu_format(text, ", fence page 0x%jx", agpu_fence_page_value(ring));
        }
        agpu_text_string(text, ", ");
    }
    agpu_format(text, "COMPLETED_FENCE 0x%jx; IRQ_STATUS 0x%x, IRQ_ENABLE 0x%x; RING_CONTROL 0x%x; ",
                agpu_fence_mmio_value(function), agpu_irq_status(function),
                agpu_reg_read(function, AEROGPU_MMIO_REG_IRQ_ENABLE),
                agpu_reg_read(function, AEROGPU_MMIO_REG_RING_CONTROL));
    agpu_state_errors(env, text);
}

void agpu_state_packet_name(struct agpu_text *text, uint32_t opcode)
{
    const char *name = aerogpu_packet_name(opcode);

    if (name != NULL) {
        agpu_text_string(text, name);
    } else {
        agpu_format(text, "opcode 0x%x", opcode);
    }
}

/* Appends "UPLOAD_RESOURCE x 12": consecutive packets of one kind are one name. */
static void name_packets(struct agpu_text *text, unsigned *named, uint32_t opcode, uint32_t repeated)
{
    if (repeated == 0 || ++*named > PACKETS_NAMED) {
        return;
    }
    agpu_text_string(text, *named == 1 ? "" : ", ");
    agpu_state_packet_name(text, opcode);
    if (repeated > 1) {
        agpu_format(text, " x %u", repeated);
    }
}

void agpu_state_packets(const struct agpu_rig *rig, struct agpu_text *text)
{
    const uint8_t *stream = rig->cmd.cpu;
    uint32_t at = rig->cmd_start + (uint32_t)sizeof(struct aerogpu_cmd_stream_header);
    uint32_t opcode = 0, repeated = 0;
    unsigned named = 0;

    while (stream != NULL && at + sizeof(struct aerogpu_cmd_hdr) <= rig->cmd_used) {
        const struct aerogpu_cmd_hdr *packet = (const void *)(stream + at);

        if (packet->opcode != opcode) {
            name_packets(text, &named, opcode, repeated);
            repeated = 0;
        }
        opcode = packet->opcode;
        repeated++;
        if (packet->size_bytes < sizeof *packet || packet->size_bytes > rig->cmd_used - at) {
            break;
        }
        at += packet->size_bytes;
    }
    name_packets(text, &named, opcode, repeated);
    if (named > PACKETS_NAMED) {
        agpu_format(text, " and %u more", named - PACKETS_NAMED);
    }
}
