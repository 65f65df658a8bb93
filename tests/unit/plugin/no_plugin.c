/* no_plugin.c: a shared library without the plug-in function. */
int agpu_no_plugin(void);

int agpu_no_plugin(void)
{
    return 0;
}
