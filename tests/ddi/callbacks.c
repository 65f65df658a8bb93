/* callbacks.c: a second copy of the spy, in front of the one that cases use. */

/* The copy's own names, and the table that it passes the calls on to. */
#define agpu_runtime_device_callbacks ddi_next_callbacks
#define agpu_runtime_core_callbacks   ddi_next_core_callbacks
#define agpu_watched_callbacks        ddi_spy_callbacks
#define agpu_callback_table           ddi_spy_table
#define agpu_watched_core_callbacks   ddi_spy_core_callbacks
#define agpu_submission_calls         ddi_spy_submission_calls
#define agpu_submitted                ddi_spy_submitted
#define agpu_lose_submissions         ddi_spy_lose_submissions
#define agpu_spied_config             ddi_spy_config
#define agpu_spy_begin                ddi_spy_begin
#define agpu_check_calls_at           ddi_spy_check_calls_at
#include "tests/cases/rig/spy.c"
#undef agpu_callback_table
#undef agpu_watched_core_callbacks

#include "tests/ddi/callbacks.h"

#define BYTES_MAX ((size_t)8 << 20)

/* The tables of the spy that cases use. Here tests/cases/rig/spy.h declares them under the names above. */
D3DDDI_DEVICECALLBACKS *agpu_callback_table(void);
const D3D10DDI_CORELAYER_DEVICECALLBACKS *agpu_watched_core_callbacks(void);

static char long_text[BYTES_MAX];
static D3DDDI_DEVICECALLBACKS original; /* table at the creation of the device */
static const char *failed;

/* ---- between the two: calls that a case or a lost device makes fail ---- */

#define NOTED(entry, type)                                                                                   \
    static HRESULT noted_##entry(HANDLE device, type *args)                                                  \
    {                                                                                                        \
        const HRESULT hr = agpu_callback_table()->pfn##entry##Cb(device, args);                              \
                                                                                                             \
        if (FAILED(hr) || agpu_callback_table()->pfn##entry##Cb != original.pfn##entry##Cb) {                \
            failed = failed == NULL ? #entry : failed;                                                       \
        }                                                                                                    \
        return hr;                                                                                           \
    }
#define EACH_NOTED(X)                                                                                        \
    X(Allocate, D3DDDICB_ALLOCATE)                                                                           \
    X(Deallocate, const D3DDDICB_DEALLOCATE)                                                                 \
    X(Lock, D3DDDICB_LOCK)                                                                                   \
    X(Unlock, const D3DDDICB_UNLOCK)                                                                         \
    X(Render, D3DDDICB_RENDER)                                                                               \
    X(Present, D3DDDICB_PRESENT)                                                                             \
    X(GetCommandBuffer, D3DDDICB_GETCOMMANDBUFFER)                                                           \
    X(WaitForSynchronizationObject, const D3DDDICB_WAITFORSYNCHRONIZATIONOBJECT)
EACH_NOTED(NOTED)

const D3DDDI_DEVICECALLBACKS *ddi_next_callbacks(void)
{
    static D3DDDI_DEVICECALLBACKS table;

    table = original = *agpu_callback_table();
#define INSTALL(entry, type) table.pfn##entry##Cb = noted_##entry;
    EACH_NOTED(INSTALL)
    return &table;
}

const D3D10DDI_CORELAYER_DEVICECALLBACKS *ddi_next_core_callbacks(void)
{
    return agpu_watched_core_callbacks();
}

/* ---- the copy ---- */

const D3DDDI_DEVICECALLBACKS *ddi_callbacks(void)
{
    const D3DDDI_DEVICECALLBACKS *table = ddi_spy_callbacks();

    ddi_spy_begin(AGPU_SPY_ALL);
    ddi_callbacks_clear();
    failed = NULL;
    return table;
}

const D3D10DDI_CORELAYER_DEVICECALLBACKS *ddi_core_callbacks(void)
{
    return ddi_spy_core_callbacks();
}

const char *ddi_callbacks_text(void)
{
    return !spy.text.truncated && spy.allocations.count < HANDLES_MAX && spy.objects.count < HANDLES_MAX
               ? long_text
               : NULL;
}

void ddi_callbacks_clear(void)
{
    agpu_text_begin(&spy.text, long_text, sizeof long_text);
}

const char *ddi_callbacks_failed(void)
{
    return failed;
}
