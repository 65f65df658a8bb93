/* assert.h: for Mbed TLS, which has no runtime assertions. */
#ifndef AGPU_LIBC_ASSERT_H
#define AGPU_LIBC_ASSERT_H

#define static_assert _Static_assert

#endif
