/* board.c: accesses capabilities at the offsets that the device reports. */
#include "tests/host/compare/board.h"

#define CONFIG_COMMAND  0x04u
#define POWER_CONTROL   4u
#define POWER_STATE     3u
#define MSI_CONTROL     2u
#define MSI_ENABLE      0x0001u
#define MSI_ADDRESS     4u
#define EXPRESS_CONTROL 8u
#define EXPRESS_RESET   0x8000u
#define MSIX_CONTROL    2u
#define MSIX_ENABLE     0x8000u
#define MSIX_FUNCTION   0x4000u
#define ENTRY_ADDRESS   0u
#define ENTRY_UPPER     4u
#define ENTRY_DATA      8u
#define ENTRY_MASK      12u

/* An interrupt controller's address, with bits set that an MSI address does not have. */
#define MESSAGE_ADDRESS 0xFEE01000u
#define ADDRESS_NOISE   3u
#define MESSAGE_DATA    0x4021u
#define SHOWN_BITS      48u
#define SHOWN_MASK      ((UINT64_C(1) << SHOWN_BITS) - 1)

static uint32_t place_of(const struct agpu_cmp_machine *machine, enum agpu_cmp_capability capability)
{
    return machine->shape != NULL ? machine->shape->at[capability] : 0;
}

uint32_t agpu_cmp_board_power(struct agpu_cmp_machine *machine, uint32_t state)
{
    const uint32_t at = place_of(machine, AGPU_CMP_POWER_CAP);
    uint32_t control;

    if (at == 0) {
        return 0;
    }
    control = vgpu_port_config_read(machine->port, at + POWER_CONTROL, 2);
    vgpu_port_config_write(machine->port, at + POWER_CONTROL, 2,
                           (control & ~POWER_STATE) | (state & POWER_STATE));
    return vgpu_port_config_read(machine->port, at + POWER_CONTROL, 2) & POWER_STATE;
}

void agpu_cmp_board_reset(struct agpu_cmp_machine *machine)
{
    const uint32_t at = place_of(machine, AGPU_CMP_EXPRESS_CAP);

    if (at == 0) {
        return;
    }
    vgpu_port_config_write(machine->port, CONFIG_COMMAND, 2, 0);
    vgpu_port_config_write(machine->port, at + EXPRESS_CONTROL, 2,
                           vgpu_port_config_read(machine->port, at + EXPRESS_CONTROL, 2) | EXPRESS_RESET);
}

static void write_entry(struct agpu_cmp_machine *machine, uint32_t offset, uint32_t value)
{
    const struct agpu_cmp_place *table = &machine->shape->table;

    vgpu_port_bar_write(machine->port, table->bar, (uint64_t)table->offset + offset, 4, value);
}

static uint64_t read_entry(struct agpu_cmp_machine *machine, uint32_t offset)
{
    const struct agpu_cmp_place *table = &machine->shape->table;

    return vgpu_port_bar_read(machine->port, table->bar, (uint64_t)table->offset + offset, 4);
}

static uint64_t enable_msi(struct agpu_cmp_machine *machine, uint32_t at)
{
    const uint32_t data = MSI_ADDRESS + (machine->shape->msi_wide ? 8u : 4u);
    uint64_t shown;

    vgpu_port_config_write(machine->port, at + MSI_ADDRESS, 4, MESSAGE_ADDRESS | ADDRESS_NOISE);
    if (machine->shape->msi_wide) {
        vgpu_port_config_write(machine->port, at + MSI_ADDRESS + 4, 4, 0);
    }
    vgpu_port_config_write(machine->port, at + data, 2, MESSAGE_DATA);
    shown = vgpu_port_config_read(machine->port, at + MSI_ADDRESS, 4);
    shown |= (uint64_t)vgpu_port_config_read(machine->port, at + data, 2) << 32;
    vgpu_port_config_write(machine->port, at + MSI_CONTROL, 2, MSI_ENABLE);
    return shown;
}

static uint64_t enable_msix(struct agpu_cmp_machine *machine, uint32_t at, enum agpu_gen_way way)
{
    uint64_t shown;

    write_entry(machine, ENTRY_ADDRESS, MESSAGE_ADDRESS);
    write_entry(machine, ENTRY_UPPER, 0);
    write_entry(machine, ENTRY_DATA, MESSAGE_DATA);
    write_entry(machine, ENTRY_MASK, way == AGPU_GEN_WAY_MSIX_MASKED);
    shown = read_entry(machine, ENTRY_ADDRESS) | read_entry(machine, ENTRY_DATA) << 32;
    vgpu_port_config_write(machine->port, at + MSIX_CONTROL, 2,
                           MSIX_ENABLE | (way == AGPU_GEN_WAY_MSIX_FUNCTION ? MSIX_FUNCTION : 0));
    return shown;
}

/* A capability's identity is read-only, also when an adjacent field is written. */
static uint64_t lost_identities(const struct agpu_cmp_machine *machine)
{
    uint64_t lost = 0;

    for (uint32_t i = 0; i < AGPU_CMP_CAPABILITIES; i++) {
        const uint32_t at = place_of(machine, (enum agpu_cmp_capability)i);
        const uint8_t id = agpu_cmp_capability_id((enum agpu_cmp_capability)i);

        lost |= at != 0 && vgpu_port_config_read(machine->port, at, 1) != id ? UINT64_C(1) << i : 0;
    }
    return lost;
}

uint64_t agpu_cmp_board_messages(struct agpu_cmp_machine *machine, enum agpu_gen_way way)
{
    const uint32_t msi = place_of(machine, AGPU_CMP_MSI_CAP), msix = place_of(machine, AGPU_CMP_MSIX_CAP);
    /* a mask is changed while it is enabled */
    const bool stays = way >= AGPU_GEN_WAY_MSIX && machine->by_message;
    uint64_t shown = 0;

    machine->by_message = way != AGPU_GEN_WAY_LINE;
    if (msi != 0 && way != AGPU_GEN_WAY_MSI) {
        vgpu_port_config_write(machine->port, msi + MSI_CONTROL, 2, 0);
    }
    if (msix != 0 && !stays) {
        vgpu_port_config_write(machine->port, msix + MSIX_CONTROL, 2, 0);
    }
    if (way == AGPU_GEN_WAY_MSI && msi != 0) {
        shown = enable_msi(machine, msi);
    } else if (way >= AGPU_GEN_WAY_MSIX && msix != 0 && machine->shape->msix_vectors > 0) {
        shown = enable_msix(machine, msix, way);
    }
    return (shown & SHOWN_MASK) | lost_identities(machine) << SHOWN_BITS;
}

bool agpu_cmp_board_is_pending(struct agpu_cmp_machine *machine)
{
    const struct agpu_cmp_shape *shape = machine->shape;

    if (shape == NULL || shape->msix_vectors == 0) {
        return false;
    }
    return (vgpu_port_bar_read(machine->port, shape->pending.bar, shape->pending.offset, 4) & 1) != 0;
}
