"""Chromium without a window, driven by Selenium, and what tests ask of a page in it."""

import json
import shutil
from pathlib import Path
from urllib.parse import urlsplit

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip

# Text with too little contrast: its element, and the colours of text and background.
LOW_CONTRAST = """
const parse = (color) => {
  const [r, g, b, a = 1] = color.match(/[\\d.]+/g).map(Number);
  return {r, g, b, a};
};
const luminance = ({r, g, b}) => {
  const [x, y, z] = [r, g, b].map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
};
const background = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const color = parse(getComputedStyle(at).backgroundColor);
    if (color.a > 0) return color;
  }
  return {r: 255, g: 255, b: 255};
};
const found = [];
for (const element of document.body.querySelectorAll("*")) {
  const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent.trim());
  if (!own || !element.getClientRects().length || ["SCRIPT", "STYLE"].includes(element.tagName)) continue;
  const style = getComputedStyle(element);
  const text = luminance(parse(element.tagName === "text" ? style.fill : style.color));
  const back = luminance(background(element));
  const ratio = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
  if (ratio < 4.5) found.push([element.outerHTML.slice(0, 80), ratio]);
}
return found;
"""

# Height in pixels of the smallest letters, in texts and in drawings.
SMALLEST_TEXT = """
let smallest = Infinity;
for (const element of document.body.querySelectorAll("p, td, th, li, button, text, summary, code")) {
  if (!element.getClientRects().length || !element.textContent.trim()) continue;
  const size = parseFloat(getComputedStyle(element).fontSize);
  const matrix = element.getScreenCTM ? element.getScreenCTM() : {a: 1, b: 0};
  const scale = Math.abs(matrix.a) + Math.abs(matrix.b);
  smallest = Math.min(smallest, size * scale);
}
return smallest;
"""


def why_missing():
    """Reason there is no browser to test in; None when there is one."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "selenium is not installed: pip install -e '.[dev]'"
    missing = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return (
        f"not installed: {', '.join(missing)}; to install: sh tests/install_browser.sh" if missing else None
    )


class Browser:
    """One window, of any size, in light or dark."""

    def __init__(self, profile: Path):
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = shutil.which("chromium")
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))

    def open(self, path, width=1440, height=900, *, dark=False, media=""):
        """Load a file in a window of this size."""
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": media, "features": [scheme]})
        self.logs()
        self.driver.get(Path(path).as_uri())

    def logs(self):
        """Console messages, and addresses asked for, since the last call."""
        messages = [entry["message"] for entry in self.driver.get_log("browser")]
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        urls = [e["params"]["request"]["url"] for e in events if e["method"] == "Network.requestWillBeSent"]
        return messages, [url for url in urls if urlsplit(url).scheme != "data"]

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def one(self, selector):
        return self.driver.find_element("css selector", selector)

    def texts(self, selector):
        """Text of every element, also of those scrolled out of sight."""
        return self.run(
            "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector
        )

    def quit(self):
        self.driver.quit()
