/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders as the program sees them: names of both layers, where it stands, what a path leads to. */
#include "overlay.h"

#include <pthread.h>

static int is_folder_at(const char *path)
{
    struct stat is;
    return overlay_real_lstat(path, &is) == 0 && S_ISDIR(is.st_mode);
}

static int add_names(struct names *names, const char *folder, const char *unless, const char *gone, const char *dots)
{
    DIR *open = REAL(opendir)(folder);
    if (!open)
        return errno;
    int error = 0;
    for (struct dirent *entry; !error && (entry = REAL(readdir)(open));) {
        char other[LONG + NAME_MAX + 2];
        struct stat is;
        const int is_dots = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0;
        if (is_dots && !dots)
            continue;
        if (unless && !is_dots) {
            snprintf(other, sizeof other, "%s/%s", unless, entry->d_name);
            if (overlay_real_lstat(other, &is) == 0)
                continue;
        }
        if (gone && !is_dots) {
            snprintf(other, sizeof other, "%s/%s", gone, entry->d_name);
            if (overlay_real_lstat(other, &is) == 0 && S_ISREG(is.st_mode))
                continue;
        }
        if ((names->count & (names->count - 1)) == 0) {
            struct dirent **more = realloc(names->at, (names->count ? 2 * names->count : 1) * sizeof *more);
            if (!more) {
                error = ENOMEM;
                break;
            }
            names->at = more;
        }
        struct dirent *copy = malloc(sizeof *copy);
        if (!copy) {
            error = ENOMEM;
            break;
        }
        memcpy(copy, entry, offsetof(struct dirent, d_name) + strlen(entry->d_name) + 1);
        names->at[names->count++] = copy;
    }
    REAL(closedir)(open);
    return error;
}

static struct names *names_of(const struct place *place, const char *dots)
{
    char upper[LONG], gone[LONG];
    struct names *names = calloc(1, sizeof *names);
    if (!names)
        return NULL;
    const int above = !place->free && is_folder_at(overlay_in(upper, "files", place->path));
    const int under = (place->free || !overlay_hidden(place->path)) && is_folder_at(place->path);
    const int marks = !place->free && is_folder_at(overlay_in(gone, "gone", place->path));
    int error = above ? add_names(names, upper, NULL, NULL, dots) : 0;
    if (!error && under)
        error = add_names(names, place->path, above ? upper : NULL, marks ? gone : NULL, above ? NULL : dots);
    if (error) {
        overlay_free_names(names);
        errno = error;
        return NULL;
    }
    return names;
}
struct names *overlay_names(const struct place *place) { return names_of(place, NULL); }

void overlay_free_names(struct names *names)
{
    if (!names)
        return;
    for (size_t i = 0; i < names->count; ++i)
        free(names->at[i]);
    free(names->at);
    free(names);
}

/* ---- open folders whose names come from both layers: libc's own stands for the rest of what can be asked of it */

struct merged {
    DIR *folder;
    struct names *names;
    struct merged *next;
};
static struct merged *merged;
static unsigned merged_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void take_lock(void) { pthread_mutex_lock(&lock); }
static void give_lock(void) { pthread_mutex_unlock(&lock); }
__attribute__((constructor)) static void guard_forks(void) { pthread_atfork(take_lock, give_lock, give_lock); }

static struct names *merged_names(DIR *folder)
{
    if (!__atomic_load_n(&merged_count, __ATOMIC_ACQUIRE))
        return NULL;
    take_lock();
    struct merged *at = merged;
    while (at && at->folder != folder)
        at = at->next;
    struct names *names = at ? at->names : NULL;
    give_lock();
    return names;
}

static DIR *merge(DIR *folder, const struct place *place)
{
    struct merged *made = malloc(sizeof *made);
    struct names *names = made ? names_of(place, "dots") : NULL;
    if (!names) {
        free(made);
        return NULL;
    }
    *made = (struct merged){folder, names, NULL};
    take_lock();
    made->next = merged;
    merged = made;
    __atomic_add_fetch(&merged_count, 1, __ATOMIC_ACQ_REL);
    give_lock();
    return folder;
}

/* Whether the folder that lies at its layer holds less or more than what the program should see. */
static int needs_merge(const struct place *place)
{
    char other[LONG];
    if (place->free || place->layer == NOWHERE)
        return 0;
    if (place->layer == UPPER && is_folder_at(place->path) && !overlay_hidden(place->path))
        return 1;
    return place->layer == LOWER && is_folder_at(overlay_in(other, "gone", place->path));
}

EXPORT DIR *opendir(const char *path)
{
    if (overlay_idle() || !*path)
        return REAL(opendir)(path);
    char buffer[LONG];
    struct place place;
    const int before = errno;
    const char *at = overlay_seen(AT_FDCWD, path, 1, buffer);
    DIR *folder = at ? REAL(opendir)(at) : NULL;
    if (!folder || at == path || overlay_find(AT_FDCWD, path, 1, &place) || !needs_merge(&place)) {
        if (folder)
            errno = before;
        return folder;
    }
    if (!merge(folder, &place)) {
        REAL(closedir)(folder);
        return NULL;
    }
    errno = before;
    return folder;
}

EXPORT DIR *fdopendir(int fd)
{
    DIR *folder = REAL(fdopendir)(fd);
    if (!folder || overlay_idle())
        return folder;
    const int before = errno;
    struct place place;
    struct stat now, opened;
    char at[LONG];
    if (overlay_find(fd, ".", 1, &place) == 0 && !place.free) {
        /* It may have been opened before the overlay had something of it. */
        overlay_in(at, "files", place.path);
        const int other = place.layer == UPPER && overlay_real_fstat(fd, &opened) == 0 && overlay_real_lstat(at, &now) == 0 &&
                          (now.st_ino != opened.st_ino || now.st_dev != opened.st_dev);
        if (other || needs_merge(&place))
            merge(folder, &place);
    }
    errno = before;
    return folder;
}

EXPORT struct dirent *readdir(DIR *folder)
{
    struct names *names = merged_names(folder);
    if (!names)
        return REAL(readdir)(folder);
    return names->next < names->count ? names->at[names->next++] : NULL;
}

EXPORT struct dirent64 *readdir64(DIR *folder)
{
    _Static_assert(sizeof(struct dirent) == sizeof(struct dirent64), "one kind of entry");
    return (struct dirent64 *)readdir(folder);
}

EXPORT int closedir(DIR *folder)
{
    if (merged_names(folder)) {
        take_lock();
        struct merged **at = &merged;
        while (*at && (*at)->folder != folder)
            at = &(*at)->next;
        struct merged *found = *at;
        if (found) {
            *at = found->next;
            __atomic_sub_fetch(&merged_count, 1, __ATOMIC_ACQ_REL);
        }
        give_lock();
        if (found)
            overlay_free_names(found->names);
        free(found);
    }
    return REAL(closedir)(folder);
}

EXPORT void rewinddir(DIR *folder)
{
    struct names *names = merged_names(folder);
    if (names)
        names->next = 0;
    REAL(rewinddir)(folder);
}

EXPORT long telldir(DIR *folder)
{
    const struct names *names = merged_names(folder);
    return names ? (long)names->next : REAL(telldir)(folder);
}

EXPORT void seekdir(DIR *folder, long to)
{
    struct names *names = merged_names(folder);
    if (!names)
        REAL(seekdir)(folder, to);
    else if (to >= 0 && (size_t)to <= names->count)
        names->next = (size_t)to;
}

EXPORT int scandirat(int fd, const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
                     int (*compare)(const struct dirent **, const struct dirent **))
{
    struct place place;
    if (overlay_idle())
        return REAL(scandirat)(fd, path, list, wanted, compare);
    const int error = overlay_find(fd, path, 1, &place);
    if (error || place.free || place.layer == NOWHERE || !S_ISDIR(place.is.st_mode))
        return REAL(scandirat)(error || !place.free ? AT_FDCWD : fd, error || !place.free ? "/dev/null/none" : path, list,
                               wanted, compare); /* says what is wrong */
    struct names *names = names_of(&place, "dots");
    if (!names)
        return -1;
    size_t count = 0;
    for (size_t i = 0; i < names->count; ++i) {
        struct dirent *entry = names->at[i];
        names->at[i] = NULL;
        if (!wanted || wanted(entry))
            names->at[count++] = entry;
        else
            free(entry);
    }
    if (compare && count)
        qsort(names->at, count, sizeof *names->at, (int (*)(const void *, const void *))(void (*)(void))compare);
    *list = names->at;
    free(names);
    return (int)count;
}
EXPORT int scandir(const char *path, struct dirent ***list, int (*wanted)(const struct dirent *),
                   int (*compare)(const struct dirent **, const struct dirent **))
{
    return scandirat(AT_FDCWD, path, list, wanted, compare);
}
EXPORT int scandir64(const char *path, struct dirent64 ***list, int (*wanted)(const struct dirent64 *),
                     int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    return scandirat(AT_FDCWD, path, (struct dirent ***)list, (int (*)(const struct dirent *))(void (*)(void))wanted,
                     (int (*)(const struct dirent **, const struct dirent **))(void (*)(void))compare);
}

/* ---- where the program stands */

EXPORT int chdir(const char *path)
{
    struct place place;
    char upper[LONG];
    if (overlay_idle() || !*path)
        return REAL(chdir)(path);
    const int before = errno;
    const int error = overlay_find(AT_FDCWD, path, 1, &place);
    if (error || (place.layer == NOWHERE && !place.free)) {
        errno = error ? error : ENOENT;
        return -1;
    }
    errno = before;
    /* The user's folder, where there is one: what does not see the overlay finds its way from there. */
    if (place.layer == UPPER && (overlay_hidden(place.path) || !is_folder_at(place.path)))
        return REAL(chdir)(overlay_in(upper, "files", place.path));
    return REAL(chdir)(place.path);
}

EXPORT char *getcwd(char *to, size_t size)
{
    char here[LONG];
    if (overlay_idle())
        return REAL(getcwd)(to, size);
    if (!REAL(getcwd)(here, sizeof here))
        return NULL;
    if (!overlay_unmap(here))
        return REAL(getcwd)(to, size);
    const size_t needed = strlen(here) + 1;
    if (!to)
        return size && size < needed ? (errno = ERANGE, NULL) : strdup(here);
    if (size < needed) {
        errno = size ? ERANGE : EINVAL;
        return NULL;
    }
    return memcpy(to, here, needed);
}
EXPORT char *__getcwd_chk(char *to, size_t size, size_t room) { return size > room ? abort(), NULL : getcwd(to, size); }
EXPORT char *get_current_dir_name(void) { return overlay_idle() ? REAL(get_current_dir_name)() : getcwd(NULL, 0); }

EXPORT char *realpath(const char *restrict path, char *restrict to)
{
    struct place place;
    if (overlay_idle() || !path || !*path)
        return REAL(realpath)(path, to);
    const int before = errno;
    const int error = overlay_find(AT_FDCWD, path, 1, &place);
    if (error || (place.layer == NOWHERE && !place.free)) {
        errno = error ? error : ENOENT;
        return NULL;
    }
    errno = before;
    if (place.free)
        return REAL(realpath)(place.path, to);
    return to ? strcpy(to, place.path) : strdup(place.path);
}
EXPORT char *__realpath_chk(const char *path, char *to, size_t room) { return room < PATH_MAX ? abort(), NULL : realpath(path, to); }
EXPORT char *canonicalize_file_name(const char *path) { return realpath(path, NULL); }
