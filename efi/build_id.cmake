# Writes build_id.h with the commit that is built, "+" behind it when the tree differs from it. Run by every build;
# the header changes only when the id does.
execute_process(COMMAND git -C ${SOURCE_DIR} describe --always --abbrev=12 --exclude=* --dirty=+
    OUTPUT_VARIABLE id OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed OR NOT id MATCHES "^[0-9a-f]+\\+?$")
    set(id "unknown") # an unpacked archive has no commit
endif()
set(text "/* build_id.h: generated. Names the sources in records and on the screen. */\n#define AGPU_BUILD_ID \"${id}\"\n")
if(EXISTS ${OUTPUT})
    file(READ ${OUTPUT} old)
endif()
if(NOT "${old}" STREQUAL "${text}")
    file(WRITE ${OUTPUT} "${text}")
endif()
