# Sources of lwIP, from which the image is built.
# shellcheck shell=bash

agpu_lwip=$agpu_cache/lwip/src-current

lwip_find() {
    [ -f "$agpu_lwip/src/core/init.c" ]
}

lwip_install() {
    source_install "$1" lwip src/core/init.c "the lwIP sources" "2 MB"
}
