"""Which device holds which slice of an array."""

from __future__ import annotations

import base64
import html
from dataclasses import dataclass
from typing import Any, Sequence

#: The slices of an array that are listed, and the devices that are named for each.
MAX_SLICES = 64
MAX_DEVICES = 16

#: Bounds of a slice along each dimension.
Bounds = tuple[tuple[int, int], ...]

#: The size of the picture in pixels, and the largest number of slices along a side of it.
_WIDTH, _HEIGHT, _MAX_TILES = 320, 160, 16


@dataclass(frozen=True)
class Sharding:
    """The slices of an array with the devices that hold them. Devices with the same slice are replicas."""

    name: str
    shape: tuple[int, ...]
    #: The devices of each slice, in order of the slices.
    slices: tuple[tuple[Bounds, tuple[str, ...]], ...]

    @property
    def devices(self) -> int:
        """The number of devices."""
        return sum(len(devices) for _, devices in self.slices)

    @property
    def summary(self) -> str:
        """One line: how many devices hold the array, and how."""
        kind = "one slice per device"
        if len(self.slices) == 1:
            kind = "replicated: each holds the whole array"
        elif self.devices > len(self.slices):
            kind = f"{len(self.slices)} slices, replicated"
        return f"{self.name} [{', '.join(map(str, self.shape))}] on {self.devices} devices, {kind}"

    def lines(self) -> list[str]:
        """The slices as text."""
        return [self.summary, *(f"  {indices}  {devices}" for indices, devices in self._rows())]

    def _rows(self) -> list[tuple[str, str]]:
        rows = [(_indices(bounds), _devices(devices)) for bounds, devices in self.slices[:MAX_SLICES]]
        if len(self.slices) > MAX_SLICES:
            rows.append((f"… {len(self.slices) - MAX_SLICES} more slices", ""))
        return rows

    def html(self, is_open: bool) -> str:
        """A table, with a picture if the array is split along one or two dimensions."""
        cell = "padding:2px 12px 2px 0;text-align:left;font-family:monospace"
        rows = "".join(
            f'<tr><td style="{cell}">{html.escape(indices)}</td><td style="{cell}">{html.escape(devices)}</td></tr>'
            for indices, devices in self._rows()
        )
        picture = self.svg()
        image = ""
        if picture is not None:
            data = base64.b64encode(picture.encode()).decode()
            image = f'<img alt="{html.escape(self.summary, quote=True)}" src="data:image/svg+xml;base64,{data}">'
        return (
            f'<details{" open" if is_open else ""} style="margin:4px 0 8px"><summary>{html.escape(self.summary)}</summary>'
            f'<div style="display:flex;flex-wrap:wrap;gap:16px;align-items:flex-start;max-height:240px;overflow:auto">{image}'
            f'<table style="border-collapse:collapse;margin:0"><thead><tr><th style="{cell}">Slice</th>'
            f'<th style="{cell}">Devices</th></tr></thead><tbody>{rows}</tbody></table></div></details>'
        )

    def svg(self) -> str | None:
        """The array as a rectangle, each slice with its devices; None if it is not split, or along more than two dimensions."""
        ranges = [sorted({bounds[d] for bounds, _ in self.slices}) for d in range(len(self.shape))]
        split = [d for d, each in enumerate(ranges) if len(each) > 1]
        if not 1 <= len(split) <= 2 or any(len(ranges[d]) > _MAX_TILES for d in split):
            return None
        # A vector is a row; of a matrix, the first dimension is vertical.
        column = split[-1] if len(split) == 2 or split[0] > 0 or len(self.shape) == 1 else None
        row = split[0] if len(split) == 2 or column is None else None
        parts = []
        for number, (bounds, devices) in enumerate(self.slices):
            left, width = _extent(bounds, column, self.shape, _WIDTH)
            top, height = _extent(bounds, row, self.shape, _HEIGHT)
            hue = number * 360 // len(self.slices)
            label = html.escape(devices[0] if len(devices) == 1 else f"{devices[0]} +{len(devices) - 1}")
            # Labels are made as narrow as their slices.
            length = max(1.0, min(width - 2, 6 * len(label)))
            x, y = left + width / 2, top + height / 2
            parts.append(
                f'<rect x="{left:.2f}" y="{top:.2f}" width="{width:.2f}" height="{height:.2f}" '
                f'style="fill:hsl({hue},55%,84%);stroke:#444"/>'
                f'<text x="{x:.2f}" y="{y:.2f}" textLength="{length:.2f}" lengthAdjust="spacingAndGlyphs">{label}</text>'
            )
        size = f'width="{_WIDTH}" height="{_HEIGHT}" viewBox="-1 -1 {_WIDTH + 2} {_HEIGHT + 2}"'
        style = 'fill="#111" font-family="monospace" font-size="10" text-anchor="middle" dominant-baseline="middle"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size}><g {style}>{"".join(parts)}</g></svg>'


def _extent(bounds: Bounds, dimension: int | None, shape: tuple[int, ...], pixels: int) -> tuple[float, float]:
    """The start and the length of a slice in the picture."""
    if dimension is None:
        return 0.0, float(pixels)
    start, stop = bounds[dimension]
    scale = pixels / max(shape[dimension], 1)
    return start * scale, (stop - start) * scale


def _indices(bounds: Bounds) -> str:
    return "[" + ", ".join(f"{start}:{stop}" for start, stop in bounds) + "]"


def _devices(devices: Sequence[str]) -> str:
    more = len(devices) - MAX_DEVICES
    return ", ".join(devices[:MAX_DEVICES]) + (f" and {more} more" if more > 0 else "")


def sharding_of(name: str, value: Any) -> Sharding | None:
    """The sharding of an array of JAX; None for another value, and for an array on one device."""
    indices_map = getattr(getattr(value, "sharding", None), "devices_indices_map", None)
    if indices_map is None:
        return None
    shape = tuple(int(size) for size in value.shape)
    slices: dict[Bounds, list[str]] = {}
    for device, index in indices_map(shape).items():
        bounds = tuple(part.indices(size)[:2] for part, size in zip(index, shape))
        slices.setdefault(bounds, []).append(str(device))
    found = Sharding(name, shape, tuple((bounds, tuple(slices[bounds])) for bounds in sorted(slices)))
    return found if found.devices > 1 else None
