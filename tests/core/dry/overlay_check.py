# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""Holds what a program sees through the overlay of a dry run against what it sees without.

    python overlay_check.py LIBRARY [FOLDER]

LIBRARY has the overlay, and nothing else of a stand-in (which takes itself out of the environment of what it starts):
    cc -std=gnu11 -O2 -shared -fPIC -o overlay.so core/dry/stand_in/overlay*.c -ldl -lpthread
The program below runs twice in folders that hold the same files, plainly and with the
overlay. What it saw must be equal, and the folder under the overlay must be left as it was: names, bytes, modes and times.
numpy and pyarrow have their part where Python has them. Leaves with 0 if all is well.

    python overlay_check.py --time FOLDER

prints what 40,000 stats take, before anything is written and after."""
import errno, filecmp, glob, json, multiprocessing, os, pathlib, shutil, stat, subprocess, sys, tempfile, threading, time

OPERATIONS = []


def operation(function):
    OPERATIONS.append(function)
    return function


def text(path):
    with open(path) as file:
        return file.read()


def put(path, what, mode="w"):
    with open(path, mode) as file:
        return file.write(what)


def tree(folder):
    found = []
    for at, folders, files in os.walk(folder):
        found += [os.path.relpath(os.path.join(at, name), folder) + "/" for name in folders]
        found += [os.path.relpath(os.path.join(at, name), folder) for name in files]
    return sorted(found)


def failure(function, *args, **keys):
    try:
        return ["done", function(*args, **keys)]
    except OSError as error:
        return [type(error).__name__, errno.errorcode.get(error.errno)]


# ---- files


@operation
def reads_before_anything():
    return [text("plain.txt"), sorted(os.listdir(".")), os.path.getsize("data/one.bin")]


@operation
def makes_a_file():
    return [put("new.txt", "new"), text("new.txt"), os.path.exists("new.txt"), sorted(os.listdir("."))]


@operation
def truncates_a_file():
    return [put("plain.txt", "shorter"), text("plain.txt"), oct(os.stat("plain.txt").st_mode)]


@operation
def appends_to_a_file():
    return [put("log.txt", "more\n", "a"), text("log.txt"), os.path.getsize("log.txt")]


@operation
def changes_in_place():
    with open("data/one.bin", "r+b") as file:
        file.seek(3)
        file.write(b"XYZ")
    with open("data/one.bin", "rb") as file:
        return file.read(16).hex()


@operation
def alone_where_one_is():
    return [failure(open, "data/two.bin", "x"), failure(open, "new.txt", "x"), failure(put, "alone.txt", "a", "x")]


@operation
def opens_what_is_not_there():
    return [failure(open, "nowhere"), failure(open, "nowhere/x", "w"), failure(open, "nowhere", "r+"),
            failure(open, "data", "w"), failure(open, "plain.txt/x", "w"), failure(open, "plain.txt/")]


@operation
def modes_of_open():
    fd = os.open("by_fd.bin", os.O_RDWR | os.O_CREAT, 0o640)
    os.write(fd, b"0123456789")
    os.ftruncate(fd, 4)
    os.lseek(fd, 0, 0)
    got = os.read(fd, 100)
    os.pwrite(fd, b"end", 8192)
    size = os.fstat(fd).st_size
    os.close(fd)
    return [got.decode(), size, oct(os.stat("by_fd.bin").st_mode), os.stat("by_fd.bin").st_size]


@operation
def deletes():
    os.remove("deleted.txt")
    os.unlink("new.txt")
    return [os.path.exists("deleted.txt"), failure(os.remove, "deleted.txt"), failure(open, "deleted.txt"),
            failure(os.stat, "new.txt"), failure(os.remove, "data"), sorted(os.listdir("."))]


@operation
def makes_anew_what_was_deleted():
    return [failure(open, "deleted.txt", "r+"), failure(open, "deleted.txt", "a") and None, put("deleted.txt", "back"),
            text("deleted.txt"), "deleted.txt" in os.listdir(".")]


@operation
def replaces_a_file():
    put("fresh.tmp", "fresh")
    os.replace("fresh.tmp", "replaced.txt")
    return [text("replaced.txt"), os.path.exists("fresh.tmp")]


@operation
def replaces_by_a_file_of_the_users():
    os.rename("data/two.bin", "data/renamed.bin")
    return [os.path.exists("data/two.bin"), os.path.getsize("data/renamed.bin"), sorted(os.listdir("data")),
            int(os.stat("data/renamed.bin").st_mtime)]


@operation
def renames_that_fail():
    os.mkdir("hollow")
    return [failure(os.rename, "nowhere", "x"), failure(os.rename, "plain.txt", "data"), failure(os.rename, "data", "plain.txt"),
            failure(os.rename, "hollow", "data"), failure(os.rename, "data", "data/inner"), failure(os.rename, "plain.txt", "no/x"),
            os.rename("plain.txt", "plain.txt"), os.rmdir("hollow")]


@operation
def truncates_by_path():
    os.truncate("long.txt", 5)
    return text("long.txt")


@operation
def modes_and_times():
    os.chmod("mode.txt", 0o600)
    os.utime("times.txt", (1000, 2000))
    os.utime("data", (3000, 4000))
    return [oct(os.stat("mode.txt").st_mode), os.stat("times.txt").st_mtime, text("mode.txt"), text("times.txt"),
            os.stat("data").st_mtime, oct(os.stat("data").st_mode)]


@operation
def changes_by_open_file():
    fd = os.open("fd_mode.txt", os.O_RDONLY)
    os.fchmod(fd, 0o604)
    os.utime(fd, (5000, 6000))
    os.close(fd)
    return [oct(os.stat("fd_mode.txt").st_mode), os.stat("fd_mode.txt").st_mtime]


@operation
def accesses():
    return [os.access("plain.txt", os.W_OK), os.access("nowhere", os.F_OK), os.access("tool.sh", os.X_OK),
            os.access("data", os.R_OK, follow_symlinks=False), os.access("mode.txt", os.R_OK, effective_ids=True)]


@operation
def stays_in_place():
    return [stat.S_ISREG(os.lstat("plain.txt").st_mode), os.stat("log.txt").st_nlink, os.statvfs("plain.txt").f_namemax,
            os.path.samefile("plain.txt", os.path.abspath("plain.txt")), filecmp.cmp("plain.txt", "plain.txt", False)]


# ---- folders


@operation
def makes_folders():
    os.makedirs("out/run/checkpoint-1")
    os.makedirs("out/run/checkpoint-1", exist_ok=True)
    put("out/run/checkpoint-1/state.json", "{}")
    return [failure(os.mkdir, "out"), failure(os.mkdir, "data"), failure(os.mkdir, "plain.txt"), failure(os.mkdir, "no/where"),
            failure(os.makedirs, "plain.txt/x"), failure(os.mkdir, "data/"), os.mkdir("slashed/"), tree("out"),
            failure(os.mkdir, "plain.txt/x")]


@operation
def walks():
    return [tree("."), sorted(glob.glob("**/*.json", recursive=True)), sorted(glob.glob("data/*")),
            sorted(str(path) for path in pathlib.Path(".").rglob("*.bin"))]


@operation
def scans():
    seen = []
    with os.scandir(".") as entries:
        for entry in entries:
            seen.append([entry.name, entry.is_dir(), entry.is_file(), entry.is_symlink(),
                         entry.stat().st_size if entry.is_file() else 0])
    return sorted(seen)


@operation
def removes_a_folder_of_the_users():
    before = tree("old")
    shutil.rmtree("old")
    return [before, os.path.exists("old"), failure(os.listdir, "old"), failure(os.rmdir, "old"), failure(open, "old/a", "w"),
            failure(open, "old/deep/x"), "old" in os.listdir(".")]


@operation
def makes_a_folder_anew():
    os.mkdir("old")
    first = os.listdir("old")
    put("old/only.txt", "1")
    return [first, os.listdir("old"), os.path.exists("old/a"), failure(open, "old/deep/x"), os.makedirs("old/deep"),
            os.listdir("old/deep")]


@operation
def removes_folders():
    return [failure(os.rmdir, "data"), failure(os.rmdir, "plain.txt"), os.rmdir("empty"), failure(os.rmdir, "nowhere"),
            os.path.exists("empty"), os.removedirs("chain/of/folders"), os.path.exists("chain")]


@operation
def renames_a_folder_of_the_users():
    put("moved/added.txt", "x")
    os.remove("moved/gone.txt")
    os.rename("moved", "out/there")
    return [os.path.exists("moved"), tree("out/there"), text("out/there/deep/er.txt"), text("out/there/added.txt"),
            os.mkdir("moved"), os.listdir("moved")]


@operation
def renames_a_folder_of_its_own():
    os.makedirs("tmp-checkpoint/inner")
    put("tmp-checkpoint/inner/x", "x")
    os.rename("tmp-checkpoint", "checkpoint-2")
    os.mkdir("over_this")
    os.rename("checkpoint-2", "over_this")
    return [tree("over_this"), os.path.exists("checkpoint-2"), failure(os.rename, "over_this", "data")]


@operation
def rotates_checkpoints():
    for step in range(6):
        os.makedirs(f"rotated/checkpoint-{step}")
        put(f"rotated/checkpoint-{step}/model", "m" * step)
        found = sorted(pathlib.Path("rotated").glob("checkpoint-*"))
        for old in found[:-2]:
            shutil.rmtree(old)
    return tree("rotated")


@operation
def copies_and_moves():
    shutil.copy("plain.txt", "copied.txt")
    shutil.copy2("times.txt", "copied2.txt")
    shutil.copytree("copied_tree", "tree_of_copies")
    shutil.move("tree_of_copies/a", "moved_a")
    shutil.move("copied_tree/deep", "moved_deep")
    shutil.copytree("copied_tree", "tree_of_copies", dirs_exist_ok=True)
    return [text("copied.txt"), os.stat("copied2.txt").st_mtime, tree("tree_of_copies"), tree("copied_tree"), text("moved_a"),
            tree("moved_deep")]


@operation
def folders_by_descriptor():
    fd = os.open("data", os.O_RDONLY | os.O_DIRECTORY)
    made = os.open("by_dir.txt", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=fd)
    os.write(made, b"dir")
    os.close(made)
    os.mkdir("in_dir", dir_fd=fd)
    os.rename("by_dir.txt", "in_dir/x.txt", src_dir_fd=fd, dst_dir_fd=fd)
    os.symlink("in_dir", "to_dir", dir_fd=fd)
    os.unlink("three.bin", dir_fd=fd)
    seen = [sorted(os.listdir(fd)), os.stat("in_dir/x.txt", dir_fd=fd).st_size, os.readlink("to_dir", dir_fd=fd),
            failure(os.stat, "three.bin", dir_fd=fd), os.access("renamed.bin", os.R_OK, dir_fd=fd)]
    os.utime("in_dir", (1, 2), dir_fd=fd)
    os.chmod("in_dir/x.txt", 0o600, dir_fd=fd)
    os.link("in_dir/x.txt", "linked.txt", src_dir_fd=fd, dst_dir_fd=fd)
    os.close(fd)
    return seen + [os.stat("data/in_dir").st_mtime, text("data/linked.txt"), failure(os.stat, "x", dir_fd=fd)]


@operation
def a_folder_opened_before():
    os.mkdir("opened")
    fd = os.open("untouched", os.O_RDONLY)
    put("untouched/more", "1")
    os.remove("untouched/a")
    names = sorted(os.listdir(fd))
    with os.scandir(fd) as entries:
        scanned = sorted(entry.name for entry in entries)
    os.close(fd)
    return [names, scanned]


@operation
def changes_folder():
    here = os.getcwd()
    os.makedirs("only/here")
    os.chdir("only/here")
    put("x.txt", "x")
    seen = [os.path.relpath(os.getcwd(), here), os.listdir("."), os.path.relpath(os.path.abspath("x.txt"), here),
            sorted(os.listdir("../..")) == sorted(os.listdir(here)), os.path.relpath(os.path.realpath("."), here)]
    os.chdir("../../data")
    put("from_data.txt", "y")
    seen += [os.path.relpath(os.getcwd(), here), sorted(os.listdir("."))]
    fd = os.open(os.path.join(here, "only"), os.O_RDONLY)
    os.fchdir(fd)
    os.close(fd)
    seen += [os.path.relpath(os.getcwd(), here), os.listdir("."), os.path.exists("here/x.txt"), text("../data/from_data.txt")]
    os.chdir(here)
    return seen + [failure(os.chdir, "nowhere"), failure(os.chdir, "plain.txt"), failure(os.chdir, "old/a")]


# ---- links


@operation
def links():
    os.symlink("data", "to_data")
    os.symlink(os.path.abspath("plain.txt"), "to_plain")
    put("to_data/through.txt", "t")
    put("to_plain", "through the link")
    os.symlink("nowhere_yet", "dangling")
    seen = [os.path.exists("dangling"), os.path.lexists("dangling")]
    put("dangling", "made")
    return seen + [text("data/through.txt"), text("plain.txt"), text("nowhere_yet"), os.path.islink("to_data"),
                   os.readlink("to_data"), failure(os.symlink, "x", "plain.txt"), failure(os.readlink, "plain.txt"),
                   os.path.relpath(os.path.realpath("to_data/through.txt")), failure(os.rmdir, "to_data")]


@operation
def links_of_the_users():
    put("user_link/via_link.txt", "v")
    put("user_file_link", "changed")
    seen = [text("linked_to/via_link.txt"), text("target.txt"), os.path.islink("user_file_link"), sorted(os.listdir("user_link"))]
    os.remove("user_link")
    os.symlink("data", "user_link")
    return seen + [os.readlink("user_link"), sorted(os.listdir("linked_to")), os.path.exists("user_link/renamed.bin"),
                   os.path.relpath(os.path.realpath("user_file_link"))]


@operation
def latest_link():
    for step in (1, 2):
        os.makedirs(f"latest_of/step{step}", exist_ok=True)
        put(f"latest_of/step{step}/w", str(step))
        os.symlink(f"step{step}", "latest_of/latest.tmp")
        os.replace("latest_of/latest.tmp", "latest_of/latest")
    os.symlink("a", "loop_b"), os.symlink("loop_d", "loop_c"), os.symlink("loop_c", "loop_d")
    return [text("latest_of/latest/w"), os.readlink("latest_of/latest"), failure(os.stat, "loop_c")]


@operation
def hard_links():
    os.link("log.txt", "log_again.txt")
    put("log_again.txt", "one more\n", "a")
    return [text("log.txt") == text("log_again.txt"), os.stat("log.txt").st_nlink, failure(os.link, "log.txt", "plain.txt"),
            failure(os.link, "nowhere", "x")]


# ---- what libraries do


@operation
def pathlib_does():
    path = pathlib.Path("paths/deep")
    path.mkdir(parents=True)
    (path / "a.txt").write_text("a")
    (path / "a.txt").rename(path / "b.txt")
    (path / "b.txt").touch()
    (path / "c.txt").touch()
    (path / "c.txt").unlink()
    return [sorted(p.name for p in path.iterdir()), (path / "b.txt").read_text(), path.is_dir(), path.resolve().name,
            (path / "../deep/./b.txt").exists()]


@operation
def temporary_files():
    with tempfile.TemporaryDirectory() as folder:
        put(os.path.join(folder, "x"), "x")
        seen = [os.listdir(folder), subprocess.run(["/bin/cat", os.path.join(folder, "x")], capture_output=True).stdout.decode()]
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write("seen")
        file.flush()
        seen += [text(file.name), subprocess.run(["/bin/cat", file.name], capture_output=True).stdout.decode()]
    with tempfile.TemporaryFile() as file:
        seen.append(file.write(b"1"))
    with tempfile.NamedTemporaryFile("w", dir=".", delete=False) as file:
        file.write("atomic")
    os.replace(file.name, "atomic.txt")
    made = tempfile.mkdtemp()
    put(os.path.join(made, "m"), "m")
    shutil.move(made, "from_temporary")
    fd, name = tempfile.mkstemp()
    os.write(fd, b"stemp")
    os.close(fd)
    shutil.move(name, "data/from_stemp")
    with tempfile.TemporaryDirectory(dir="out") as folder:
        put(os.path.join(folder, "x"), "x")
        seen.append(tree(folder))
    return seen + [os.path.exists(folder), text("atomic.txt"), tree("from_temporary"), text("data/from_stemp"), os.path.exists(made)]


@operation
def caches_are_real():
    folder = os.path.join(os.environ["XDG_CACHE_HOME"], "kernels")
    os.makedirs(folder, exist_ok=True)
    put(os.path.join(folder, "k.tmp"), "k")
    os.replace(os.path.join(folder, "k.tmp"), os.path.join(folder, "k"))
    return subprocess.run(["/bin/cat", os.path.join(folder, "k")], capture_output=True, env={}).stdout.decode()


@operation
def devices():
    put("/dev/null", "x")
    return [subprocess.run(["/bin/sh", "-c", "echo said"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode(),
            os.path.exists("/proc/self/status"), os.path.basename(os.readlink("/proc/self/cwd"))]


@operation
def numpy_saves():
    try:
        import numpy
    except ImportError:
        return None
    numpy.save("array.npy", numpy.arange(10))
    numpy.savez("arrays.npz", a=numpy.zeros(100000), b=numpy.ones(3))
    mapped = numpy.lib.format.open_memmap("mapped.npy", mode="w+", dtype="f4", shape=(1000,))
    mapped[:] = 2
    mapped.flush()
    numpy.arange(5).tofile("raw.bin")
    return [numpy.load("array.npy").tolist(), float(numpy.load("arrays.npz")["b"].sum()), float(numpy.load("mapped.npy").sum()),
            numpy.fromfile("raw.bin", dtype=int).tolist(), os.path.getsize("arrays.npz"),
            float(numpy.load("mapped.npy", mmap_mode="r+")[3])]


@operation
def arrow_saves():
    try:
        import pyarrow, pyarrow.fs, pyarrow.parquet
    except ImportError:
        return None
    table = pyarrow.table({"a": [1, 2, 3]})
    pyarrow.parquet.write_table(table, "out/table.parquet")
    local = pyarrow.fs.LocalFileSystem()
    local.create_dir("out/arrow/deep")
    local.move("out/table.parquet", "out/arrow/deep/t.parquet")
    seen = sorted(os.path.basename(info.path) for info in local.get_file_info(pyarrow.fs.FileSelector("out/arrow", recursive=True)))
    local.delete_dir("out/arrow/deep")
    return [seen, os.listdir("out/arrow")]


CHILD = """import os, sys
print(open("out/run/checkpoint-1/state.json").read(), os.path.exists("old/a"), sorted(os.listdir("old")))
open("out/by_child.txt", "w").write("child")
os.remove("childs.txt")
"""


@operation
def another_python():
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True)
    inside = subprocess.run([sys.executable, "-c", "import os; print(os.path.basename(os.getcwd()), os.listdir('.'))"],
                            capture_output=True, text=True, cwd="only/here")
    put("script.py", "print('script', __name__)")
    ran = subprocess.run([sys.executable, "script.py"], capture_output=True, text=True)
    put("script.sh", "#!/bin/sh\necho shell\n")
    os.chmod("script.sh", 0o755)
    return [done.stdout, done.stderr, text("out/by_child.txt"), os.path.exists("childs.txt"), inside.stdout, ran.stdout,
            subprocess.run(["./script.sh"], capture_output=True, text=True).stdout]


def work(number):
    put(f"out/worker-{number}.txt", str(number))
    return [number, text("plain.txt"), os.path.exists("deleted.txt")]


@operation
def other_processes():
    seen = []
    for method in ("spawn", "fork"):
        with multiprocessing.get_context(method).Pool(2) as pool:
            seen.append(pool.map(work, range(4)))
    return seen + [sorted(name for name in os.listdir("out") if name.startswith("worker"))]


@operation
def threads():
    def make(number):
        for i in range(30):
            os.makedirs(f"threads/{i}", exist_ok=True)
            put(f"threads/{i}/{number}", "x")
            if number % 2:
                os.remove(f"threads/{i}/{number}")

    running = [threading.Thread(target=make, args=[number]) for number in range(6)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    return tree("threads")


@operation
def sparse_files():
    zeros = bytes(1 << 20)
    with open("zeros.bin", "wb", buffering=0) as file:
        for part in (zeros, b"x", zeros, b"end", zeros):
            file.write(part)
        at = file.tell()
        file.seek(100)
        file.write(b"mark")
    with open("zeros.bin", "r+b") as file:
        file.seek(0)
        file.write(zeros[:1 << 17])
    with open("zeros.bin", "rb") as file:
        whole = file.read()
    fd = os.open("zeros.bin", os.O_RDWR | os.O_APPEND)
    os.write(fd, zeros)
    os.write(os.dup(fd), b"tail")
    size = os.fstat(fd).st_size
    os.close(fd)
    return [at, len(whole), whole.count(0), whole.index(b"x"), whole.index(b"end"), size, os.path.getsize("zeros.bin")]


@operation
def at_the_end():
    return [tree("."), {name: text(name) for name in sorted(os.listdir(".")) if name.endswith(".txt")}]


# ---- the two runs


def play():
    top = os.path.dirname(os.getcwd())
    for function in OPERATIONS:
        try:
            outcome = function()
        except Exception as error:
            outcome = [type(error).__name__, str(error)]
        print(json.dumps({"operation": function.__name__, "outcome": outcome}).replace(top, "@"), flush=True)


def fill(folder):
    files = ["plain.txt", "log.txt", "deleted.txt", "replaced.txt", "long.txt", "mode.txt", "times.txt", "fd_mode.txt", "tool.sh",
             "childs.txt", "target.txt", "old/a", "old/deep/x", "moved/gone.txt", "moved/stays.txt", "moved/deep/er.txt",
             "copied_tree/a", "copied_tree/deep/b", "untouched/a", "untouched/b", "linked_to/theirs.txt", "model.safetensors"]
    for number, name in enumerate(files):
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        put(path, f"{name} of the user\n" * 3)
        os.utime(path, (1600000000 + number, 1600000000 + number))
    for name in ("data/one.bin", "data/two.bin", "data/three.bin"):
        os.makedirs(os.path.join(folder, "data"), exist_ok=True)
        put(os.path.join(folder, name), bytes(range(256)) * 100, "wb")
        os.utime(os.path.join(folder, name), (1500000000, 1500000000))
    os.chmod(os.path.join(folder, "tool.sh"), 0o755)
    os.makedirs(os.path.join(folder, "empty"))
    os.makedirs(os.path.join(folder, "chain/of/folders"))
    os.symlink("linked_to", os.path.join(folder, "user_link"))
    os.symlink("target.txt", os.path.join(folder, "user_file_link"))


def state(folder):
    found = {}
    for at, folders, files in os.walk(folder):
        for name in ["."] + folders + files:
            path = os.path.join(at, name)
            is_ = os.lstat(path)
            what = os.readlink(path) if stat.S_ISLNK(is_.st_mode) else ""
            if stat.S_ISREG(is_.st_mode):
                with open(path, "rb") as file:
                    what = file.read().hex()
            found[os.path.relpath(path, folder)] = [is_.st_mode, is_.st_mtime_ns, is_.st_ino, what]
    return found


def run_twice(library, top):
    seen, wrong = [], 0
    for way in ("plain", "overlay"):
        folder = os.path.join(top, way, "user")
        os.makedirs(folder)
        os.makedirs(os.path.join(top, way, "cache"))
        fill(folder)
        before = state(folder)
        saves = os.path.join(top, way, "saves")
        os.makedirs(saves)
        put(os.path.join(saves, "sitecustomize.py"), SAVES)
        environment = dict(os.environ, XDG_CACHE_HOME=os.path.join(top, way, "cache"), PYTHONDONTWRITEBYTECODE="1", PYTHONPATH=saves)
        if way == "overlay":
            environment |= {"LD_PRELOAD": library, "PEAKSCOPE_OVERLAY": os.path.join(top, "scratch"), "PEAKSCOPE_OVERLAY_HOME": folder}
        done = subprocess.run([sys.executable, os.path.abspath(__file__), "--play"], cwd=folder, env=environment, text=True,
                              stdout=subprocess.PIPE)
        seen.append(done.stdout.splitlines())
        if done.returncode:
            wrong += 1
            print(f"the run {way} left with {done.returncode}")
        if way == "overlay":
            after = state(folder)
            for name in sorted(before.keys() | after.keys()):
                if before.get(name) != after.get(name):
                    wrong += 1
                    print("changed below:", name)
            zeros = os.path.join(top, "scratch/files", os.path.join(folder, "zeros.bin")[1:])
            if not os.path.exists(zeros) or os.stat(zeros).st_blocks * 512 > os.path.getsize(zeros) / 2:
                wrong += 1
                print("zeros take room")
            if not os.path.exists(os.path.join(top, way, "cache/kernels/k")):
                wrong += 1
                print("the cache is not written for real")
    equal = 0
    for plain, other in zip(*seen):
        if plain == other:
            equal += 1
        else:
            wrong += 1
            print("differs:\n  " + plain + "\n  " + other)
    print(f"{equal} of {len(OPERATIONS)} operations are equal")
    return wrong or equal < len(OPERATIONS)


# What every Python of the program begins with: all of it is a save.
SAVES = """import ctypes
process = ctypes.CDLL(None)
if hasattr(process, "peakscope_saving"):
    process.peakscope_saving(1)
"""

# A program that writes a log beside its saves.
LOGS = """import ctypes, os
process = ctypes.CDLL(None)
def save(path, text):
    process.peakscope_saving(1)
    os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
    open(path, "w").write(text)
    process.peakscope_saving(-1)
save("model/weights", "w")
open("log.txt", "a").write("more")
open("new.txt", "w").write("new")
open("whole.tmp", "w").write("whole"); os.replace("whole.tmp", "whole.json")
open("short", "w").close(); os.remove("short")
os.makedirs("plain/deep"); open("plain/deep/x", "w").write("x"); os.rename("plain/deep/x", "plain/deep/y")
open("model/state.json", "w").write("beside weights")
os.remove("users"); os.rename("other", "moved"); save("users", "anew"); save("plain/weights", "w")
assert sorted(os.listdir(".")) == ["log.txt", "model", "moved", "new.txt", "plain", "users", "whole.json"], os.listdir(".")
assert sorted(os.listdir("model")) == ["state.json", "weights"] and sorted(os.listdir("plain")) == ["deep", "weights"]
assert open("users").read() == "anew" and open("moved").read() == "theirs" and open("log.txt").read() == "less, more"
"""


def write_logs(library, top):
    """What is no save is written for real; what the user had is only changed where a plain write changes it."""
    folder = os.path.join(top, "logs")
    os.makedirs(folder)
    for name, words in {"log.txt": "less, ", "users": "theirs", "other": "theirs"}.items():
        put(os.path.join(folder, name), words)
    done = subprocess.run([sys.executable, "-c", LOGS], cwd=folder, env=dict(os.environ, LD_PRELOAD=library, PEAKSCOPE_OVERLAY=os.path.join(top, "saved")))
    left = {os.path.relpath(os.path.join(at, name), folder): text(os.path.join(at, name)) for at, _, names in os.walk(folder) for name in names}
    right = {"log.txt": "less, more", "new.txt": "new", "whole.json": "whole", "plain/deep/y": "x", "users": "theirs", "other": "theirs"}
    if left != right:
        print(f"after logs: {left} where {right} is right")
    return done.returncode or left != right


def time_stats(folder):
    paths = []
    for at, _, files in os.walk(os.path.dirname(os.__file__)):
        paths += [os.path.join(at, name) for name in files] + [os.path.join(at, "no_such_name")]
    paths = (paths * (40000 // len(paths) + 1))[:40000]

    def spent():
        best = 1e9
        for _ in range(5):
            begin = time.perf_counter()
            for path in paths:
                os.path.exists(path)
            best = min(best, time.perf_counter() - begin)
        return round(best * 1000, 1)

    first = spent()
    os.makedirs(os.path.join(folder, "timed"), exist_ok=True)
    put(os.path.join(folder, "timed/x"), "x")
    print(json.dumps({"milliseconds_before": first, "milliseconds_after": spent()}))


if __name__ == "__main__":
    if sys.argv[1:] == ["--play"]:
        play()
    elif sys.argv[1:2] == ["--time"]:
        time_stats(sys.argv[2])
    elif len(sys.argv) > 2:
        sys.exit(bool(run_twice(os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]))))
    else:
        with tempfile.TemporaryDirectory() as scratch:
            where = os.path.abspath(sys.argv[1]), os.path.realpath(scratch)
            sys.exit(bool(write_logs(*where) | run_twice(*where)))
