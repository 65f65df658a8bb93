/* terminal.c: sets raw mode and the speed. */
#include "tests/host/terminal.h"

#include <errno.h>
#include <stddef.h>
#include <termios.h>

static bool set_speed(struct termios *settings, unsigned baud)
{
    static const struct {
        unsigned baud;
        speed_t speed;
    } speeds[] = {{9600, B9600},     {19200, B19200},   {38400, B38400},   {57600, B57600},
                  {115200, B115200}, {230400, B230400}, {460800, B460800}, {921600, B921600}};

    for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++) {
        if (speeds[i].baud == baud) {
            return cfsetispeed(settings, speeds[i].speed) == 0 && cfsetospeed(settings, speeds[i].speed) == 0;
        }
    }
    errno = EINVAL;
    return false;
}

bool agpu_terminal_prepare(int fd, unsigned baud)
{
    struct termios settings;

    if (tcgetattr(fd, &settings) != 0) {
        return false;
    }
    cfmakeraw(&settings);
    settings.c_cflag |= CLOCAL | CREAD;
    return (baud == 0 || set_speed(&settings, baud)) && tcsetattr(fd, TCSANOW, &settings) == 0;
}
