/* spaces.c: configuration spaces as arrays. */
#include "tests/unit/pci/spaces.h"

#include <stdio.h>

#include "pci/machine/test_system.h"
#include "tests/host_platform/base_platform.h"

static bool space_function(void *ctx, unsigned index, struct agpu_pci_ref *out)
{
    struct spaces *m = ctx;

    if (index >= m->count) {
        return false;
    }
    *out = (struct agpu_pci_ref){.handle = m->bytes[index], .location = m->at[index]};
    return true;
}

static void check_access(uint64_t offset, uint32_t size, size_t room)
{
    assert_true(size == 1 || size == 2 || size == 4);
    assert_int_equal(offset % size, 0);
    assert_true(offset + size <= room);
}

static uint32_t space_read(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size)
{
    const struct spaces *m = ctx;
    uint32_t value = 0;

    check_access(offset, size, sizeof m->bytes[0]);
    memcpy(&value, (uint8_t *)function->handle + offset, size);
    if (offset == 0 && function->handle == m->bytes[0] && m->now < m->silent_until) {
        value = 0xFFFF;
    }
    return value;
}

static void space_write(void *ctx, const struct agpu_pci_ref *function, uint32_t offset, uint32_t size,
                        uint32_t value)
{
    struct spaces *m = ctx;
    const unsigned index =
        (unsigned)((size_t)((uint8_t *)function->handle - m->bytes[0]) / sizeof m->bytes[0]);
    const size_t length = strlen(m->log);

    check_access(offset, size, sizeof m->bytes[0]);
    value &= UINT32_MAX >> (32 - 8 * size);
    memcpy((uint8_t *)function->handle + offset, &value, size);
    if (index != 0) {
        snprintf(m->log + length, sizeof m->log - length, "%u:%02x.%u=%x ", index, offset, size, value);
    } else {
        snprintf(m->log + length, sizeof m->log - length, "%02x.%u=%x ", offset, size, value);
    }
}

static uint64_t space_bar_read(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                               uint32_t size)
{
    const struct spaces *m = ctx;
    uint32_t value = 0;

    (void)function;
    assert_int_equal(bar, 1);
    check_access(offset, size, sizeof m->bar1);
    memcpy(&value, m->bar1 + offset, size);
    return value;
}

static void space_bar_write(void *ctx, const struct agpu_pci_ref *function, unsigned bar, uint64_t offset,
                            uint32_t size, uint64_t value)
{
    struct spaces *m = ctx;
    const size_t length = strlen(m->log);

    (void)function;
    assert_int_equal(bar, 1);
    check_access(offset, size, sizeof m->bar1);
    memcpy(m->bar1 + offset, &value, size);
    snprintf(m->log + length, sizeof m->log - length, "bar1+%02x=%x ", (unsigned)offset, (unsigned)value);
}

static uint64_t space_now(void *ctx)
{
    struct spaces *m = ctx;

    return m->now += 1000000;
}

static void space_stall(void *ctx, uint64_t ns)
{
    struct spaces *m = ctx;
    const size_t length = strlen(m->log);

    m->now += ns;
    snprintf(m->log + length, sizeof m->log - length, "stall %llu ", (unsigned long long)ns);
}

static const struct agpu_test_system test = {.stall = space_stall};

struct agpu_function spaces_open(struct spaces *m)
{
    *m = (struct spaces){.platform = agpu_base_platform, .count = 1};
    m->platform.ctx = m;
    m->platform.pci_function = space_function;
    m->platform.config_read = space_read;
    m->platform.config_write = space_write;
    m->platform.bar_read = space_bar_read;
    m->platform.bar_write = space_bar_write;
    m->platform.now_ns = space_now;
    m->platform.test = &test;
    spaces_set(m, 0, 2, 0xA3A0);
    return (struct agpu_function){.platform = &m->platform,
                                  .found = {.vendor = 0xA3A0, .ref = {.handle = m->bytes[0]}}};
}

void spaces_put(struct spaces *m, unsigned at, uint8_t id, uint8_t next)
{
    m->bytes[0][6] |= 0x10;
    if (m->bytes[0][0x34] == 0) {
        m->bytes[0][0x34] = (uint8_t)at;
    }
    m->bytes[0][at] = id;
    m->bytes[0][at + 1] = next;
}

void spaces_set(struct spaces *m, unsigned at, unsigned size, uint32_t value)
{
    memcpy(m->bytes[0] + at, &value, size);
}

uint32_t spaces_get(const struct spaces *m, unsigned at, unsigned size)
{
    uint32_t value = 0;

    memcpy(&value, m->bytes[0] + at, size);
    return value;
}

void spaces_expect(struct spaces *m, const char *log)
{
    assert_string_equal(m->log, log);
    m->log[0] = '\0';
}
