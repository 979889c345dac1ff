#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fetches the torch wheel with pip and unpacks headers and libraries of it into a folder, with those companion wheels only
whose libraries the unpacked ones need. Called by packaging/lib/libtorch.sh; needs pip and readelf."""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

# Which wheel brings a library, by the library's name. Wheels of CUDA 12 carry the suffix -cu12, later ones only where marked.
COMPANIONS = {
    "libcudart": ("nvidia-cuda-runtime", False), "libcupti": ("nvidia-cuda-cupti", False),
    "libcublas": ("nvidia-cublas", False), "libcublasLt": ("nvidia-cublas", False), "libcufft": ("nvidia-cufft", False),
    "libcurand": ("nvidia-curand", False), "libcusolver": ("nvidia-cusolver", False), "libcusparse": ("nvidia-cusparse", False),
    "libnvrtc": ("nvidia-cuda-nvrtc", False), "libnvJitLink": ("nvidia-nvjitlink", False), "libcufile": ("nvidia-cufile", False),
    "libnvToolsExt": ("nvidia-nvtx", False), "libcudnn": ("nvidia-cudnn", True), "libnccl": ("nvidia-nccl", True),
    "libcusparseLt": ("nvidia-cusparselt", True), "libnvshmem_host": ("nvidia-nvshmem", True),
}
CPU_LIBRARIES = ("libtorch_cpu.so", "libc10.so")
# Kept wherever the wheel has them: dry runs need them and nothing that they are linked to.
CUDA_LIBRARIES = ("libtorch_cuda.so", "libc10_cuda.so", "libtorch_nvshmem.so", "libtorch_cuda_linalg.so", "libcaffe2_nvrtc.so")


class Unavailable(Exception):
    """The wheel, or one that it needs, is not to be had."""


def say(text):
    print(f"peakscope: {text}", flush=True)


def pip(*arguments, show=False):
    """Runs pip; with show its progress is seen where someone sits at a terminal."""
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", "--retries", "2", "--timeout", "60"]
    output = None if show and sys.stdout.isatty() else subprocess.PIPE
    return subprocess.run([*command, *arguments], stdout=output, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL)


def download(requirement, folder):
    """Downloads one wheel, without what it depends on, and returns its path."""
    answer = pip("download", "--no-deps", "--no-cache-dir", "--only-binary", ":all:", "-d", str(folder), requirement, show=True)
    wheels = sorted(folder.glob("*.whl"), key=os.path.getmtime)
    if answer.returncode != 0 or not wheels:
        raise Unavailable(f"pip could not download {requirement}: {reason_of(answer.stderr)}")
    return wheels[-1]


def reason_of(text):
    """pip reports an unreachable index as a package that doesn't exist; its warnings before that tell which it was."""
    if "CERTIFICATE_VERIFY_FAILED" in text:
        return "the package index's certificate is not trusted on this machine (PIP_CERT may name the right one)"
    if re.search(r"NewConnectionError|NameResolutionError|name resolution|ConnectTimeout|ReadTimeout|ProxyError|unreachable", text):
        return "no network, or the package index does not answer"
    lines = [line.removeprefix("ERROR: ") for line in text.splitlines() if line.startswith("ERROR:")]
    return lines[-1] if lines else "pip gave no reason"


def torch_requirement(cuda):
    """The newest torch; its CPU-only build where the configured index serves one and CUDA is not asked for."""
    answer = pip("index", "versions", "torch")
    match = re.search(r"Available versions:\s*(.*)", answer.stdout)
    versions = [v.strip() for v in match.group(1).split(",")] if match else []
    if cuda or not versions:
        return "torch", False
    newest = versions[0].split("+")[0]
    cpu_only = f"{newest}+cpu"
    return (f"torch=={cpu_only}", True) if cpu_only in versions else ("torch", False)


def metadata(wheel):
    with zipfile.ZipFile(wheel) as archive:
        name = next(n for n in archive.namelist() if n.endswith(".dist-info/METADATA"))
        return archive.read(name).decode("utf-8", "replace")


def pins(text):
    """name -> version specification, of every `Requires-Dist` line."""
    found = {}
    for line in re.findall(r"^Requires-Dist:\s*(.*)$", text, re.MULTILINE):
        match = re.match(r"([A-Za-z0-9._-]+)\s*(?:\[[^]]*\])?\s*\(?([^;)]*)\)?", line)
        if match:
            found[match.group(1).lower().replace("_", "-")] = match.group(2).replace(" ", "")
    return found


def extract(wheel, target, wanted):
    """Unpacks the members for which wanted(name) holds; libraries become executable as the installer would make them."""
    with zipfile.ZipFile(wheel) as archive:
        for member in archive.infolist():
            if not member.is_dir() and wanted(member.filename):
                path = pathlib.Path(archive.extract(member, target))
                path.chmod(0o755 if ".so" in path.name else 0o644)


LICENSE = r"\.dist-info/(licenses/)?LICENSE$"


def torch_member():
    kept = set(CPU_LIBRARIES + CUDA_LIBRARIES)

    def wanted(name):
        base = name.rsplit("/", 1)[-1]
        if name.startswith("torch/include/"):
            return True
        if name.startswith("torch/lib/") and name.count("/") == 2:
            # Third-party libraries that the wheel carries itself (an OpenMP, a BLAS) come along; torch's other halves don't.
            return base in kept or not re.match(r"lib(torch|c10|caffe2|shm)", base)
        return name.startswith("torch.libs/") or name.endswith(".dist-info/METADATA") or bool(re.search(LICENSE, name))

    return wanted


def needed(library):
    text = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    return re.findall(r"\(NEEDED\).*\[(.*)\]", text)


def missing_libraries(folder, cuda):
    """Names of CUDA libraries that the unpacked ones, and what those need, ask for and that are not unpacked yet."""
    have = {p.name for p in folder.rglob("*.so*")}
    asked = set()
    for path in folder.rglob("*.so*"):
        in_torch = path.parent == folder / "torch" / "lib"
        if not cuda and (not in_torch or path.name in CUDA_LIBRARIES):
            continue
        asked.update(needed(path))
    return sorted(n for n in asked - have if n.split(".so")[0] in COMPANIONS)


def requirement_of(base, marked, torch_pins, toolkit_pins, cuda_major):
    for name in (f"{base}-cu{cuda_major}", base):
        for table in (torch_pins, toolkit_pins):
            if name in table:
                return name + table[name]
    if marked or int(cuda_major) <= 12:
        return f"{base}-cu{cuda_major}"
    return f"{base}=={cuda_major}.*"


def add_companions(folder, downloads, torch_wheel, cuda):
    text = metadata(torch_wheel)
    torch_pins = pins(text)
    toolkit_pins = {}
    fetched = set()
    while missing := missing_libraries(folder, cuda):
        cuda_major = cuda_major_of(folder, text)
        if not toolkit_pins and "cuda-toolkit" in torch_pins:
            toolkit_pins = pins(metadata(download("cuda-toolkit" + torch_pins["cuda-toolkit"], downloads)))
        requirement = requirement_of(*COMPANIONS[missing[0].split(".so")[0]], torch_pins, toolkit_pins, cuda_major)
        if requirement in fetched:
            raise Unavailable(f"{requirement} does not hold {missing[0]}")
        fetched.add(requirement)
        say(f"fetching {requirement} for {missing[0]}")
        wheel = download(requirement, downloads)
        extract(wheel, folder, lambda n: "/lib/" in n and ".so" in n or "/include/" in n)
        wheel.unlink()
    if (folder / "torch" / "lib" / "libtorch_cuda.so").exists():
        add_headers(folder, downloads, torch_pins, toolkit_pins, cuda_major_of(folder, text))


def add_headers(folder, downloads, torch_pins, toolkit_pins, cuda_major):
    """CUDA's runtime headers, and some of the compiler's that they include: these have a wheel of their own from CUDA 13 on, and
    are in the compiler's before. FindLibTorch wants both in one folder."""
    compiler = "nvidia-cuda-crt" if int(cuda_major) >= 13 else "nvidia-cuda-nvcc"
    for name, header in (("nvidia-cuda-runtime", "cuda_runtime_api.h"), (compiler, "crt/host_defines.h")):
        if not any(folder.rglob(header)):
            requirement = requirement_of(name, False, torch_pins, toolkit_pins, cuda_major)
            say(f"fetching {requirement} for its headers")
            wheel = download(requirement, downloads)
            extract(wheel, folder, lambda n: "/include/" in n)
            wheel.unlink()
    runtime = next(folder.rglob("cuda_runtime_api.h")).parent
    crt = next(folder.rglob("crt/host_defines.h")).parent
    if crt.parent != runtime:
        shutil.copytree(crt, runtime / "crt")


def cuda_major_of(folder, text):
    """The CUDA version the libraries ask for, as CUDA's own runtime names it."""
    for library in (folder / "torch" / "lib").glob("*.so*"):
        for name in needed(library):
            if match := re.match(r"libcudart\.so\.(\d+)", name):
                return match.group(1)
    match = re.search(r"-cu(\d\d)", text)
    if not match:
        raise Unavailable("the torch wheel does not say which CUDA it was built with")
    return match.group(1)


def fetch(target, cuda, version):
    target.mkdir(parents=True, exist_ok=True)
    if shutil.disk_usage(target).free < (12 if cuda else 4) * 2**30:
        raise Unavailable(f"{target} has less than {12 if cuda else 4} GiB of free disk")
    requirement, cpu_only = (f"torch=={version}", False) if version else torch_requirement(cuda)
    size = ("about 0.2 GB to download, 0.6 GB on disk" if cpu_only else "about 3 GB to download, 6 GB on disk" if cuda
            else "about 0.6 GB to download, 1.1 GB on disk")
    say(f"fetching LibTorch from the torch wheel into {target.name} ({size})")
    # Everything is made ready beside its place and moved there whole, so that an interrupted set-up leaves nothing half done.
    with tempfile.TemporaryDirectory(prefix="fetch-", dir=target) as name:
        work = pathlib.Path(name)
        (work / "wheels").mkdir()
        wheel = download(requirement, work / "wheels")
        extract(wheel, work / "unpacked", torch_member())
        add_companions(work / "unpacked", work / "wheels", wheel, cuda)
        for license in sorted((work / "unpacked").glob("torch-*.dist-info/**/LICENSE"))[:1]:
            shutil.copy(license, work / "unpacked" / "torch" / "LICENSE")  # goes wherever the libraries go
        for part in ("torch", "torch.libs", "nvidia"):
            shutil.rmtree(target / part, ignore_errors=True)
            if (work / "unpacked" / part).exists():
                (work / "unpacked" / part).rename(target / part)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cuda", action="store_true", help="also every library that the CUDA half needs")
    parser.add_argument("--version", help="the torch to fetch, such as 2.11.0; else the newest")
    parser.add_argument("folder", type=pathlib.Path)
    arguments = parser.parse_args()
    try:
        fetch(arguments.folder.resolve(), arguments.cuda, arguments.version)
    except (Unavailable, OSError, subprocess.SubprocessError, zipfile.BadZipFile, StopIteration) as problem:
        print(f"peakscope: LibTorch could not be fetched: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
