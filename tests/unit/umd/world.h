/* world.h: an opened adapter and device over a fake table, and helpers that most tests start with. */
#ifndef AGPU_TESTS_UNIT_UMD_WORLD_H
#define AGPU_TESTS_UNIT_UMD_WORLD_H

#include <stdlib.h>
#include <string.h>

#include "mm/runtime/api.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/unit/test.h"
#include "tests/unit/umd/fake.h"
#include "umd-port/base/walk.h"

struct world {
    struct fake fake;
    D3D10DDI_HADAPTER adapter;
    D3D11DDI_ADAPTERFUNCS adapter_funcs;
    struct agpu_api_device dev; /* Direct3D 11 tables */
    struct agpu_api_context ctx;
    D3D10DDI_HDEVICE device;
    struct agpu_api api;
    void *span; /* memory of a bounded stream; NULL while the writer may grow */
    D3D10DDI_HRESOURCE made[512];
    uint32_t made_count;
};

/* SetErrorCb of a world, which is the core layer. */
extern const D3D10DDI_CORELAYER_DEVICECALLBACKS world_core_callbacks;

/* Opens a Direct3D 11 device in the mode. Aborts the test on failure. */
void world_open(struct world *world, enum agpu_backing_mode mode);
/* For tests that change the fake first: world_fake(), changes, world_start(). */
void world_fake(struct world *world, enum agpu_backing_mode mode);
void world_start(struct world *world);
/* Destroys the remaining objects of make(), and the device. Checks that the driver's heap is empty and nothing is
 * locked. */
void world_close(struct world *world);

/* Defines a test whose body has an opened world, `w`. FLAT and ALL run the body once in each of these modes. */
#define WORLD_TEST(name, count, ...)                                                                         \
    static void name##_in(struct world *w);                                                                  \
    TEST(name)                                                                                               \
    {                                                                                                        \
        for (int i = 0; i < (count); i++) {                                                                  \
            struct world w;                                                                                  \
                                                                                                             \
            world_open(&w, (const enum agpu_backing_mode[]){__VA_ARGS__}[i]);                                \
            name##_in(&w);                                                                                   \
            world_close(&w);                                                                                 \
        }                                                                                                    \
    }                                                                                                        \
    static void name##_in(struct world *w)
#define HOST_TEST(name)       WORLD_TEST(name, 1, AGPU_BACKING_HOST)
#define GUEST_TEST(name)      WORLD_TEST(name, 1, AGPU_BACKING_GUEST)
#define WDK_TEST(name)        WORLD_TEST(name, 1, AGPU_BACKING_WDK)
#define FLAT_MODES_TEST(name) WORLD_TEST(name, 2, AGPU_BACKING_HOST, AGPU_BACKING_GUEST)
#define ALL_MODES_TEST(name)  WORLD_TEST(name, 3, AGPU_BACKING_HOST, AGPU_BACKING_GUEST, AGPU_BACKING_WDK)

static inline enum agpu_backing_mode mode_of(const struct world *world)
{
    return world->fake.options.backing_mode;
}

struct agpu_device *device_of(struct world *world);
struct agpu_adapter *adapter_of(struct world *world);

/* Gives the device a bounded stream with room for this many bytes of packets. Drops the recorded packets. */
void world_bound_stream(struct world *world, uint32_t bytes);

/* Returns private memory for an object, filled with 0xCC. The caller frees it. */
void *object(size_t size);
D3D10DDI_HRESOURCE new_resource(struct world *world);
void drop_resource(struct world *world, D3D10DDI_HRESOURCE resource); /* destroys; the caller frees */
void free_resource(struct world *world, D3D10DDI_HRESOURCE resource); /* destroys, then frees */
static inline struct agpu_resource *res(D3D10DDI_HRESOURCE resource)
{
    return resource.pDrvPrivate;
}

struct agpu_resource_desc buffer_desc(uint32_t bytes, uint32_t usage, uint32_t bind, uint32_t cpu);
struct agpu_resource_desc texture_desc(uint32_t format, uint32_t width, uint32_t height, uint32_t usage,
                                       uint32_t bind, uint32_t cpu);
HRESULT create(struct world *world, D3D10DDI_HRESOURCE resource, const struct agpu_resource_desc *desc);
/* Create objects and expect success. world_close() frees them if the test does not. */
D3D10DDI_HRESOURCE make(struct world *world, const struct agpu_resource_desc *desc);
D3D10DDI_HRESOURCE make_buffer(struct world *world, uint32_t bytes, uint32_t usage, uint32_t bind,
                               uint32_t cpu);
D3D10DDI_HRESOURCE make_texture(struct world *world, uint32_t format, uint32_t width, uint32_t height,
                                uint32_t usage, uint32_t bind, uint32_t cpu);

HRESULT map(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, uint32_t type, uint32_t flags,
            D3D10DDI_MAPPED_SUBRESOURCE *out);
void unmap(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub);
HRESULT flush(struct world *world);
void update(struct world *world, D3D10DDI_HRESOURCE resource, uint32_t sub, const D3D10_DDI_BOX *box,
            const void *data, uint32_t pitch);

/* Query the recorded packets that are not submitted yet, and captured submissions. Each query walks the whole stream; a
 * framing error fails the test. */
uint32_t recorded(struct world *world, uint32_t opcode);
const void *recorded_at(struct world *world, uint32_t opcode, uint32_t nth);
uint32_t recorded_total(struct world *world);
uint32_t captured(struct world *world, uint32_t submission, uint32_t opcode);
const void *captured_at(struct world *world, uint32_t submission, uint32_t opcode, uint32_t nth);
/* Returns the place of the nth packet of opcode among all recorded packets. Fails the test if there is none. */
uint32_t recorded_index(struct world *world, uint32_t opcode, uint32_t nth);
/* Looks up a handle in a submission's list. Returns its write flag, or -1. */
int listed(struct world *world, uint32_t submission, D3DKMT_HANDLE handle);

/* Checks the number of errors since the last call, and that all of them equal hr. */
void expect_errors(struct world *world, uint32_t count, HRESULT hr);

#endif
