/* sanitizer.c: configures AddressSanitizer for agpu-render (preset asan). */

/* The sanitizer calls this at start; ASAN_OPTIONS in the environment overrides it. Leak detection is off
 * because memory still allocated at the end belongs to the Vulkan driver, which is unloaded by then; the
 * validation layer finds leaks of Vulkan objects. The exit status distinguishes a sanitizer error from a
 * process that gave up (status 1). */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:exitcode=99";
}
