#!/usr/bin/python3
"""serve_page_test.py AGPU [PNG]: agpu serve in Chromium: past runs, the current one, links, search; writes a
picture of it to PNG."""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile

from page_test import Keys, Page, open_browser
from results import Results

AGPU = sys.argv[1]


def finished(folder, number, fails):
    made = Results("%s/%04d" % (folder, number))
    made.say("plan", "-", count=40, build="b%d" % (number // 4), device="A3A0:0001 00:04.0 abi=1.4 features=0x3f", judged="model")
    for case in range(40):
        bad = case in fails
        made.case("ring.submit.n%02d" % case, "FAIL" if bad else "PASS", **({"reason": "head is %d <b>" % number} if bad else {}))
    made.say("metric", "ring.submit.n00", name="doorbell_to_fence_p50", value=27000 + 40 * (number % 5) + (9000 if number > 17 else 0), unit="ns")
    made.say("summary", "-", status="FAIL" if fails else "PASS", passed=40 - len(fails), failed=len(fails), errors=0, skipped=0, timeouts=0,
             crashed=0, total=40, us=5)
    made.write()
    subprocess.run([AGPU, "report", made.folder], stdout=subprocess.DEVNULL, check=False)


class Running:
    """A current run: the files that agpu run writes meanwhile."""

    def __init__(self, folder):
        os.makedirs(folder)
        with open(folder + "/.lock", "w") as file:
            file.write("%d\n" % os.getpid())
        self.records = open(folder + "/results.jsonl.unsorted.part", "w")
        self.say(type="plan", id="-", count=1438)

    def say(self, **record):
        self.records.write(json.dumps(record) + "\n")
        self.records.flush()


def look(browser, folder, port):
    page = Page(browser, folder)
    home = "http://127.0.0.1:%d/" % port

    def go(url, size=(1200, 900), dark=False):
        page.url = url
        page.open(size, dark, script=True, fragment="", ready=False)

    run = Running(folder + "/0021")
    run.say(type="start", id="fence.latency.doorbell_to_page", index=700)
    go(home)
    assert page.run("return document.querySelector('progress').value") == 700
    assert "case 700 of 1438: fence.latency.doorbell_to_page" in page.text("body")
    # The run continues: the page updates itself.
    run.say(type="start", id="fence.timeout.late", index=1200)
    page.wait("document.querySelector('progress').value === 1200", 60)
    assert "fence.timeout.late" in page.text("body")
    rows = page.all("tr")
    assert len(rows) == 20 and "run 20" in rows[0].text, rows[0].text
    assert page.run("return [...document.querySelectorAll('.bad')].length") == 6
    text = page.text("body")
    assert "ring.submit.n07  since run 15" in text and "ring.submit.n00.doorbell_to_fence_p50" in text and "worse, since run 18" in text, text
    if len(sys.argv) > 2:
        with open(sys.argv[2], "wb") as file:
            file.write(browser.get_screenshot_as_png())
    # Colours of the reader's system; nothing is wider than a phone except what scrolls.
    light = page.shot()[2](5, 5)
    go(home, (390, 844), dark=True)
    assert page.run("return document.documentElement.scrollWidth") <= 390
    assert sum(page.shot()[2](5, 5)) < sum(light) // 3
    # To a report by keyboard: the first run's link.
    go(home)
    page.run("document.querySelector('td a').focus()")
    page.keys(Keys.ENTER)
    page.wait("location.pathname === '/run/0020/report.html'")
    page.wait("document.documentElement.dataset.ready === '1'")
    assert page.text("#verdict") == "FAIL"
    # A case and a metric by the search fields.
    for label, globs, found in (("cases", "ring.submit.n07", "head is 20 <b>"), ("metrics", "doorbell*", "ring.submit.n00.doorbell_to_fence_p50 in us")):
        go(home)
        page.one("[aria-label=%s]" % label).send_keys(globs, Keys.ENTER)
        page.wait("location.pathname === '/%s' && document.readyState === 'complete'" % label)
        assert found in page.text("body"), page.text("body")
    assert page.run("return document.querySelectorAll('svg circle').length") == 20
    # The run ends: it is no longer live, but a past run.
    run.records.close()
    shutil.rmtree(folder + "/0021")
    finished(folder, 21, ())
    go(home)
    assert page.run("return document.querySelector('progress')") is None and len(page.all("tr")) == 21
    page.no_errors()


def main():
    folder = tempfile.mkdtemp(prefix="agpu-page-")
    os.environ["HOME"] = folder
    results = folder + "/results"
    browser = open_browser(folder)
    try:
        for number in range(1, 21):
            finished(results, number, (7,) if number > 14 else ())
        server = subprocess.Popen([AGPU, "serve", "--results", results, "--port", "0"], stdout=subprocess.PIPE, text=True)
        try:
            look(browser, results, int(re.search(r"127\.0\.0\.1:(\d+)/", server.stdout.readline()).group(1)))
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait(60)
    finally:
        browser.quit()
        shutil.rmtree(folder, ignore_errors=True)


main()
