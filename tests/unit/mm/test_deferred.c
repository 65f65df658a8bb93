/* test_deferred.c: the runtime stand-in's calls to a driver's deferred contexts (umd.md 15), against a driver that
 * records them. */
#include <string.h>

#include "mm/runtime/deferred.h"
#include "mm/runtime/local_sizes.h"
#include "stack.h"
#include "tests/unit/test.h"

#define IMMEDIATE ((void *)0x1000) /* the driver's device */

/* Calls to the driver, one letter each:
 * p poll; k sizes of a kind; C, D create and destroy a context.
 * l, L create and destroy a list handle.
 * f finish; F finish into a recycled list; e execute;
 * x destroy a list; y destroy a light one; z recycle; a abandon. */
static struct {
    char calls[64];
    uint32_t count;
    uint32_t first_count, second_count; /* answers to the polls */
    size_t handle_bytes;                /* the driver's answer for the size of one object */
    HRESULT result;                     /* result of creations and finishes */
} driver;

static void note_call(char call)
{
    assert_true(driver.count < sizeof driver.calls - 1);
    driver.calls[driver.count++] = call;
}

static void expect_calls(const char *calls)
{
    driver.calls[driver.count] = '\0';
    assert_string_equal(driver.calls, calls);
    driver.count = 0;
}

static void check_sizes(D3D10DDI_HDEVICE device, uint32_t *count, D3D11DDI_HANDLESIZE *sizes)
{
    assert_ptr_equal(device.pDrvPrivate, IMMEDIATE);
    note_call('p');
    if (sizes == NULL) {
        *count = driver.first_count;
        return;
    }
    assert_int_equal(*count, driver.first_count);
    *count = driver.second_count;
    memset(sizes, 0, driver.first_count * sizeof *sizes);
    sizes[0] = (D3D11DDI_HANDLESIZE){D3D10DDI_HT_RESOURCE, 24};
    sizes[1] = (D3D11DDI_HANDLESIZE){D3D10DDI_HT_SHADERRESOURCEVIEW, 24};
    sizes[2] = (D3D11DDI_HANDLESIZE){D3D11DDI_HT_COMMANDLIST, 24};
}

static size_t handle_size(D3D10DDI_HDEVICE device, uint32_t type, void *object)
{
    assert_ptr_equal(device.pDrvPrivate, IMMEDIATE);
    assert_non_null(object);
    (void)type;
    note_call('k');
    return driver.handle_bytes;
}

static size_t context_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)device, (void)args;
    return 100;
}

static size_t list_size(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATECOMMANDLIST *args)
{
    (void)device;
    assert_non_null(args->hDeferredContext.pDrvPrivate);
    return 40;
}

static void execute(D3D10DDI_HDEVICE context, D3D11DDI_HCOMMANDLIST list)
{
    (void)context;
    assert_non_null(list.pDrvPrivate);
    note_call('e');
}

static HRESULT create_context(D3D10DDI_HDEVICE device, const D3D11DDIARG_CREATEDEFERREDCONTEXT *args)
{
    (void)device;
    note_call('C');
    args->p11ContextFuncs->pfnCommandListExecute = execute;
    return driver.result;
}

static void destroy_context(D3D10DDI_HDEVICE device, D3D10DDI_HDEVICE context)
{
    assert_ptr_equal(device.pDrvPrivate, IMMEDIATE);
    assert_non_null(context.pDrvPrivate);
    note_call('D');
}

static HRESULT create_list(D3D10DDI_HDEVICE context, const D3D11DDIARG_CREATECOMMANDLIST *args,
                           D3D11DDI_HCOMMANDLIST list, D3D11DDI_HRTCOMMANDLIST runtime)
{
    (void)context, (void)list, (void)runtime;
    note_call(args != NULL ? 'f' : 'l');
    return driver.result;
}

static HRESULT recreate_list(D3D10DDI_HDEVICE context, const D3D11DDIARG_CREATECOMMANDLIST *args,
                             D3D11DDI_HCOMMANDLIST list, D3D11DDI_HRTCOMMANDLIST runtime)
{
    (void)context, (void)args, (void)list, (void)runtime;
    note_call('F');
    return driver.result;
}

static void destroy_list(D3D10DDI_HDEVICE context, D3D11DDI_HCOMMANDLIST list)
{
    (void)list;
    note_call(context.pDrvPrivate == IMMEDIATE ? 'x' : 'L');
}

static void light_destroy(D3D10DDI_HDEVICE context, D3D11DDI_HCOMMANDLIST list)
{
    (void)context, (void)list;
    note_call('y');
}

static void recycle(D3D10DDI_HDEVICE context, D3D11DDI_HCOMMANDLIST list)
{
    (void)list;
    assert_ptr_not_equal(context.pDrvPrivate, IMMEDIATE);
    note_call('z');
}

static void abandon(D3D10DDI_HDEVICE context)
{
    (void)context;
    note_call('a');
}

static const struct agpu_api_device funcs = {
    .pfnCheckDeferredContextHandleSizes = check_sizes,
    .pfnCalcDeferredContextHandleSize = handle_size,
    .pfnCalcPrivateDeferredContextSize = context_size,
    .pfnCreateDeferredContext = create_context,
    .pfnDestroyDeferredContext = destroy_context,
    .pfnCalcPrivateCommandListSize = list_size,
    .pfnCreateCommandList = create_list,
    .pfnDestroyCommandList = destroy_list,
    .pfnRecycleCreateCommandList = recreate_list,
    .pfnRecycleDestroyCommandList = light_destroy,
    .pfnRecycleCommandList = recycle,
    .pfnAbandonCommandList = abandon,
};
static const struct agpu_api_context immediate_funcs = {.pfnCommandListExecute = execute};
static const struct agpu_runtime_driver as_driver = {{IMMEDIATE}, &funcs, &immediate_funcs};

static void open_stack(struct stack *s)
{
    stack_open(s, NULL);
    memset(&driver, 0, sizeof driver);
    driver.first_count = driver.second_count = 3;
    driver.handle_bytes = 24;
}

static struct agpu_runtime_deferred *open_deferred_context(struct stack *s)
{
    HRESULT hr;
    struct agpu_runtime_deferred *deferred = agpu_runtime_deferred_create(s->device, &as_driver, &hr);

    assert_non_null(deferred);
    assert_int_equal(hr, S_OK);
    expect_calls("ppC");
    return deferred;
}

STACK_TEST_WITH(lists_are_finished_executed_and_used_again, open_stack)
{
    struct agpu_runtime_deferred *one = open_deferred_context(s), *other = open_deferred_context(s);
    struct agpu_runtime_list *list, *second;

    assert_int_equal(agpu_runtime_list_finish(one, &list), S_OK);
    agpu_runtime_list_execute(list, NULL);
    expect_calls("fe");
    agpu_runtime_list_execute(list, other); /* through a handle of its own */
    expect_calls("kle");
    agpu_runtime_list_recycle(list, one);
    expect_calls("Lyz");
    assert_int_equal(agpu_runtime_list_finish(one, &second), S_OK);
    expect_calls("F");
    agpu_runtime_list_execute(second, other);
    agpu_runtime_list_destroy(second); /* and the handle of the other context before it */
    expect_calls("kleLx");
    assert_int_equal(agpu_runtime_list_finish(one, &list), S_OK);
    agpu_runtime_list_recycle(list, one); /* the context destroys the list that was recycled last */
    expect_calls("fyz");
    driver.result = E_OUTOFMEMORY;
    assert_int_equal(agpu_runtime_list_finish(other, &second), E_OUTOFMEMORY);
    assert_null(second);
    assert_int_equal(agpu_runtime_list_finish(one, &second), E_OUTOFMEMORY);
    assert_null(second);
    expect_calls("fFx");
    driver.result = S_OK;
    agpu_runtime_deferred_destroy(one);
    agpu_runtime_deferred_destroy(other);
}
