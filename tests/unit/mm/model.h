/* model.h: a reference model of the memory manager, as simple as its guarantees: the contents of each instance, and its
 * users until which fence. The random test drives both and compares them. */
#ifndef AGPU_TESTS_UNIT_MM_MODEL_H
#define AGPU_TESTS_UNIT_MM_MODEL_H

#include "fake_machine.h"

#define MODEL_ALLOCATIONS 96u
#define MODEL_INSTANCES   8u
#define MODEL_ALIASES     2u
#define MODEL_LOCKS       12u
#define MODEL_PROCESS     1u
#define MODEL_OPENER      2u

/* One piece of memory. stamp determines the first word of each of its pages; 0 is all zero. */
struct model_instance {
    uint32_t handle;
    uint64_t size;
    uint64_t stamp;
    bool known; /* contents are defined */
    uint64_t read_fence, write_fence;
    uint32_t locks;
    bool recorded;  /* recorded commands that were not submitted yet use it */
    uint32_t users; /* the allocation, and each region in flight */
};

struct model_allocation {
    bool live;
    uint32_t id, resource;
    uint64_t token, size;
    bool fixed; /* shared, primary or staging: never renamed */
    uint32_t count, latest;
    struct model_instance *instances[MODEL_INSTANCES];
    uint32_t aliases[MODEL_ALIASES]; /* handles; 0: none */
    bool closed;                     /* the creator's handle is closed, aliases remain */
};

/* Memory that an unfinished submission uses. */
struct model_region {
    struct model_region *next;
    uint64_t fence;
    uint8_t *bytes;
    struct model_instance *instance;
    bool writes;
};

struct model_lock {
    struct model_allocation *allocation; /* NULL: free */
    struct model_instance *instance;
    uint32_t handle;
    uint16_t process;
    uint8_t *bytes;
};

struct model {
    struct fake_mm_machine machine;
    struct agpu_memory memory;
    struct agpu_kmd kmd;
    struct agpu_kmd_context context;
    struct model_allocation allocations[MODEL_ALLOCATIONS];
    struct model_lock locks[MODEL_LOCKS];
    struct model_region *first, *last; /* in the order of fences */
    uint64_t completed, submitted;
    uint64_t random, next_stamp;
    uint32_t next_id;
    bool out_of_order; /* the capability is reported: older instances may be locked */
    uint64_t steps,
        results[8]; /* number of: ok, busy, no memory, renamed, recycled, evicted, paged in, reset */
};

uint32_t model_random(struct model *m, uint32_t below);

/* Writes or checks the stamps of all pages of an instance. */
void model_write(struct model *m, struct model_instance *instance, uint8_t *bytes);
void model_check(const struct model_instance *instance, const uint8_t *bytes);

void model_open(struct model *m, uint64_t seed, uint64_t budget);
/* Completes and destroys everything. Fails the test unless all counters are 0. */
void model_close(struct model *m);
/* Performs one random operation and checks it. */
void model_step(struct model *m);

/* Newest fence of any use; removal of one use; marking of undefined contents (vidmm.md 4.4). */
uint64_t model_newest(const struct model_instance *instance);
void model_drop(struct model_instance *instance);
void model_forget_undefined(struct model *m);
/* Returns whether the manager may answer "no memory" or "busy" to a request for this many bytes. */
bool model_pressure(const struct model *m, uint64_t size);

/* Operations (model_ops.c, model_submit.c). */
void model_create(struct model *m);
void model_destroy(struct model *m, struct model_allocation *a);
void model_open_alias(struct model *m);
void model_close_alias(struct model *m, struct model_allocation *a);
void model_lock_one(struct model *m);
void model_unlock(struct model *m, struct model_lock *lock);
void model_submit(struct model *m);
void model_complete(struct model *m, uint64_t fence);
void model_reset(struct model *m);

#endif
