#!/usr/bin/python3
"""page_test.py AGPU SUBJECT TWO_VIEWS: report.html as agpu report writes it, in Chromium: clicks, keys, filters, zoom, colours."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from urllib.parse import unquote, urlsplit

from results import Results, read_png

try:
    from selenium import webdriver
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys
except ImportError as missing:
    print("SKIP: %s; apt-get install python3-selenium chromium chromium-driver" % missing)
    sys.exit(77)

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../..")
WIDE = (1400, 1000)
PHONE = (390, 844)


def open_browser(folder):
    chromium, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if chromium is None or driver is None:
        print("SKIP: no chromium or no chromedriver here; apt-get install chromium chromium-driver")
        sys.exit(77)
    options = Options()
    options.binary_location = chromium
    for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                 "--user-data-dir=" + os.path.join(folder, "profile")):
        options.add_argument(word)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    return webdriver.Chrome(service=Service(driver), options=options)


class Page:
    def __init__(self, browser, folder):
        self.browser = browser
        self.url = "file://" + os.path.join(folder, "report.html")

    def open(self, size=WIDE, dark=False, script=True, fragment="", ready=True):
        command = self.browser.execute_cdp_cmd
        command("Emulation.setEmulatedMedia",
                {"features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]})
        command("Emulation.setDeviceMetricsOverride",
                {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        command("Emulation.setScriptExecutionDisabled", {"value": not script})
        self.browser.get("about:blank")
        self.browser.get(self.url + fragment)
        if script and ready:
            self.wait("document.documentElement.dataset.ready === '1'")

    def run(self, code, *arguments):
        return self.browser.execute_script(code, *arguments)

    def wait(self, condition, seconds=60):
        end = time.monotonic() + seconds
        while not self.run("return !!(%s)" % condition):
            if time.monotonic() > end:
                raise AssertionError("never true: " + condition)

    def all(self, selector):
        return self.browser.find_elements(By.CSS_SELECTOR, selector)

    def one(self, selector):
        return self.browser.find_element(By.CSS_SELECTOR, selector)

    def text(self, selector):
        return self.run("return document.querySelector(arguments[0]).textContent", selector)

    def keys(self, *keys):
        ActionChains(self.browser).send_keys(*keys).perform()

    def shot(self):
        return read_png(self.browser.get_screenshot_as_png())

    def no_errors(self):
        said = [line for line in self.browser.get_log("browser") if line["level"] in ("SEVERE", "WARNING")]
        assert not said, said


def rendered(agpu, folder):
    subprocess.run([agpu, "report", folder], stdout=subprocess.DEVNULL, check=False)
    assert os.path.exists(os.path.join(folder, "report.html")), "agpu report wrote no report.html"


def red(x, y):
    return [255, 0, 0, 255]


def with_a_hole(x, y):
    """Like red, but one texel is blue with alpha 0, which a canvas would not show."""
    return [0, 0, 255, 0] if (x, y) == (3, 5) else red(x, y)


def failing(agpu, folder, browser):
    made = Results(folder)
    made.say("plan", "-", count=60, build="b+", device="A3A0:0001 00:04.0 abi=1.4", judged="model", require="default")
    for i in range(40):
        made.case("ring.submit.n%02d" % i, us=100 << i % 12)
    for i in range(10):
        made.case("clear.colour.n%d" % i, "FAIL", checks=[dict(
            expr="texel 3,%d as ABGR" % i, expected="0xff0000ff", actual="0x00ff0000", file="tests/cases/c.c", line=7 + i,
            note="1 of 256 texels differ")], logs=["CreateResource(w=16) = 0"])
        made.pictures("clear.colour.n%d" % i, red, with_a_hole)
    for i in range(9):
        made.case("fence.skip.n%d" % i, "SKIP", reason="no FENCE_PAGE", skip="not_required")
    made.case("umd.hang", "TIMEOUT", us=20000000, reason="no record for 15 s")
    made.file("device-state.txt", b"RING_HEAD 4\n")
    for i in range(100):
        made.say("metric", "ring.submit.n00", name="latency", value=100 + i * i, unit="ns")
    made.say("summary", "-", status="TIMEOUT", passed=40, failed=10, errors=0, skipped=9, timeouts=1, crashed=0, total=60, us=5)
    made.write()
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    assert page.text("#verdict") == "TIMEOUT"
    assert page.run("return document.title").startswith("TIMEOUT")
    assert [chip.text for chip in page.all(".chip")] == ["PASS 40", "SKIP 9", "FAIL 10", "TIMEOUT 1"]
    # One cause: the texts of the ten failures differ only in a number.
    assert len(page.all(".cause")) == 2, [box.text for box in page.all(".cause")]
    assert "\u00d710" in page.text(".cause h3")
    page.wait("document.querySelectorAll('.cause .thumbs img').length === 3")

    # Map: one cell per case; a click opens it, Esc closes it.
    assert len(page.all(".cell")) == 60
    page.all(".cell.s4")[0].click()
    assert page.text("#detail h2") == "clear.colour.n0"
    assert "--filter clear.colour.n0 --trace" not in page.text("#detail"), "there was no command to repeat"
    assert "RING_HEAD 4" in page.text("#detail") and "CreateResource(w=16) = 0" in page.text("#detail")
    page.wait("document.querySelectorAll('#detail canvas[data-ready]').length === 3")
    titles = [caption.text for caption in page.all("#detail figcaption")]
    assert titles == ["expected", "actual", "difference"], titles

    # Texels: exact values, including colour with alpha 0; arrows move the mark, zoom keeps the place.
    canvas = page.all("#detail canvas")[1]
    box = canvas.rect
    zoom = int(box["width"]) // 16
    page.run("arguments[0].scrollIntoView({block: 'center'})", canvas)
    ActionChains(browser).move_to_element_with_offset(
        canvas, int(-box["width"] / 2 + 3.5 * zoom), int(-box["height"] / 2 + 5.5 * zoom)).perform()
    text = page.text(".texel")
    assert "texel 3,5" in text and "expected #ff0000ff" in text and "actual #0000ff00" in text, text
    page.run("arguments[0].focus({preventScroll: true})", canvas)
    page.keys(Keys.ARROW_RIGHT)
    assert "texel 4,5" in page.text(".texel") and "actual #ff0000ff" in page.text(".texel")
    place = page.run("const r = document.querySelectorAll('#detail canvas')[0].getBoundingClientRect(); return [r.x, r.y, r.width]")
    centre = int(place[0] + place[2] / 2), int(place[1] + place[2] / 2)
    assert page.shot()[2](*centre) == (255, 0, 0), page.shot()[2](*centre)
    before = browser.get_screenshot_as_png()
    page.keys("+")
    larger = browser.get_screenshot_as_png()
    assert before != larger, "zoom shows the same"
    page.keys("0")
    assert browser.get_screenshot_as_png() == before, "fit does not come back to what was"

    page.keys("j")
    assert page.text("#detail h2") == "clear.colour.n1"
    page.keys("k", "k")
    assert page.text("#detail h2") == "umd.hang"
    page.keys(Keys.ESCAPE)
    assert not page.one("#detail").is_displayed()

    # Filters: a chip, the search, both, and back.
    page.all(".chip")[2].click()
    assert page.text("#list-count") == "10 of 60"
    page.keys("/")
    page.keys("n7")
    page.wait("document.querySelector('#list-count').textContent === '1 of 60'")
    assert len(page.all(".cell:not(.dim)")) == 1
    page.keys(Keys.ESCAPE)
    page.wait("document.querySelector('#list-count').textContent === '10 of 60'")
    page.all(".chip")[2].click()
    assert page.text("#list-count") == "60"

    # The list by keyboard, sorted by time: the slowest first.
    page.all("#list-head button")[3].click()
    page.run("document.querySelector('#list').focus()")
    page.keys(Keys.ARROW_DOWN, Keys.ENTER)
    assert page.text("#detail h2") == "umd.hang"
    page.keys(Keys.ESCAPE)
    assert page.run("return document.activeElement.id") == "list", "the focus did not come back"
    assert page.run("return document.querySelectorAll('#figures svg').length") >= 2, "no histogram"

    # Colours: dark differs from light, and the button starts from the system's setting.
    background = "return getComputedStyle(document.body).backgroundColor"
    light = page.run(background)
    page.open(dark=True)
    assert page.run(background) != light
    page.one("#theme").click()
    assert page.run(background) == light, "the button did not choose light"
    page.run("localStorage.clear()")
    # A case by address; a phone; nothing is wider than the screen.
    page.open(size=PHONE, fragment="#clear.colour.n3")
    assert page.text("#detail h2") == "clear.colour.n3"
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0], "wider than a phone"
    page.no_errors()
    # Print shows the failures, not the controls.
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert not page.one("#search").is_displayed() and page.one(".cause").is_displayed()
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})


def cited(agpu, folder, browser):
    """The rule of a failed case: its text unfolds in the page; rule and source are links to files that exist."""
    made = Results(folder)
    made.say("plan", "-", count=3, build="b", device="d")
    made.case("ring.reset.clears_fence", "FAIL", checks=[dict(expr="fence == 0", expected="0", actual="4", file="../../tests/cases/ring/reset.c", line=20),
                                                         dict(expr="elsewhere", file="tests/../../../etc/passwd", line=1)])
    made.case("render.triangle.interpolation", "FAIL", reason="its rule has a wide table")
    made.case("discovery.identity.class")
    made.write()
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    with open(os.path.join(ROOT, "pci/device.md"), encoding="utf-8") as file:
        rule = file.read().partition("### 4.2 RING_CONTROL and ring reset\n")[2].partition("\n### ")[0]
    words = lambda text: re.sub(r"[|\s]|-{3,}", "", text)  # noqa: E731
    assert len(words(rule)) > 200
    for place in (".cause", "#detail"):
        if place == "#detail":
            page.one(".cause .links button").click()
        assert len(page.all(place + " .rule td")) > 10 and not page.one(place + " .rule").is_displayed()
        assert page.text(place + " summary") == "The rule: device.md 4.2 RING_CONTROL and ring reset"
        page.one(place + " summary").click()
        assert page.one(place + " .rule").is_displayed()
        assert words(page.text(place + " .rule")) == words(rule)
    links = page.run("return [...document.querySelectorAll('#detail a')].map(a => [a.textContent, a.href])")
    assert [text.rstrip("0123456789") for text, _ in links] == ["device.md 4.2 RING_CONTROL and ring reset"] + 2 * ["tests/cases/ring/reset.c:"], links
    for _, link in links:
        assert os.path.isfile(unquote(urlsplit(link).path)), link
    assert links[0][1].endswith("/pci/device.md#42-ring_control-and-ring-reset")
    # A case that passed leads to the page; the report carries rules of failed cases only.
    page.open(fragment="#discovery.identity.class")
    assert page.text("#detail .facts a") == "device.md 1. PCI identity"
    assert not page.all("#detail details")
    assert page.run("return JSON.parse(arguments[0]).rules['device.md 1'].length", page.text("#data")) == 2
    page.open(size=PHONE)
    for summary in page.all(".cause summary"):
        summary.click()
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0], "wider than a phone"
    # Where the tool has neither tree nor package around it, the rule is text, and nothing is a link.
    alone = shutil.copy(agpu, os.path.dirname(folder))
    rendered(alone, folder)
    page.open(fragment="#ring.reset.clears_fence")
    assert words(page.text("#detail .rule")) == words(rule) and not page.all("#detail a")
    page.no_errors()


def groups(agpu, folder, browser):
    """A broken prerequisite comes first, with what it blocks; registers show what is not as after reset; units and dates are ours."""
    made = Results(folder)
    made.say("plan", "-", count=6, build="b", device="d")
    for name in ("one", "two"):
        made.case("dma." + name, "FAIL", checks=[dict(expr="head of " + name, file="f.c", line=1), dict(expr="bytes: byte 0x%d looks old" % len(name), file="f.c", line=2)])
    made.case("dma.three", "FAIL", checks=[dict(expr="bytes: byte 0x4", file="f.c", line=2)])
    made.case("ring.basics", "FAIL", reason="no fence page; head 5", cause="fence_page")
    made.case("fence.page", "SKIP", reason="blocked by fence_page: no fence page", skip="blocked", blocked_by="fence_page")
    made.case("ring.a")
    made.file("ring.basics-evidence.txt", b"why\nregisters\n  MAGIC 0x55504741\n  IRQ_STATUS 0x80000001\n  IRQ_ENABLE 0x0\nring at 5\n")
    made.file("ring.basics-stream.txt", b"COPY_BUFFER\n")
    made.file("ring.basics-stream.bin", bytes(range(196)) * 7)
    made.file("ring.basics-large.bin", b"\0" * 5000)
    made.say("metric", "ring.a", name="latency", value=1757410, unit="ns")
    made.say("metric", "ring.a", name="rounds", value=40, unit="1")
    made.say("summary", "-", status="FAIL", passed=1, failed=4, errors=0, skipped=1, timeouts=0, crashed=0, total=6, us=5)
    made.write()
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    assert page.text("#failures-count") == "4 cases in 2 groups"
    assert page.text(".cause h3") == "fence_page: no fence page\u00d71" and "blocks 1 other case" in page.text(".cause"), page.text(".cause")
    assert "1blocked" in page.text(".numbers") and page.text(".legend").startswith("passedskippedfailedblocked"), page.text(".numbers")
    page.run("document.querySelector('.cause .links button').click()")
    order = [page.text("#detail").index(text) for text in ("COPY_BUFFER", "2 others as after reset", "IRQ_STATUS 0x80000001 FENCE ERROR", "large.bin: 4.883 KiB, too large", "stream.bin: 1.34 KiB, in hexadecimal",
                                                      "\n000550  b8 b9 ba bb bc bd be bf c0 c1 c2 c3")]
    assert order == sorted(order), page.text("#detail")
    figures = page.text("#figures")
    assert "1.757 ms" in figures and "rounds40" in figures, figures
    page.no_errors()
    # Nothing failed: no heading about failures.
    folder += "-passed"
    made = Results(folder)
    made.say("plan", "-", count=1, build="b", device="d")
    made.case("ring.a")
    made.write()
    with open(os.path.join(folder, "summary.json"), "w") as file:
        file.write('{"started_at": 1795890207}')
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    assert not page.one("#failures").is_displayed()
    assert re.search(r"2026-11-2\d \d\d:\d\d:27 [+-]\d\d:\d\d", page.text("#overview")), page.text("#overview")


def compared(agpu, folder, browser):
    def run(where, **verdicts):
        made = Results(where)
        made.say("plan", "-", count=len(verdicts), build="b", device="d")
        for name, status in verdicts.items():
            made.case("ring." + name, status, **({} if status == "PASS" else {"reason": "so"}))
        made.write()
    run(folder, a="PASS", b="FAIL", c="PASS", d="FAIL", e="PASS")
    run(folder + ".before", a="PASS", b="PASS", c="FAIL", d="FAIL")
    subprocess.run([agpu, "report", folder, "--compare", folder + ".before"], stdout=subprocess.DEVNULL, check=False)
    page = Page(browser, folder)
    page.open()
    said = page.text("#compared")
    for text in ("1 newly fail: ring.b", "1 work again: ring.c", "1 were not in it: ring.e"):
        assert text in said, said
    page.all("#compared .link")[0].click()
    assert page.text("#detail h2") == "ring.b"
    page.no_errors()


def hostile(agpu, folder, browser):
    evil = "</script><script>window.pwned=1</script><img src=x onerror=window.pwned=2><!--<script>\u2028\"'&amp;]]>\x00\x1b[2J"
    made = Results(folder)
    made.say("plan", "-", count=2, build=evil, device=evil, judged=evil, require=evil)
    made.say("start", "ring.a", index=1)
    # A record of every type, each text of it hostile; then those that a reader accepts.
    with open(os.path.join(ROOT, "tests/cases/protocol/records.def"), encoding="utf-8") as file:
        fields = re.findall(r"^FIELD\((\w+), (\w+), (\w+)", file.read(), re.M)
    fields += [("SUMMARY", word, "COUNT") for word in ("passed", "failed", "errors", "skipped", "timeouts", "crashed")]
    kinds = dict.fromkeys(kind.lower() for kind, _, _ in fields if kind != "EVERY")
    assert len(kinds) > 8, kinds
    for kind in kinds:
        for case in ("ring.a", evil):
            made.say(kind, case, **{key: "ns" if key == "unit" else evil if value == "TEXT" else 3 for of, key, value in fields if of in ("EVERY", kind.upper())})
    made.say("log", "ring.a", level="error", text=evil)
    made.say("check", "ring.a", expr=evil, expected=evil, actual=evil, note=evil, file=evil, line=3)
    made.say("choice", "ring.a", name=evil, value=evil)
    made.say("metric", "ring.a", name=evil, value=3, unit="ns")
    made.say("end", "ring.a", status="FAIL", us=3, reason=evil, cause=evil, blocked_by=evil)
    made.case("ring.</script><script>window.pwned=3</script>", "SKIP", reason=evil)
    made.file("ring.a-x.txt", evil.encode() + b"\xff\xfe")
    made.file("ring.a-bad.png", b"\x89PNG no picture")
    made.file("run-<img src=x onerror=window.pwned=4>.txt", evil.encode())
    made.write()
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    page.all(".cell")[0].click()
    page.wait("document.querySelectorAll('#detail canvas').length === 0")  # the broken picture is replaced
    assert page.run("return window.pwned") is None
    assert page.run("return document.scripts.length") == 2
    assert page.run("return [...document.images].filter(i => !i.src.startsWith('data:')).length") == 0
    assert "<script>window.pwned=1</script>" in page.text("#detail"), "the text is not shown as it is"
    # Markup that was inserted into the file by hand does not run.
    with open(os.path.join(folder, "report.html"), "r+") as file:
        text = file.read().replace("<main>", "<script>window.pwned=5</script><img src=x onerror=window.pwned=6><main>", 1)
        file.seek(0)
        file.write(text)
    page.browser.get_log("browser")
    page.open()
    assert page.run("return window.pwned") is None, "the policy of the page let a foreign script run"


def many(agpu, folder, browser):
    made = Results(folder)
    made.say("plan", "-", count=10000, build="b", device="d")
    picture = 0
    for i in range(10000):
        name = "g%02d.part%d.case%05d" % (i // 250, i % 7, i)
        if i % 30 == 0:
            made.case(name, "FAIL", us=i, checks=[dict(expr="cause %s" % "abcdefghijklmnopqrstuvwxyz"[i // 30 % 26], file="f.c", line=i)])
            for kind, value in (("expected", i), ("actual", i + 1), ("difference", 1)):
                made.file("%s-%s.png" % (name, kind), solid(value))
                picture += 1
        else:
            made.case(name, us=i)
    made.say("summary", "-", status="FAIL", passed=9666, failed=334, errors=0, skipped=0, timeouts=0, crashed=0, total=10000, us=5)
    made.write()
    assert picture > 1000
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    assert page.text("#list-count") == "10,000"
    assert len(page.all(".cell")) == 10000
    rows = "return document.querySelectorAll('#list .row').length"
    assert page.run(rows) < 80, "the list holds rows that nobody sees"
    assert page.run("return document.images.length") < 200, "pictures that nobody sees"
    # The duration of a search, of a scroll over everything, and of opening a case.
    search = page.run("""const box = document.querySelector('#search'), from = performance.now();
        box.value = 'part3'; box.dispatchEvent(new Event('input')); box.value = ''; box.dispatchEvent(new Event('input'));
        return performance.now() - from""")
    longest = browser.execute_async_script("""const done = arguments[0], list = document.querySelector('#list');
        let longest = 0, last = performance.now(), n = 0;
        function frame(now) {
            longest = Math.max(longest, n > 2 ? now - last : 0); last = now;
            list.scrollTop = n * 9000;
            if (n++ < 34) requestAnimationFrame(frame); else done(longest);
        }
        requestAnimationFrame(frame)""")
    assert page.run(rows) < 120
    print("search %.0f ms, longest frame of a scroll %.0f ms" % (search, longest))
    page.run("document.querySelector('#list').scrollTop = 1e9")
    page.wait("[...document.querySelectorAll('#list .row .id')].some(cell => cell.textContent.endsWith('case09999'))")
    page.keys("j")
    page.wait("document.querySelectorAll('#detail canvas[data-ready]').length === 3")
    page.no_errors()


def solid(value):
    from results import png
    return png(4, 4, lambda x, y: [value & 255, value >> 8 & 255, x * 60, 255])


def plain(agpu, folder, browser):
    made = Results(folder)
    made.say("plan", "-", count=2, build="b", device="the <device>")
    made.case("ring.a")
    made.case("ring.b", "FAIL", checks=[dict(expr="head == tail", expected="5", actual="4", file="f.c", line=3)])
    made.say("summary", "-", status="FAIL", passed=1, failed=1, errors=0, skipped=0, timeouts=0, crashed=0, total=2, us=5)
    made.write()
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open(script=False)
    shown = page.one("body").text
    for text in ("FAIL: 2 of 2 planned cases, 1 passed", "the <device>", "ring.a", "head == tail: expected 5, actual 4"):
        assert text in shown, (text, shown)


def submissions(agpu, folder, browser):
    made = Results(folder)
    made.say("plan", "-", count=3, build="b", device="d")
    made.case("ring.one")
    made.case("ring.none")
    made.case("ring.two", "FAIL", reason="so")
    made.say("summary", "-", status="FAIL", passed=2, failed=1, errors=0, skipped=0, timeouts=0, crashed=0, total=3, us=5)
    made.write()
    guest, device = folder + "/capture.agpucap", folder + "/device.agpucap"
    subprocess.run([sys.argv[3], guest, device], check=True)
    rendered(agpu, folder)
    page = Page(browser, folder)
    page.open()
    one = lambda: page.text("#lanes-one")  # noqa: E731
    # The failed case is selected; the device's clock, 5 ms ahead, is aligned with the guest's.
    assert [option.text for option in page.all("#lanes-case option")] == ["ring.one (6)", "ring.two (300)", "ring.three (2)"]
    assert page.run("return document.querySelector('#lanes-case').value") == "1"
    text = page.text("#lanes-text")
    assert "guest and device, the first 256 of 300" in text and "\u00b12500 ns" in text, text
    assert one() == ("submission 1 of 256, fence 7, slot 0, 0 bytes \u00b7 the guest posts it at 0 ns \u00b7 the device takes it +2500 ns \u00b7 "
                     "is done +6500 ns \u00b7 the guest sees its completion +9000 ns"), one()
    drawn = "return [...document.querySelector('#lanes').getContext('2d').getImageData(0, 0, 1000, 132).data].filter((v, i) => i % 4 === 3 && v).length"
    whole = page.run(drawn)
    assert whole > 2000, whole
    # By keyboard only: to it, along it, zoom, the next case, the case itself and back.
    page.run("document.querySelector('#lanes-case').focus()")
    page.keys(Keys.TAB)
    assert page.run("return document.activeElement.id") == "lanes"
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    assert one().startswith("submission 3 of 256, fence 9,"), one()
    wide = page.run("return +document.querySelector('#lanes').dataset.wide")
    page.keys("+", "+")
    assert page.run("return +document.querySelector('#lanes').dataset.wide") in range(wide // 4 - 2, wide // 4 + 3)
    page.keys(Keys.END)
    assert one().startswith("submission 256 of 256"), one()
    page.keys("0", Keys.ARROW_DOWN, Keys.END)
    assert one() == ("submission 2 of 2, fence 308, slot 1, 0 bytes \u00b7 the guest posts it at 10.0 \u00b5s \u00b7 "
                     "the device's view has no such submission \u00b7 the guest never sees its completion"), one()
    page.keys(Keys.ARROW_UP, Keys.ARROW_UP)
    assert page.run("return document.querySelector('#lanes-case').value") == "0"
    page.keys(Keys.END)
    assert one() == ("submission 6 of 6, fence 6, slot 5, 0 bytes \u00b7 the guest posts it at 50.0 \u00b5s \u00b7 "
                     "the device's view has no such submission \u00b7 the guest sees its completion +19.0 \u00b5s"), one()
    assert page.run("return document.querySelector('#lanes').getAttribute('aria-valuetext')") == one()
    page.keys(Keys.ENTER)
    assert page.text("#detail h2") == "ring.one"
    page.one("#to-lanes").click()
    assert page.run("return document.activeElement.id") == "lanes" and page.run("return document.querySelector('#detail').hidden")
    # By mouse: the submission at that place.
    canvas = page.one("#lanes")
    ActionChains(browser).move_to_element_with_offset(canvas, int(canvas.rect["width"] * (25 / 60 - .5)), -30).click().perform()
    assert one().startswith("submission 3 of 6"), one()
    page.no_errors()
    # The same on a narrow and a dark page, with other colours.
    before = page.shot()[2](700, 400)
    page.open(PHONE, dark=True)
    assert page.run("return document.documentElement.scrollWidth") <= PHONE[0]
    assert page.shot()[2](200, 400) != before
    # Without the device's view; with a damaged one; without any.
    os.rename(device, folder + "/elsewhere")
    rendered(agpu, folder)
    page.open()
    assert page.text("#lanes-text").startswith("as the guest saw them") and "the device" not in one(), one()
    subprocess.run([agpu, "report", folder, "--device-capture", folder + "/elsewhere"], stdout=subprocess.DEVNULL, check=False)
    page.open()
    assert "the device takes it" in one(), one()
    with open(device, "wb") as file:
        file.write(b"AGPUCAP and nothing")
    said = subprocess.run([agpu, "report", folder], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, check=False).stderr
    assert "goes without the submissions of" in said, said
    page.open()
    assert page.text("#lanes-text").startswith("as the guest saw them")
    os.remove(guest)
    rendered(agpu, folder)
    page.open()
    assert page.run("return document.querySelector('#submissions').hidden")
    page.no_errors()


def main():
    agpu, subject = sys.argv[1:3]
    folder = tempfile.mkdtemp(prefix="agpu-page-")
    os.environ["HOME"] = folder  # the browser's files are removed with it
    results = os.path.join(folder, "results")
    browser = open_browser(folder)
    try:
        globals()[subject](agpu, results, browser)
    finally:
        browser.quit()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
