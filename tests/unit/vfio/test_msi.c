/* test_msi.c: MSI and MSI-X from the device's table to the client's eventfds. */

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "tests/unit/test.h"
#include "tests/unit/vfio/fake_device.h"
#include "tests/unit/vfio/fixture.h"

#define MSI  1u
#define MSIX 2u

static int setup(void **state)
{
    fake_device_with_msi(true);
    return fixture_setup(state);
}

static int teardown(void **state)
{
    fake_device_with_msi(false);
    return fixture_teardown(state);
}

static struct client *client_of(void **state)
{
    return &((struct vfio_fixture *)*state)->client;
}

static void set_msi(struct client *client, uint32_t flags, uint32_t start, uint32_t count, int *fds,
                    size_t fd_count)
{
    const struct vgpu_vfio_irq_set set = {
        .argsz = sizeof set, .flags = flags, .index = MSI, .start = start, .count = count};

    client_call(client, VGPU_VFIO_SET_IRQS, &set, sizeof set, fds, fd_count);
}

static void set_msi_fails(struct client *client, uint32_t flags, uint32_t start, uint32_t count, int *fds,
                          size_t fd_count, int error)
{
    const struct vgpu_vfio_irq_set set = {
        .argsz = sizeof set, .flags = flags, .index = MSI, .start = start, .count = count};

    client_call_fails(client, VGPU_VFIO_SET_IRQS, &set, sizeof set, fds, fd_count, error);
}

static void set_msix(struct client *client, uint32_t flags, uint32_t start, uint32_t count, int *fds,
                     size_t fd_count)
{
    const struct vgpu_vfio_irq_set set = {
        .argsz = sizeof set, .flags = flags, .index = MSIX, .start = start, .count = count};

    client_call(client, VGPU_VFIO_SET_IRQS, &set, sizeof set, fds, fd_count);
}

static bool sent(struct client *client, uint32_t vector)
{
    client_write(client, 0, FAKE_MSI, 4, vector);
    return fake_device()->registers[FAKE_MSI_SENT / 4] != 0;
}

FIXTURE(setup, teardown);

TEST(vectors_reach_their_eventfds)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_irq_info ask = {.argsz = sizeof ask, .index = MSI};
    int events[4];

    client_version(client);
    client_call(client, VGPU_VFIO_IRQ_INFO, &ask, sizeof ask, NULL, 0);
    assert_int_equal(((const struct vgpu_vfio_irq_info *)(const void *)client->payload)->count, 4);
    for (size_t i = 0; i < 4; i++) {
        events[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    assert_false(sent(client, 0)); /* not enabled yet */
    set_msi(client, 0x24, 0, 2, events, 2);
    set_msi(client, 0x24, 2, 2, events + 2, 2);
    for (uint32_t i = 0; i < 4; i++) {
        assert_true(sent(client, i));
        for (size_t k = 0; k < 4; k++) {
            assert_int_equal(client_events(events[k]), k == i);
        }
    }
    assert_false(sent(client, 4)); /* there is no such vector */
    set_msi(client, 0x24, 1, 1, NULL, 0);
    assert_false(sent(client, 1)); /* this one was removed */
    assert_true(sent(client, 3));
    assert_int_equal(client_events(events[3]), 1);
    set_msi(client, 0x21, 2, 1, NULL, 0); /* the client's own test */
    assert_int_equal(client_events(events[2]), 1);
    set_msi(client, 0x21, 0, 0, NULL, 0);
    for (uint32_t i = 0; i < 4; i++) {
        assert_false(sent(client, i));
        close(events[i]);
    }
}

/* Returns the mask bits of the device's own table. */
static uint32_t masked(void)
{
    uint32_t bits = 0;

    for (unsigned i = 0; i < 4; i++) {
        bits |= (fake_device()->registers[FAKE_MSIX / 4 + 4 * i + 3] & 1) << i;
    }
    return bits;
}

/* Exactly the vectors that the client enables are unmasked in the device's table. MSI and MSI-X are independent. */
TEST(vectors_of_msix_are_unmasked)
{
    struct client *client = client_of(state);
    const struct vgpu_vfio_irq_info ask = {.argsz = sizeof ask, .index = MSIX};
    int events[2], other = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

    client_version(client);
    client_call(client, VGPU_VFIO_IRQ_INFO, &ask, sizeof ask, NULL, 0);
    assert_int_equal(((const struct vgpu_vfio_irq_info *)(const void *)client->payload)->count, 4);
    assert_int_equal(masked(), 0xF);
    for (size_t i = 0; i < 2; i++) {
        events[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    }
    set_msi(client, 0x24, 2, 1, &other, 1);
    set_msix(client, 0x24, 1, 2, events, 2);
    assert_int_equal(masked(), 0x9);
    assert_true(sent(client, 2));
    assert_int_equal(client_events(other), 0);
    assert_int_equal(client_events(events[1]), 1);
    set_msi(client, 0x21, 0, 0, NULL, 0); /* disables MSI: MSI-X is not affected */
    assert_true(sent(client, 1));
    set_msix(client, 0x24, 1, 1, NULL, 0);
    assert_int_equal(masked(), 0xB);
    set_msix(client, 0x21, 0, 0, NULL, 0);
    assert_int_equal(masked(), 0xF);
    assert_false(sent(client, 2));
    close(events[0]);
    close(events[1]);
    close(other);
}

TEST(wrong_requests_are_refused)
{
    struct client *client = client_of(state);
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    int pipes[2];

    client_version(client);
    set_msi_fails(client, 0x24, 4, 1, NULL, 0, EINVAL);
    set_msi_fails(client, 0x24, 3, 2, NULL, 0, EINVAL);
    set_msi_fails(client, 0x24, 0, UINT32_MAX, NULL, 0, EINVAL);
    set_msi_fails(client, 0x24, UINT32_MAX, 1, NULL, 0, EINVAL);
    set_msi_fails(client, 0x9, 0, 1, NULL, 0, ENOTSUP);
    assert_return_code(pipe(pipes), errno);
    set_msi_fails(client, 0x24, 0, 1, pipes + 1, 1, EINVAL);
    set_msi(client, 0x24, 0, 1, &event, 1);
    fixture_reconnect(*state);
    client_version(client_of(state));
    assert_false(sent(client_of(state), 0)); /* removed with its client */
    close(pipes[0]);
    close(pipes[1]);
    close(event);
}

static atomic_bool stop;

static void *send_all_the_time(void *unused)
{
    const struct fake_device *device = fake_device();

    (void)unused;
    while (!atomic_load(&stop)) {
        device->host->send_msi(device->machine, 0);
    }
    return NULL;
}

/* Threads of the device send while the client installs and removes vectors. The sanitizers check it. */
TEST(threads_send_while_it_changes)
{
    struct client *client = client_of(state);
    int event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    pthread_t threads[2];

    client_version(client);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, send_all_the_time, NULL), 0);
    }
    for (int i = 0; i < 200; i++) {
        set_msi(client, 0x24, 0, 1, &event, 1);
        set_msi(client, 0x21, 0, 0, NULL, 0);
    }
    set_msi(client, 0x24, 0, 1, &event, 1);
    client_events(event);
    while (client_events(event) == 0) {
    }
    atomic_store(&stop, true);
    for (size_t i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    close(event);
}
