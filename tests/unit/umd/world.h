/* world.h: an opened adapter and device over a fake table, and the few lines that most cases begin with. */
#ifndef AGPU_TESTS_UNIT_UMD_WORLD_H
#define AGPU_TESTS_UNIT_UMD_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ring/protocol/aerogpu_cmd.h"
#include "tests/unit/umd/fake.h"
#include "umd-port/base/walk.h"

struct world {
    struct fake fake;
    D3D10DDI_HADAPTER adapter;
    D3D11DDI_ADAPTERFUNCS adapter_funcs;
    D3D11DDI_DEVICEFUNCS dev; /* Direct3D 11 tables */
    D3D11DDI_DEVICECONTEXTFUNCS ctx;
    D3D10DDI_HDEVICE device;
    void *span; /* bounded stream memory, NULL while the writer grows */
};

/* A Direct3D 11 device in the mode. Aborts the test when it cannot be created. */
void world_open(struct world *world, enum agpu_backing_mode mode);
/* For tests that change the fake first: world_fake, changes, world_start. */
void world_fake(struct world *world, enum agpu_backing_mode mode);
void world_start(struct world *world);
/* Destroys the device and checks that the driver's heap is empty and nothing stays locked. */
void world_close(struct world *world);

struct agpu_device *device_of(struct world *world);
struct agpu_adapter *adapter_of(struct world *world);

/* Gives the device a bounded stream with room for bytes of packets from now on; what is recorded is
 * dropped. */
void world_bound_stream(struct world *world, uint32_t bytes);

/* Private memory for an object, filled with 0xCC. Freed by the caller. */
void *object(size_t size);
D3D10DDI_HRESOURCE new_resource(struct world *world);
void free_resource(struct world *world, D3D10DDI_HRESOURCE resource); /* destroys, then frees */
static inline struct agpu_resource *res(D3D10DDI_HRESOURCE resource)
{
    return resource.pDrvPrivate;
}

D3D10DDIARG_CREATERESOURCE buffer_desc(uint32_t bytes, uint32_t usage, uint32_t bind, uint32_t cpu);
D3D10DDIARG_CREATERESOURCE texture_desc(uint32_t format, uint32_t width, uint32_t height, uint32_t usage,
                                        uint32_t bind, uint32_t cpu);
HRESULT create(struct world *world, D3D10DDI_HRESOURCE resource, const D3D10DDIARG_CREATERESOURCE *desc);
/* Creates and expects success. */
D3D10DDI_HRESOURCE make(struct world *world, const D3D10DDIARG_CREATERESOURCE *desc);
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

/* Packets of what is recorded and not submitted yet, and of captured submissions. Every stream looked at is
 * walked to its end; a framing error fails the test. */
uint32_t recorded(struct world *world, uint32_t opcode);
const void *recorded_at(struct world *world, uint32_t opcode, uint32_t nth);
uint32_t recorded_total(struct world *world);
uint32_t captured(struct world *world, uint32_t submission, uint32_t opcode);
const void *captured_at(struct world *world, uint32_t submission, uint32_t opcode, uint32_t nth);
/* Place of the nth packet of opcode among all recorded packets; fails the test when there is none. */
uint32_t recorded_index(struct world *world, uint32_t opcode, uint32_t nth);
/* Entry of a handle in a submission's list: -1 not listed, else its write flag. */
int listed(struct world *world, uint32_t submission, D3DKMT_HANDLE handle);

/* Number of errors reported since the last call, and that they are all of the one kind. */
void expect_errors(struct world *world, uint32_t count, HRESULT hr);

#endif
