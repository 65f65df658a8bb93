/* cc.h: definitions of compiler and platform that lwIP requires. */
#ifndef AGPU_NET_ARCH_CC_H
#define AGPU_NET_ARCH_CC_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#define LWIP_NO_INTTYPES_H 1
#define LWIP_NO_CTYPE_H    1
#define LWIP_NO_UNISTD_H   1
#define X8_F               "02x"
#define U16_F              "u"
#define S16_F              "d"
#define X16_F              "x"
#define U32_F              "u"
#define S32_F              "d"
#define X32_F              "x"
#define SZT_F              "zu"

typedef int64_t ssize_t;
#ifndef SSIZE_MAX
#define SSIZE_MAX INT64_MAX
#endif

#define LWIP_PLATFORM_DIAG(x)
/* A failed assertion of lwIP stops the network, not the run: the other sinks have every record. */
void agpu_net_assert(const char *what);
#define LWIP_PLATFORM_ASSERT(what) agpu_net_assert(what)

/* Random transaction numbers; nothing secret depends on them. */
uint32_t agpu_net_random(void);
#define LWIP_RAND() agpu_net_random()

#endif
