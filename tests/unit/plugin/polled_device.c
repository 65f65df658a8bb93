/* polled_device.c: the model as a device whose vblanks happen in poll(), as in many emulators. A register read shows
 * the state of the last poll() or write, so it depends on calls at the times that poll() returned. */
#include "tests/device/plugin/agpu_device_plugin.h"
#include "tests/device/plugin/model.h"

/* One device per process is enough for the test. */
static uint64_t polled_ns;
static const struct agpu_device_plugin *model;
static const struct agpu_device_host *host;
static void *host_machine;

static uint64_t time_of_last_call(void *machine)
{
    (void)machine;
    return polled_ns;
}

static void *create(const struct agpu_device_host *real, void *machine, const char *options, char *message,
                    size_t message_size)
{
    static struct agpu_device_host frozen;

    host = real;
    host_machine = machine;
    frozen = *real;
    frozen.now_ns = time_of_last_call;
    return model->create(&frozen, machine, options, message, message_size);
}

static void write_bar(void *device, uint32_t bar, uint64_t offset, uint32_t size, uint64_t value)
{
    polled_ns = host->now_ns(host_machine);
    model->bar_write(device, bar, offset, size, value);
}

static uint64_t poll_model(void *device, uint64_t now_ns)
{
    polled_ns = now_ns;
    return model->poll(device, now_ns);
}

const struct agpu_device_plugin *agpu_device_plugin(void)
{
    static struct agpu_device_plugin table;

    model = vgpu_model_plugin();
    table = *model;
    table.name = "polled";
    table.about = "The model, with a clock that stands still between writes and calls of poll().";
    table.create = create;
    table.bar_write = write_bar;
    table.poll = poll_model;
    return &table;
}
