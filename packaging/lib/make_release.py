#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Makes the wheel and the tarball of what packaging/release has built. Needs readelf, patchelf and pip.

Both hold the same tree (bin, lib, share). The wheel's window takes its Qt from the package PyQt6-Qt6; the tarball has it inside.
Neither holds a library of PyTorch or NVIDIA. Libraries of glibc and GCC are the system's.
"""
import argparse
import base64
import functools
import gzip
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import types
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
QT = "PyQt6-Qt6"
# What every system with glibc has. These are never copied.
SYSTEM = re.compile(r"(ld-linux-x86-64|lib(c|m|dl|rt|pthread|resolv|util|stdc\+\+|gcc_s))\.so\.\d+$")
QT_LIBRARY = re.compile(r"libQt6\w+\.so\.6$")
TORCH = re.compile(r"lib(torch|c10)\w*\.so$|libcud|libmpi")
# Plugins of Qt that the window uses; their libraries are copied where they are not Qt's.
PLUGINS = ("platforms/libqxcb.so", "platforms/libqoffscreen.so", "platforms/libqwayland.so", "platforms/libqwayland-generic.so",
           "xcbglintegrations", "wayland-shell-integration", "wayland-decoration-client", "wayland-graphics-integration-client",
           "iconengines", "imageformats/libqsvg.so", "platforminputcontexts")
# Packages of what is compiled into the programs, for their licences.
COMPILED_IN = ("libutf8proc-dev", "libpcre2-dev", "zlib1g-dev", "libfmt-dev", "nlohmann-json3-dev", "libcli11-dev", "fonts-dejavu-core")
BILL = pathlib.Path("share", "doc", "peakscope", "peakscope.cdx.json")
SUMMARY = "See where the memory of a training step goes: every byte by component, module, operator and line"


def run(*command):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True).stdout


def needed(library):
    return re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "-d", library))


def is_elf(path):
    if path.is_symlink() or not path.is_file():
        return False
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


@functools.cache
def system_libraries():
    """name -> path, of the loader's cache for this processor."""
    lines = re.findall(r"^\s+(\S+) \(([^)]*)\) => (\S+)$", run("/sbin/ldconfig", "-p"), re.MULTILINE)
    return {name: pathlib.Path(path) for name, kind, path in reversed(lines) if "x86-64" in kind}


def newest(library, word):
    """The newest version of glibc ("GLIBC") or libstdc++ ("GLIBCXX") that a file needs, as a tuple."""
    found = re.findall(rf"\b{word}_(\d[\d.]*)", run("readelf", "-V", "-W", library).split("version definition")[-1])
    return max((tuple(map(int, each.split("."))) for each in found), default=(0,))


def fetch_qt(folder):
    """The newest PyQt6-Qt6, unpacked."""
    place = folder / "PyQt6" / "Qt6"
    if not (place / "lib" / "libQt6Widgets.so.6").is_file():
        with tempfile.TemporaryDirectory() as scratch:
            run(sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--no-deps", "--only-binary", ":all:", "-d", scratch, QT)
            with zipfile.ZipFile(next(pathlib.Path(scratch).glob("*.whl"))) as archive:
                archive.extractall(folder)
    return place


def plugins(qt):
    for name in PLUGINS:
        path = qt / "plugins" / name
        yield from sorted(path.glob("*.so")) if path.is_dir() else [path] if path.is_file() else []


def closure(start, folders):
    """name -> path of all libraries that the files need and the folders or the system have, but the system's own."""
    found, waiting = {}, list(start)
    while waiting:
        for name in needed(waiting.pop()):
            if name in found or SYSTEM.match(name) or TORCH.match(name):
                continue
            path = next((folder / name for folder in folders if (folder / name).is_file()), system_libraries().get(name))
            if path is None:
                raise SystemExit(f"peakscope: {name} is needed and is not on this system")
            found[name] = path
            waiting.append(path)
    return found


def copyright_of(library):
    """The distribution's package of a library and the file with its terms."""
    owner = subprocess.run(["dpkg", "-S", str(library)], capture_output=True, text=True, check=False).stdout
    if not owner:  # merged /usr
        owner = subprocess.run(["dpkg", "-S", str(library.resolve())], capture_output=True, text=True, check=False).stdout
    if not owner and library.resolve().is_relative_to("/usr"):
        owner = run("dpkg", "-S", str(library.resolve())[4:])
    package = owner.split(":")[0]
    return package, pathlib.Path("/usr/share/doc", package, "copyright")


def gather_libraries(tree, qt):
    """Copies what the window and the modules need, and tells each file where to look for it. Returns the licences by package."""
    window = tree / "bin" / "peakscope"
    modules = sorted((tree / "lib" / "peakscope").glob("*.so"))
    qt_files = [*plugins(qt)]
    libraries = closure([window, *modules, *qt_files], [qt / "lib"])
    own = {name: path for name, path in libraries.items() if not path.is_relative_to(qt)}
    licences = {"peakscope": ROOT / "LICENSE", "Qt": next(qt.parents[1].glob("*.dist-info/LICENSE"))}
    licences |= {package: pathlib.Path("/usr/share/doc", package, "copyright") for package in COMPILED_IN}
    (tree / "lib").mkdir(exist_ok=True)
    for name, path in own.items():
        copy = tree / "lib" / name
        shutil.copyfile(path.resolve(), copy)
        copy.chmod(0o755)
        has_qt = any(QT_LIBRARY.match(each) for each in needed(copy))
        run("patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/../../../PyQt6/Qt6/lib" if has_qt else "$ORIGIN", copy)
        package, text = copyright_of(path)
        licences[package] = text
    # Qt's own libraries look beside themselves and in the system only. What the window has loaded before is taken instead.
    missing = [name for name in sorted(own) if name not in needed(window)]
    run("patchelf", "--set-rpath", "$ORIGIN/../lib:$ORIGIN/../../../PyQt6/Qt6/lib", window)
    for name in missing:  # patchelf takes several at once, and mixes them up
        run("patchelf", "--add-needed", name, window)
    for module in modules:
        run("patchelf", "--set-rpath", "$ORIGIN/..", module)
    # An engine's LibTorch is the user's, which peakscope-cli names in LD_LIBRARY_PATH.
    for file in (*(tree / "bin").glob("peakscope-engine-*"), *(tree / "lib" / "peakscope").glob("*/libpeakscope_cuda.so")):
        run("patchelf", "--remove-rpath", file)
    return licences


def build_probes(tree, torches):
    """The recorder for each PyTorch, with CUDA and without, compiled as packaging/python/peakscope/probe.py does."""
    sys.path.insert(0, str(ROOT / "packaging" / "python"))
    from peakscope import probe

    for root in torches:
        for cuda in (None, "13"):
            torch = types.SimpleNamespace(__version__=torch_release(root), __file__=str(root / "__init__.py"), version=types.SimpleNamespace(cuda=cuda),
                                          compiled_with_cxx11_abi=lambda: True)
            to = tree / "share" / "peakscope" / "python" / "peakscope" / "prebuilt" / probe.prebuilt_name(torch)
            to.parent.mkdir(exist_ok=True)
            run(*probe.command_of(torch, probe.sources_of(torch)[0], to), "-Wl,--build-id=none", "-s")


def symbols(library, kind):
    return {line.split()[-1].split("@")[0] for line in run("nm", "-D", f"--{kind}-only", library).splitlines()}


def check_modules(tree, torches):
    """A CUDA module is linked when it is loaded: what it takes of LibTorch must be there under the same name."""
    for root in torches:
        module = tree / "lib" / "peakscope" / torch_release(root).rpartition(".")[0] / "libpeakscope_cuda.so"
        if not module.is_file():
            sys.exit(f"{module.relative_to(tree)} is missing: it is not built where cuda_runtime_api.h is not found")
        asked = {name for name in symbols(module, "undefined") if re.match(r"_ZNK?(5torch|2at|3c10)", name)}
        for library in ("libtorch_cuda.so", "libtorch_cpu.so", "libc10_cuda.so", "libc10.so"):
            asked -= symbols(root / "lib" / library, "defined")
        if asked:
            sys.exit(f"{module.relative_to(tree)} asks PyTorch {torch_release(root)} for what it does not have: {', '.join(sorted(asked))}")


def torch_release(root):
    text = (root / "include" / "torch" / "headeronly" / "version.h")
    text = text if text.is_file() else root / "include" / "torch" / "csrc" / "api" / "include" / "torch" / "version.h"
    return ".".join(re.findall(r"^#define TORCH_VERSION_(?:MAJOR|MINOR|PATCH) +(\d+)", text.read_text(), re.MULTILINE))


def write_licences(tree, licences):
    folder = tree / "share" / "doc" / "peakscope" / "licences"
    folder.mkdir(parents=True, exist_ok=True)
    for package, text in sorted(licences.items()):
        shutil.copyfile(text, folder / f"{package}.txt")


def bill_of_materials(version, licences, qt_version):
    """What is inside, as CycloneDX 1.5: each package of the distribution with its version, and Qt."""
    def component(name, release, **more):
        return {"type": "library", "name": name, "version": release,
                "licenses": [{"license": {"name": f"share/doc/peakscope/licences/{name}.txt"}}], **more}

    packages = sorted(licences.keys() - {"peakscope", "Qt"})
    releases = {name: run("dpkg-query", "-W", "-f", "${Version}", name) for name in packages}
    parts = [component(name, releases[name], purl=f"pkg:deb/debian/{name}@{releases[name]}") for name in packages]
    parts.append(component("Qt", qt_version, purl=f"pkg:pypi/{QT.lower()}@{qt_version}"))
    whole = component("peakscope", version) | {"type": "application", "licenses": [{"license": {"id": "GPL-3.0-or-later"}}]}
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    return {"bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1, "metadata": {"timestamp": when, "component": whole}, "components": parts}


def tag_of(files):
    """The oldest manylinux that all files run on. GCC 11's libstdc++ is the newest that glibc 2.34's systems have (RHEL 9)."""
    glibc = max(newest(file, "GLIBC") for file in files)
    too_new = [f"{file.name}: GLIBCXX {newest(file, 'GLIBCXX')}" for file in files if newest(file, "GLIBCXX") > (3, 4, 29)]
    if too_new:
        raise SystemExit("peakscope: needs a newer libstdc++ than GCC 11's: " + ", ".join(too_new))
    return f"manylinux_{glibc[0]}_{max(glibc[1], 28)}_x86_64"


def files_of(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts)


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def write_wheel(tree, version, tag, out):
    name = f"peakscope-{version}-py3-none-{tag}.whl"
    info = f"peakscope-{version}.dist-info"
    package = tree / "share" / "peakscope" / "python" / "peakscope"
    members = {f"peakscope/{path.relative_to(package)}": path for path in files_of(package)}
    members |= {f"peakscope/tree/{path.relative_to(tree)}": path for path in files_of(tree)}
    metadata = [
        "Metadata-Version: 2.4", "Name: peakscope", f"Version: {version}", f"Summary: {SUMMARY}", "License-Expression: GPL-3.0-or-later",
        "Requires-Python: >=3.10", f"Requires-Dist: {QT}>=6.4", "Provides-Extra: engine", "Requires-Dist: torch>=2.10; extra == 'engine'",
        "License-File: LICENSE", "Description-Content-Type: text/markdown", "", (ROOT / "README.md").read_text(encoding="utf-8")]
    texts = {
        f"{info}/METADATA": "\n".join(metadata),
        f"{info}/WHEEL": f"Wheel-Version: 1.0\nGenerator: peakscope\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n",
        f"{info}/entry_points.txt": "[console_scripts]\npeakscope = peakscope.commands:window\npeakscope-cli = peakscope.commands:command_line\n",
        f"{info}/sboms/peakscope.cdx.json": (tree / BILL).read_text(encoding="utf-8"),  # PEP 770
        f"{info}/licenses/LICENSE": (ROOT / "LICENSE").read_text(encoding="utf-8"),
    }
    record = []
    out.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(out / name, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for member, content in sorted({**members, **texts}.items()):
            data = content.encode() if isinstance(content, str) else content.read_bytes()
            mode = 0o644 if isinstance(content, str) or not os.access(content, os.X_OK) else 0o755
            record.append(f"{member},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}")
            add(archive, member, data, mode)
        add(archive, f"{info}/RECORD", ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode(), 0o644)
    return out / name


def add(archive, member, data, mode):
    entry = zipfile.ZipInfo(member, (1980, 1, 1, 0, 0, 0))
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = (0o100000 | mode) << 16
    archive.writestr(entry, data, compresslevel=9)


def write_tarball(tree, qt, version, out):
    """The same tree with the Qt libraries inside, which the programs find beside the others."""
    top = f"peakscope-{version}-linux-x86_64"
    wanted = closure([tree / "bin" / "peakscope", *plugins(qt)], [qt / "lib", tree / "lib"])
    members = {path.relative_to(tree): path for path in files_of(tree)}
    members |= {pathlib.Path("lib", name): path for name, path in wanted.items() if path.is_relative_to(qt)}
    members |= {pathlib.Path("plugins", path.relative_to(qt / "plugins")): path for path in plugins(qt)}
    with tempfile.TemporaryDirectory() as scratch:
        conf = pathlib.Path(scratch, "qt.conf")
        conf.write_text("[Paths]\nPrefix=..\n")
        members[pathlib.Path("bin/qt.conf")] = conf
        file = out / f"{top}.tar.gz"
        with open(file, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as packed, \
                tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
            for member, path in sorted(members.items()):
                entry = tarfile.TarInfo(f"{top}/{member}")
                entry.size, entry.mtime = path.stat().st_size, epoch()
                entry.mode = 0o755 if os.access(path, os.X_OK) else 0o644
                with open(path, "rb") as content:
                    archive.addfile(entry, content)
    return file


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--stage", type=pathlib.Path, required=True, help="the installed programs")
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--deps", type=pathlib.Path, default=ROOT / ".deps", help="where Qt is kept")
    parser.add_argument("--torch", type=pathlib.Path, action="append", default=[], help="a torch folder to build the recorder for")
    given = parser.parse_args()
    version = re.search(r"project\(Peakscope VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)
    qt = fetch_qt(given.deps / "qt")
    with tempfile.TemporaryDirectory() as scratch:
        tree = pathlib.Path(scratch, "tree")
        shutil.copytree(given.stage, tree, symlinks=True, ignore=shutil.ignore_patterns("__pycache__"))
        check_modules(tree, given.torch)
        build_probes(tree, given.torch)
        base = [path for path in files_of(tree) if is_elf(path) and path != tree / "bin" / "peakscope"
                and path.name != "peakscope_sentencepiece.so" and "dry" not in path.parts]
        tag = tag_of([*base, *(path for path in files_of(tree / "lib" / "peakscope" / "dry") if is_elf(path))])
        licences = gather_libraries(tree, qt)
        write_licences(tree, licences)
        bill = bill_of_materials(version, licences, re.search(r"-([\d.]+)\.dist-info", str(next(qt.parents[1].glob("*.dist-info")))).group(1))
        (tree / BILL).write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
        window = [tree / "bin" / "peakscope", *(path for path in files_of(tree / "lib") if is_elf(path)), *(qt / "lib").glob("libQt6*.so.6")]
        glibc = max(newest(file, "GLIBC") for file in window)
        (tree / "share" / "peakscope" / "window-glibc").write_text(".".join(map(str, glibc)) + "\n")
        (tree / "bin" / "qt.conf").write_text("[Paths]\nPrefix=../../../PyQt6/Qt6\n")
        made = [write_wheel(tree, version, tag, given.out), write_tarball(tree, qt, version, given.out)]
    sums = "".join(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.name}\n" for file in made)
    (given.out / "SHA256SUMS").write_text(sums)
    for file in made:
        print(f"peakscope: {file} ({file.stat().st_size / 1e6:.1f} MB)")
    print(f"peakscope: the window needs glibc {'.'.join(map(str, glibc))}, all else {tag.split('_')[1]}.{tag.split('_')[2]}")


if __name__ == "__main__":
    main()
