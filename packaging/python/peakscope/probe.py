# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""The compiled half of the recorder, probe.cpp: built for the PyTorch at hand the first time that one is met, and called through ctypes.

A probe of another PyTorch crashes or reads garbage, so that the release is in the name of its file and is compared before anything else.
"""
import array
import ctypes
import fcntl
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import sysconfig
import tempfile

SOURCE, CUDA_SOURCE = (pathlib.Path(__file__).with_name(name) for name in ("probe.cpp", "probe_cuda.cpp"))
CUDA_NAMES, PREBUILT = (pathlib.Path(__file__).with_name(name) for name in ("cuda_names", "prebuilt"))
OPERATORS, LINES, STACKS, SEQUENCES = 1, 2, 4, 8
REFUSALS = ("", "the files of the recording can't be made", "64 GiB of addresses are not to be had (ulimit -v)", "the disk is full",
            "this PyTorch's CPU allocator is not its own")
# Kinds of marks, as in probe.cpp.
ROOT_BEGINS, BACKWARD_BEGINS, BACKWARD_ENDS, STEP_ENDS = 5, 6, 7, 10


class NotBuilt(Exception):
    """Why, in words."""


def cache_folder():
    """Of this user alone: what lies there is loaded and run."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = pathlib.Path(home, "peakscope", "probes")
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if folder.stat().st_uid == os.getuid() and not folder.stat().st_mode & 0o077 and os.access(folder, os.W_OK):
            return folder
    except OSError:
        pass
    return pathlib.Path(os.environ.get("PEAKSCOPE_PROBE") or tempfile.mkdtemp(prefix="peakscope-probe-"))


def standard_of(torch):
    major, minor = (int(word) for word in torch.__version__.split(".")[:2])
    return "c++20" if (major, minor) >= (2, 9) else "c++17"


def compiler():
    for name in (os.environ.get("CXX"), "c++", "g++", "clang++"):
        if name and shutil.which(name):
            return shutil.which(name)
    raise NotBuilt("the recorder has to be compiled for this PyTorch, and there is no C++ compiler (install g++, or name one by CXX)")


def sources_of(torch):
    """What the probe is built from, and the files that it names besides."""
    if torch.version.cuda and (pathlib.Path(torch.__file__).parent / "lib" / "libc10_cuda.so").is_file():
        return [SOURCE, CUDA_SOURCE], sorted(CUDA_NAMES.iterdir())
    return [SOURCE], []


def command_of(torch, sources, to):
    folder = pathlib.Path(torch.__file__).parent
    include = folder / "include"
    if not (include / "ATen" / "record_function.h").is_file():
        raise NotBuilt(f"PyTorch {torch.__version__} at {folder} came without its headers, for which the recorder is compiled")
    return [compiler(), f"-std={standard_of(torch)}", "-O2", "-g0", "-fPIC", "-shared", "-fvisibility=hidden", "-w", "-DNDEBUG",
            f"-D_GLIBCXX_USE_CXX11_ABI={int(torch.compiled_with_cxx11_abi())}", "-isystem", str(include), "-isystem",
            str(include / "torch" / "csrc" / "api" / "include"), "-isystem", str(CUDA_NAMES), *map(str, sources), "-o", str(to),
            *(str(folder / "lib" / f"lib{name}.so") for name in ("c10", "torch_cpu", *(["c10_cuda"] if CUDA_SOURCE in sources else []))),
            "-Wl,--allow-shlib-undefined"]


def key_of(torch, release):
    """Of all that a probe is built from: its sources, the release of PyTorch, its C++ strings and the processor."""
    sources, names = sources_of(torch)
    text = b"".join(file.read_bytes() for file in (*sources, *names))
    return hashlib.sha256(text + f"{release};{torch.compiled_with_cxx11_abi()};{os.uname().machine}".encode()).hexdigest()[:16]


def minor_of(torch):
    return ".".join(torch.__version__.split(".")[:2])


def prebuilt_name(torch):
    """Of a probe that came with the package: one for all patch releases of a minor one."""
    return f"probe-{minor_of(torch)}-{key_of(torch, minor_of(torch))}.so"


def built(torch):
    """The probe's file for this PyTorch; NotBuilt where there can be none."""
    ready = PREBUILT / prebuilt_name(torch)
    if ready.is_file():
        return ready
    sources, _ = sources_of(torch)
    key = key_of(torch, torch.__version__)
    folder = cache_folder()
    library = folder / f"probe-{torch.__version__}-{key}.so"
    if library.is_file():
        return library
    with open(folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if library.is_file():  # built meanwhile by another process
            return library
        sys.stderr.write(f"peakscope: compiling the recorder for PyTorch {torch.__version__} (once, some ten seconds)\n")
        sys.stderr.flush()
        with tempfile.TemporaryDirectory(dir=folder) as scratch:
            to = pathlib.Path(scratch, "probe.so")
            environment = {name: value for name, value in os.environ.items() if not name.startswith(("LD_", "PEAKSCOPE_", "PYTHON"))}
            done = subprocess.run(command_of(torch, sources, to), stdin=subprocess.DEVNULL, capture_output=True, text=True,
                                  env=environment, check=False)
            if done.returncode:
                why = next((line for line in done.stderr.splitlines() if "error" in line), done.stderr.strip()[-200:])
                raise NotBuilt(f"the recorder can't be compiled for PyTorch {torch.__version__}: {why}")
            os.rename(to, library)
    return library


def folders(torch):
    """Whose code is the program's (+) and whose is not (-), a line each; the first that fits counts. The packages of a Python without an
    environment of its own lie within its library."""
    paths = sysconfig.get_paths()
    inductor = os.environ.get("TORCHINDUCTOR_CACHE_DIR") or os.path.join(tempfile.gettempdir(), "torchinductor_")
    others = [str(pathlib.Path(torch.__file__).parent) + "/", str(pathlib.Path(__file__).parent) + "/", inductor]
    packages = [paths[name] + "/" for name in ("purelib", "platlib")]
    library = [paths[name] + "/" for name in ("stdlib", "platstdlib")]
    return "\n".join([*("-" + each for each in others), *("+" + each for each in packages), *("-" + each for each in library)])


class Probe:
    """One for each process. `context` is what is at work: module, phase, step, flags."""

    def __init__(self, torch, path, flags):
        library = built(torch)
        try:
            self.compiled = ctypes.CDLL(str(library))
        except OSError as error:
            raise NotBuilt(f"the recorder can't be loaded: {error}") from error
        self.compiled.peakscope_probe_torch.restype = ctypes.c_char_p
        of = self.compiled.peakscope_probe_torch().decode()
        same = of.split(".")[:2] == torch.__version__.split(".")[:2] if library.parent == PREBUILT else (
            of.split("+")[0] == torch.__version__.split("+")[0])
        if not same:
            raise NotBuilt(f"the recorder was built for PyTorch {of}, this is {torch.__version__}; remove {library}")
        self.compiled.peakscope_probe_context.restype = ctypes.c_void_p
        self.compiled.peakscope_probe_name.argtypes = [ctypes.c_char, ctypes.c_uint64, ctypes.c_char_p]
        self.compiled.peakscope_probe_purpose.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
        for name in ("peakscope_probe_adopt", "peakscope_probe_made", "peakscope_probe_is_mapped"):
            getattr(self.compiled, name).argtypes = [ctypes.c_void_p]
        self.compiled.peakscope_probe_budget.argtypes = [ctypes.c_int64]
        self.compiled.peakscope_probe_older.argtypes = [ctypes.c_uint64, ctypes.c_int64, ctypes.c_int]
        self.compiled.peakscope_probe_mapped.argtypes = [ctypes.c_uint64, ctypes.c_int64]
        self.compiled.peakscope_probe_unmapped.argtypes = [ctypes.c_uint64]
        self.see_cuda = getattr(self.compiled, "peakscope_probe_cuda", None)  # of a PyTorch with CUDA
        status = self.compiled.peakscope_probe_open(os.fsencode(path), flags, os.fsencode(folders(torch)))
        if status:
            raise NotBuilt(REFUSALS[status])
        where = self.compiled.peakscope_probe_context()
        self.context = memoryview((ctypes.c_int32 * 4).from_address(where)).cast("B").cast("i")
        self.mark = self.compiled.peakscope_probe_mark
        self.phase = self.compiled.peakscope_probe_phase
        self.leave = self.compiled.peakscope_probe_leave
        self.close = self.compiled.peakscope_probe_close
        self.limit = self.compiled.peakscope_probe_budget
        self.is_mapped = self.compiled.peakscope_probe_is_mapped
        self.mapped = self.compiled.peakscope_probe_mapped
        self.unmapped = self.compiled.peakscope_probe_unmapped

    def name(self, kind, number, text):
        self.compiled.peakscope_probe_name(kind.encode(), number, str(text).encode(errors="replace"))

    def tell(self, key, value):
        self.name("i", 0, f"{key}\t{value}")

    def purpose(self, purpose, addresses, modules):
        if addresses:
            where, whose = array.array("Q", addresses), array.array("I", modules)
            self.compiled.peakscope_probe_purpose(purpose, where.buffer_info()[0], whose.buffer_info()[0], len(where))

    def adopt(self, storage):
        return self.compiled.peakscope_probe_adopt(storage) == 0

    def older(self, address, size, device):
        self.compiled.peakscope_probe_older(address, size, device)

    def made(self, storage):
        self.compiled.peakscope_probe_made(storage)
