# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""A program on a stand-in of a CUDA card: loads it, and records what PyTorch's allocator does.

The launcher says by the environment: PEAKSCOPE_RECORD, the folder for what is recorded; PEAKSCOPE_DRY, the card;
PEAKSCOPE_DRY_FOLDER, where the stand-ins are; PEAKSCOPE_STEPS, how many steps; PEAKSCOPE_SAVES and PEAKSCOPE_OVERLAY,
what becomes of saves (saves.py).
"""
import atexit
import ctypes
import importlib.util
import json
import os
import pathlib
import re
import sys

from peakscope import shortcuts, world
from peakscope.imports import once_imported

# Releases of PyTorch that were compared with others: what they say of their libraries, and the architectures that they have kernels
# for. The engine reads it, too.
RELEASES = json.loads(pathlib.Path(__file__).with_name("releases.json").read_text(encoding="utf-8"))
UNUSABLE = 2


def refuse(text, status=UNUSABLE):
    sys.stderr.write(f"peakscope: {text}\n")
    sys.stderr.flush()
    world.LEAVE(status)


def torch_folder():
    """Of this Python's torch, not imported; None: there is none."""
    try:
        spec = importlib.util.find_spec("torch")
    except (ImportError, ValueError):
        spec = None
    return pathlib.Path(spec.origin).parent if spec and spec.origin else None


def installed_torch():
    """Version and CUDA version ("13.0"; None: a build without) of this Python's torch, not imported; None: there is none."""
    folder = torch_folder()
    if folder is None:
        return None
    text = (folder / "version.py").read_text(encoding="utf-8")
    said = {key: re.search(rf"^{key}(?:: [^=]*)? = '([^']*)'", text, re.M) for key in ("__version__", "cuda")}
    return said["__version__"] and said["__version__"][1], said["cuda"] and said["cuda"][1]


def number_of(version, factors):
    """9.1.0.70 as libraries give it in one number: 90100."""
    return sum(int(word) * factor for word, factor in zip(version.split("."), factors))


def release_of(version, cuda):
    """What a release needs: as it is known, else as its own files say. None: they don't say all."""
    known = RELEASES.get(version.split("+")[0])
    if known:
        return known
    from importlib import metadata  # not for those that are known: it takes a while

    needs = {}
    try:
        requirements = metadata.distribution("torch").requires or ()
    except metadata.PackageNotFoundError:
        requirements = ()
    for text in requirements:
        found = re.match(r"nvidia-(cudnn|nccl)-cu\d+ *\(?== *([\d.]+)", text)
        if found:
            needs[found[1]] = found[2]
    library = pathlib.Path(importlib.util.find_spec("torch").origin).with_name("lib") / "libtorch_python.so"
    try:
        built = re.search(rb"(?:sm_\d+[af]? ?){2,}", library.read_bytes())
    except OSError:
        built = None
    if not built or {"cudnn", "nccl"} - set(needs):
        return None
    return {"runtime": number_of(cuda, (1000, 10)), "cudnn": number_of(needs["cudnn"], (10000, 100, 1)),
            "nccl": number_of(needs["nccl"], (10000, 100, 1)), "built": sorted(int(word) for word in re.findall(rb"sm_(\d+)", built[0]))}


def settings_of(card, release):
    """What the stand-in is told beyond the card."""
    said = dict(word.split("=", 1) for word in card.split(";"))
    ability = int(said["major"]) * 10 + int(said["minor"])
    able = [built for built in release["built"] if built <= ability]
    if not able:
        refuse(f"{said['name']}: this PyTorch has no kernels for it (compute capability {said['major']}.{said['minor']}; "
               f"it has {', '.join(f'{built // 10}.{built % 10}' for built in release['built'])})")
    numbers = {"built": max(able), **{key: release[key] for key in ("runtime", "cudnn", "nccl")}}
    return ";".join([card] + [f"{key}={value}" for key, value in numbers.items()])


def is_loaded():
    """Not by the environment, which a program that starts itself anew hands on."""
    return hasattr(ctypes.PyDLL(None), "peakscope_hush")


def load_stand_in():
    """Starts this Python again with the stand-in, unless it is there. Other programs never have it in their environment."""
    if is_loaded():
        return True
    torch = installed_torch()
    if torch is None:
        return False  # some other Python on the way, a launcher say
    version, cuda = torch
    if not cuda:
        refuse(f"PyTorch {version} of {sys.executable} is a build without CUDA; a dry run needs one with it")
    release = release_of(version or "", cuda)
    if release is None:
        refuse(f"PyTorch {version} of {sys.executable}: its files don't say which libraries it needs; releases that are known: {', '.join(RELEASES)}")
    folder = pathlib.Path(os.environ["PEAKSCOPE_DRY_FOLDER"], str(release["runtime"] // 1000))
    if not folder.is_dir():
        refuse(f"PyTorch {version} of {sys.executable} is built for CUDA {cuda}; a dry run takes CUDA 12 and 13")
    cache = pathlib.Path(os.environ["PEAKSCOPE_RECORD"], "caches")
    environment = {
        **os.environ,
        "LD_PRELOAD": str(folder / "libpeakscope_dry.so"),
        "PEAKSCOPE_DRY": settings_of(os.environ["PEAKSCOPE_DRY"].split(";built=")[0], release),
        "PEAKSCOPE_DRY_REPORT": str(pathlib.Path(os.environ["PEAKSCOPE_RECORD"], f"{os.getpid()}.report.json")),
        "TRITON_LIBCUDA_PATH": str(folder),
        # Kernels that are tuned by times of kernels that do nothing are no one's but this run's.
        "TRITON_CACHE_DIR": str(cache / "triton"),
        "TORCHINDUCTOR_CACHE_DIR": str(cache / "inductor"),
        **(world.begin() if world.asked() else {}),
    }
    os.execve(sys.executable, sys.orig_argv, environment)


def is_compared(version):
    return version.split("+")[0] in RELEASES


def begin_recorder(torch, device_begins):
    from peakscope.recorder import Recorder

    recorder = Recorder(torch, device_begins)
    recorder.begin()
    for name, then in recorder.hooks().items():
        once_imported(name, then)


def check():
    """Refuses a Python without torch; that of one that is not known was refused as it began."""
    if installed_torch() is None:
        refuse(f"{sys.executable} has no PyTorch; packaging/python/venv makes a Python that has")


def begin():
    if not load_stand_in():
        return
    atexit.register(shortcuts.leave, os.getpid())  # the first, so that it comes last
    as_before = shortcuts.collect_seldom()
    called_back = {"torch": lambda torch: begin_recorder(torch, as_before), **(world.hooks() if world.asked() else {})}
    if os.environ.get("PEAKSCOPE_GHOST"):
        from peakscope import ghost

        called_back.update(ghost.hooks(os.environ["PEAKSCOPE_GHOST"], os.environ["PEAKSCOPE_RECORD"]))
    for name, then in called_back.items():
        once_imported(name, then)
