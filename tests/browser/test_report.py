"""The HTML report in a real browser, opened from disk: Debian's Chromium, headless (`scripts/test --run-browser`)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.select import Select

from imgcheck.outcome import Report
from imgcheck.report import RENDERERS
from tests.report import samples

pytestmark = pytest.mark.browser

Open = Callable[[Report], None]


def chromium(*, scripts: bool) -> webdriver.Chrome:
    options = webdriver.ChromeOptions()
    options.binary_location = "/usr/bin/chromium"
    for one in ("--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1280,1000"):
        options.add_argument(one)
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    return webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))


@pytest.fixture(scope="module")
def browser() -> Iterator[webdriver.Chrome]:
    driver = chromium(scripts=True)
    yield driver
    driver.quit()


@pytest.fixture
def opened(browser: webdriver.Chrome, tmp_path: Path) -> Open:
    def show(report: Report) -> None:
        path = tmp_path / "report.html"
        path.write_text(RENDERERS["html"](report), "utf-8")
        for log in ("browser", "performance"):
            browser.get_log(log)
        browser.get(path.as_uri())

    return show


def shown(browser: webdriver.Chrome) -> list[str]:
    found = browser.find_elements(By.CSS_SELECTOR, "details.finding")
    return [one.find_element(By.CLASS_NAME, "subject").text for one in found if one.is_displayed()]


def requests(browser: webdriver.Chrome) -> list[str]:
    messages: list[Any] = [json.loads(one["message"])["message"] for one in browser.get_log("performance")]
    return [one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"]


@pytest.mark.parametrize("name", ["BROKEN", "KEPT", "NOTHING", "HOSTILE"])
def test_it_opens_without_an_error_and_asks_for_nothing(name: str, browser: webdriver.Chrome, opened: Open) -> None:
    opened(getattr(samples, name))
    assert browser.get_log("browser") == []
    assert [one for one in requests(browser) if not one.startswith("file:")] == []
    assert len(requests(browser)) <= 1


def test_it_filters_by_state_check_distribution_step_and_text(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.BROKEN)
    everything = shown(browser)
    assert len(everything) == len(samples.BROKEN.findings)

    def chosen(name: str, value: str) -> list[str]:
        browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
        Select(browser.find_element(By.NAME, name)).select_by_value(value)
        return shown(browser)

    assert chosen("state", "waived") == ["foo.win32.registry"]
    assert chosen("check", "IC101 moved-pin") == ["protobuf"]
    assert chosen("distribution", "numba") == ["numba"]
    assert chosen("step", "RUN pip install -U numpy") == ["numba"]
    browser.find_element(By.CSS_SELECTOR, "button[type=reset]").click()
    browser.find_element(By.NAME, "text").send_keys("NUMPY 2.1")
    assert shown(browser) == ["numba"]
    assert browser.find_element(By.ID, "shown").text == f"1 of {len(everything)}"
    browser.find_element(By.NAME, "text").send_keys(" no such words")
    assert browser.find_element(By.ID, "none").is_displayed()


def test_findings_open_and_close(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.BROKEN)
    fold = browser.find_element(By.ID, "fold")
    for word, expected in (("Open all", True), ("Close all", False)):
        assert fold.text == word
        fold.click()
        found = browser.find_elements(By.CSS_SELECTOR, "details.finding")
        assert {one.get_attribute("open") is not None for one in found} == {expected}


def test_hostile_text_stays_text(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.HOSTILE)
    assert browser.find_elements(By.TAG_NAME, "img") == []
    assert len(browser.find_elements(By.TAG_NAME, "script")) == 1
    assert "<script>boom()</script>" in browser.find_element(By.CLASS_NAME, "subject").text
    assert "\u202e" not in browser.page_source


def test_the_keyboard_reaches_everything(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.BROKEN)
    reached = []
    for _ in range(40):
        browser.switch_to.active_element.send_keys(Keys.TAB)
        active = browser.switch_to.active_element
        reached.append(active.get_attribute("class") or active.get_attribute("name") or active.tag_name)
    assert reached[0] == "skip"
    assert {"text", "check", "state", "distribution", "step", "summary", "pre"} <= set(reached)
    summary = browser.find_element(By.CSS_SELECTOR, "details.finding > summary")
    details = browser.find_element(By.CSS_SELECTOR, "details.finding")
    before = details.get_attribute("open")
    summary.send_keys(Keys.ENTER)
    assert details.get_attribute("open") != before


def test_findings_can_be_read_without_javascript(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    path.write_text(RENDERERS["html"](samples.BROKEN), "utf-8")
    driver = chromium(scripts=False)
    try:
        driver.get(path.as_uri())
        assert not driver.find_element(By.ID, "filters").is_displayed()
        assert len(shown(driver)) == len(samples.BROKEN.findings)
        assert "onnx<1.13 needs protobuf<4,>=3.20.2" in driver.find_element(By.CSS_SELECTOR, "details.finding").text
        assert driver.find_element(By.CSS_SELECTOR, "svg.treemap").is_displayed()
    finally:
        driver.quit()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(scheme: str, browser: webdriver.Chrome, opened: Open) -> None:
    """WCAG 2's contrast of 4.5 for every element with text of its own."""
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    opened(samples.BROKEN)
    browser.find_element(By.ID, "fold").click()
    assert browser.execute_script(POOR_CONTRAST) == []


POOR_CONTRAST = """
const parts = (text) => text.match(/[\\d.]+/g).map(Number);
const light = (rgb) => {
  const [r, g, b] = rgb.slice(0, 3).map((v) => (v /= 255) <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = (element) => {
  for (let one = element; one; one = one.parentElement) {
    const color = parts(getComputedStyle(one).backgroundColor);
    if (color.length === 3 || color[3] > 0) return color;
  }
  return [255, 255, 255];
};
const poor = [];
for (const one of document.body.querySelectorAll(":not(script):not(svg *):not(option)")) {
  const own = [...one.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !one.offsetParent) continue;
  const [a, b] = [light(parts(getComputedStyle(one).color)), light(behind(one))].sort((x, y) => y - x);
  const ratio = (a + 0.05) / (b + 0.05);
  if (ratio < 4.5) poor.push([one.tagName, one.className, ratio.toFixed(2)]);
}
return poor;
"""


def test_a_narrow_window_does_not_scroll_sideways(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.BROKEN)
    metrics = {"width": 380, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    try:
        assert browser.execute_script("return document.documentElement.scrollWidth") <= 380
    finally:
        browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_it_prints_with_its_findings_open(browser: webdriver.Chrome, opened: Open) -> None:
    opened(samples.BROKEN)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    assert len(printed["data"]) > 10_000
    found = browser.find_elements(By.CSS_SELECTOR, "details.finding")
    assert all(one.get_attribute("open") is not None for one in found)
