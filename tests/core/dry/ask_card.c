/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the card that is preloaded what PyTorch would ask, and prints a line of JSON. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *function(const char *name)
{
    void *found = dlsym(RTLD_DEFAULT, name);
    if (!found) {
        fprintf(stderr, "no %s\n", name);
        exit(1);
    }
    return found;
}

int main(void)
{
    int (*allocate)(void **, size_t) = (int (*)(void **, size_t))function("cudaMalloc");
    int (*release)(void *) = (int (*)(void *))function("cudaFree");
    int (*info)(size_t *, size_t *) = (int (*)(size_t *, size_t *))function("cudaMemGetInfo");
    int (*attribute)(int *, int, int) = (int (*)(int *, int, int))function("cudaDeviceGetAttribute");
    int (*handle)(void **) = (int (*)(void **))function("cublasCreate_v2");
    int (*back)(void *, const void *, size_t, int) = (int (*)(void *, const void *, size_t, int))function("cudaMemcpy");
    int (*physical)(void **, size_t, const void *, unsigned long long) =
        (int (*)(void **, size_t, const void *, unsigned long long))function("cuMemCreate");
    int (*give)(void *) = (int (*)(void *))function("cuMemRelease");
    int (*size)(void) = (int (*)(void))function("cudnnGetRNNWeightSpaceSize");

    size_t free_before, free_after, free_physical, free_end, total;
    void *first, *second, *small, *much = NULL, *one, *other, *memory;
    char byte = 7;
    info(&free_before, &total);
    allocate(&first, 3 << 20);
    allocate(&second, 20 << 20);
    allocate(&small, 100);
    info(&free_after, &total);
    const int full = allocate(&much, total);
    const int foreign = release(&byte);
    physical(&memory, 2 << 20, NULL, 0);
    info(&free_physical, &total);
    give(memory);
    release(first);
    release(second);
    release(small);
    info(&free_end, &total);
    handle(&one);
    handle(&other);
    back(&byte, second, 1, 2);
    int multiprocessors, shared;
    attribute(&multiprocessors, 16, 0);
    attribute(&shared, 97, 0);
    printf("{\"total\": %zu, \"free\": %zu, \"taken\": %zu, \"physical\": %zu, \"kept\": %zu, \"falls\": %d, \"full\": %d, "
           "\"foreign\": %d, \"much\": %d, \"handles_differ\": %d, \"byte\": %d, \"multiprocessors\": %d, \"shared\": %d, "
           "\"preloads\": %d, \"size\": %d, \"named_on_driver\": %d}\n",
           total, free_before, free_before - free_after, free_after - free_physical, free_before - free_end, second < first,
           full, foreign, much != NULL, one != other, byte, multiprocessors, shared, getenv("LD_PRELOAD") != NULL, size(),
           dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemCreate") != NULL);
    return 0;
}
