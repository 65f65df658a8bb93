/* saved_records.c: the contexts of this process with kept state, and the resources of their views. */
#include "mm/runtime/saved_records.h"

/* States of this process, as a list: entries get only the device. */
static struct agpu_kept_state *first_state;

struct agpu_kept_state *agpu_kept_state_of(D3D10DDI_HDEVICE device)
{
    struct agpu_kept_state *state = first_state;

    while (state->device.pDrvPrivate != device.pDrvPrivate && state->next != NULL) {
        state = state->next;
    }
    return state;
}

void agpu_kept_state_enter(struct agpu_kept_state *state)
{
    state->next = first_state;
    first_state = state;
}

void agpu_kept_state_leave(struct agpu_kept_state *state)
{
    while (state->views != NULL) {
        agpu_kept_view_forget(state, state->views->handle);
    }
    for (struct agpu_kept_state **link = &first_state; *link != NULL; link = &(*link)->next) {
        if (*link == state) {
            *link = state->next;
            break;
        }
    }
}

void agpu_kept_state_forget_all(void)
{
    first_state = NULL;
}

bool agpu_kept_view_add(struct agpu_kept_state *state, const void *handle, const void *resource)
{
    struct agpu_kept_view *view;

    agpu_kept_view_forget(state, handle); /* a new object may reuse the memory of an old one */
    view = agpu_memory_alloc(&state->owner->runtime->memory, sizeof *view);
    if (view == NULL) {
        return false;
    }
    *view = (struct agpu_kept_view){.next = state->views, .handle = handle, .resource = resource};
    state->views = view;
    return true;
}

void agpu_kept_view_forget(struct agpu_kept_state *state, const void *object)
{
    struct agpu_kept_view **link = &state->views;

    while (*link != NULL) {
        struct agpu_kept_view *view = *link;

        if (view->resource == object) {
            view->resource = NULL;
        }
        if (view->handle == object) {
            *link = view->next;
            agpu_memory_free(&state->owner->runtime->memory, view, sizeof *view);
        } else {
            link = &view->next;
        }
    }
}

const void *agpu_kept_view_resource(const struct agpu_kept_state *state, const void *handle)
{
    const struct agpu_kept_view *view = handle != NULL ? state->views : NULL;

    while (view != NULL && view->handle != handle) {
        view = view->next;
    }
    return view != NULL ? view->resource : NULL;
}
