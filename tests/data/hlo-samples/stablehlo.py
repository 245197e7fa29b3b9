"""Writes NAME.stablehlo.mlir of every NAME.lowered.hlo beside this file, by XLA's own conversion.

    python -m venv venv && venv/bin/pip install 'jax[cpu]==0.7.2'
    venv/bin/python stablehlo.py
"""

from pathlib import Path

from jax._src.interpreters import mlir
from jaxlib import _jax
from jaxlib.mlir import ir

for file in sorted(Path(__file__).parent.glob("*.lowered.hlo")):
    module = _jax.hlo_module_from_text(file.read_text()).as_serialized_hlo_module_proto()
    converted = _jax.mlir.hlo_to_stablehlo(module)
    with mlir.make_ir_context():
        text = ir.Module.parse(converted).operation.get_asm(large_elements_limit=None)
    file.with_name(file.name.replace(".lowered.hlo", ".stablehlo.mlir")).write_text(text)
