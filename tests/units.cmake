# Compiles large libraries in units of eight files where the compiler takes longer to start than to compile one (clang:
# three of four seconds). The preset `host` compiles each file alone. Names of one library's files are unique for it,
# except for macros, each of which ends with its file. Not for the sources of others: they have defaults for macros of
# their headers, which would end with such a file, too.
option(AGPU_UNITS "Compile eight files of a library at once: quicker from nothing, slower after a change" OFF)

function(agpu_units) # TARGET...
    if(NOT AGPU_UNITS)
        return()
    endif()
    foreach(target IN LISTS ARGN)
        get_target_property(sources ${target} SOURCES)
        get_target_property(folder ${target} SOURCE_DIR)
        set(undefine)
        foreach(source IN LISTS sources)
            cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder})
            if(source MATCHES "\\.c$" AND EXISTS ${source})
                file(STRINGS ${source} lines REGEX "^#define ")
                list(TRANSFORM lines REPLACE "^#define ([A-Za-z0-9_]+).*" "#undef \\1")
                list(APPEND undefine ${lines})
            endif()
        endforeach()
        list(REMOVE_DUPLICATES undefine)
        list(JOIN undefine "\n" undefine)
        set_target_properties(${target} PROPERTIES
            UNITY_BUILD ON
            UNITY_BUILD_BATCH_SIZE 8
            # A file may use another one's names for its own locals and macros.
            UNITY_BUILD_CODE_BEFORE_INCLUDE "#pragma GCC diagnostic ignored \"-Wshadow\""
            UNITY_BUILD_CODE_AFTER_INCLUDE "${undefine}\n")
    endforeach()
endfunction()
