/* test_post.c: start, posting and stop of the legacy ring, as the device sees them (legacy.md 2-4). */
#include "tests/unit/ring_legacy/fixture.h"

FIXTURE(fixture_setup, fixture_teardown);

TEST(starts)
{
    uint32_t count = UINT32_MAX;
    bool based = false;

    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = 1;
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 0), AGPU_OK);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), 64);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS), 0);
    assert_ptr_equal(fixture_entry(0), fixture.ring.entries.cpu);
    /* An address is never written while the ring has entries. */
    for (uint32_t i = 0; i < fixture.write_count; i++) {
        if (fixture.writes[i].reg == AEROGPU_LEGACY_REG_RING_ENTRY_COUNT) {
            count = fixture.writes[i].value;
        }
        if (fixture.writes[i].reg == AEROGPU_LEGACY_REG_RING_BASE_LO && fixture.writes[i].value != 0) {
            based = true;
            assert_int_equal(count, 0);
        }
        /* Without the feature no register of the extension is accessed. */
        assert_true(fixture.writes[i].reg < 0x300);
    }
    assert_true(based);
}

TEST(start_refuses)
{
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 1), AGPU_ERR_INVALID);
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, AGPU_LEGACY_ENTRIES_MAX + 1),
                     AGPU_ERR_INVALID);
    fixture.machine.dma_failing = 2; /* one succeeds, then all fail */
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 5), AGPU_ERR_NO_MEMORY);
    assert_int_equal(fixture.machine.dma_live, 0);
    fixture.machine.dma_failing = 0;
    fixture.stuck = true;
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 5), AGPU_ERR_TIMEOUT);
    assert_int_equal(fixture.machine.dma_live, 0);
    assert_non_null(strstr(fixture.machine.log, "RING_ENTRY_COUNT 0, HEAD 0, TAIL 0, found 77"));
    assert_non_null(strstr(fixture.machine.log, "see legacy.md 2"));
    fixture.machine.gone = true;
    assert_int_equal(agpu_legacy_start(&fixture.ring, &fixture.function, 0, 5), AGPU_ERR_LOST);
    assert_int_equal(fixture.machine.dma_live, 0);
}

FIXTURE(fixture_setup_ring, fixture_teardown);

TEST(descriptors_follow_each_other)
{
    for (uint32_t i = 0; i < 5; i++) {
        uint64_t address;
        const void *descriptor = agpu_legacy_descriptor(&fixture.ring, i, &address);

        assert_ptr_equal(descriptor,
                         (uint8_t *)fixture.ring.descriptors.cpu + i * AGPU_LEGACY_DESCRIPTOR_BYTES);
        assert_true(address == fixture.ring.descriptors.device_address + i * AGPU_LEGACY_DESCRIPTOR_BYTES);
    }
}

TEST(addresses_up_to_the_last)
{
    struct agpu_legacy_submission submission = {
        .type = AGPU_LEGACY_PRESENT, .cmd_address = UINT64_MAX - 100, .cmd_size = 100, .fence = 1};

    assert_int_equal(agpu_legacy_post(&fixture.ring, &submission), AGPU_OK);
    submission.fence = 2;
    submission.cmd_address++;
    assert_int_equal(agpu_legacy_post(&fixture.ring, &submission), AGPU_ERR_INVALID);
}

TEST(writes_entry_and_descriptor)
{
    const struct agpu_legacy_submission submission = {
        .type = AGPU_LEGACY_PRESENT, .cmd_address = 0x123456000, .cmd_size = 100, .fence = 1};
    const struct aerogpu_legacy_ring_entry_submit *entry = fixture_entry(0);
    const struct aerogpu_legacy_submission_desc_header *header;

    assert_int_equal(agpu_legacy_post(&fixture.ring, &submission), AGPU_OK);
    assert_int_equal(fixture.write_count, 0); /* no register write before the doorbell */
    assert_int_equal(entry->type, AEROGPU_LEGACY_RING_ENTRY_SUBMIT);
    assert_int_equal(entry->flags, 0);
    assert_int_equal(entry->fence, 1);
    assert_int_equal(entry->desc_size, 32);
    header = fixture_descriptor(0);
    assert_int_equal(header->version, AEROGPU_LEGACY_SUBMISSION_DESC_VERSION);
    assert_int_equal(header->type, AEROGPU_LEGACY_SUBMIT_PRESENT);
    assert_int_equal(header->fence, 1);
    assert_int_equal(header->reserved0, 0);
    assert_int_equal(header->dma_buffer_gpa, 0x123456000);
    assert_int_equal(header->dma_buffer_size, 100);
    assert_int_equal(header->allocation_count, 0);

    agpu_legacy_doorbell(&fixture.ring);
    assert_int_equal(fixture.write_count, 2);
    assert_int_equal(fixture.writes[0].reg, AEROGPU_LEGACY_REG_RING_TAIL);
    assert_int_equal(fixture.writes[0].value, 1);
    assert_int_equal(fixture.writes[1].reg, AEROGPU_LEGACY_REG_RING_DOORBELL);
    assert_int_equal(fixture.writes[1].value, 1);
}

TEST(one_entry_stays_free)
{
    for (uint64_t fence = 1; fence <= 4; fence++) {
        assert_true(agpu_legacy_has_room(&fixture.ring));
        assert_int_equal(fixture_post(fence), AGPU_OK);
    }
    assert_false(agpu_legacy_has_room(&fixture.ring));
    assert_int_equal(fixture_post(5), AGPU_ERR_BUSY);
    assert_int_equal(fixture.ring.last_submitted, 4);
    agpu_legacy_doorbell(&fixture.ring);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_TAIL), 4);
    fixture_consume();
    assert_true(agpu_legacy_has_room(&fixture.ring));
}

TEST(index_is_masked)
{
    for (uint64_t fence = 1; fence <= 23; fence++) {
        assert_int_equal(fixture_post(fence), AGPU_OK);
        agpu_legacy_doorbell(&fixture.ring);
        assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_TAIL), fence % 5);
        assert_int_equal(fixture_entry((uint32_t)((fence - 1) % 5))->fence, fence);
        fixture_consume();
    }
}

TEST(wrong_head_is_full)
{
    for (uint64_t fence = 1; fence <= 4; fence++) {
        assert_int_equal(fixture_post(fence), AGPU_OK);
    }
    *fixture_reg(AEROGPU_LEGACY_REG_RING_HEAD) = 5;
    assert_false(agpu_legacy_has_room(&fixture.ring));
    assert_int_equal(agpu_legacy_wait_room(&fixture.ring), AGPU_ERR_TIMEOUT);
    fixture.machine.gone = true;
    assert_int_equal(agpu_legacy_wait_room(&fixture.ring), AGPU_ERR_LOST);
}

static void frees_later(struct fake_pci_machine *machine)
{
    if (machine->relaxes == 3) {
        fixture_consume();
    }
}

TEST(waits_for_room)
{
    for (uint64_t fence = 1; fence <= 4; fence++) {
        assert_int_equal(fixture_post(fence), AGPU_OK);
    }
    agpu_legacy_doorbell(&fixture.ring);
    fixture.machine.relaxes = 0;
    fixture.machine.on_relax = frees_later;
    assert_int_equal(agpu_legacy_wait_room(&fixture.ring), AGPU_OK);
}

TEST(refuses_ranges)
{
    struct agpu_legacy_submission bad[] = {
        {.type = AGPU_LEGACY_RENDER, .cmd_address = 0x1000, .fence = 1},
        {.type = AGPU_LEGACY_RENDER, .cmd_size = 4, .fence = 1},
        {.type = AGPU_LEGACY_RENDER, .cmd_address = UINT64_MAX - 3, .cmd_size = 8, .fence = 1},
        {.type = AGPU_LEGACY_RENDER, .allocation_count = UINT32_MAX, .fence = 1},
    };

    for (unsigned i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(agpu_legacy_post(&fixture.ring, &bad[i]), AGPU_ERR_INVALID);
    }
    assert_int_equal(fixture.ring.tail, 0);
    assert_int_equal(fixture.ring.last_submitted, 0);
}

TEST(reset_empties)
{
    assert_int_equal(fixture_post(1), AGPU_OK);
    agpu_legacy_doorbell(&fixture.ring);
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_OK);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_TAIL), 0);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), 5);
    assert_int_equal(fixture_entry(0)->type, 0);
    assert_int_equal(fixture.ring.tail, 0);
    fixture.machine.gone = true;
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_ERR_LOST);
}

static void empties_later(struct fake_pci_machine *machine)
{
    if (machine->relaxes == 4) {
        *fixture_reg(AEROGPU_LEGACY_REG_RING_HEAD) = 0;
    }
}

static uint32_t late_count;

static void keeps_its_head(struct fake_pci_machine *machine, uint32_t reg, uint32_t value)
{
    (void)machine;
    (void)value;
    if (reg == AEROGPU_LEGACY_REG_RING_ENTRY_COUNT && late_count != 0) {
        late_count--;
        *fixture_reg(AEROGPU_LEGACY_REG_RING_HEAD) = 3;
    }
}

/* A ring that becomes empty some time after the request. */
TEST(waits_until_it_is_empty)
{
    void (*const plain)(struct fake_pci_machine *, uint32_t, uint32_t) = fixture.machine.on_write;

    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = AEROGPU_LEGACY_INT_FENCE;
    fixture.machine.relaxes = 0;
    fixture.machine.on_relax = empties_later;
    fixture.machine.on_write = keeps_its_head;
    late_count = 1;
    assert_int_equal(agpu_legacy_reset(&fixture.ring), AGPU_OK);
    assert_int_equal(fixture.machine.relaxes, 4);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_INT_ACK), UINT32_MAX);
    fixture.machine.on_write = plain;
    *fixture_reg(AEROGPU_LEGACY_REG_INT_STATUS) = 0;
}

TEST(stops)
{
    for (uint32_t at = AEROGPU_LEGACY_REG_SCANOUT_FB_LO; at <= AEROGPU_LEGACY_REG_SCANOUT_ENABLE; at += 4) {
        *fixture_reg(at) = 1;
    }
    assert_int_equal(agpu_legacy_stop(&fixture.ring), AGPU_OK);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_ENTRY_COUNT), 0);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_BASE_LO), 0);
    assert_int_equal(*fixture_reg(AEROGPU_LEGACY_REG_RING_BASE_HI), 0);
    for (uint32_t at = AEROGPU_LEGACY_REG_SCANOUT_FB_LO; at <= AEROGPU_LEGACY_REG_SCANOUT_ENABLE; at += 4) {
        assert_int_equal(*fixture_reg(at), 0);
    }
    /* Memory is freed while the device cannot access it. */
    assert_int_equal(fixture.machine.command_at_free & AGPU_PCI_COMMAND_MASTER, 0);
    assert_int_equal(agpu_command_read(&fixture.function) & AGPU_PCI_COMMAND_MASTER, AGPU_PCI_COMMAND_MASTER);
    assert_int_equal(fixture.machine.dma_live, 0);
    assert_int_equal(agpu_legacy_stop(&fixture.ring), AGPU_OK); /* a second stop has no effect */
}
