/* sanitizer.c: how AddressSanitizer is set up where agpu-render is built with it (preset asan). */

/* Read by the sanitizer at start; ASAN_OPTIONS in the environment has the last word. What is still
 * allocated at the end is the Vulkan driver's, which is unloaded by then: leaks of Vulkan objects are for
 * the validation layer. Its own exit status distinguishes a fault of ours from a process that gave up
 * (status 1). */
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
    return "detect_leaks=0:exitcode=99";
}
