#!/usr/bin/env python3
# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Tries the wheel and the tarball of packaging/release in minimal roots: nothing but the base system of a release, without a compiler.

    minimal_roots.py DIST [--release bookworm,trixie] [--torch 2.15.0] [--keep FOLDER]

Needs root, mmdebstrap, and pip's index. Each root is made once and kept. Prints what was tried with its seconds, and exits with 1 if
something failed. DIST holds the files that packaging/release wrote.
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SAMPLE = ROOT / "resources" / "samples" / "memory.json"


# The two of CUDA's libraries that PyTorch 2.15's CPU half is linked to; all of them would be 3 GB.
COMPANIONS = ("nvidia-cuda-runtime==13.2.*", "nvidia-cuda-cupti==13.2.*")


class Failed(Exception):
    """With the last lines of what was tried."""


def make_root(folder, release, packages):
    if not (folder / "bin" / "sh").exists():
        folder.parent.mkdir(parents=True, exist_ok=True)
        subprocess.run(["mmdebstrap", "--variant=minbase", f"--include={','.join(packages)}", release, str(folder)], check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return folder


class Root:
    def __init__(self, folder):
        self.folder = folder

    def bring(self, path):
        shutil.copy(path, self.folder / "tmp")
        return f"/tmp/{path.name}"

    def run(self, command, status=0):
        """Runs a shell command inside, with the processes of the outer system. Returns output and seconds."""
        begun = time.monotonic()
        enter = 'mount -t proc proc "$0/proc" && exec chroot "$0" /bin/sh -c "$1"'
        done = subprocess.run(["unshare", "--mount", "/bin/sh", "-c", enter, str(self.folder), command], capture_output=True, text=True,
                              check=False, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"})
        seconds = time.monotonic() - begun
        if done.returncode != status:
            raise Failed(f"{command}\n  status {done.returncode} instead of {status}: {(done.stdout + done.stderr).strip()[-600:]}")
        return done.stdout + done.stderr, seconds


def try_tarball(root, tarball):
    path = root.bring(tarball)
    name = tarball.name.removesuffix(".tar.gz")
    _, unpacked = root.run(f"cd /opt && rm -rf {name} && tar xzf {path}")
    programs = f"/opt/{name}/bin"
    root.run(f"{programs}/peakscope-cli --version")
    root.bring(ROOT / "resources" / "samples" / "memory_result.json")
    _, drawn = root.run(f"{programs}/peakscope export /tmp/memory_result.json --figure memory_timeline --out /tmp/timeline.svg")
    _, shown = root.run(f"{programs}/peakscope --screenshot /tmp/window.png --page run /tmp/memory_result.json")
    yield f"tarball: unpacked {unpacked:.1f} s, figure {drawn:.1f} s, picture of the window {shown:.1f} s"
    root.bring(SAMPLE)
    said, _ = root.run(f"{programs}/peakscope-cli run /tmp/memory.json --out /tmp/x.json", status=2)
    yield f"tarball without PyTorch: {said.strip().splitlines()[-1]}"


def install_torch(root, wheels):
    """PyTorch from outside, so that the root needs no network."""
    root.run("test -x /opt/venv/bin/python || python3 -m venv /opt/venv")
    python = root.run("/opt/venv/bin/python -c \"import sys; print('%d.%d' % sys.version_info[:2])\"")[0].strip()
    target = root.folder / "opt" / "venv" / "lib" / f"python{python}" / "site-packages"
    if not list(target.glob("nvidia_cuda_cupti*")):
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps", "--only-binary", ":all:",
                        "--python-version", python, "--target", str(target), "--upgrade", *wheels], check=True)
    return target


def try_wheel(root, wheel, torch):
    path = root.bring(wheel)
    needs = ["PyQt6-Qt6"]
    if torch:
        needs += [f"torch=={torch}", *COMPANIONS, "typing_extensions", "filelock", "sympy", "mpmath", "networkx", "jinja2", "MarkupSafe", "fsspec", "numpy",
                  "setuptools"]
    install_torch(root, needs)
    begun = time.monotonic()
    root.run(f"/opt/venv/bin/pip install -q --no-deps --force-reinstall {path}")
    root.bring(SAMPLE)
    said, _ = root.run("/opt/venv/bin/peakscope-cli check-install; true")
    yield "wheel: check-install\n    " + said.strip().replace("\n", "\n    ")
    root.run("/opt/venv/bin/peakscope-cli run /tmp/memory.json --out /tmp/run.json")
    root.run("/opt/venv/bin/peakscope export /tmp/run.json --figure memory_timeline --out /tmp/first.svg")
    yield f"wheel: from its file to the first picture of an own run {time.monotonic() - begun:.1f} s"
    (root.folder / "tmp" / "train.py").write_text(PROGRAM)
    root.run("rm -rf /opt/venv/lib/python3*/site-packages/nvidia")  # record needs none of CUDA's libraries
    said, seconds = root.run("/opt/venv/bin/peakscope-cli record --out /tmp/rec.json -- /opt/venv/bin/python /tmp/train.py")
    if "compiling" in said:
        raise Failed("the recorder was compiled, though the wheel has one")
    yield f"wheel: record {seconds:.1f} s without a compiler"
    if torch:
        _, seconds = root.run("/opt/venv/bin/peakscope-cli record --device dry:rtx-4090 --out /tmp/dry.json -- /opt/venv/bin/python /tmp/train.py")
        yield f"wheel: dry run {seconds:.1f} s"


PROGRAM = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.ReLU(), torch.nn.Linear(256, 8))
device = "cuda" if torch.cuda.is_available() else "cpu"
model.to(device)
optimizer = torch.optim.AdamW(model.parameters())
for _ in range(3):
    loss = model(torch.randn(32, 64, device=device)).square().mean()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dist", type=pathlib.Path)
    parser.add_argument("--release", default="bookworm,trixie")
    parser.add_argument("--torch", default="2.15.0")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("/var/tmp/peakscope-roots"), help="where the roots are made")
    given = parser.parse_args()
    if not shutil.which("mmdebstrap"):
        parser.error("mmdebstrap makes the roots: apt-get install mmdebstrap")
    files = [next(given.dist.glob(pattern), None) for pattern in ("*.tar.gz", "*.whl")]
    if None in files:
        parser.error(f"{given.dist} has not both files of a release: packaging/release writes them")
    tarball, wheel = files
    failed = False
    for release in given.release.split(","):
        try:
            for line in try_tarball(Root(make_root(given.keep / f"{release}-bare", release, ["tar", "gzip"])), tarball):
                print(f"{release}: {line}", flush=True)
            for line in try_wheel(Root(make_root(given.keep / f"{release}-python", release, ["python3-venv", "python3-pip"])), wheel, given.torch):
                print(f"{release}: {line}", flush=True)
        except (Failed, subprocess.CalledProcessError) as problem:
            failed = True
            print(f"{release}: failed: {problem}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
