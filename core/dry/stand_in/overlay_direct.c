/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rust's tempfile, with which safetensors saves since 0.8, opens its file through libc and gives it its name by a call straight to
 * the kernel. After such an opening, calls of this thread from outside libc come by here (syscall user dispatch, Linux 5.11), until
 * the file has its name or is gone. Neither new threads nor children inherit that. Where it cannot be had, the program is told
 * that its file is not there, and the user's files are safe all the same. */
#include "overlay.h"

#if defined(__x86_64__)
#include <link.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#define PR_SYS_DISPATCH_OFF 0
#define PR_SYS_DISPATCH_ON 1
#endif

static __thread volatile char dispatch __attribute__((tls_model("initial-exec"))); /* 0: calls pass, 1: they come by here */

struct range {
    uintptr_t inside, begin, size;
};
static int find_code(struct dl_phdr_info *info, size_t size, void *data)
{
    struct range *range = data;
    (void)size;
    for (int i = 0; i < info->dlpi_phnum; ++i) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + part->p_vaddr;
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) && range->inside >= begin && range->inside - begin < part->p_memsz) {
            range->begin = begin;
            range->size = part->p_memsz;
            return 1;
        }
    }
    return 0;
}

void overlay_disarm(void)
{
    if (!dispatch)
        return;
    const int before = errno;
    dispatch = 0;
    prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_OFF, 0, 0, 0);
    errno = before;
}

static void on_call(int signal, siginfo_t *info, void *context)
{
    const int before = errno;
    (void)signal;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const long a = registers[REG_RDI], b = registers[REG_RSI], c = registers[REG_RDX], d = registers[REG_R10],
               e = registers[REG_R8], f = registers[REG_R9];
    long result;
    const int was = dispatch;
    dispatch = 0;
    switch (info->si_syscall) {
    case SYS_rename:
        result = rename((const char *)a, (const char *)b);
        break;
    case SYS_renameat:
        result = renameat((int)a, (const char *)b, (int)c, (const char *)d);
        break;
    case SYS_renameat2:
        result = renameat2((int)a, (const char *)b, (int)c, (const char *)d, (unsigned)e);
        break;
    case SYS_link:
        result = link((const char *)a, (const char *)b);
        break;
    case SYS_linkat:
        result = linkat((int)a, (const char *)b, (int)c, (const char *)d, (int)e);
        break;
    case SYS_unlink:
        result = unlink((const char *)a);
        break;
    case SYS_unlinkat:
        result = unlinkat((int)a, (const char *)b, (int)c);
        break;
    case SYS_clone: /* these go on from where they were called: they are called once more, past here */
    case SYS_clone3:
    case SYS_fork:
    case SYS_vfork:
    case SYS_rt_sigreturn:
    case SYS_rt_sigprocmask:
        dispatch = 1;
        overlay_disarm();
        registers[REG_RIP] -= 2;
        registers[REG_RAX] = info->si_syscall;
        errno = before;
        return;
    default: {
        result = syscall(info->si_syscall, a, b, c, d, e, f);
        registers[REG_RAX] = result == -1 ? -errno : result;
        dispatch = (char)was;
        errno = before;
        return;
    }
    }
    registers[REG_RAX] = result == -1 ? -errno : result;
    dispatch = 1;
    if (result == -1 && (errno == EINVAL || errno == ENOSYS))
        dispatch = (char)was; /* another way is tried next */
    else
        overlay_disarm();
    errno = before;
}

void overlay_arm(const char *path)
{
    static struct range code;
    const char *last = strrchr(path, '/');
    const int before = errno;
    sigset_t blocked;
    if (strncmp(last ? last + 1 : path, ".tmp", 4) != 0 || dispatch)
        return;
    if (!__atomic_load_n(&code.size, __ATOMIC_ACQUIRE)) {
        struct range found = {(uintptr_t)REAL(openat), 0, 0};
        if (!dl_iterate_phdr(find_code, &found))
            return;
        code.begin = found.begin;
        __atomic_store_n(&code.size, found.size, __ATOMIC_RELEASE);
    }
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_NODEFER, .sa_sigaction = on_call}, old;
    if (pthread_sigmask(SIG_SETMASK, NULL, &blocked) == 0 && !sigismember(&blocked, SIGSYS) && sigaction(SIGSYS, NULL, &old) == 0 &&
        (old.sa_handler == SIG_DFL || old.sa_sigaction == on_call) && sigaction(SIGSYS, &action, NULL) == 0 &&
        prctl(PR_SET_SYSCALL_USER_DISPATCH, PR_SYS_DISPATCH_ON, code.begin, code.size, &dispatch) == 0)
        dispatch = 1;
    errno = before;
}
#else
void overlay_arm(const char *path) { (void)path; }
void overlay_disarm(void) {}
#endif
