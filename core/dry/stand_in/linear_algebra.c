/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Linear algebra: sizes that cuSOLVER and cuSPARSE tell and PyTorch allocates by. The real ones are not known: of a factorisation as many
 * numbers are taken as the matrix has, of eigenvalues twice as many, of a sparse product none. A result says so. */
#include "stand_in.h"

static void note_bound(int eigenvalues)
{
    static int said[2];
    if (said[eigenvalues])
        return;
    said[eigenvalues] = 1;
    note_refused(eigenvalues ? "eigenvalues by cuSOLVER (two numbers for each of the matrix are taken)"
                             : "factorisations by cuSOLVER (one number for each of the matrix is taken)");
}

#define PASS(n) UNUSED const void *p##n
#define FLAG(n) UNUSED int f##n
#define WIDE(n) UNUSED long long w##n

/* ---- factorisations, in numbers of the matrix */

static int factors(long long rows, long long columns, int *count)
{
    const long long numbers = rows * columns;
    note_bound(0);
    *count = numbers > INT32_MAX ? INT32_MAX : (int)numbers;
    return OK;
}

#define OF_ALL_TYPES(DEFINE, name) DEFINE(S, name) DEFINE(D, name) DEFINE(C, name) DEFINE(Z, name)
#define FACTORS(letter, name)                                                                                                    \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), int m, int n, PASS(2), FLAG(1), int *count)                        \
    {                                                                                                                            \
        return factors(m, n, count);                                                                                             \
    }
OF_ALL_TYPES(FACTORS, geqrf)
OF_ALL_TYPES(FACTORS, getrf)
#define SYMMETRIC_FACTORS(letter, name)                                                                                          \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), FLAG(1), int n, PASS(2), FLAG(2), int *count)                      \
    {                                                                                                                            \
        return factors(n, n, count);                                                                                             \
    }
OF_ALL_TYPES(SYMMETRIC_FACTORS, potrf)
#define INDEFINITE_FACTORS(letter, name)                                                                                         \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), int n, PASS(2), FLAG(1), int *count)                               \
    {                                                                                                                            \
        return factors(n, n, count);                                                                                             \
    }
OF_ALL_TYPES(INDEFINITE_FACTORS, sytrf)
#define MAKE_Q(letter, name)                                                                                                     \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), int m, int n, FLAG(1), PASS(2), FLAG(2), PASS(3), int *count)      \
    {                                                                                                                            \
        return factors(m, n, count);                                                                                             \
    }
MAKE_Q(S, orgqr)
MAKE_Q(D, orgqr)
MAKE_Q(C, ungqr)
MAKE_Q(Z, ungqr)
#define TIMES_Q(letter, name)                                                                                                    \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), FLAG(1), FLAG(2), int m, int n, FLAG(3), PASS(2), FLAG(4),         \
                                                     PASS(3), PASS(4), FLAG(5), int *count)                                      \
    {                                                                                                                            \
        return factors(m, n, count);                                                                                             \
    }
TIMES_Q(S, ormqr)
TIMES_Q(D, ormqr)
TIMES_Q(C, unmqr)
TIMES_Q(Z, unmqr)

/* ---- singular values */

#define SINGULAR(letter, name)                                                                                                   \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), int m, int n, int *count) { return factors(m, n, count); }
OF_ALL_TYPES(SINGULAR, gesvd)
#define SINGULAR_JACOBI(letter, name)                                                                                            \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), FLAG(1), FLAG(2), int m, int n, PASS(2), FLAG(3), PASS(3),         \
                                                     PASS(4), FLAG(4), PASS(5), FLAG(5), int *count, PASS(6))                    \
    {                                                                                                                            \
        return factors(m, n, count);                                                                                             \
    }
OF_ALL_TYPES(SINGULAR_JACOBI, gesvdj)
#define SINGULAR_BATCHED(letter, name)                                                                                           \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), FLAG(1), int m, int n, PASS(2), FLAG(2), PASS(3), PASS(4),         \
                                                     FLAG(3), PASS(5), FLAG(4), int *count, PASS(6), int batch)                  \
    {                                                                                                                            \
        return factors((long long)m * batch, n, count);                                                                          \
    }
OF_ALL_TYPES(SINGULAR_BATCHED, gesvdjBatched)
#define SINGULAR_STRIDED(letter, name)                                                                                           \
    EXPORT int cusolverDn##letter##name##_bufferSize(PASS(1), FLAG(1), FLAG(2), int m, int n, PASS(2), FLAG(3), WIDE(1),         \
                                                     PASS(3), WIDE(2), PASS(4), FLAG(4), WIDE(3), PASS(5), FLAG(5), WIDE(4),     \
                                                     int *count, int batch)                                                      \
    {                                                                                                                            \
        return factors((long long)m * batch, n, count);                                                                          \
    }
OF_ALL_TYPES(SINGULAR_STRIDED, gesvdaStridedBatched)

/* ---- eigenvalues of symmetric matrices */

static int eigenvalues(long long n, long long batch, int *count)
{
    const long long numbers = 2 * n * n * batch;
    note_bound(1);
    *count = numbers > INT32_MAX ? INT32_MAX : (int)numbers;
    return OK;
}

#define EIGEN(letter, name)                                                                                                      \
    EXPORT int cusolverDn##letter##name##vd_bufferSize(PASS(1), FLAG(1), FLAG(2), int n, PASS(2), FLAG(3), PASS(3), int *count)  \
    {                                                                                                                            \
        return eigenvalues(n, 1, count);                                                                                         \
    }                                                                                                                            \
    EXPORT int cusolverDn##letter##name##vj_bufferSize(PASS(1), FLAG(1), FLAG(2), int n, PASS(2), FLAG(3), PASS(3), int *count,  \
                                                       PASS(4))                                                                  \
    {                                                                                                                            \
        return eigenvalues(n, 1, count);                                                                                         \
    }                                                                                                                            \
    EXPORT int cusolverDn##letter##name##vjBatched_bufferSize(PASS(1), FLAG(1), FLAG(2), int n, PASS(2), FLAG(3), PASS(3),       \
                                                              int *count, PASS(4), int batch)                                    \
    {                                                                                                                            \
        return eigenvalues(n, batch, count);                                                                                     \
    }
EIGEN(S, sye)
EIGEN(D, sye)
EIGEN(C, hee)
EIGEN(Z, hee)

/* ---- the same for any type, in bytes on the card and on the host */

static size_t number_bytes(int type) /* cudaDataType_t */
{
    enum { FLOAT = 0, DOUBLE = 1, COMPLEX_FLOAT = 4, COMPLEX_DOUBLE = 5 };
    return type == FLOAT ? 4 : type == COMPLEX_DOUBLE ? 16 : type == DOUBLE || type == COMPLEX_FLOAT ? 8 : 2;
}

static int numbers_of(int64_t rows, int64_t columns, int64_t times, int type, size_t *on_card, size_t *on_host)
{
    note_bound(times > 1);
    *on_card = (size_t)(rows * columns * times) * number_bytes(type);
    *on_host = 0;
    return OK;
}

EXPORT int cusolverDnXgeqrf_bufferSize(PASS(1), PASS(2), int64_t m, int64_t n, int type, PASS(3), WIDE(1), FLAG(1), PASS(4),
                                       FLAG(2), size_t *on_card, size_t *on_host)
{
    return numbers_of(m, n, 1, type, on_card, on_host);
}
EXPORT int cusolverDnXpotrf_bufferSize(PASS(1), PASS(2), FLAG(1), int64_t n, int type, PASS(3), WIDE(1), FLAG(2),
                                       size_t *on_card, size_t *on_host)
{
    return numbers_of(n, n, 1, type, on_card, on_host);
}
EXPORT int cusolverDnXsytrs_bufferSize(PASS(1), FLAG(1), int64_t n, int64_t sides, int type, PASS(2), WIDE(1), PASS(3), FLAG(2),
                                       PASS(4), WIDE(2), size_t *on_card, size_t *on_host)
{
    return numbers_of(n, sides, 1, type, on_card, on_host);
}
EXPORT int cusolverDnXsyevd_bufferSize(PASS(1), PASS(2), FLAG(1), FLAG(2), int64_t n, int type, PASS(3), WIDE(1), FLAG(3),
                                       PASS(4), FLAG(4), size_t *on_card, size_t *on_host)
{
    return numbers_of(n, n, 2, type, on_card, on_host);
}
EXPORT int cusolverDnXsyevBatched_bufferSize(PASS(1), PASS(2), FLAG(1), FLAG(2), int64_t n, int type, PASS(3), WIDE(1), FLAG(3),
                                             PASS(4), FLAG(4), size_t *on_card, size_t *on_host, int64_t batch)
{
    return numbers_of(n, n, 2 * batch, type, on_card, on_host);
}
EXPORT int cusolverDnXgeev_bufferSize(PASS(1), PASS(2), FLAG(1), FLAG(2), int64_t n, int type, PASS(3), WIDE(1), FLAG(3),
                                      PASS(4), FLAG(4), PASS(5), WIDE(2), FLAG(5), PASS(6), WIDE(3), FLAG(6), size_t *on_card,
                                      size_t *on_host)
{
    return numbers_of(n, n, 2, type, on_card, on_host);
}

/* ---- cuBLAS: what it says of the arguments, on the host, is that they are right */

static int well_formed(int *info)
{
    *info = 0;
    return OK;
}
#define BATCHED(letter, name)                                                                                                    \
    EXPORT int cublas##letter##geqrfBatched(PASS(1), FLAG(1), FLAG(2), PASS(2), FLAG(3), PASS(3), int *info, FLAG(4))            \
    {                                                                                                                            \
        return well_formed(info);                                                                                                \
    }                                                                                                                            \
    EXPORT int cublas##letter##gelsBatched(PASS(1), FLAG(1), FLAG(2), FLAG(3), FLAG(4), PASS(2), FLAG(5), PASS(3), FLAG(6),      \
                                           int *info, PASS(4), FLAG(7))                                                          \
    {                                                                                                                            \
        return well_formed(info);                                                                                                \
    }                                                                                                                            \
    EXPORT int cublas##letter##getrsBatched(PASS(1), FLAG(1), FLAG(2), FLAG(3), PASS(2), FLAG(4), PASS(3), PASS(4), FLAG(5),     \
                                            int *info, FLAG(6))                                                                  \
    {                                                                                                                            \
        return well_formed(info);                                                                                                \
    }
OF_ALL_TYPES(BATCHED, batched)

/* ---- cuSPARSE: products and sorts are taken to need nothing, the least */

static int nothing(const char *name, int *said, size_t *bytes)
{
    if (!*said)
        note_at_least(name);
    *said = 1;
    *bytes = 0;
    return OK;
}
#define SPARSE(name, ...)                                                                                                        \
    EXPORT int name(__VA_ARGS__, size_t *bytes)                                                                                  \
    {                                                                                                                            \
        static int said;                                                                                                         \
        return nothing(#name, &said, bytes);                                                                                     \
    }
SPARSE(cusparseSpMM_bufferSize, PASS(1), FLAG(1), FLAG(2), PASS(2), PASS(3), PASS(4), PASS(5), PASS(6), FLAG(3), FLAG(4))
SPARSE(cusparseSDDMM_bufferSize, PASS(1), FLAG(1), FLAG(2), PASS(2), PASS(3), PASS(4), PASS(5), PASS(6), FLAG(3), FLAG(4))
SPARSE(cusparseSpMV_bufferSize, PASS(1), FLAG(1), PASS(2), PASS(3), PASS(4), PASS(5), PASS(6), FLAG(2), FLAG(3))
SPARSE(cusparseSpSV_bufferSize, PASS(1), FLAG(1), PASS(2), PASS(3), PASS(4), PASS(5), FLAG(2), FLAG(3), PASS(6))
SPARSE(cusparseSpSM_bufferSize, PASS(1), FLAG(1), FLAG(2), PASS(2), PASS(3), PASS(4), PASS(5), FLAG(3), FLAG(4), PASS(6))
SPARSE(cusparseXcoosort_bufferSizeExt, PASS(1), FLAG(1), FLAG(2), FLAG(3), PASS(2), PASS(3))
SPARSE(cusparseXcsrsort_bufferSizeExt, PASS(1), FLAG(1), FLAG(2), FLAG(3), PASS(2), PASS(3))
EXPORT const char *cusparseGetErrorString(void) { return "not known to the stand-in of a card"; }
