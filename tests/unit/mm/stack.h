/* stack.h: the whole runtime stand-in on the fake machine, for tests of its callbacks: one device, one context, helpers
 * around the callbacks. */
#ifndef AGPU_TESTS_UNIT_MM_STACK_H
#define AGPU_TESTS_UNIT_MM_STACK_H

#include "fake_machine.h"
#include "mm/vidmm/records.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/unit/test.h"

struct stack {
    struct fake_mm_machine machine;
    struct agpu_runtime *runtime;
    struct agpu_runtime_device *device;
    const D3DDDI_DEVICECALLBACKS *cb;
    D3DDDICB_CREATECONTEXT context; /* with the current buffers */
    D3DKMT_HANDLE sync;
    D3DDDICB_RENDER rendered; /* arguments of the last Render */
    uint32_t next_id;
};

/* An allocation of the driver. */
struct surface {
    D3DKMT_HANDLE handle, resource;
    uint32_t id;
    uint64_t token;
    uint64_t size;
};

enum surface_kind { PLAIN = 0, STAGING = 1, SHARED = 2, PRIMARY = 4, NO_BLOB = 8 };

/* stack_open(): config may be NULL for the default. stack_close(): fails the test if anything leaked. */
void stack_open(struct stack *s, const struct agpu_runtime_config *config);
void stack_close(struct stack *s);
/* For tests that leak on purpose. */
struct agpu_runtime_leaks stack_close_leaking(struct stack *s);

/* Defines a test whose body has an opened stack, `s`. */
#define STACK_TEST(name) STACK_TEST_WITH(name, stack_open_default)
/* The test opens its stack with this function. */
#define STACK_TEST_WITH(name, open)                                                                          \
    static void name##_in(struct stack *s);                                                                  \
    TEST(name)                                                                                               \
    {                                                                                                        \
        static struct stack s;                                                                               \
                                                                                                             \
        open(&s);                                                                                            \
        name##_in(&s);                                                                                       \
        stack_close(&s);                                                                                     \
    }                                                                                                        \
    static void name##_in(struct stack *s)

static inline void stack_open_default(struct stack *s)
{
    stack_open(s, NULL);
}

struct agpu_vidmm *stack_vm(struct stack *s);
struct agpu_kmd *stack_kmd(struct stack *s);
/* Sets a budget below the minimum of the setting, so that a test reaches memory pressure with few allocations. */
void stack_set_budget(struct stack *s, uint64_t bytes);

/* Returns a version 2 blob for an allocation. */
struct aerogpu_wddm_alloc_priv_v2 stack_blob(uint32_t id, uint64_t size, uint32_t flags);

HRESULT stack_try_allocate(struct stack *s, uint64_t size, unsigned kind, struct surface *out);
struct surface stack_allocate(struct stack *s, uint64_t size, unsigned kind);
void stack_free(struct stack *s, const struct surface *surface);

HRESULT stack_try_lock(struct stack *s, struct surface *surface, uint32_t flags, void **data);
void *stack_lock(struct stack *s, struct surface *surface, uint32_t flags);
HRESULT stack_unlock(struct stack *s, D3DKMT_HANDLE handle);
/* Fills the surface with one byte value, or checks it, through a lock. */
void stack_fill(struct stack *s, struct surface *surface, uint8_t value);
void stack_expect(struct stack *s, struct surface *surface, uint8_t value);

/* Puts an allocation on the current list. */
void stack_use(struct stack *s, D3DKMT_HANDLE handle, bool write);
/* Renders a stream of one NOP (or of the given packet) with the list of stack_use(). */
HRESULT stack_try_render(struct stack *s, const void *packet, uint32_t packet_size);
uint64_t stack_render(struct stack *s); /* returns the fence */
/* stack_use() and stack_render(). */
uint64_t stack_submit_with(struct stack *s, D3DKMT_HANDLE handle, bool write);

/* Bits of D3DDDICB_LOCKFLAGS. */
enum {
    LOCK_READ = 0x1,
    LOCK_WRITE = 0x2,
    LOCK_DONOTWAIT = 0x4,
    LOCK_IGNORESYNC = 0x8,
    LOCK_ENTIRE = 0x10,
    LOCK_DONOTEVICT = 0x20,
    LOCK_APERTURE = 0x40,
    LOCK_DISCARD = 0x80,
    LOCK_NOEXISTING = 0x100,
    LOCK_ALTERNATE = 0x200,
    LOCK_IGNOREREAD = 0x400,
};

#endif
