/* saved_records.c: the contexts of this process with saved state, and the resources of their views. */
#include "mm/runtime/saved_records.h"

/* States of this process, as a list: entries get only the device. */
static struct agpu_saved_state *first_state;

struct agpu_saved_state *agpu_saved_state_of(D3D10DDI_HDEVICE device)
{
    struct agpu_saved_state *state = first_state;

    while (state->device.pDrvPrivate != device.pDrvPrivate && state->next != NULL) {
        state = state->next;
    }
    return state;
}

void agpu_saved_state_enter(struct agpu_saved_state *state)
{
    state->next = first_state;
    first_state = state;
}

void agpu_saved_state_leave(struct agpu_saved_state *state)
{
    while (state->views != NULL) {
        agpu_saved_view_forget(state, state->views->handle);
    }
    for (struct agpu_saved_state **link = &first_state; *link != NULL; link = &(*link)->next) {
        if (*link == state) {
            *link = state->next;
            break;
        }
    }
}

void agpu_saved_state_forget_all(void)
{
    first_state = NULL;
}

bool agpu_saved_view_add(struct agpu_saved_state *state, const void *handle, const void *resource)
{
    struct agpu_saved_view *view;

    agpu_saved_view_forget(state, handle); /* a new object may reuse the memory of an old one */
    view = agpu_memory_alloc(&state->owner->runtime->memory, sizeof *view);
    if (view == NULL) {
        return false;
    }
    *view = (struct agpu_saved_view){.next = state->views, .handle = handle, .resource = resource};
    state->views = view;
    return true;
}

void agpu_saved_view_forget(struct agpu_saved_state *state, const void *object)
{
    struct agpu_saved_view **link = &state->views;

    while (*link != NULL) {
        struct agpu_saved_view *view = *link;

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

const void *agpu_saved_view_resource(const struct agpu_saved_state *state, const void *handle)
{
    const struct agpu_saved_view *view = handle != NULL ? state->views : NULL;

    while (view != NULL && view->handle != handle) {
        view = view->next;
    }
    return view != NULL ? view->resource : NULL;
}
