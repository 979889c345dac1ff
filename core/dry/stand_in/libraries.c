/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Answers of cuBLAS, cuDNN and others that PyTorch branches on or allocates by. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <string.h>

#define REFUSAL "not known to the stand-in of a card"
#define TEXT(function)                                                                                                           \
    EXPORT const char *function(void) { return REFUSAL; }

/* ---- cuBLAS: a heuristic finds one algorithm, without a workspace of its own */

struct heuristic_result { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[8];
    size_t workspace_bytes;
    int state;
    float waves;
    int reserved[4];
};
EXPORT int cublasLtMatmulAlgoGetHeuristic(UNUSED void *handle, UNUSED void *product, UNUSED void *a, UNUSED void *b,
                                          UNUSED void *c, UNUSED void *d, UNUSED void *preference, UNUSED int most,
                                          struct heuristic_result *results, int *count)
{
    memset(results, 0, sizeof *results);
    *count = 1;
    return 0;
}
EXPORT size_t cublasLtGetVersion(void) { return (size_t)card.runtime * 10; }
EXPORT int cublasGetVersion_v2(UNUSED void *handle, int *version)
{
    *version = (int)card.runtime * 10;
    return 0;
}
static int zero(UNUSED void *handle, int *value)
{
    *value = 0;
    return 0;
}
EXPORT int cublasGetMathMode(void *handle, int *mode) { return zero(handle, mode); }
EXPORT int cublasGetPointerMode_v2(void *handle, int *mode) { return zero(handle, mode); }
EXPORT int cublasGetAtomicsMode(void *handle, int *mode) { return zero(handle, mode); }
EXPORT int cublasGetEmulationStrategy(void *handle, int *mode) { return zero(handle, mode); }

/* ---- cuFFT: a plan takes no workspace, which PyTorch would allocate */

EXPORT int cufftXtMakePlanMany(UNUSED int plan, UNUSED int rank, UNUSED long long *sizes, UNUSED long long *in, UNUSED long long in_stride,
                               UNUSED long long in_distance, UNUSED int in_type, UNUSED long long *out, UNUSED long long out_stride,
                               UNUSED long long out_distance, UNUSED int out_type, UNUSED long long batch, size_t *workspace,
                               UNUSED int type)
{
    static int said;
    if (!said) {
        said = 1;
        note_at_least("cufftXtMakePlanMany");
    }
    *workspace = 0;
    return 0;
}

/* ---- run-time compilation: a program of one byte */

static int one_byte(UNUSED void *program, size_t *bytes)
{
    *bytes = 1;
    return 0;
}
static int no_text(UNUSED void *program, char *text)
{
    *text = 0;
    return 0;
}
EXPORT int nvrtcVersion(int *major, int *minor)
{
    *major = (int)(card.runtime / 1000);
    *minor = (int)(card.runtime / 10 % 100);
    return 0;
}
EXPORT int nvrtcGetPTXSize(void *program, size_t *bytes) { return one_byte(program, bytes); }
EXPORT int nvrtcGetCUBINSize(void *program, size_t *bytes) { return one_byte(program, bytes); }
EXPORT int nvrtcGetProgramLogSize(void *program, size_t *bytes) { return one_byte(program, bytes); }
EXPORT int nvrtcGetPTX(void *program, char *text) { return no_text(program, text); }
EXPORT int nvrtcGetCUBIN(void *program, char *text) { return no_text(program, text); }
EXPORT int nvrtcGetProgramLog(void *program, char *text) { return no_text(program, text); }
EXPORT int nvrtcGetLoweredName(UNUSED void *program, const char *name, const char **lowered)
{
    *lowered = name;
    return 0;
}
TEXT(nvrtcGetErrorString)

/* ---- cuDNN: one engine without notes, knobs or workspace; what a descriptor was told is forgotten */

EXPORT size_t cudnnGetVersion(void) { return (size_t)card.cudnn; }
EXPORT size_t cudnnGetCudartVersion(void) { return (size_t)card.runtime; }
EXPORT int cudnnGetProperty(int which, int *value)
{
    *value = which == 0 ? (int)(card.cudnn / 10000) : which == 1 ? (int)(card.cudnn / 100 % 100) : (int)(card.cudnn % 100);
    return 0;
}
EXPORT int cudnnBackendCreateDescriptor(int kind, void **descriptor)
{
    enum { CONVOLUTION = 1 };
    static int said;
    if (kind == CONVOLUTION && !said) {
        said = 1;
        note_at_least("cudnnBackendGetAttribute (convolutions)");
    }
    *descriptor = new_handle();
    return 0;
}
EXPORT int cudnnBackendGetAttribute(UNUSED void *descriptor, int attribute, int type, int64_t most, int64_t *count, void *to)
{
    enum { INT64 = 3, DESCRIPTOR = 15, INT32 = 23, KNOBS = 302 };
    const int64_t have = type == INT64 || type == INT32 || (type == DESCRIPTOR && attribute != KNOBS);
    if (most >= 1 && to && type == INT64)
        memset(to, 0, sizeof(int64_t));
    if (most >= 1 && to && type == INT32)
        memset(to, 0, sizeof(int32_t));
    if (count)
        *count = most && have > most ? most : have;
    return 0;
}
/* Batch norm is taken to need nothing, as convolutions are: the least. */
#define NOTHING(name, ...)                                                                                                       \
    EXPORT int name(__VA_ARGS__, size_t *bytes)                                                                                  \
    {                                                                                                                            \
        static int said;                                                                                                         \
        if (!said) {                                                                                                             \
            said = 1;                                                                                                            \
            note_at_least(#name);                                                                                                \
        }                                                                                                                        \
        *bytes = 0;                                                                                                              \
        return 0;                                                                                                                \
    }
#define GIVEN(n) UNUSED const void *d##n
NOTHING(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, UNUSED void *handle, UNUSED int mode, UNUSED int operations,
        GIVEN(1), GIVEN(2), GIVEN(3), GIVEN(4), GIVEN(5))
NOTHING(cudnnGetBatchNormalizationBackwardExWorkspaceSize, UNUSED void *handle, UNUSED int mode, UNUSED int operations, GIVEN(1),
        GIVEN(2), GIVEN(3), GIVEN(4), GIVEN(5), GIVEN(6), GIVEN(7))
NOTHING(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, UNUSED void *handle, UNUSED int mode, UNUSED int operations,
        GIVEN(1), GIVEN(2))
EXPORT void cudnnGetLastErrorString(char *text, size_t bytes)
{
    if (bytes)
        *text = 0;
}
TEXT(cudnnGetErrorString)

/* ---- versions and words */

EXPORT int cuptiSubscribe(void) { return 999; } /* no profiler */
EXPORT int cuptiSubscribe_v2(void) { return 999; }
EXPORT int cuptiGetVersion(unsigned *version)
{
    *version = (unsigned)card.runtime * 10;
    return 0;
}
EXPORT int cuptiGetResultString(UNUSED int result, const char **text)
{
    *text = REFUSAL;
    return 0;
}
