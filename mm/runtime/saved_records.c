/* saved_records.c: the resources of the views of a context with saved state. */
#include "mm/runtime/saved_records.h"

void agpu_saved_state_leave(struct agpu_saved_state *state)
{
    agpu_layer_leave(AGPU_LAYER_SAVED_STATE, &state->layer);
    while (state->views != NULL) {
        agpu_saved_view_forget(state, state->views->handle);
    }
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
