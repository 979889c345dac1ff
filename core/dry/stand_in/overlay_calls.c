/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The calls of libc that take a path, each with its path as the overlay has it. */
#include "overlay.h"

#include <spawn.h>
#include <stdarg.h>
#include <sys/random.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/xattr.h>
#include <utime.h>

/* Without it, libc's own is called as it was. */
#define PASS(call)                                                                                                              \
    if (!overlay_on())                                                                                                          \
    return call
#define FAIL(error, answer)                                                                                                     \
    do {                                                                                                                        \
        errno = (error);                                                                                                        \
        return answer;                                                                                                          \
    } while (0)
/* Nothing of what was done on the way is to be seen in errno. */
#define TRY(call, answer)                                                                                                       \
    do {                                                                                                                        \
        const int before_ = errno;                                                                                              \
        const int error_ = (call);                                                                                              \
        errno = error_ ? error_ : before_;                                                                                      \
        if (error_)                                                                                                             \
            return answer;                                                                                                      \
    } while (0)

/* ---- opening */

static int open_at(int folder, const char *path, int flags, unsigned mode)
{
    char at[LONG];
    if (!overlay_on() || !path || !*path)
        return REAL(openat)(folder, path, flags, mode);
    const int writes = !(flags & O_PATH) && ((flags & O_ACCMODE) != O_RDONLY || (flags & (O_CREAT | O_TRUNC)));
    if (!writes) {
        const char *seen = overlay_seen(folder, path, !(flags & O_NOFOLLOW), at);
        return seen ? REAL(openat)(folder, seen, flags, mode) : -1;
    }
    TRY(overlay_for_writing(folder, path, flags, mode, at), -1);
    return REAL(openat)(AT_FDCWD, at, flags, mode);
}

#define MODE_OF(flags)                                                                                                          \
    unsigned mode = 0;                                                                                                          \
    if (((flags) & O_CREAT) || ((flags) & O_TMPFILE) == O_TMPFILE) {                                                            \
        va_list rest;                                                                                                           \
        va_start(rest, flags);                                                                                                  \
        mode = va_arg(rest, unsigned);                                                                                          \
        va_end(rest);                                                                                                           \
    }
#define OPEN(name)                                                                                                              \
    EXPORT int name(const char *path, int flags, ...)                                                                           \
    {                                                                                                                           \
        MODE_OF(flags)                                                                                                          \
        return open_at(AT_FDCWD, path, flags, mode);                                                                            \
    }
#define OPENAT(name)                                                                                                            \
    EXPORT int name(int folder, const char *path, int flags, ...)                                                               \
    {                                                                                                                           \
        MODE_OF(flags)                                                                                                          \
        return open_at(folder, path, flags, mode);                                                                              \
    }
OPEN(open)
OPEN(open64)
OPEN(__open)
OPEN(__open64)
OPENAT(openat)
OPENAT(openat64)
EXPORT int __open_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __open64_2(const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0); }
EXPORT int __openat_2(int folder, const char *path, int flags) { return open_at(folder, path, flags, 0); }
EXPORT int __openat64_2(int folder, const char *path, int flags) { return open_at(folder, path, flags, 0); }
EXPORT int creat(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }
EXPORT int creat64(const char *path, mode_t mode) { return open_at(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, mode); }

/* The path for a stream that is opened with `mode`. */
static const char *stream_path(const char *path, const char *mode, char *at)
{
    if (!overlay_on() || !*path)
        return path;
    const char *end = strchr(mode, ',');
    const size_t length = end ? (size_t)(end - mode) : strlen(mode);
    const int both = memchr(mode, '+', length) != NULL, alone = memchr(mode, 'x', length) != NULL;
    if (*mode == 'r' && !both)
        return overlay_seen(AT_FDCWD, path, 1, at);
    const int flags = (both ? O_RDWR : O_WRONLY) | (*mode == 'r' ? 0 : O_CREAT) | (*mode == 'w' ? O_TRUNC : 0) |
                      (*mode == 'a' ? O_APPEND : 0) | (alone ? O_EXCL : 0);
    TRY(overlay_for_writing(AT_FDCWD, path, flags, 0666, at), NULL);
    return at;
}
#define FOPEN(name)                                                                                                             \
    EXPORT FILE *name(const char *restrict path, const char *restrict mode)                                                     \
    {                                                                                                                           \
        char buffer[LONG];                                                                                                      \
        const char *at = stream_path(path, mode, buffer);                                                                       \
        return at ? REAL(name)(at, mode) : NULL;                                                                                \
    }
#define FREOPEN(name)                                                                                                           \
    EXPORT FILE *name(const char *restrict path, const char *restrict mode, FILE *restrict stream)                              \
    {                                                                                                                           \
        char buffer[LONG];                                                                                                      \
        const char *at = path ? stream_path(path, mode, buffer) : NULL;                                                         \
        if (path && !at) {                                                                                                      \
            const int error = errno;                                                                                            \
            fclose(stream);                                                                                                     \
            FAIL(error, NULL);                                                                                                  \
        }                                                                                                                       \
        return REAL(name)(at, mode, stream);                                                                                    \
    }
FOPEN(fopen)
FOPEN(fopen64)
FREOPEN(freopen)
FREOPEN(freopen64)

/* ---- asking */

#define SEEN(name, folder, follow, failed, args)                                                                                \
    {                                                                                                                           \
        char buffer[LONG];                                                                                                      \
        const char *at = overlay_seen(folder, path, follow, buffer);                                                            \
        return at ? REAL(name) args : failed;                                                                          \
    }
#define FOLLOWS(flags) (!((flags) & AT_SYMLINK_NOFOLLOW))

EXPORT int stat(const char *restrict path, struct stat *restrict is) SEEN(stat, AT_FDCWD, 1, -1, (at, is))
EXPORT int stat64(const char *restrict path, struct stat64 *restrict is) SEEN(stat64, AT_FDCWD, 1, -1, (at, is))
EXPORT int lstat(const char *restrict path, struct stat *restrict is) SEEN(lstat, AT_FDCWD, 0, -1, (at, is))
EXPORT int lstat64(const char *restrict path, struct stat64 *restrict is) SEEN(lstat64, AT_FDCWD, 0, -1, (at, is))
EXPORT int fstatat(int folder, const char *restrict path, struct stat *restrict is, int flags)
    SEEN(fstatat, folder, FOLLOWS(flags), -1, (folder, at, is, flags))
EXPORT int fstatat64(int folder, const char *restrict path, struct stat64 *restrict is, int flags)
    SEEN(fstatat64, folder, FOLLOWS(flags), -1, (folder, at, is, flags))
EXPORT int __xstat(int version, const char *path, struct stat *is) SEEN(__xstat, AT_FDCWD, 1, -1, (version, at, is))
EXPORT int __xstat64(int version, const char *path, struct stat64 *is) SEEN(__xstat64, AT_FDCWD, 1, -1, (version, at, is))
EXPORT int __lxstat(int version, const char *path, struct stat *is) SEEN(__lxstat, AT_FDCWD, 0, -1, (version, at, is))
EXPORT int __lxstat64(int version, const char *path, struct stat64 *is) SEEN(__lxstat64, AT_FDCWD, 0, -1, (version, at, is))
EXPORT int __fxstatat(int version, int folder, const char *path, struct stat *is, int flags)
    SEEN(__fxstatat, folder, FOLLOWS(flags), -1, (version, folder, at, is, flags))
EXPORT int __fxstatat64(int version, int folder, const char *path, struct stat64 *is, int flags)
    SEEN(__fxstatat64, folder, FOLLOWS(flags), -1, (version, folder, at, is, flags))
EXPORT int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict is)
    SEEN(statx, folder, FOLLOWS(flags), -1, (folder, at, flags, mask, is))
EXPORT int access(const char *path, int how) SEEN(access, AT_FDCWD, 1, -1, (at, how))
EXPORT int euidaccess(const char *path, int how) SEEN(euidaccess, AT_FDCWD, 1, -1, (at, how))
EXPORT int eaccess(const char *path, int how) SEEN(eaccess, AT_FDCWD, 1, -1, (at, how))
EXPORT int faccessat(int folder, const char *path, int how, int flags)
    SEEN(faccessat, folder, FOLLOWS(flags), -1, (folder, at, how, flags))
EXPORT int statfs(const char *path, struct statfs *is) SEEN(statfs, AT_FDCWD, 1, -1, (at, is))
EXPORT int statfs64(const char *path, struct statfs64 *is) SEEN(statfs64, AT_FDCWD, 1, -1, (at, is))
EXPORT int statvfs(const char *restrict path, struct statvfs *restrict is) SEEN(statvfs, AT_FDCWD, 1, -1, (at, is))
EXPORT int statvfs64(const char *restrict path, struct statvfs64 *restrict is) SEEN(statvfs64, AT_FDCWD, 1, -1, (at, is))
EXPORT long pathconf(const char *path, int name) SEEN(pathconf, AT_FDCWD, 1, -1, (at, name))
EXPORT ssize_t getxattr(const char *path, const char *name, void *to, size_t size)
    SEEN(getxattr, AT_FDCWD, 1, -1, (at, name, to, size))
EXPORT ssize_t lgetxattr(const char *path, const char *name, void *to, size_t size)
    SEEN(lgetxattr, AT_FDCWD, 0, -1, (at, name, to, size))
EXPORT ssize_t listxattr(const char *path, char *to, size_t size) SEEN(listxattr, AT_FDCWD, 1, -1, (at, to, size))
EXPORT ssize_t llistxattr(const char *path, char *to, size_t size) SEEN(llistxattr, AT_FDCWD, 0, -1, (at, to, size))

/* What /proc says of an open file above is told as the program knows it. */
static ssize_t told(const char *at, int folder, char *to, size_t size)
{
    const ssize_t length = REAL(readlinkat)(folder, at, to, size);
    if (length <= 0 || overlay_idle())
        return length;
    char target[LONG];
    if (length >= PATH_MAX)
        return length;
    memcpy(target, to, (size_t)length);
    target[length] = 0;
    if (!overlay_unmap(target))
        return length;
    const size_t now = strlen(target);
    memcpy(to, target, now);
    return (ssize_t)now;
}
EXPORT ssize_t readlinkat(int folder, const char *restrict path, char *restrict to, size_t size)
{
    char buffer[LONG];
    const char *at = overlay_seen(folder, path, 0, buffer);
    return at ? told(at, folder, to, size) : -1;
}
EXPORT ssize_t readlink(const char *restrict path, char *restrict to, size_t size) { return readlinkat(AT_FDCWD, path, to, size); }
EXPORT ssize_t __readlink_chk(const char *path, char *to, size_t size, size_t room)
{
    return size > room ? abort(), -1 : readlinkat(AT_FDCWD, path, to, size);
}
EXPORT ssize_t __readlinkat_chk(int folder, const char *path, char *to, size_t size, size_t room)
{
    return size > room ? abort(), -1 : readlinkat(folder, path, to, size);
}

EXPORT int execve(const char *path, char *const arguments[], char *const variables[])
    SEEN(execve, AT_FDCWD, 1, -1, (at, arguments, variables))
EXPORT int execv(const char *path, char *const arguments[]) SEEN(execv, AT_FDCWD, 1, -1, (at, arguments))
EXPORT int posix_spawn(pid_t *restrict pid, const char *restrict path, const posix_spawn_file_actions_t *restrict actions,
                       const posix_spawnattr_t *restrict attributes, char *const arguments[restrict], char *const variables[restrict])
    SEEN(posix_spawn, AT_FDCWD, 1, errno, (pid, at, actions, attributes, arguments, variables))

/* ---- making */

EXPORT int mkdirat(int folder, const char *path, mode_t mode)
{
    char at[LONG];
    PASS(REAL(mkdirat)(folder, path, mode));
    TRY(overlay_for_making(folder, path, 1, mode, at), -1);
    return REAL(mkdir)(at, mode);
}
EXPORT int mkdir(const char *path, mode_t mode) { return mkdirat(AT_FDCWD, path, mode); }

EXPORT int symlinkat(const char *target, int folder, const char *path)
{
    char at[LONG];
    PASS(REAL(symlinkat)(target, folder, path));
    TRY(overlay_for_making(folder, path, 0, 0, at), -1);
    return REAL(symlink)(target, at);
}
EXPORT int symlink(const char *target, const char *path) { return symlinkat(target, AT_FDCWD, path); }

EXPORT int mknodat(int folder, const char *path, mode_t mode, dev_t device)
{
    char at[LONG];
    PASS(REAL(mknodat)(folder, path, mode, device));
    TRY(overlay_for_making(folder, path, 0, 0, at), -1);
    return REAL(mknodat)(AT_FDCWD, at, mode, device);
}
EXPORT int mknod(const char *path, mode_t mode, dev_t device) { return mknodat(AT_FDCWD, path, mode, device); }
EXPORT int mkfifoat(int folder, const char *path, mode_t mode) { return mknodat(folder, path, (mode & 07777) | S_IFIFO, 0); }
EXPORT int mkfifo(const char *path, mode_t mode) { return mkfifoat(AT_FDCWD, path, mode); }

/* A name of /proc, for a file that has none yet, is libc's to follow. */
EXPORT int linkat(int from_folder, const char *from, int to_folder, const char *to, int flags)
{
    char old[LONG], new[LONG];
    PASS(REAL(linkat)(from_folder, from, to_folder, to, flags));
    if (!*from || strncmp(from, "/proc/", 6) == 0) {
        TRY(overlay_for_making(to_folder, to, 0, 0, new), -1);
        return REAL(linkat)(from_folder, from, AT_FDCWD, new, flags);
    }
    TRY(overlay_for_making(to_folder, to, 0, 0, new), -1);
    TRY(overlay_for_changing(from_folder, from, flags & AT_SYMLINK_FOLLOW, 1, old), -1);
    return REAL(linkat)(AT_FDCWD, old, AT_FDCWD, new, 0);
}
EXPORT int link(const char *from, const char *to) { return linkat(AT_FDCWD, from, AT_FDCWD, to, 0); }

/* Names for mkstemp and its kin, whose own calls do not come by here. */
static int draw_name(char *xs)
{
    static const char kLetters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    unsigned char drawn[6];
    if (getrandom(drawn, sizeof drawn, 0) != sizeof drawn)
        return EAGAIN;
    for (size_t i = 0; i < sizeof drawn; ++i)
        xs[i] = kLetters[drawn[i] % (sizeof kLetters - 1)];
    return 0;
}
static int make_temporary(char *name, int behind, int flags, int as_folder)
{
    const size_t length = strlen(name);
    if (behind < 0 || length < (size_t)behind + 6 || memcmp(name + length - (size_t)behind - 6, "XXXXXX", 6) != 0)
        FAIL(EINVAL, -1);
    for (int tries = 0; tries < 1000; ++tries) {
        TRY(draw_name(name + length - (size_t)behind - 6), -1);
        const int made = as_folder ? mkdir(name, 0700)
                                   : open_at(AT_FDCWD, name, (flags & ~O_ACCMODE) | O_RDWR | O_CREAT | O_EXCL, 0600);
        if (made >= 0 || errno != EEXIST)
            return made;
    }
    FAIL(EEXIST, -1);
}
#define MKSTEMP(name, behind, flags, parameters, args)                                                                          \
    EXPORT int name parameters                                                                                                  \
    {                                                                                                                           \
        PASS(REAL(name) args);                                                                                                  \
        return make_temporary(path, behind, flags, 0);                                                                          \
    }
MKSTEMP(mkstemp, 0, 0, (char *path), (path))
MKSTEMP(mkstemp64, 0, 0, (char *path), (path))
MKSTEMP(mkostemp, 0, flags, (char *path, int flags), (path, flags))
MKSTEMP(mkostemp64, 0, flags, (char *path, int flags), (path, flags))
MKSTEMP(mkstemps, behind, 0, (char *path, int behind), (path, behind))
MKSTEMP(mkstemps64, behind, 0, (char *path, int behind), (path, behind))
MKSTEMP(mkostemps, behind, flags, (char *path, int behind, int flags), (path, behind, flags))
MKSTEMP(mkostemps64, behind, flags, (char *path, int behind, int flags), (path, behind, flags))
EXPORT char *mkdtemp(char *path)
{
    PASS(REAL(mkdtemp)(path));
    return make_temporary(path, 0, 0, 1) < 0 ? NULL : path;
}

/* ---- removing and renaming */

static int remove_at(int folder, const char *path, int as_folder)
{
    struct place place;
    int error = overlay_find(folder, path, 0, &place);
    if (error)
        return error;
    if (place.free) {
        if (as_folder ? REAL(rmdir)(place.path) : REAL(unlink)(place.path))
            return errno;
        overlay_keep(place.path, 0);
        return 0;
    }
    const char *last = strrchr(path, '/');
    if (as_folder && strcmp(last ? last + 1 : path, ".") == 0)
        return EINVAL;
    if (place.layer == NOWHERE)
        return ENOENT;
    if (as_folder != (S_ISDIR(place.is.st_mode) != 0))
        return as_folder ? ENOTDIR : EISDIR;
    return overlay_remove(&place);
}
EXPORT int unlinkat(int folder, const char *path, int flags)
{
    PASS(REAL(unlinkat)(folder, path, flags));
    TRY(remove_at(folder, path, (flags & AT_REMOVEDIR) != 0), -1);
    return 0;
}
EXPORT int unlink(const char *path) { return unlinkat(AT_FDCWD, path, 0); }
EXPORT int rmdir(const char *path) { return unlinkat(AT_FDCWD, path, AT_REMOVEDIR); }
EXPORT int remove(const char *path)
{
    PASS(REAL(remove)(path));
    const int before = errno;
    int error = remove_at(AT_FDCWD, path, 0);
    if (error == EISDIR)
        error = remove_at(AT_FDCWD, path, 1);
    errno = error ? error : before;
    return error ? -1 : 0;
}

EXPORT int renameat2(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    PASS(REAL(renameat2)(from_folder, from, to_folder, to, flags));
    TRY(overlay_rename(from_folder, from, to_folder, to, flags), -1);
    return 0;
}
EXPORT int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
    PASS(REAL(renameat)(from_folder, from, to_folder, to));
    return renameat2(from_folder, from, to_folder, to, 0);
}
EXPORT int rename(const char *from, const char *to)
{
    PASS(REAL(rename)(from, to));
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

/* ---- changing what is there */

#define CHANGED(name, folder, follow, bytes, parameters, args, above)                                                           \
    EXPORT int name parameters                                                                                                  \
    {                                                                                                                           \
        char at[LONG];                                                                                                          \
        PASS(REAL(name) args);                                                                                                  \
        TRY(overlay_for_changing(folder, path, follow, bytes, at), -1);                                                         \
        return REAL(name) above;                                                                                                \
    }
CHANGED(truncate, AT_FDCWD, 1, 1, (const char *path, off_t size), (path, size), (at, size))
CHANGED(truncate64, AT_FDCWD, 1, 1, (const char *path, off64_t size), (path, size), (at, size))
CHANGED(chmod, AT_FDCWD, 1, 1, (const char *path, mode_t mode), (path, mode), (at, mode))
CHANGED(lchmod, AT_FDCWD, 0, 1, (const char *path, mode_t mode), (path, mode), (at, mode))
CHANGED(fchmodat, folder, FOLLOWS(flags), 1, (int folder, const char *path, mode_t mode, int flags),
        (folder, path, mode, flags), (AT_FDCWD, at, mode, flags))
CHANGED(utime, AT_FDCWD, 1, 1, (const char *path, const struct utimbuf *times), (path, times), (at, times))
CHANGED(utimes, AT_FDCWD, 1, 1, (const char *path, const struct timeval times[2]), (path, times), (at, times))
CHANGED(lutimes, AT_FDCWD, 0, 1, (const char *path, const struct timeval times[2]), (path, times), (at, times))
CHANGED(setxattr, AT_FDCWD, 1, 1, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags), (at, name, value, size, flags))
CHANGED(lsetxattr, AT_FDCWD, 0, 1, (const char *path, const char *name, const void *value, size_t size, int flags),
        (path, name, value, size, flags), (at, name, value, size, flags))
CHANGED(removexattr, AT_FDCWD, 1, 1, (const char *path, const char *name), (path, name), (at, name))
CHANGED(lremovexattr, AT_FDCWD, 0, 1, (const char *path, const char *name), (path, name), (at, name))

/* The user's file behind an open one, which would be changed through it: its path, or nothing. */
static int lower_of(int fd, char *path)
{
    char link[64];
    struct place place;
    if (!overlay_on())
        return 0;
    const int before = errno;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = REAL(readlink)(link, path, PATH_MAX);
    int lower = 0;
    if (length > 0 && *path == '/') {
        path[length] = 0;
        lower = !overlay_unmap(path) && overlay_find(AT_FDCWD, path, 0, &place) == 0 && !place.free && place.layer != NOWHERE;
    }
    errno = before;
    return lower;
}
EXPORT int fchmod(int fd, mode_t mode)
{
    char path[LONG];
    return lower_of(fd, path) ? chmod(path, mode) : REAL(fchmod)(fd, mode);
}
EXPORT int futimens(int fd, const struct timespec times[2])
{
    char path[LONG];
    return lower_of(fd, path) ? utimensat(AT_FDCWD, path, times, 0) : REAL(futimens)(fd, times);
}
EXPORT int utimensat(int folder, const char *path, const struct timespec times[2], int flags)
{
    char at[LONG];
    const char *volatile said = path; /* glibc's header says that it is never NULL, the kernel that it may be */
    if (!said)
        return futimens(folder, times);
    PASS(REAL(utimensat)(folder, path, times, flags));
    TRY(overlay_for_changing(folder, path, FOLLOWS(flags), 1, at), -1);
    return REAL(utimensat)(AT_FDCWD, at, times, flags);
}

/* Owners: the user's stay as they are. */
EXPORT int fchownat(int folder, const char *path, uid_t owner, gid_t group, int flags)
{
    struct place place;
    char at[LONG];
    if (!overlay_on() || !*path)
        return REAL(fchownat)(folder, path, owner, group, flags);
    TRY(overlay_find(folder, path, FOLLOWS(flags), &place), -1);
    if (place.free)
        return REAL(fchownat)(AT_FDCWD, place.path, owner, group, flags);
    if (place.layer == NOWHERE)
        FAIL(ENOENT, -1);
    return place.layer == LOWER ? 0 : REAL(fchownat)(AT_FDCWD, overlay_in(at, "files", place.path), owner, group, flags);
}
EXPORT int chown(const char *path, uid_t owner, gid_t group) { return fchownat(AT_FDCWD, path, owner, group, 0); }
EXPORT int lchown(const char *path, uid_t owner, gid_t group)
{
    return fchownat(AT_FDCWD, path, owner, group, AT_SYMLINK_NOFOLLOW);
}
EXPORT int fchown(int fd, uid_t owner, gid_t group)
{
    char path[LONG];
    return lower_of(fd, path) ? 0 : REAL(fchown)(fd, owner, group);
}
