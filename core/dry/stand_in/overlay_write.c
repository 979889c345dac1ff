/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes the overlay: copies of the user's files, marks of those that are gone, renames. Every step is one call to the
 * kernel that leaves the program's files whole, so that processes need no lock between them. */
#include "overlay.h"

#include <sys/syscall.h>

static int answer(int result) { return result ? errno : 0; }

/* The folders over tree/path. */
static int make_folders(const char *tree, const char *path)
{
    char at[LONG];
    overlay_in(at, tree, path);
    char *begin = at + strlen(at) - strlen(path);
    for (char *slash = begin; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        const int error = answer(REAL(mkdir)(at, 0700));
        *slash = '/';
        if (error && error != EEXIST)
            return error;
    }
    return 0;
}

void overlay_keep(const char *path, int keep)
{
    char kept[LONG];
    overlay_in(kept, "kept", path);
    if (!keep) {
        REAL(unlink)(kept);
        return;
    }
    make_folders("kept", path);
    const int fd = REAL(open)(kept, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    if (fd >= 0)
        close(fd);
}

/* Removes a folder of marks. */
static void remove_marks(const char *path)
{
    DIR *folder = REAL(opendir)(path);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = REAL(readdir)(folder));) {
        char inner[LONG + NAME_MAX + 2];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name);
        if (REAL(unlink)(inner))
            remove_marks(inner);
    }
    REAL(closedir)(folder);
    REAL(rmdir)(path);
}

/* The user's file of that path is hidden from here on, if there is one. */
static int hide(const char *path)
{
    char gone[LONG];
    struct stat is;
    if (overlay_real_lstat(path, &is) || overlay_hidden(path))
        return 0;
    overlay_turn();
    int error = make_folders("gone", path);
    if (error)
        return error == ENOTDIR ? 0 : error;
    overlay_in(gone, "gone", path);
    for (int tries = 0; tries < 3; ++tries) {
        const int fd = REAL(open)(gone, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0) {
            close(fd);
            overlay_turn();
            return 0;
        }
        if ((error = errno) != EISDIR)
            return error;
        remove_marks(gone);
    }
    return error;
}

/* Whether the program may change what is in the folder over `path`. Above, the kernel says so itself. */
static int may_change(const char *path)
{
    char parent[LONG], upper[LONG];
    struct stat is;
    overlay_parent(path, parent);
    if (overlay_real_lstat(overlay_in(upper, "files", parent), &is) == 0)
        return 0;
    return answer(REAL(faccessat)(AT_FDCWD, *parent ? parent : "/", W_OK | X_OK, AT_EACCESS));
}

/* A folder above with the user's mode and times, where the user has one. */
static int make_upper(const char *path)
{
    char upper[LONG];
    struct stat is;
    const int theirs = !overlay_hidden(path) && overlay_real_lstat(path, &is) == 0;
    if (REAL(mkdir)(overlay_in(upper, "files", path), 0700))
        return errno == EEXIST ? 0 : errno;
    if (theirs)
        REAL(chmod)(upper, (is.st_mode & 07777) | 0700);
    overlay_turn();
    return 0;
}

static void set_times(const char *path)
{
    char upper[LONG];
    struct stat is;
    if (overlay_hidden(path) || overlay_real_lstat(path, &is))
        return;
    const struct timespec times[2] = {is.st_atim, is.st_mtim};
    REAL(utimensat)(AT_FDCWD, overlay_in(upper, "files", path), times, 0);
}

int overlay_make_parents(const char *path)
{
    char upper[LONG], parent[LONG];
    struct stat is;
    overlay_parent(path, parent);
    __atomic_store_n(&overlay_shared->changed, 1, __ATOMIC_RELEASE);
    if (!*parent || overlay_real_lstat(overlay_in(upper, "files", parent), &is) == 0)
        return 0;
    int error = overlay_make_parents(parent);
    if (!error && !(error = make_upper(parent))) {
        char over[LONG];
        overlay_parent(parent, over);
        if (*over)
            set_times(over);
        set_times(parent);
    }
    return error;
}

static int make_parents_if_allowed(const char *path)
{
    const int error = may_change(path);
    return error ? error : overlay_make_parents(path);
}

/* ---- copies */

__attribute__((noinline)) static int pour(int from, int to)
{
    static const size_t kMost = (size_t)1 << 30;
    int some = 0;
    for (;;) {
        const ssize_t moved = copy_file_range(from, NULL, to, NULL, kMost, 0);
        if (moved > 0) {
            some = 1;
            continue;
        }
        if (moved == 0 && some)
            return 0;
        break; /* also where nothing was said of an empty file: some file systems say that of all */
    }
    char bytes[1 << 14];
    for (ssize_t count; (count = read(from, bytes, sizeof bytes));) {
        if (count < 0)
            return errno;
        for (ssize_t done = 0, now; done < count; done += now) {
            if ((now = REAL(write)(to, bytes + done, (size_t)(count - done))) < 0)
                return errno;
        }
    }
    return 0;
}

/* A copy of what is at `from`, at `to` on the scratch folder's disk, whole or not at all. */
static int copy_file(const char *from, const struct stat *is, const char *to, int bytes, int replace)
{
    static unsigned number;
    char made[LONG], name[64];
    snprintf(name, sizeof name, "/%d-%u", (int)getpid(), __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
    overlay_in(made, "work", name);
    REAL(unlink)(made);
    int error = 0;
    if (S_ISLNK(is->st_mode)) {
        char target[LONG];
        const ssize_t length = REAL(readlink)(from, target, LONG - 1);
        if (length < 0)
            return errno;
        target[length] = 0;
        error = answer(REAL(symlink)(target, made));
    } else if (S_ISREG(is->st_mode)) {
        const int source = bytes ? REAL(open)(from, O_RDONLY | O_CLOEXEC) : -1;
        if (bytes && source < 0)
            return errno;
        const int copy = REAL(open)(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        error = copy < 0 ? errno : 0;
        if (!error && bytes)
            error = pour(source, copy);
        if (!error)
            error = answer(syscall(SYS_fchmod, copy, is->st_mode & 07777) != 0);
        if (copy >= 0)
            close(copy);
        if (source >= 0)
            close(source);
    } else {
        return EPERM; /* a socket or a device is not copied */
    }
    const struct timespec times[2] = {is->st_atim, is->st_mtim};
    if (!error)
        REAL(utimensat)(AT_FDCWD, made, times, AT_SYMLINK_NOFOLLOW);
    if (!error && REAL(renameat2)(AT_FDCWD, made, AT_FDCWD, to, replace ? 0 : RENAME_NOREPLACE)) {
        error = errno;
        if (error == EINVAL) /* a file system that cannot */
            error = answer(REAL(rename)(made, to));
        else if (error == EEXIST && !replace)
            error = 0, REAL(unlink)(made); /* another process was first */
    }
    if (error)
        REAL(unlink)(made);
    return error;
}

__attribute__((noinline)) int overlay_copy_up(struct place *place, int bytes)
{
    char upper[LONG];
    int error;
    if (place->layer != LOWER)
        return place->layer == UPPER ? 0 : ENOENT;
    if ((error = overlay_make_parents(place->path)))
        return error;
    if (S_ISDIR(place->is.st_mode)) {
        if (!(error = make_upper(place->path)))
            set_times(place->path);
    } else {
        error = copy_file(place->path, &place->is, overlay_in(upper, "files", place->path), bytes, 0);
        if (S_ISLNK(place->is.st_mode))
            overlay_turn();
    }
    if (!error)
        place->layer = UPPER;
    return error;
}

int overlay_copy_tree(struct place *place)
{
    const int is_folder = S_ISDIR(place->is.st_mode), was_lower = place->layer == LOWER;
    struct names *names = NULL;
    if (is_folder) {
        names = overlay_names(place);
        if (!names && errno)
            return errno;
    }
    int error = overlay_copy_up(place, 1);
    for (size_t i = 0; names && i < names->count && !error; ++i) {
        struct place *inner = malloc(sizeof *inner);
        char path[LONG + NAME_MAX + 2];
        snprintf(path, sizeof path, "%s/%s", place->path, names->at[i]->d_name);
        error = inner ? overlay_find(AT_FDCWD, path, 0, inner) : ENOMEM;
        if (!error && (inner->layer == LOWER || S_ISDIR(inner->is.st_mode)))
            error = overlay_copy_tree(inner);
        free(inner);
    }
    overlay_free_names(names);
    if (is_folder && was_lower && !error)
        set_times(place->path);
    return error;
}

/* ---- what the calls of libc need */

/* Whether Python's own cache of modules is written there, for real, beside the user's files. */
static int is_module_cache(const char *path)
{
    char parent[LONG], upper[LONG];
    struct stat is;
    const char *found = strstr(path, "/__pycache__");
    if (!found || (found[12] && found[12] != '/'))
        return 0;
    if (found[12])
        overlay_parent(path, parent);
    else
        snprintf(parent, LONG, "%.*s", (int)(found - path), path);
    return overlay_real_lstat(parent, &is) == 0 && !overlay_hidden(path) &&
           overlay_real_lstat(overlay_in(upper, "files", path), &is) != 0;
}

static char *with_slash(const struct place *place, char *to) { return place->slash ? strcat(to, "/") : to; }

int overlay_for_writing(int folder, const char *path, int flags, unsigned mode, char *to)
{
    struct place place;
    const int makes = flags & O_CREAT, alone = makes && (flags & O_EXCL);
    const int unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    int error = overlay_find(folder, path, !alone && !(flags & O_NOFOLLOW), &place);
    if (error)
        return error;
    snprintf(to, LONG, "%s", place.path);
    if (place.free || (makes && is_module_cache(place.path))) {
        with_slash(&place, to);
        return 0;
    }
    if (place.layer == NOWHERE) {
        if (!makes || unnamed)
            return ENOENT;
        if (place.slash)
            return EISDIR;
        if ((alone && overlay_made_for_real(place.path, 0, mode)) || overlay_is_plain(&place)) {
            overlay_keep(place.path, 1);
            return 0;
        }
        error = make_parents_if_allowed(place.path);
    } else if (alone) {
        return EEXIST;
    } else if (overlay_is_plain(&place)) {
        with_slash(&place, to);
        return 0;
    } else if (place.layer == LOWER) {
        if (S_ISDIR(place.is.st_mode) && !unnamed)
            return EISDIR;
        if (!S_ISREG(place.is.st_mode) && !unnamed)
            return 0; /* a pipe, a device, a link that is not to be followed */
        const int access = (flags & O_ACCMODE) == O_RDONLY && !(flags & O_TRUNC) ? R_OK
                           : (flags & O_ACCMODE) == O_RDWR                      ? R_OK | W_OK
                                                                                : W_OK;
        if (access == R_OK)
            return 0; /* O_CREAT for reading, and it is there */
        if (REAL(faccessat)(AT_FDCWD, place.path, access, AT_EACCESS))
            return errno;
        error = overlay_copy_up(&place, !(flags & O_TRUNC));
    }
    overlay_in(to, "files", place.path);
    return error;
}

int peakscope_saved_at(const char *path, char *to, size_t size)
{
    char at[LONG];
    if (!overlay_on())
        return ENOENT;
    const int error = overlay_for_writing(AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666, at);
    if (!error && (size_t)snprintf(to, size, "%s", at) >= size)
        return ENAMETOOLONG;
    return error;
}

int overlay_for_making(int folder, const char *path, int as_folder, unsigned mode, char *to)
{
    struct place place;
    int error = overlay_find(folder, path, 0, &place);
    if (error == ENOTDIR && place.slash && place.layer != NOWHERE)
        return EEXIST;
    if (error)
        return error;
    snprintf(to, LONG, "%s", place.path);
    if (place.free || is_module_cache(place.path))
        return 0;
    if (place.layer != NOWHERE)
        return EEXIST;
    if (place.slash && !as_folder)
        return ENOENT;
    if ((as_folder && overlay_made_for_real(place.path, 1, mode)) || overlay_is_plain(&place)) {
        overlay_keep(place.path, 1);
        return 0;
    }
    if ((error = make_parents_if_allowed(place.path)))
        return error;
    overlay_turn();
    overlay_in(to, "files", place.path);
    return 0;
}

int overlay_for_changing(int folder, const char *path, int follow, int bytes, char *to)
{
    struct place place;
    int error = overlay_find(folder, path, follow, &place);
    if (error)
        return error;
    snprintf(to, LONG, "%s", place.path);
    if (place.free || (place.layer == LOWER && overlay_is_plain(&place)))
        return 0;
    if (place.layer == NOWHERE)
        return ENOENT;
    if (place.layer == LOWER && place.is.st_uid != geteuid() && geteuid() != 0 &&
        REAL(faccessat)(AT_FDCWD, place.path, W_OK, AT_EACCESS))
        return errno == EACCES ? EPERM : errno;
    error = overlay_copy_up(&place, bytes);
    overlay_in(to, "files", place.path);
    return error;
}

static int is_empty(const struct place *place)
{
    struct names *names = overlay_names(place);
    const int empty = names && names->count == 0;
    overlay_free_names(names);
    return empty;
}

int overlay_remove(struct place *place)
{
    char upper[LONG];
    const int is_folder = S_ISDIR(place->is.st_mode);
    int error = may_change(place->path);
    if (error)
        return error;
    if (is_folder && !is_empty(place))
        return ENOTEMPTY;
    if ((error = hide(place->path)))
        return error;
    if (place->layer == UPPER)
        error = answer(is_folder ? REAL(rmdir)(overlay_in(upper, "files", place->path))
                                 : REAL(unlink)(overlay_in(upper, "files", place->path)));
    if (is_folder || S_ISLNK(place->is.st_mode))
        overlay_turn();
    return error;
}

/* A file moves between the overlay and a place that is written for real. */
static int move_across(const char *from, const struct stat *is, const char *to, int to_overlay)
{
    int error = answer(REAL(rename)(from, to));
    if (error != EXDEV || S_ISDIR(is->st_mode))
        return error;
    if (to_overlay) {
        if (!(error = copy_file(from, is, to, 1, 1)))
            error = answer(REAL(unlink)(from));
        return error;
    }
    return EXDEV;
}

int overlay_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags)
{
    struct place old, new;
    char old_upper[LONG], new_upper[LONG];
    int error = overlay_find(from_folder, from, 0, &old);
    if (error || (error = overlay_find(to_folder, to, 0, &new)))
        return error;
    overlay_turn();
    const int is_folder = S_ISDIR(old.is.st_mode), old_cache = !old.free && old.layer == LOWER && is_module_cache(old.path);
    if (old.layer == NOWHERE)
        return ENOENT;
    if ((old.free || old_cache) && (new.free || is_module_cache(new.path)))
        return answer(REAL(renameat2)(AT_FDCWD, old.path, AT_FDCWD, new.path, flags));
    if (old.free && overlay_is_plain(&new)) { /* how a log is written whole */
        if ((error = answer(REAL(renameat2)(AT_FDCWD, old.path, AT_FDCWD, new.path, flags))))
            return error;
        if (new.layer == NOWHERE)
            overlay_keep(new.path, 1);
        overlay_keep(old.path, 0);
        return 0;
    }
    if (flags & ~(unsigned)RENAME_NOREPLACE)
        return EINVAL;
    if (new.layer != NOWHERE && flags)
        return EEXIST;
    if (strcmp(old.path, new.path) == 0)
        return 0;
    const size_t length = strlen(old.path);
    if (is_folder && strncmp(old.path, new.path, length) == 0 && new.path[length] == '/')
        return EINVAL;
    if (new.layer != NOWHERE) {
        if (is_folder && !S_ISDIR(new.is.st_mode))
            return ENOTDIR;
        if (!is_folder && S_ISDIR(new.is.st_mode))
            return EISDIR;
        if (is_folder && !new.free && !is_empty(&new))
            return ENOTEMPTY;
    }
    overlay_in(old_upper, "files", old.path);
    overlay_in(new_upper, "files", new.path);
    if (!old.free && ((error = may_change(old.path)) || (error = overlay_copy_tree(&old))))
        return error;
    if (!new.free) {
        if ((error = make_parents_if_allowed(new.path)))
            return error;
        if (is_folder && ((error = hide(new.path)) || (new.layer == UPPER && (error = answer(REAL(rmdir)(new_upper))))))
            return error;
    }
    error = move_across(old.free ? old.path : old_upper, &old.is, new.free ? new.path : new_upper, !new.free);
    if (error)
        return error;
    if (old.free)
        overlay_keep(old.path, 0);
    else
        error = hide(old.path);
    overlay_turn();
    return error;
}
