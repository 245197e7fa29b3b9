"""Writes the wheel: pure Python, the terminal program as a WebAssembly module, and the template of exported pages.

``cargo xtask wheel`` calls it with the version, the module, the template and the folder of the wheel. It needs only Python's own
library. The same inputs give the same bytes.
"""

import base64
import hashlib
import pathlib
import sys
import zipfile

HERE = pathlib.Path(__file__).parent
NAME = "xla_playground"

METADATA = """Metadata-Version: 2.1
Name: xla-playground
Version: {version}
Summary: See what XLA programs do, cell by cell, in a notebook
License: Apache-2.0 OR MIT
Requires-Python: >=3.10
Requires-Dist: numpy>=1.24
Requires-Dist: wasmtime>=25
Provides-Extra: widget
Requires-Dist: anywidget>=0.9; extra == "widget"
Description-Content-Type: text/markdown

{description}"""

WHEEL = """Wheel-Version: 1.0
Generator: xla-playground
Root-Is-Purelib: true
Tag: py3-none-any
"""


def files(version: str, module: pathlib.Path, template: pathlib.Path) -> dict[str, bytes]:
    """The files of the wheel by their paths, without its list."""
    sources = sorted(path for path in (HERE / NAME).iterdir() if path.suffix in (".py", ".js"))
    out = {f"{NAME}/{path.name}": path.read_bytes() for path in sources}
    out[f"{NAME}/terminal.wasm"] = module.read_bytes()
    out[f"{NAME}/snapshot.html"] = template.read_bytes()
    out[f"{NAME}/py.typed"] = b""
    info = f"{NAME}-{version}.dist-info"
    description = (HERE / "README.md").read_text(encoding="utf-8")
    out[f"{info}/METADATA"] = METADATA.format(version=version, description=description).encode()
    out[f"{info}/WHEEL"] = WHEEL.encode()
    for license in ("LICENSE-APACHE", "LICENSE-MIT"):
        out[f"{info}/licenses/{license}"] = (HERE.parent / license).read_bytes()
    return out


def record(info: str, content: dict[str, bytes]) -> bytes:
    """The list of a wheel's files with their hashes."""
    lines = []
    for path, data in content.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
        lines.append(f"{path},sha256={digest},{len(data)}")
    lines.append(f"{info}/RECORD,,")
    return ("\n".join(lines) + "\n").encode()


def main(version: str, module: str, template: str, folder: str) -> None:
    content = files(version, pathlib.Path(module), pathlib.Path(template))
    info = f"{NAME}-{version}.dist-info"
    content[f"{info}/RECORD"] = record(info, content)
    out = pathlib.Path(folder) / f"{NAME}-{version}-py3-none-any.whl"
    out.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for path, data in content.items():
            member = zipfile.ZipInfo(path, date_time=(1980, 1, 1, 0, 0, 0))
            member.external_attr = 0o644 << 16
            member.compress_type = zipfile.ZIP_DEFLATED
            wheel.writestr(member, data)
    print(f"{out}: {out.stat().st_size} bytes")


if __name__ == "__main__":
    main(*sys.argv[1:])
