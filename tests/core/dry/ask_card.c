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

/* What is asked of an event: at once, after the host has waited, anew, and after four launches; as four digits, 0 ready. */
static int queue(void)
{
    int (*create)(void **) = (int (*)(void **))function("cudaEventCreate");
    int (*record)(void *, void *) = (int (*)(void *, void *))function("cudaEventRecord");
    int (*query)(void *) = (int (*)(void *))function("cudaEventQuery");
    int (*wait)(void) = (int (*)(void))function("cudaDeviceSynchronize");
    int (*launch)(void) = (int (*)(void))function("cudaLaunchKernel");
    void *event;
    create(&event);
    record(event, NULL);
    const int first = query(event);
    wait();
    const int second = query(event);
    record(event, NULL);
    const int third = query(event);
    for (int i = 0; i < 4; ++i)
        launch();
    return 1000 * (first == 600) + 100 * (second == 600) + 10 * (third == 600) + (query(event) == 600);
}

struct unique_id {
    char bytes[128];
};

/* Size and rank of a communicator of eight, and the size of one that is split off it: three digits. */
static int communicators(void)
{
    int (*begin)(void **, int, struct unique_id, int) = (int (*)(void **, int, struct unique_id, int))function("ncclCommInitRank");
    int (*split)(void *, int, int, void **, void *) = (int (*)(void *, int, int, void **, void *))function("ncclCommSplit");
    int (*count)(void *, int *) = (int (*)(void *, int *))function("ncclCommCount");
    int (*place)(void *, int *) = (int (*)(void *, int *))function("ncclCommUserRank");
    void (*tell)(int) = (void (*)(int))function("peakscope_group_size");
    struct unique_id id = {{0}};
    void *all, *some;
    int size, rank, part;
    begin(&all, 8, id, 5);
    count(all, &size);
    place(all, &rank);
    tell(4);
    split(all, 0, 1, &some, NULL);
    count(some, &part);
    return 100 * size + 10 * rank + part;
}

/* The weight space of a network of 37 in, 29 hidden, and what a training keeps of four sequences of eleven; by cell (0 ReLU, 2
 * LSTM, 3 GRU), both ways or not, type (0 of four bytes, 2 of two), projected size and layers. */
static void recurrent(int cell, int ways, int type, int output, int layers)
{
    int (*create)(void **) = (int (*)(void **))function("cudnnCreateRNNDescriptor");
    int (*create_data)(void **) = (int (*)(void **))function("cudnnCreateRNNDataDescriptor");
    int (*create_tensor)(void **) = (int (*)(void **))function("cudnnCreateTensorDescriptor");
    int (*set)(void *, int, int, int, int, int, int, int, int, int, int, int, int, void *, unsigned) =
        (int (*)(void *, int, int, int, int, int, int, int, int, int, int, int, int, void *, unsigned))function(
            "cudnnSetRNNDescriptor_v8");
    int (*set_data)(void *, int, int, int, int, int, const int *, void *) =
        (int (*)(void *, int, int, int, int, int, const int *, void *))function("cudnnSetRNNDataDescriptor");
    int (*weights)(void *, void *, size_t *) = (int (*)(void *, void *, size_t *))function("cudnnGetRNNWeightSpaceSize");
    int (*place)(void *, void *, int, size_t, void *, int, void *, void **, void *, void **) =
        (int (*)(void *, void *, int, size_t, void *, int, void *, void **, void *, void **))function("cudnnGetRNNWeightParams");
    int (*describe)(void *, int, int *, int *, int *, int *) =
        (int (*)(void *, int, int *, int *, int *, int *))function("cudnnGetTensorNdDescriptor");
    int (*temporary)(void *, void *, int, void *, size_t *, size_t *) =
        (int (*)(void *, void *, int, void *, size_t *, size_t *))function("cudnnGetRNNTempSpaceSizes");
    const int gates = cell == 2 ? 4 : cell == 3 ? 3 : 1, lengths[] = {11, 11, 11, 11};
    void *net, *data, *matrix, *bias, *matrix_at, *bias_at;
    int kind, count, dims[3], strides[3];
    size_t bytes, work, kept, none;
    char base;
    create(&net);
    create_data(&data);
    create_tensor(&matrix);
    create_tensor(&bias);
    set(net, 0, cell, 2, ways - 1, 0, type, 0, 0, 37, 29, output, layers, NULL, 1);
    set_data(data, type, 0, 11, 4, 37, lengths, NULL);
    weights(NULL, net, &bytes);
    /* The last matrix of what comes back, and its bias, which ends the space. */
    place(NULL, net, layers * ways - 1, bytes, &base, 2 * gates - 1, matrix, &matrix_at, bias, &bias_at);
    describe(matrix, 3, &kind, &count, dims, strides);
    temporary(NULL, net, 1, data, &work, &kept);
    temporary(NULL, net, 0, data, NULL, &none);
    printf("%s[%zu, %td, %td, %d, %d, %d, %zu, %zu]", cell == 2 && ways == 1 && type == 0 && layers == 1 ? "" : ", ", bytes,
           (char *)matrix_at - &base, (char *)bias_at - &base, count, dims[1], dims[2], kept, none);
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
    int (*size)(void) = (int (*)(void))function("cudnnGetCTCLossWorkspaceSize");
    int (*states)(void *, size_t *) = (int (*)(void *, size_t *))function("cudnnDropoutGetStatesSize");

    size_t dropout, free_before, free_after, free_physical, free_end, total;
    char *first, *second, *third, *fourth, *fifth;
    void *small, *much = NULL, *one, *other, *memory;
    char byte = 7;
    info(&free_before, &total);
    allocate((void **)&first, 3 << 20);
    allocate((void **)&second, 20 << 20);
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
    /* Addresses: beside one another in a span of 32 MiB, below it in one of 64, in what that has left, and again. */
    allocate((void **)&first, 4 << 20);
    allocate((void **)&second, 20 << 20);
    allocate((void **)&third, 40 << 20);
    allocate((void **)&fourth, 24 << 20);
    release(second);
    allocate((void **)&fifth, 2 << 20);
    handle(&one);
    handle(&other);
    back(&byte, second, 1, 2);
    int multiprocessors, shared;
    attribute(&multiprocessors, 16, 0);
    attribute(&shared, 97, 0);
    states(NULL, &dropout);
    printf("{\"total\": %zu, \"free\": %zu, \"taken\": %zu, \"physical\": %zu, \"kept\": %zu, "
           "\"rises\": %td, \"falls\": %td, \"fills\": %td, \"again\": %d, \"full\": %d, "
           "\"foreign\": %d, \"much\": %d, \"handles_differ\": %d, \"byte\": %d, \"multiprocessors\": %d, \"shared\": %d, "
           "\"preloads\": %d, \"size\": %d, \"named_on_driver\": %d, \"queue\": %d, \"communicators\": %d, \"dropout\": %zu, \"recurrent\": [",
           total, free_before, free_before - free_after, free_after - free_physical, free_before - free_end,
           (second - first) >> 20, (first - third) >> 20, (fourth - third) >> 20, fifth == second, full, foreign, much != NULL, one != other, byte, multiprocessors, shared, getenv("LD_PRELOAD") != NULL, size(),
           dlsym(dlopen("libcuda.so.1", RTLD_NOW), "cuMemCreate") != NULL, queue(), communicators(), dropout);
    recurrent(2, 1, 0, 29, 1);
    recurrent(2, 2, 2, 29, 2);
    recurrent(2, 2, 0, 11, 2);
    recurrent(3, 1, 0, 29, 2);
    recurrent(0, 1, 0, 29, 3);
    printf("]}\n");
    return 0;
}
