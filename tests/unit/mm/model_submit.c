/* model_submit.c: random submissions, completions and resets, on the manager and the model. */
#include "model.h"

#include <stdlib.h>
#include <string.h>

#include "mm/vidmm/records.h"
#include "ring/protocol/aerogpu_cmd.h"
#include "tests/unit/test.h"

/* Picks one list entry. Returns false if it may not be in the list. */
static bool list_entry(struct model *m, D3DDDI_ALLOCATIONLIST *entry, struct model_instance **instance)
{
    struct model_allocation *a = &m->allocations[model_random(m, MODEL_ALLOCATIONS)];

    if (!a->live || a->closed) {
        return false;
    }
    *instance = a->instances[a->latest];
    for (unsigned i = 0; i < a->count; i++) {
        if (a->instances[i]->recorded) {
            *instance = a->instances[i]; /* a list may not have two instances of one allocation */
        }
    }
    *entry = (D3DDDI_ALLOCATIONLIST){.hAllocation = (*instance)->handle};
    entry->WriteOperation = model_random(m, 3) == 0;
    return true;
}

static void add_region(struct model *m, struct model_instance *instance, uint64_t gpa, bool writes)
{
    struct model_region *region = calloc(1, sizeof *region);

    assert_non_null(region);
    *region = (struct model_region){
        .fence = m->submitted, .bytes = fake_cpu(gpa), .instance = instance, .writes = writes};
    instance->users++;
    if (writes) {
        instance->write_fence = m->submitted;
    } else {
        instance->read_fence = m->submitted;
    }
    if (m->first == NULL) {
        m->first = region;
    } else {
        m->last->next = region;
    }
    m->last = region;
    model_check(instance, region->bytes); /* the table has the address of the correct contents */
}

static const struct aerogpu_alloc_entry *find_entry(struct model *m, uint32_t alloc_id)
{
    const struct agpu_submission *submission = fake_last(&m->machine);
    const struct aerogpu_alloc_table_header *table = fake_table(submission);

    for (uint32_t i = 0; i < table->entry_count; i++) {
        if (fake_entries(submission)[i].alloc_id == alloc_id) {
            return &fake_entries(submission)[i];
        }
    }
    fail_msg("alloc_id %u is not in the table", (unsigned)alloc_id);
    return NULL;
}

void model_submit(struct model *m)
{
    enum { ENTRIES = 10 };
    static const struct {
        struct aerogpu_cmd_stream_header header;
    } stream = {.header = {.magic = AEROGPU_CMD_STREAM_MAGIC, .size_bytes = sizeof stream}};
    D3DDDI_ALLOCATIONLIST list[ENTRIES + MODEL_ALLOCATIONS];
    struct model_instance *instances[ENTRIES + MODEL_ALLOCATIONS];
    uint32_t count = 0, wanted = model_random(m, ENTRIES);
    /* The submission includes the commands that were recorded before. They must read the contents of that time. */
    for (unsigned i = 0; i < MODEL_ALLOCATIONS; i++) {
        const struct model_allocation *a = &m->allocations[i];

        for (unsigned j = 0; a->live && !a->closed && j < a->count; j++) {
            if (a->instances[j]->recorded) {
                list[count] = (D3DDDI_ALLOCATIONLIST){.hAllocation = a->instances[j]->handle};
                instances[count++] = a->instances[j];
            }
        }
    }
    for (uint32_t i = 0; i < wanted; i++) {
        count += list_entry(m, &list[count], &instances[count]);
    }
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += agpu_page_round(instances[i]->size);
    }

    if (model_random(m, 8) == 0) { /* recorded only: submitted with the next list */
        for (uint32_t i = 0; i < count; i++) {
            instances[i]->recorded = true;
        }
        return;
    }
    AGPU_DMA_PRIV private_data = {.Type = AGPU_DMA_PRIV_RENDER};
    struct agpu_kmd_submission submission = {.context = &m->context,
                                             .stream = &stream,
                                             .stream_address = 0x1000,
                                             .stream_length = sizeof stream,
                                             .list = list,
                                             .list_count = count,
                                             .private_data = &private_data,
                                             .private_size = sizeof private_data};
    bool tight = model_pressure(m, bytes);
    NTSTATUS status = agpu_kmd_submit(&m->kmd, &submission, m->machine.now);
    m->submitted = m->kmd.submitted; /* a paging submission may have been posted before it, or alone */
    if (status != STATUS_SUCCESS) {
        assert_true(status == STATUS_PENDING || status == STATUS_INSUFFICIENT_RESOURCES);
        assert_true(tight || m->machine.posted - m->machine.head >= m->machine.slots);
        if (status == STATUS_INSUFFICIENT_RESOURCES) { /* too much at once: the driver drops the commands */
            for (uint32_t i = 0; i < count; i++) {
                instances[i]->recorded = false;
            }
            model_forget_undefined(m);
        }
        return;
    }
    assert_int_equal(submission.fence, m->submitted);
    for (uint32_t i = 0; i < count; i++) {
        const struct agpu_instance *record =
            agpu_handle_lookup(&m->kmd.vm, MODEL_PROCESS, list[i].hAllocation);
        assert_non_null(record);
        const struct aerogpu_alloc_entry *entry =
            find_entry(m, agpu_allocation_at(&m->kmd.vm, record->allocation)->alloc_id);
        assert_int_equal(entry->size_bytes, instances[i]->size);
        assert_true(!list[i].WriteOperation || entry->flags == 0);
        add_region(m, instances[i], entry->gpa, list[i].WriteOperation);
        instances[i]->recorded = false;
    }
}

/* The device finishes submissions: memory that they read has not changed, memory that they write gets new contents. */
void model_complete(struct model *m, uint64_t fence)
{
    if (fence > m->submitted) {
        fence = m->submitted;
    }
    while (m->first != NULL && m->first->fence <= fence) {
        struct model_region *region = m->first;

        model_check(region->instance, region->bytes);
        if (region->writes) {
            model_write(m, region->instance, region->bytes);
        }
        m->first = region->next;
        model_drop(region->instance);
        free(region);
    }
    m->completed = fence > m->completed ? fence : m->completed;
    fake_complete(&m->machine, m->completed);
    agpu_kmd_poll(&m->kmd, m->machine.now);
    assert_int_equal(m->kmd.completed, m->completed);
    for (unsigned i = 0; i < MODEL_ALLOCATIONS;
         i++) { /* idle instances that can no longer be used are undefined */
        const struct model_allocation *a = &m->allocations[i];
        for (unsigned j = 0; a->live && j < a->count; j++) {
            struct model_instance *instance = a->instances[j];

            if (j != a->latest && !instance->recorded && instance->locks == 0 &&
                model_newest(instance) <= m->completed) {
                instance->known = false;
            }
        }
    }
}

void model_reset(struct model *m)
{
    while (m->first != NULL) {
        struct model_region *region = m->first;

        model_check(region->instance, region->bytes);
        m->first = region->next;
        model_drop(region->instance);
        free(region);
    }
    agpu_kmd_reset(&m->kmd, &m->context, m->machine.now);
    agpu_kmd_restart(&m->kmd);
    agpu_kmd_context_remove(&m->kmd, &m->context);
    agpu_kmd_context_add(&m->kmd, &m->context, MODEL_PROCESS);
    m->completed = m->submitted;
    assert_int_equal(m->kmd.completed, m->submitted);
    assert_true(agpu_kmd_idle(&m->kmd));
    m->results[7]++;
}
