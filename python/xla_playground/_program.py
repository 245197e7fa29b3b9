"""The terminal program, as a WebAssembly module in wasmtime: it sees the files of one temporary folder and nothing else."""

from __future__ import annotations

import json
import pathlib
import re
import tempfile
import threading

import wasmtime

_FOLDER = pathlib.Path(__file__).parent
_GUEST = "/data"

#: Memory of the module, in bytes.
MEMORY_BYTES = 3 << 30

#: Bytes of standard output or error that are kept.
_OUTPUT_BYTES = 256 << 20


class PlaygroundError(ValueError):
    """An error in a program, a shape or an argument. ``rule`` is the identifier of the violated rule, if there is one."""

    def __init__(self, message: str, rule: str | None = None, hint: str | None = None, line: int | None = None):
        super().__init__(message)
        self.rule = rule
        self.hint = hint
        self.line = line


class _Compiled:
    """The module, compiled once in a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._module: tuple[wasmtime.Engine, wasmtime.Module] | None = None

    def get(self) -> tuple[wasmtime.Engine, wasmtime.Module]:
        with self._lock:
            if self._module is None:
                config = wasmtime.Config()
                config.epoch_interruption = True
                # Compiling takes a second or two; wasmtime keeps the result in the user's cache folder.
                try:
                    config.cache = True
                except wasmtime.WasmtimeError:
                    pass
                engine = wasmtime.Engine(config)
                self._module = (engine, wasmtime.Module.from_file(engine, str(_FOLDER / "terminal.wasm")))
            return self._module


_compiled = _Compiled()


class Folder:
    """A temporary folder whose files the program may read and write."""

    def __init__(self) -> None:
        self._temporary = tempfile.TemporaryDirectory(prefix="xla-playground-")
        self.path = pathlib.Path(self._temporary.name)

    def __enter__(self) -> "Folder":
        return self

    def __exit__(self, *_: object) -> None:
        self._temporary.cleanup()

    def write(self, name: str, content: str | bytes) -> str:
        """Writes a file; returns its name for the program."""
        data = content.encode() if isinstance(content, str) else content
        (self.path / name).write_bytes(data)
        return f"{_GUEST}/{name}"

    def guest(self, name: str) -> str:
        """The name of a file for the program."""
        return f"{_GUEST}/{name}"

    def read(self, name: str) -> bytes:
        """The content of a file that the program has written."""
        return (self.path / name).read_bytes()

    def call(self, *arguments: str, seconds: float | None = 60.0) -> str:
        """Runs a command; returns what it prints.

        Raises PlaygroundError for an invalid input, and for a run that exceeds its limits.
        """
        engine, module = _compiled.get()
        store = wasmtime.Store(engine)
        store.set_limits(memory_size=MEMORY_BYTES)
        wasi = wasmtime.WasiConfig()
        wasi.argv = ["xla-playground", "--time-limit", "none" if seconds is None else str(seconds), *arguments]
        wasi.preopen_dir(str(self.path), _GUEST)
        out, error = self.path / ".out", self.path / ".error"
        wasi.stdout_file, wasi.stderr_file = str(out), str(error)
        store.set_wasi(wasi)
        linker = wasmtime.Linker(engine)
        linker.define_wasi()
        # The program checks its own time limit; this ends what does not answer.
        store.set_epoch_deadline(1)
        alarm = None
        if seconds is not None:
            alarm = threading.Timer(seconds + 10.0, engine.increment_epoch)
            alarm.daemon = True
            alarm.start()
        code = 0
        try:
            instance = linker.instantiate(store, module)
            instance.exports(store)["_start"](store)
        except wasmtime.ExitTrap as exit_trap:
            code = exit_trap.code
        except (wasmtime.Trap, wasmtime.WasmtimeError) as trap:
            raise PlaygroundError(_crash(trap, error)) from None
        finally:
            if alarm is not None:
                alarm.cancel()
            store.close()
        printed = out.read_bytes()[:_OUTPUT_BYTES].decode(errors="replace")
        if code != 0:
            raise _error(printed, error.read_bytes()[:_OUTPUT_BYTES].decode(errors="replace"))
        return printed


def _crash(trap: Exception, error: pathlib.Path) -> str:
    text = error.read_text(errors="replace").strip() if error.exists() else ""
    reason = text or str(trap).splitlines()[0]
    return f"the program ended: {reason}. If the arrays are large, use smaller ones"


def _error(printed: str, text: str) -> PlaygroundError:
    """The error that a command has printed, as JSON or as text."""
    for line in printed.splitlines():
        if line.startswith('{"error"'):
            problem = json.loads(line)["error"]
            message = problem["message"]
            if problem.get("hint"):
                message += f" ({problem['hint']})"
            return PlaygroundError(message, problem.get("rule"), problem.get("hint"), problem.get("line"))
    text = text.replace(f"{_GUEST}/", "").strip() or "the program failed without a message"
    rule = re.search(r"\[([a-z0-9-]+)\]", text)
    return PlaygroundError(text, rule.group(1) if rule else None)


def template() -> str:
    """The template of a page."""
    return (_FOLDER / "snapshot.html").read_text(encoding="utf-8")
