/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where a path of the program lies: with the user's files, over them, or out of the overlay's hands. */
#include "overlay.h"

#include <pthread.h>
#include <sys/mman.h>

struct shared *overlay_shared;
int overlay_state;
dev_t overlay_device;

static char root[PATH_MAX], temporary[LONG], home[LONG];
/* What is below these is written for real: devices, the recording, caches that live on. */
enum { MOST_FREE = 24 };
static char *free_folders[MOST_FREE];
static int free_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }

char *overlay_in(char *to, const char *tree, const char *path)
{
    char *end = stpcpy(stpcpy(stpcpy(to, root), "/"), tree);
    memcpy(end, path, strnlen(path, LONG - 1 - (size_t)(end - to)) + 1);
    to[LONG - 1] = 0;
    return to;
}

int overlay_real_lstat(const char *path, struct stat *is)
{
    extern int __fxstatat(int, int, const char *, struct stat *, int);
    if (REAL(fstatat))
        return REAL(fstatat)(AT_FDCWD, path, is, AT_SYMLINK_NOFOLLOW) ? errno : 0;
    return REAL(__fxstatat)(1, AT_FDCWD, path, is, AT_SYMLINK_NOFOLLOW) ? errno : 0; /* before glibc 2.33 */
}

int overlay_real_fstat(int fd, struct stat *is)
{
    extern int __fxstat(int, int, struct stat *);
    if (REAL(fstat))
        return REAL(fstat)(fd, is) ? errno : 0;
    return REAL(__fxstat)(1, fd, is) ? errno : 0;
}

/* The part of `path` behind `folder`, if it is that or below it. */
static const char *below(const char *path, const char *folder)
{
    const size_t length = strlen(folder);
    return length > 0 && strncmp(path, folder, length) == 0 && (path[length] == '/' || !path[length]) ? path + length : NULL;
}

int overlay_unmap(char *path)
{
    char files[LONG];
    const char *rest = below(path, overlay_in(files, "files", ""));
    if (!rest)
        return 0;
    memmove(path, rest, strlen(rest) + 1);
    if (!*path)
        strcpy(path, "/");
    return 1;
}

void overlay_parent(const char *path, char *to)
{
    const char *last = strrchr(path, '/');
    const size_t length = last > path ? (size_t)(last - path) : 0;
    memcpy(to, path, length);
    to[length] = 0;
}

/* Whether the user's file is hidden: a file in gone/ stands for it or for a folder over it. */
int overlay_hidden(const char *path)
{
    char gone[LONG];
    struct stat is;
    const int error = overlay_real_lstat(overlay_in(gone, "gone", path), &is);
    return error == ENOTDIR || (error == 0 && S_ISREG(is.st_mode));
}

/* ---- what the overlay has no say over */

/* What tempfile makes is read by compilers, who do not see the overlay. A run whose own folder is such a one is another matter. */
static int is_temporary(const char *path)
{
    static const char *const kBegins[] = {"tmp", "pymp-", "torchelastic", "torchinductor_"};
    const char *rest = below(path, temporary);
    if (!rest || rest[0] != '/' || !rest[1])
        return 0;
    char first[LONG], kept[LONG];
    const size_t length = (size_t)(rest - path) + 1 + strcspn(rest + 1, "/");
    memcpy(first, path, length);
    first[length] = 0;
    if (below(home, first))
        return 0;
    struct stat is;
    if (overlay_real_lstat(overlay_in(kept, "kept", first), &is) == 0 && S_ISREG(is.st_mode))
        return 1;
    for (size_t i = 0; i < sizeof kBegins / sizeof *kBegins; ++i) {
        if (strncmp(rest + 1, kBegins[i], strlen(kBegins[i])) == 0)
            return overlay_real_lstat(first, &is) == 0 && S_ISDIR(is.st_mode) && is.st_uid == geteuid() &&
                   (i == 3 || (is.st_mode & 0777) == 0700);
    }
    return 0;
}

/* Whether what is made now, right in the temporary folder, is tempfile's (or PyTorch's compiler's, which looks there next). */
int overlay_made_for_real(const char *path, int as_folder, unsigned mode)
{
    const char *name = below(path, temporary);
    if (!name || *name++ != '/' || strchr(name, '/'))
        return 0;
    if (!as_folder)
        return mode == 0600;
    return strncmp(name, "torchinductor_", 14) == 0 ||
           (mode == 0700 && (strncmp(name, "tmp", 3) == 0 || strncmp(name, "pymp-", 5) == 0));
}

static int is_free(const char *path)
{
    for (int i = 0; i < free_count; ++i) {
        if (below(path, free_folders[i]))
            return 1;
    }
    return is_temporary(path);
}

static int saving;
int peakscope_saving(int more) { return __atomic_add_fetch(&saving, more, __ATOMIC_ACQ_REL); }

/* Made for real in this run, it or a folder over it. */
static int is_made(const char *path)
{
    char kept[LONG];
    struct stat is;
    const int error = overlay_real_lstat(overlay_in(kept, "kept", path), &is);
    return error == ENOTDIR || (error == 0 && S_ISREG(is.st_mode));
}

int overlay_is_plain(const struct place *place)
{
    char folder[LONG];
    struct stat is;
    if (__atomic_load_n(&saving, __ATOMIC_ACQUIRE) > 0 || place->layer == UPPER || overlay_hidden(place->path))
        return 0;
    overlay_parent(place->path, folder);
    return !overlay_hidden(folder) && overlay_real_lstat(*folder ? folder : "/", &is) == 0 && S_ISDIR(is.st_mode);
}

static int is_system(const char *path)
{
    return below(path, "/proc") || below(path, "/dev") || below(path, "/sys") || below(path, "/run");
}

/* ---- folders that were walked to before, until one changes */

struct walk {
    char *as_said, *path;
    uint32_t turn;
    int quiet; /* nothing of it is in the overlay, or it is free */
};
enum { MOST_WALKS = 16384 };
static struct walk walks[MOST_WALKS];

static struct walk *walk_of(const char *said, size_t length)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ (unsigned char)said[i]) * 16777619u;
    return &walks[hash % MOST_WALKS];
}

/* Under the lock. */
static const struct walk *known_walk(const char *said, size_t length)
{
    const struct walk *walk = walk_of(said, length);
    return walk->as_said && walk->turn == __atomic_load_n(&overlay_shared->turn, __ATOMIC_ACQUIRE) &&
                   strncmp(walk->as_said, said, length) == 0 && !walk->as_said[length]
               ? walk
               : NULL;
}

__attribute__((noinline)) static void keep_walk(const char *said, size_t length, const char *path, uint32_t turn)
{
    char at[LONG];
    struct stat is;
    int quiet = *path != 0;
    if (quiet && !is_free(path))
        quiet = overlay_real_lstat(overlay_in(at, "files", path), &is) && !overlay_hidden(path) &&
                overlay_real_lstat(overlay_in(at, "gone", path), &is);
    char *as_said = strndup(said, length), *copy = strdup(path);
    take_lock();
    struct walk *walk = walk_of(said, length);
    char *old_said = walk->as_said, *old_path = walk->path;
    *walk = (struct walk){as_said && copy ? as_said : NULL, copy, turn, quiet};
    if (!walk->as_said)
        free(as_said);
    give_lock();
    free(old_said);
    free(old_path);
}

static int is_quiet(const char *said, size_t length)
{
    take_lock();
    const struct walk *walk = known_walk(said, length);
    const int quiet = walk && walk->quiet;
    give_lock();
    return quiet;
}

/* ---- from what the program says to a place */

__attribute__((noinline)) static void look(struct place *place)
{
    char upper[LONG];
    place->layer = NOWHERE;
    place->free = is_free(place->path);
    if (!place->free && __atomic_load_n(&overlay_shared->changed, __ATOMIC_ACQUIRE)) {
        if (overlay_real_lstat(overlay_in(upper, "files", place->path), &place->is) == 0) {
            place->layer = UPPER;
            return;
        }
        if (overlay_hidden(place->path))
            return;
    }
    if (overlay_real_lstat(*place->path ? place->path : "/", &place->is) == 0) {
        place->layer = LOWER;
        place->free = place->free || is_made(place->path);
    }
}

static int folder_path(int folder, char *to)
{
    if (folder == AT_FDCWD) {
        if (!REAL(getcwd)(to, LONG))
            return errno;
    } else {
        char link[64];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        const ssize_t length = REAL(readlink)(link, to, LONG - 1);
        if (length < 0)
            return EBADF;
        to[length] = 0;
        if (*to != '/')
            return ENOTDIR;
    }
    overlay_unmap(to);
    return 0;
}

int overlay_find(int folder, const char *path, int follow, struct place *place)
{
    char said[2 * LONG], todo[2 * LONG], name[NAME_MAX + 1];
    const uint32_t turn = __atomic_load_n(&overlay_shared->turn, __ATOMIC_ACQUIRE);
    size_t length = strlen(path), at = 0;
    int links = 0, kept = 0, error;
    if (length == 0)
        return ENOENT;
    if (length >= PATH_MAX)
        return ENAMETOOLONG;
    if (*path != '/') {
        if ((error = folder_path(folder, said)))
            return error;
        at = strlen(said);
        said[at++] = '/';
    }
    memcpy(said + at, path, length + 1);
    overlay_unmap(said);
    length = strlen(said);
    place->slash = said[length - 1] == '/';
    while (length > 1 && said[length - 1] == '/')
        said[--length] = 0;
    const char *last = strrchr(said, '/');
    const size_t before = (size_t)(last - said);
    *place->path = 0;
    strcpy(todo, said);
    take_lock();
    for (size_t known = before; known > 0; known = (size_t)((const char *)memrchr(said, '/', known) - said)) {
        const struct walk *walk = known_walk(said, known);
        if (!walk)
            continue;
        strcpy(place->path, walk->path);
        strcpy(todo, said + known);
        kept = known == before;
        break;
    }
    give_lock();
    look(place); /* todo may be empty, as for the root */
    for (char *rest = todo;;) {
        rest += strspn(rest, "/");
        const size_t part = strcspn(rest, "/");
        const int is_last = !rest[part + strspn(rest + part, "/")];
        if (part == 0)
            break;
        if (part > NAME_MAX)
            return ENAMETOOLONG;
        if (place->layer == NOWHERE)
            return ENOENT;
        if (!S_ISDIR(place->is.st_mode))
            return ENOTDIR;
        if (is_last && !kept) {
            keep_walk(said, before, place->path, turn);
            kept = 1;
        }
        memcpy(name, rest, part);
        name[part] = 0;
        rest += part;
        const size_t length_so_far = strlen(place->path);
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
            if (name[1]) {
                char parent[LONG];
                overlay_parent(place->path, parent);
                strcpy(place->path, parent);
                look(place);
            }
            continue;
        }
        if (length_so_far + part + 2 > PATH_MAX)
            return ENAMETOOLONG;
        sprintf(place->path + length_so_far, "/%s", name);
        if (is_system(place->path)) {
            if (strlen(place->path) + strlen(rest) >= LONG)
                return ENAMETOOLONG;
            strcat(place->path, rest);
            place->free = 1;
            place->layer = overlay_real_lstat(place->path, &place->is) ? NOWHERE : LOWER;
            return 0;
        }
        look(place);
        if (place->layer == NOWHERE || !S_ISLNK(place->is.st_mode) || (is_last && !follow && !place->slash))
            continue;
        if (++links > 40)
            return ELOOP;
        char target[LONG], upper[LONG];
        const ssize_t target_length =
            REAL(readlink)(place->layer == UPPER ? overlay_in(upper, "files", place->path) : place->path, target, PATH_MAX);
        if (target_length < 0)
            return errno;
        target[target_length] = 0;
        if ((size_t)target_length + 1 + strlen(rest) >= LONG)
            return ENAMETOOLONG;
        overlay_unmap(target);
        place->path[*target == '/' ? 0 : length_so_far] = 0;
        strcat(strcat(target, "/"), rest);
        strcpy(todo, target);
        rest = todo;
        look(place);
    }
    if (!*place->path)
        strcpy(place->path, "/");
    if (place->slash && place->layer != NOWHERE && !S_ISDIR(place->is.st_mode))
        return ENOTDIR;
    return 0;
}

const char *overlay_seen(int folder, const char *path, int follow, char *buffer)
{
    if (!path) {
        errno = EFAULT;
        return NULL;
    }
    if (overlay_idle() || !*path)
        return path;
    const int before = errno;
    struct stat is;
    if (is_system(path))
        return path;
    const char *last = strrchr(path, '/');
    if (*path == '/' && last[1] && strcmp(last, "/.") && strcmp(last, "/..") && is_quiet(path, (size_t)(last - path))) {
        const int error = follow ? overlay_real_lstat(path, &is) : 0;
        errno = error ? error : before;
        if (error)
            return NULL;
        if (!follow || !S_ISLNK(is.st_mode))
            return path;
    }
    struct place place;
    const int error = overlay_find(folder, path, follow, &place);
    if (error || (place.layer == NOWHERE && !place.free)) {
        /* A folder that is no folder, or was closed, is for libc to say. */
        errno = error ? error : ENOENT;
        return NULL;
    }
    errno = before;
    if (is_system(place.path))
        return is_system(path) || *path != '/' ? path : strcpy(buffer, place.path);
    if (place.layer == UPPER)
        overlay_in(buffer, "files", place.path);
    else
        strcpy(buffer, place.path);
    return place.slash ? strcat(buffer, "/") : buffer;
}

/* ---- once */

/* A folder as the kernel calls it, even if it is not there yet. */
static void settle(const char *folder, char *to)
{
    char begin[LONG], *cut;
    snprintf(begin, PATH_MAX, "%s", folder);
    while (!REAL(realpath)(begin, to)) {
        if (!(cut = strrchr(begin, '/')) || cut == begin) {
            snprintf(to, LONG, "%s", folder);
            return;
        }
        *cut = 0;
    }
    if (strlen(folder) > strlen(begin) && strlen(to) + strlen(folder) < LONG)
        strcat(to, folder + strlen(begin));
    for (size_t length = strlen(to); length > 1 && to[length - 1] == '/';)
        to[--length] = 0;
}

static void add_free(const char *folder, const char *rest)
{
    char whole[PATH_MAX], settled[LONG];
    if (!folder || *folder != '/' || free_count == MOST_FREE)
        return;
    snprintf(whole, sizeof whole, "%s%s", folder, rest);
    settle(whole, settled);
    if (strcmp(settled, "/") != 0)
        free_folders[free_count++] = strdup(settled);
}

static void start(void)
{
    static const char *const kVariables[] = {"PEAKSCOPE_OVERLAY", "PEAKSCOPE_RECORD", "PEAKSCOPE_OBJECTS", "PEAKSCOPE_DRY_REPORT",
                                             "HF_HOME", "XDG_CACHE_HOME", "TORCH_HOME", "HF_DATASETS_CACHE",
                                             "TRITON_CACHE_DIR", "TORCHINDUCTOR_CACHE_DIR"};
    static const char *const kTrees[] = {"", "/files", "/gone", "/kept", "/work"};
    const char *said = getenv("PEAKSCOPE_OVERLAY");
    if (!said || !*said) {
        __atomic_store_n(&overlay_state, -1, __ATOMIC_RELEASE);
        return;
    }
    char path[LONG], settled[LONG];
    int fd = -1;
    settle(said, settled);
    if (*said == '/' && strlen(settled) < sizeof root) {
        strcpy(root, settled);
        for (size_t i = 0; i < sizeof kTrees / sizeof *kTrees; ++i) {
            snprintf(path, LONG, "%s%s", root, kTrees[i]);
            REAL(mkdir)(path, 0700);
        }
        fd = REAL(open)(overlay_in(path, "state", ""), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    }
    void *page = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, 4096) == 0)
        page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (page == MAP_FAILED) {
        /* Going on would change the user's files. */
        fprintf(stderr, "peakscope: the scratch folder %s cannot be used\n", said);
        _exit(2);
    }
    struct stat is;
    if (overlay_real_fstat(fd, &is) == 0)
        overlay_device = is.st_dev;
    close(fd);
    overlay_shared = page;
    for (size_t i = 0; i < sizeof kVariables / sizeof *kVariables; ++i)
        add_free(getenv(kVariables[i]), "");
    add_free(getenv("HOME"), "/.cache");
    add_free(getenv("HOME"), "/.triton");
    add_free("/dev", "");
    add_free("/proc", "");
    add_free("/sys", "");
    add_free("/run", "");
    const char *temp = getenv("TMPDIR");
    settle(temp && *temp == '/' ? temp : "/tmp", temporary);
    const char *begun = getenv("PEAKSCOPE_OVERLAY_HOME");
    if (begun && *begun == '/')
        settle(begun, home);
    else if (!REAL(getcwd)(home, LONG) || (overlay_unmap(home), 0))
        *home = 0;
    pthread_atfork(take_lock, give_lock, give_lock);
    __atomic_store_n(&overlay_state, 1, __ATOMIC_RELEASE);
}

void overlay_start(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const int before = errno;
    pthread_once(&once, start);
    errno = before;
}

__attribute__((constructor)) static void start_early(void) { overlay_start(); }
