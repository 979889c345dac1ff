/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A checkpoint of a dry run is mostly zeros: pages of them take no room on the scratch folder's disk. That is done only behind the
 * end of a file, where nothing lies yet, and its last byte is written, so that its size is right after every call. */
#include "overlay.h"

#include <sys/uio.h>

enum { SHORT = 1 << 16, BLOCK = 4096 };

static int is_zero(const char *bytes, size_t size) { return !bytes[0] && memcmp(bytes, bytes + 1, size - 1) == 0; }

static size_t block_at(off_t at, size_t left)
{
    const size_t block = BLOCK - (size_t)(at % BLOCK);
    return block < left ? block : left;
}

static int has_zeros(const char *bytes, size_t size)
{
    for (size_t at = 0; at + 2 * BLOCK <= size; at += BLOCK) {
        if (is_zero(bytes + at, BLOCK))
            return 1;
    }
    return 0;
}

/* Where the bytes would go, if that is behind the end of a file on the scratch folder's disk; otherwise below 0. */
static off_t behind_end(int fd, off_t at)
{
    struct stat is;
    if (REAL(fcntl)(fd, F_GETFL) & (O_APPEND | O_DIRECT | O_SYNC | O_DSYNC))
        return -1; /* also where that fails */
    if (overlay_real_fstat(fd, &is) || !S_ISREG(is.st_mode) || is.st_dev != overlay_device)
        return -1;
    if (at < 0)
        at = lseek(fd, 0, SEEK_CUR);
    return at >= is.st_size ? at : -1;
}

static ssize_t write_some(int fd, const char *bytes, size_t size, off_t at)
{
    size_t done = 0;
    while (done < size) {
        size_t end = done, block = block_at(at + (off_t)done, size - done);
        const int zero = is_zero(bytes + done, block);
        do
            end += block;
        while (end < size && (block = block_at(at + (off_t)end, size - end), is_zero(bytes + end, block) == zero));
        if (zero && end == size && REAL(pwrite)(fd, "", 1, at + (off_t)end - 1) != 1)
            return done ? (ssize_t)done : -1;
        while (!zero && done < end) {
            const ssize_t now = REAL(pwrite)(fd, bytes + done, end - done, at + (off_t)done);
            if (now <= 0)
                return done ? (ssize_t)done : now;
            done += (size_t)now;
        }
        done = end;
    }
    return (ssize_t)size;
}

/* Below -1: not this way. */
static ssize_t write_sparse(int fd, const char *bytes, size_t size, off_t to)
{
    if (size < SHORT || size > SSIZE_MAX / 2 || !overlay_on() || !has_zeros(bytes, size))
        return -2;
    const int before = errno;
    const off_t at = behind_end(fd, to);
    errno = before;
    if (at < 0)
        return -2;
    const ssize_t done = write_some(fd, bytes, size, at);
    if (done > 0 && to < 0)
        lseek(fd, at + done, SEEK_SET);
    return done;
}

EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
    const ssize_t done = write_sparse(fd, bytes, size, -1);
    return done < -1 ? REAL(write)(fd, bytes, size) : done;
}
EXPORT ssize_t pwrite(int fd, const void *bytes, size_t size, off_t at)
{
    const ssize_t done = at < 0 ? -2 : write_sparse(fd, bytes, size, at);
    return done < -1 ? REAL(pwrite)(fd, bytes, size, at) : done;
}
EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t at) { return pwrite(fd, bytes, size, at); }

/* As C++'s streams do: what is in their buffer, and the rest. */
EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
    int large = 0;
    for (int i = 0; i < count && !large; ++i)
        large = parts[i].iov_len >= SHORT;
    if (!large || !overlay_on())
        return REAL(writev)(fd, parts, count);
    const int before = errno;
    const off_t at = behind_end(fd, -1);
    errno = before;
    if (at < 0)
        return REAL(writev)(fd, parts, count);
    ssize_t all = 0;
    for (int i = 0; i < count; ++i) {
        const ssize_t done = write(fd, parts[i].iov_base, parts[i].iov_len);
        if (done < 0)
            return all ? all : done;
        all += done;
        if ((size_t)done < parts[i].iov_len)
            break;
    }
    return all;
}
