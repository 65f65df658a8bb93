/* no_plugin.c: a shared library that is no plug-in. */
int agpu_no_plugin(void);

int agpu_no_plugin(void)
{
    return 0;
}
