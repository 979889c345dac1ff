# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a card says of itself and what its libraries take: card_facts.py OUT.json on a machine with a CUDA device."""
import ctypes
import json
import subprocess
import sys

import torch
out = {}
def used():
    free, total = torch.cuda.mem_get_info()
    return total - free
def nvidia(*words):
    try:
        return subprocess.run(["nvidia-smi", *words], capture_output=True, text=True, timeout=20).stdout
    except Exception as e:
        return repr(e)
out["query"] = nvidia("-q", "-d", "MEMORY,CLOCK")
out["smi"] = nvidia("--query-gpu=name,driver_version,memory.total,memory.used,memory.reserved,clocks.max.sm,clocks.max.mem,pci.bus_id", "--format=csv")
p = torch.cuda.get_device_properties(0)
out["properties"] = {k: str(getattr(p, k)) for k in dir(p) if not k.startswith("_")}
out["version"] = [torch.__version__, torch.version.cuda, torch.backends.cudnn.version(), torch.cuda.nccl.version(), torch.cuda.get_arch_list()]
out["mem_get_info"] = torch.cuda.mem_get_info()
lib = None
for line in open("/proc/self/maps"):
    if "libcudart" in line:
        lib = ctypes.CDLL(line.split()[-1]); break
attributes = {}
value = ctypes.c_int()
for i in range(1, 160):
    if lib and lib.cudaDeviceGetAttribute(ctypes.byref(value), i, 0) == 0:
        attributes[i] = value.value
out["attributes"] = attributes
if lib:
    lib.cudaGetLastError()
if lib:
    raw = ctypes.create_string_buffer(4096)
    name = next((n for n in ("cudaGetDeviceProperties", "cudaGetDeviceProperties_v2") if hasattr(lib, n)), None)
    if name and getattr(lib, name)(raw, 0) == 0:
        out["prop_raw"] = raw.raw[:1200].hex()
    lib.cudaGetLastError()
steps = []
def note(what):
    torch.cuda.synchronize()
    steps.append([what, used(), torch.cuda.memory_reserved(), torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated()])
    torch.cuda.reset_peak_memory_stats()
note("context")
x = torch.ones(16, device="cuda"); note("one tensor")
a = torch.randn(512, 512, device="cuda"); b = a @ a; note("matmul float32")
c = a.bfloat16() @ a.bfloat16(); note("matmul bfloat16")
l = torch.nn.Linear(512, 512).cuda(); l(a).sum().backward(); note("linear with bias and backward")
l16 = torch.nn.Linear(512, 512).cuda().bfloat16(); l16(a.bfloat16()).sum().backward(); note("bfloat16 linear")
h = torch.nn.Linear(4096, 16384).cuda().bfloat16(); y = h(torch.randn(2048, 4096, device="cuda").bfloat16()); y.sum().backward(); note("bfloat16 linear large"); del y, h
torch.nn.functional.embedding(torch.randint(0, 50000, (8, 1024), device="cuda"), torch.randn(50000, 768, device="cuda", requires_grad=True)).sum().backward(); note("embedding")
torch.nn.functional.layer_norm(a.requires_grad_(), (512,)).sum().backward(); note("layer_norm")
from torch.nn.attention import SDPBackend, sdpa_kernel
attention = {}
for dtype in (torch.float32, torch.bfloat16, torch.float16):
    for backend in (SDPBackend.MATH, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.FLASH_ATTENTION, SDPBackend.CUDNN_ATTENTION, None):
        for shape in ((2, 12, 512, 64), (1, 16, 2048, 128), (4, 16, 1024, 64), (1, 8, 4096, 128)):
            for causal in (True, False):
                try:
                    q, k, v = (torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True) for _ in range(3))
                    torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats(); before = torch.cuda.memory_allocated()
                    if backend is None:
                        o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                    else:
                        with sdpa_kernel(backend):
                            o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal)
                    forward = torch.cuda.max_memory_allocated() - before; held = torch.cuda.memory_allocated() - before
                    name = o.grad_fn.name()
                    torch.cuda.reset_peak_memory_stats()
                    g = torch.ones_like(o); b0 = torch.cuda.memory_allocated()
                    o.backward(g)
                    attention[f"{dtype} {backend} {shape} {causal}"] = [name, forward, held, torch.cuda.max_memory_allocated() - b0]
                    del q, k, v, o, g
                except Exception as e:
                    attention[f"{dtype} {backend} {shape} {causal}"] = repr(e)[:120]
out["attention"] = attention
note("attention")
linalg = {}
for name, f in (("cholesky", lambda m: torch.linalg.cholesky(m @ m.mT + m.shape[-1] * torch.eye(m.shape[-1], device="cuda", dtype=m.dtype))),
                ("qr", torch.linalg.qr), ("eigh", lambda m: torch.linalg.eigh(m + m.mT)), ("svd", torch.linalg.svd),
                ("solve", lambda m: torch.linalg.solve(m, m)), ("eig", torch.linalg.eig), ("inv", torch.linalg.inv), ("slogdet", torch.linalg.slogdet)):
    for shape in ((32, 32), (200, 200), (768, 768), (4, 256, 256)):
        for dtype in (torch.float32, torch.float64):
            try:
                m = torch.randn(shape, device="cuda", dtype=dtype)
                torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats(); before = torch.cuda.memory_allocated()
                r = f(m); torch.cuda.synchronize()
                linalg[f"{name} {shape} {dtype}"] = [torch.cuda.max_memory_allocated() - before, torch.cuda.memory_allocated() - before]
                del r, m
            except Exception as e:
                linalg[f"{name} {shape} {dtype}"] = repr(e)[:120]
out["linalg"] = linalg
note("linalg")
conv = {}
for bench in (False, True):
    torch.backends.cudnn.benchmark = bench
    for shape, o, k in (((16, 3, 224, 224), 64, 7), ((16, 64, 56, 56), 64, 3), ((16, 256, 14, 14), 256, 3)):
        for dtype in (torch.float32, torch.bfloat16):
            try:
                w = torch.nn.Conv2d(shape[1], o, k, padding=k // 2).cuda().to(dtype); i = torch.randn(shape, device="cuda", dtype=dtype, requires_grad=True)
                torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats(); before = torch.cuda.memory_allocated()
                r = w(i); f = torch.cuda.max_memory_allocated() - before; torch.cuda.reset_peak_memory_stats(); b0 = torch.cuda.memory_allocated()
                r.sum().backward(); torch.cuda.synchronize()
                conv[f"{shape} {o} {k} {dtype} {bench}"] = [f, torch.cuda.max_memory_allocated() - b0]
                del w, i, r
            except Exception as e:
                conv[f"{shape} {o} {k} {dtype} {bench}"] = repr(e)[:120]
out["conv"] = conv
note("conv")
t = torch.randint(0, 5000, (200000,), device="cuda")
for name, f in (("unique", lambda: torch.unique(t)), ("sort", lambda: t.sort()), ("nonzero", lambda: (t > 100).nonzero()), ("topk", lambda: t.topk(100)),
                ("cumsum", lambda: t.cumsum(0)), ("bincount", lambda: t.bincount()), ("sum", lambda: t.float().sum()), ("norm", lambda: t.float().norm()),
                ("multinomial", lambda: torch.multinomial(t.float(), 10)), ("randperm", lambda: torch.randperm(200000, device="cuda"))):
    torch.cuda.synchronize(); torch.cuda.reset_peak_memory_stats(); before = torch.cuda.memory_allocated()
    r = f(); torch.cuda.synchronize()
    out.setdefault("operators", {})[name] = [torch.cuda.max_memory_allocated() - before, torch.cuda.memory_allocated() - before]
    del r
note("operators")
out["steps"] = steps
out["python"] = sys.version
out["maps"] = sorted({line.split()[-1].rsplit("/", 1)[-1] for line in open("/proc/self/maps") if ".so" in line})
json.dump(out, open(sys.argv[1], "w"), indent=1)
print(json.dumps(steps)); print(out["smi"])
