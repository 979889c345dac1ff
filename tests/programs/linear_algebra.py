# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Factorisations, eigenvalues and sparse products on the card: what comes out has the shapes that a CPU's has. Prints what fails and
"N of N".

peakscope-cli record --device dry:CARD -- python linear_algebra.py
"""
import torch

KINDS = {
    "qr": torch.linalg.qr, "svd": torch.linalg.svd, "svdvals": torch.linalg.svdvals, "inv": torch.linalg.inv, "det": torch.linalg.det,
    "slogdet": torch.linalg.slogdet, "pinv": torch.linalg.pinv, "eig": torch.linalg.eig, "lu": torch.linalg.lu_factor,
    "spectral norm": lambda a: torch.linalg.matrix_norm(a, 2), "matrix_exp": torch.linalg.matrix_exp,
    "solve": lambda a: torch.linalg.solve(a, a), "lstsq": lambda a: torch.linalg.lstsq(a, a)[0],
    "eigh": lambda a: torch.linalg.eigh(a @ a.mH), "eigvalsh": lambda a: torch.linalg.eigvalsh(a @ a.mH),
    "cholesky": lambda a: torch.linalg.cholesky(a @ a.mH + torch.eye(a.shape[-1], device=a.device, dtype=a.dtype)),
    "ldl": lambda a: torch.linalg.ldl_factor(a @ a.mH)[0],
}
INITIAL = {"orthogonal": torch.nn.init.orthogonal_,
           "parametrization": lambda w: torch.nn.utils.parametrizations.orthogonal(torch.nn.Linear(12, 12).to(w.device)).weight}
SPARSE = {"coo": lambda a: torch.sparse.mm(a.to_sparse(), a), "csr": lambda a: a.to_sparse_csr() @ a}


def shapes(result):
    return [tuple(one.shape) for one in (result if isinstance(result, (tuple, list)) else (result,))]


def main():
    cases = []
    for dtype in (torch.float32, torch.float64, torch.complex64, torch.complex128):
        cases += [(f"{name} of {dtype}", call, torch.randn(12, 12, dtype=dtype)) for name, call in KINDS.items()]
        cases += [(f"{name} of many {dtype}", call, torch.randn(5, 12, 12, dtype=dtype)) for name, call in KINDS.items()]
    cases += [(name, call, torch.empty(12, 8)) for name, call in INITIAL.items()]
    cases += [(name, call, torch.eye(12)) for name, call in SPARSE.items()]
    good = 0
    for name, call, matrix in cases:
        try:
            here, there = shapes(call(matrix)), shapes(call(matrix.clone().cuda()))
        except Exception as error:  # noqa: BLE001: which it is, is the answer
            print(f"{name}: {type(error).__name__}: {str(error).splitlines()[0]}")
            continue
        if here == there:
            good += 1
        else:
            print(f"{name}: {there} where {here} is right")
    print(f"{good} of {len(cases)}")


main()
