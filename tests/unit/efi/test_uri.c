/* test_uri.c: directory and host of a URI, and invalid URIs. */
#include <string.h>

#include "efi/uri.h"
#include "tests/unit/test.h"

static char out[64];

static void folder_is(const char *uri, const char *expected)
{
    const bool good = agpu_uri_folder(uri, strlen(uri), out, sizeof out);

    assert_int_equal(good, expected != NULL);
    if (good) {
        assert_string_equal(out, expected);
    }
}

static void host_is(const char *uri, const char *expected)
{
    const bool good = agpu_uri_host(uri, strlen(uri), out, sizeof out);

    assert_int_equal(good, expected != NULL);
    if (good) {
        assert_string_equal(out, expected);
    }
}

TEST(a_folder_ends_behind_the_last_slash)
{
    folder_is("http://192.0.2.1/lab/agpu.efi", "http://192.0.2.1/lab/");
    folder_is("http://192.0.2.1/agpu.efi", "http://192.0.2.1/");
    folder_is("HTTPS://[2001:db8::1]:8443/a/b/agpu.iso", "HTTPS://[2001:db8::1]:8443/a/b/");
    folder_is("http://h/a/x.efi?path=/b/c", "http://h/a/");
    folder_is("http://h/a/x.efi#/b", "http://h/a/");
    folder_is("http://h", "http://h/");
    folder_is("http://h?x/y", "http://h/");
}

TEST(what_is_no_such_uri_has_none)
{
    char lengthy[100];

    folder_is("", NULL);
    folder_is("http", NULL);
    folder_is("http://", NULL);
    folder_is("http:///agpu.efi", NULL);
    folder_is("ftp://h/agpu.efi", NULL);
    folder_is("http://h/a b/agpu.efi", NULL);
    folder_is("http://h/\x01/agpu.efi", NULL);
    memset(lengthy, 'a', sizeof lengthy);
    memcpy(lengthy, "http://", 7);
    assert_false(agpu_uri_folder(lengthy, sizeof out - 1, out, sizeof out)); /* too long with its slash */
    assert_true(agpu_uri_folder(lengthy, sizeof out - 2, out, sizeof out));
    assert_int_equal(strlen(out), sizeof out - 1);
    lengthy[sizeof out - 1] = '/';
    assert_false(agpu_uri_folder(lengthy, sizeof lengthy, out, sizeof out));
}

TEST(url_has_the_port_and_no_password)
{
    host_is("http://192.0.2.1/lab/agpu.efi", "192.0.2.1");
    host_is("http://h:8080/x@y", "h:8080");
    host_is("http://me:secret@h:8080/", "h:8080");
    host_is("http://me@/", NULL);
    host_is("http:///", NULL);
    host_is("tftp://h/", NULL);
}
