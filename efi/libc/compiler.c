/* compiler.c: the symbol that clang's Windows target refers to as soon as an object uses floating point. */
extern int _fltused;
int _fltused = 1;
