"""The parts of report.html that are the same in every report: page.py OUT.inc PAGE.html PAGE.css SCRIPT.js...
The page allows itself exactly this style and this script, by their hashes: what a record smuggled in would not run."""
import base64
import hashlib
import re
import sys


def slurp(path):
    with open(path, "rb") as file:
        return file.read()


def allowed(text):
    """As a Content-Security-Policy names it."""
    return b"'sha256-" + base64.b64encode(hashlib.sha256(text).digest()) + b"'"


def literal(name, text):
    """Pieces that every C compiler takes: a string literal has at most 4095 characters for certain."""
    escaped = {b"\n": b"\\n", b"\\": b"\\\\", b'"': b'\\"', b"?": b"\\?"}
    pieces = [re.sub(rb'[^ -~]|[\\"?]', lambda c: escaped.get(c[0]) or b"\\%03o" % c[0][0], text[at:at + 1500]) for at in range(0, len(text), 1500)]
    return b"static const char *const %s[] = {\n%s};\n" % (name, b"".join(b'    "%s",\n' % piece for piece in pieces))


out, html, css, *scripts = sys.argv[1:]
style = slurp(css)
script = b'"use strict";\n(() => {\n' + b"".join(slurp(path) for path in scripts) + b"})();\n"
if b"</script" in script.lower():
    sys.exit("page.py: a script ends itself")
head = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<style>%s</style>
""" % (allowed(style), allowed(script), style)
body = b'<div id="app" hidden>\n' + slurp(html) + b"</div>\n"
with open(out, "wb") as file:
    file.write(b"/* Made by page.py. */\n" + literal(b"page_head", head) + literal(b"page_body", body) + literal(b"page_script", script))
