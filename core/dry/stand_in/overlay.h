/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A union of the user's files and what the program wrote. PEAKSCOPE_OVERLAY names a scratch folder; what would be written to
 * /a/b is at $PEAKSCOPE_OVERLAY/files/a/b, over the user's, and an empty file $PEAKSCOPE_OVERLAY/gone/a/b hides the user's /a/b
 * and all below it. All is on disk, so that every process of the program sees the same. Without the variable nothing happens.
 *
 * Only what is written while the program saves goes there (peakscope_saving), or what lies in a folder that is there alone; a log is
 * written for real. What the user had is never removed or renamed; what was made for real in this run may be. */
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#undef _FORTIFY_SOURCE /* its inline bodies stand in the way of bodies here */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifndef EXPORT
#define EXPORT __attribute__((visibility("default")))
#endif

/* The function of libc that has this name, looked up once. */
#define REAL(name)                                                                                                              \
    ({                                                                                                                          \
        static void *found_;                                                                                                    \
        void *real_ = __atomic_load_n(&found_, __ATOMIC_RELAXED);                                                               \
        if (!real_) {                                                                                                           \
            real_ = dlsym(RTLD_NEXT, #name);                                                                                    \
            __atomic_store_n(&found_, real_, __ATOMIC_RELAXED);                                                                 \
        }                                                                                                                       \
        (__typeof__(&name))real_;                                                                                               \
    })

enum { LONG = 2 * PATH_MAX }; /* a path below the scratch folder: too long for the kernel before it is too long for this */
enum layer { NOWHERE, LOWER, UPPER };

/* While it is above 0 the program saves. */
EXPORT int peakscope_saving(int more);
/* Where a library that opens its files past libc is to write what would be `path`: 0, or a number of errno. */
EXPORT int peakscope_saved_at(const char *path, char *to, size_t size);

/* A path as the program means it, with every symbolic link before its last part followed. */
struct place {
    char path[LONG];
    int slash; /* it ended in one, so that it means a folder */
    int free;  /* the overlay has no say over it */
    enum layer layer;
    struct stat is;
};

/* One page that all processes of the program share. */
struct shared {
    uint32_t changed; /* something is in the overlay */
    uint32_t turn;    /* goes up as folders and links change, so that what is remembered of them is looked up anew */
};
extern struct shared *overlay_shared;
extern dev_t overlay_device; /* of the scratch folder */
extern int overlay_state; /* 0: not looked at, 1: on, -1: off */
void overlay_start(void);

static inline int overlay_on(void)
{
    if (__atomic_load_n(&overlay_state, __ATOMIC_ACQUIRE) == 0)
        overlay_start();
    return overlay_state > 0;
}
/* Reading needs no detour: there is no overlay, or nothing is in it. */
static inline int overlay_idle(void) { return !overlay_on() || !__atomic_load_n(&overlay_shared->changed, __ATOMIC_RELAXED); }
/* Folders or links change. */
static inline void overlay_turn(void)
{
    __atomic_store_n(&overlay_shared->changed, 1, __ATOMIC_RELEASE);
    __atomic_add_fetch(&overlay_shared->turn, 1, __ATOMIC_ACQ_REL);
}

/* What answers with an int and says nothing else answers with 0 or a number of errno. */
int overlay_find(int folder, const char *path, int follow, struct place *place);
/* The path to hand to libc for reading: `path` itself, or an absolute one in `buffer` (LONG); NULL: errno says why. */
const char *overlay_seen(int folder, const char *path, int follow, char *buffer);
/* tree/path in the scratch folder; trees are files, gone, kept, work. */
char *overlay_in(char *to, const char *tree, const char *path);
/* A path below files/ becomes what it stands for. */
int overlay_unmap(char *path);
int overlay_hidden(const char *path);
int overlay_real_fstat(int fd, struct stat *is);
int overlay_real_lstat(const char *path, struct stat *is);
int overlay_made_for_real(const char *path, int as_folder, unsigned mode);
/* Whether what is made or changed here is so for real: the program doesn't save, and the folder is the user's. */
int overlay_is_plain(const struct place *place);
/* What was made for real stays so, for every process. */
void overlay_keep(const char *path, int keep);
void overlay_parent(const char *path, char *to);

/* Before something is made at a place where nothing is: its upper folders, if the program may. */
int overlay_make_parents(const char *path);
/* What is below gets a copy above: with its bytes, or those of everything in a folder. */
int overlay_copy_up(struct place *place, int bytes);
int overlay_copy_tree(struct place *place);
int overlay_remove(struct place *place);
int overlay_rename(int from_folder, const char *from, int to_folder, const char *to, unsigned flags);
/* Where to open or make `path`, in `to`; `slash` at the end as it was. */
int overlay_for_writing(int folder, const char *path, int flags, unsigned mode, char *to);
int overlay_for_making(int folder, const char *path, int as_folder, unsigned mode, char *to);
int overlay_for_changing(int folder, const char *path, int follow, int bytes, char *to);

/* The names in a folder as the program sees it, without . and .. (to be freed); NULL: errno says why. */
struct names {
    size_t count, next;
    struct dirent **at;
};
struct names *overlay_names(const struct place *place);
void overlay_free_names(struct names *names);
