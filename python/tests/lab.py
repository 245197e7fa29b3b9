"""JupyterLab in a browser, for tests."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from typing import Any, Callable, Iterator

#: Seconds until a condition must be fulfilled: many times what it takes.
DEADLINE = 60.0


def wait_for(condition: Callable[[], Any], what: Callable[[], str] | str) -> Any:
    """The first result of a condition that is true."""
    end = time.monotonic() + DEADLINE
    while True:
        with contextlib.suppress(*_transient()):
            found = condition()
            if found:
                return found
        if time.monotonic() > end:
            raise AssertionError(f"after {DEADLINE} seconds: {what if isinstance(what, str) else what()}")
        time.sleep(0.05)


def _transient() -> tuple[type[Exception], ...]:
    """Errors of a page or a server that is still loading."""
    from selenium.common import exceptions

    return (
        exceptions.NoSuchElementException,
        exceptions.NoSuchFrameException,
        exceptions.StaleElementReferenceException,
        exceptions.JavascriptException,
        exceptions.ElementNotInteractableException,
        exceptions.ElementClickInterceptedException,
        urllib.error.URLError,
        ConnectionError,
    )


def missing() -> str | None:
    """Why the tests cannot run here; None if they can."""
    for package in ("jupyterlab", "anywidget", "selenium"):
        try:
            __import__(package)
        except ImportError:
            return f"{package} is not installed"
    return None if driver() and browser() else "there is no Chrome with chromedriver"


def driver() -> str | None:
    """The path of chromedriver."""
    return os.environ.get("CHROMEDRIVER") or shutil.which("chromedriver")


def browser() -> str | None:
    """The path of Chrome."""
    names = ("chromium", "google-chrome", "google-chrome-stable", "chromium-browser", "chrome")
    return os.environ.get("XLA_PLAYGROUND_CHROME") or next(filter(None, map(shutil.which, names)), None)


@contextlib.contextmanager
def served(notebook: dict[str, Any], settings: dict[str, Any]) -> Iterator[str]:
    """JupyterLab with a notebook and with settings of its own; the address of the notebook."""
    with tempfile.TemporaryDirectory(prefix="xla-lab-") as name:
        folder = pathlib.Path(name)
        for plugin, values in settings.items():
            file = folder / "settings" / f"{plugin}.jupyterlab-settings"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps(values))
        (folder / "root").mkdir()
        (folder / "root" / "notebook.ipynb").write_text(json.dumps(notebook))
        token = secrets.token_hex(16)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            port = probe.getsockname()[1]
        own = {f"JUPYTER_{kind}_DIR": str(folder / kind.lower()) for kind in ("CONFIG", "RUNTIME", "DATA")}
        own |= {
            "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
            "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
            "IPYTHONDIR": str(folder / "ipython"),
            "JUPYTER_PREFER_ENV_PATH": "1",
        }
        options = ["--no-browser", "--allow-root", "--expose-app-in-browser", "--ip=127.0.0.1"]
        options += [f"--port={port}", "--ServerApp.port_retries=0"]
        options += [f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder / 'root'}", "--LabApp.news_url=None"]
        with (folder / "log").open("wb") as log:
            command = [sys.executable, "-m", "jupyterlab", *options]
            server = subprocess.Popen(command, env={**os.environ, **own}, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
            try:

                def is_up() -> bool:
                    if server.poll() is not None:
                        raise AssertionError((folder / "log").read_text(errors="replace")[-2000:])
                    with urllib.request.urlopen(f"http://127.0.0.1:{port}/api?token={token}", timeout=5) as answer:
                        return answer.status == 200

                wait_for(is_up, "JupyterLab answers")
                yield f"http://127.0.0.1:{port}/lab/tree/notebook.ipynb?token={token}"
            finally:
                # It ends its kernels.
                server.terminate()
                try:
                    server.wait(30)
                except subprocess.TimeoutExpired:
                    server.kill()
                    server.wait()


class Lab:
    """A notebook in JupyterLab in a headless browser."""

    def __init__(self, address: str) -> None:
        from selenium import webdriver

        options = webdriver.ChromeOptions()
        options.binary_location = browser()
        for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--window-size=1200,1000"):
            options.add_argument(argument)
        self.page = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver()))
        self.page.set_script_timeout(DEADLINE)
        self.address = address

    def close(self) -> None:
        self.page.quit()

    def open(self) -> None:
        """Opens the notebook, and waits for its kernel."""
        self.page.get(self.address)
        ready = "return window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel?.status === 'idle'"
        wait_for(lambda: self.page.execute_script(ready), "the kernel is idle")

    def command(self, name: str) -> None:
        """Executes a command of JupyterLab."""
        script = """
            const [name, done] = arguments;
            jupyterapp.commands.execute(name).then(() => done(), (error) => done(`${error}`));
        """
        error = self.page.execute_async_script(script, name)
        assert error is None, error

    def end_kernel(self) -> None:
        """Ends the kernel of the notebook."""
        self.page.execute_async_script("jupyterapp.serviceManager.sessions.shutdownAll().then(() => arguments[0]())")

    def python(self, expression: str, code: str = "") -> str:
        """Runs code in the kernel; the representation of an expression after it."""
        script = """
            const [code, expression, done] = arguments;
            const { kernel } = jupyterapp.shell.currentWidget.sessionContext.session;
            const valueOf = ({ content }) => content.user_expressions?.value?.data?.["text/plain"] ?? JSON.stringify(content);
            kernel.requestExecute({ code, user_expressions: { value: expression }, store_history: false }).done
              .then((reply) => done(valueOf(reply)), (error) => done(`${error}`));
        """
        return self.page.execute_async_script(script, code, expression)

    @contextlib.contextmanager
    def frame(self, title: str) -> Iterator["Frame"]:
        """The frame with a title, when its page is ready."""
        self.page.switch_to.default_content()
        selector = f'iframe[title="{title}"]'
        element = wait_for(lambda: self.page.find_element("css selector", selector), f"the frame {title}")
        self.page.execute_script("arguments[0].scrollIntoView({ block: 'center' })", element)

        def enter() -> bool:
            self.page.switch_to.default_content()
            self.page.switch_to.frame(self.page.find_element("css selector", selector))
            return bool(self.page.find_element("css selector", "main.embed"))

        wait_for(enter, f"the page of the frame {title}")
        try:
            yield Frame(self.page)
        finally:
            self.page.switch_to.default_content()


class Frame:
    """The page of a frame."""

    def __init__(self, page: Any) -> None:
        self._page = page

    def text(self, selector: str) -> str:
        return self._page.execute_script("return document.querySelector(arguments[0])?.innerText ?? ''", selector)

    def wait_for_text(self, selector: str, start: str) -> None:
        wait_for(lambda: self.text(selector).startswith(start), lambda: f"{selector} is {start}, not {self.text(selector)}")

    def click(self, selector: str) -> None:
        def click() -> bool:
            self._page.find_element("css selector", selector).click()
            return True

        wait_for(click, f"{selector} is clicked")

    def click_at(self, selector: str, x: float, y: float) -> None:
        """Clicks at a point of an element, in fractions of its size, and moves the pointer away: what is under it is shown first."""
        from selenium.webdriver import ActionChains

        element = wait_for(lambda: self._page.find_element("css selector", selector), selector)
        size = element.size
        offset = round((x - 0.5) * size["width"]), round((y - 0.5) * size["height"])
        actions = ActionChains(self._page).move_to_element_with_offset(element, *offset).click()
        actions.move_to_element(self._page.find_element("css selector", "h1")).perform()

    def script(self, script: str) -> Any:
        return self._page.execute_script(f"return {script}")
