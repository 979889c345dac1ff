/* SPDX-FileCopyrightText: 2026 The Peakscope authors
 * SPDX-License-Identifier: GPL-3.0-or-later
 * For programs that are built on one system and run on older ones: where a library has two versions of a function, the
 * linker takes the newest. These take the older one, which every system has: hypot of glibc before 2.35 (it also sets
 * errno), and std::condition_variable::wait of libstdc++ before GCC 12. cmake/PeakscopeCompiler.cmake redirects to them. */
double older_hypot(double x, double y);
__asm__(".symver older_hypot, hypot@GLIBC_2.2.5");
double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y)
{
    return older_hypot(x, y);
}

void older_wait(void* condition, void* lock);
__asm__(".symver older_wait, _ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE@GLIBCXX_3.4.11");
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock);
void __wrap__ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE(void* condition, void* lock)
{
    older_wait(condition, lock);
}
