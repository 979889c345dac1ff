/* SPDX-FileCopyrightText: 2026 The Peakscope authors */
/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recurrent networks as cuDNN describes them: what a descriptor was told is kept, since the size of the weights, where
 * each matrix lies and what the backward pass needs follow from it. The sizes were held against what cuDNN 9.19 answers
 * of 400 networks: weights and reserve are equal. */
#define _GNU_SOURCE
#include "stand_in.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 8, BAD_PARAMETER = 2000, NO_ROOM = 1002 };
enum { RELU = 0, TANH = 1, LSTM = 2, GRU = 3 };
enum { NO_BIAS = 0, DOUBLE_BIAS = 2 };
enum { STANDARD = 0 };
enum { TRAINING = 1 };

#define MADE(kind)                                                                                                             \
    EXPORT int cudnnCreate##kind(void **to)                                                                                    \
    {                                                                                                                          \
        *to = calloc(1, sizeof(struct kind));                                                                                  \
        return *to ? OK : NO_ROOM;                                                                                             \
    }                                                                                                                          \
    EXPORT int cudnnDestroy##kind(void *descriptor)                                                                            \
    {                                                                                                                          \
        free(descriptor);                                                                                                      \
        return OK;                                                                                                             \
    }

/* ---- tensors */

struct TensorDescriptor {
    int type, count, dims[MOST_DIMS], strides[MOST_DIMS];
};
MADE(TensorDescriptor)
EXPORT int cudnnSetTensorNdDescriptor(struct TensorDescriptor *tensor, int type, int count, const int *dims, const int *strides)
{
    if (count < 0 || count > MOST_DIMS)
        return BAD_PARAMETER;
    tensor->type = type;
    tensor->count = count;
    memcpy(tensor->dims, dims, (size_t)count * sizeof *dims);
    memcpy(tensor->strides, strides, (size_t)count * sizeof *strides);
    return OK;
}
EXPORT int cudnnGetTensorNdDescriptor(const struct TensorDescriptor *tensor, int most, int *type, int *count, int *dims,
                                      int *strides)
{
    const int have = tensor->count < most ? tensor->count : most;
    *type = tensor->type;
    *count = tensor->count;
    memcpy(dims, tensor->dims, (size_t)have * sizeof *dims);
    memcpy(strides, tensor->strides, (size_t)have * sizeof *strides);
    return OK;
}

/* ---- dropout between layers */

struct DropoutDescriptor {
    float share;
};
MADE(DropoutDescriptor)
EXPORT int cudnnSetDropoutDescriptor(struct DropoutDescriptor *dropout, UNUSED void *handle, float share)
{
    dropout->share = share;
    return OK;
}
EXPORT int cudnnRestoreDropoutDescriptor(struct DropoutDescriptor *dropout, void *handle, float share)
{
    return cudnnSetDropoutDescriptor(dropout, handle, share);
}
/* A generator of 48 bytes for half the threads that the card can hold, in blocks of 256. */
EXPORT int cudnnDropoutGetStatesSize(UNUSED void *handle, size_t *bytes)
{
    *bytes = (size_t)((card.sms * card.threads_sm + 511) / 512) * 256 * 48;
    return OK;
}

/* ---- what a network is, and what it reads */

struct RNNDescriptor {
    int algorithm, cell, bias, both_ways, type, drops;
    size_t input, hidden, output, layers; /* output: of a projection, or the hidden size */
};
MADE(RNNDescriptor)
EXPORT int cudnnSetRNNDescriptor_v8(struct RNNDescriptor *net, int algorithm, int cell, int bias, int both_ways,
                                    UNUSED int input_mode, int type, UNUSED int precision, UNUSED int math, int32_t input,
                                    int32_t hidden, int32_t output, int32_t layers, const struct DropoutDescriptor *dropout,
                                    UNUSED uint32_t flags)
{
    if (cell < RELU || cell > GRU || input < 0 || hidden < 1 || output < 1 || layers < 1)
        return BAD_PARAMETER;
    *net = (struct RNNDescriptor){.algorithm = algorithm,
                                  .cell = cell,
                                  .bias = bias,
                                  .both_ways = both_ways != 0,
                                  .type = type,
                                  .drops = dropout && dropout->share > 0,
                                  .input = (size_t)input,
                                  .hidden = (size_t)hidden,
                                  .output = (size_t)output,
                                  .layers = (size_t)layers};
    return OK;
}

struct RNNDataDescriptor {
    size_t batch, rows; /* rows: of all sequences */
};
MADE(RNNDataDescriptor)
EXPORT int cudnnSetRNNDataDescriptor(struct RNNDataDescriptor *data, UNUSED int type, UNUSED int layout, UNUSED int longest,
                                     int batch, UNUSED int width, const int *lengths, UNUSED void *padding)
{
    data->batch = (size_t)batch;
    data->rows = 0;
    for (int i = 0; i < batch; ++i)
        data->rows += (size_t)lengths[i];
    return OK;
}

static size_t bytes_of(int type) { return type == 0 ? 4 : type == 1 ? 8 : 2; }
static size_t directions(const struct RNNDescriptor *net) { return net->both_ways ? 2 : 1; }
static size_t gates(const struct RNNDescriptor *net) { return net->cell == LSTM ? 4 : net->cell == GRU ? 3 : 1; }
static size_t biases(const struct RNNDescriptor *net) { return net->bias == NO_BIAS ? 0 : net->bias == DOUBLE_BIAS ? 2 : 1; }
static size_t width(const struct RNNDescriptor *net, size_t layer)
{
    return layer ? net->output * directions(net) : net->input;
}
static size_t projection(const struct RNNDescriptor *net) { return net->output == net->hidden ? 0 : net->output * net->hidden; }

/* Elements of the matrices of a layer in one direction: of what comes in, of what comes back, of the projection. */
static size_t matrices(const struct RNNDescriptor *net, size_t layer)
{
    return gates(net) * net->hidden * (width(net, layer) + net->output) + projection(net);
}
/* All matrices, layer by layer and each in both directions, then all biases; nothing is aligned. */
static size_t before(const struct RNNDescriptor *net, size_t place)
{
    size_t elements = 0;
    for (size_t i = 0; i < place; ++i)
        elements += matrices(net, i / directions(net));
    return elements;
}
EXPORT int cudnnGetRNNWeightSpaceSize(UNUSED void *handle, const struct RNNDescriptor *net, size_t *bytes)
{
    const size_t places = net->layers * directions(net);
    *bytes = bytes_of(net->type) * (before(net, places) + places * biases(net) * gates(net) * net->hidden);
    return OK;
}

static void describe(struct TensorDescriptor *tensor, const struct RNNDescriptor *net, size_t rows, size_t columns)
{
    if (!tensor)
        return;
    memset(tensor, 0, sizeof *tensor);
    tensor->type = net->type;
    if (rows)
        *tensor =
            (struct TensorDescriptor){net->type, 3, {1, (int)rows, (int)columns}, {(int)(rows * columns), (int)columns, 1}};
}
/* Matrix and bias number `which`: those of what comes in, gate by gate, those of what comes back, the projection. */
EXPORT int cudnnGetRNNWeightParams(UNUSED void *handle, const struct RNNDescriptor *net, int32_t place, UNUSED size_t size,
                                   char *weights, int32_t which, struct TensorDescriptor *matrix, void **matrix_at,
                                   struct TensorDescriptor *bias, void **bias_at)
{
    const size_t places = net->layers * directions(net), all = gates(net), at = (size_t)place, number = (size_t)which;
    if (place < 0 || at >= places || which < 0 || number > 2 * all)
        return BAD_PARAMETER;
    const size_t in = width(net, at / directions(net)), back = net->output, element = bytes_of(net->type);
    const int projects = number == 2 * all;
    const size_t first = number < all ? number * net->hidden * in : net->hidden * (all * in + (number - all) * back);
    const int has_matrix = !projects || projection(net);
    if (matrix_at)
        *matrix_at = has_matrix ? weights + element * (before(net, at) + first) : NULL;
    describe(matrix, net, has_matrix ? (projects ? net->output : net->hidden) : 0,
             projects       ? net->hidden
             : number < all ? in
                            : back);
    /* A bias for each gate, or for what comes in (1) or comes back (3) alone. */
    const int has_bias =
        !projects && (biases(net) == 2 || (net->bias == 1 && number < all) || (net->bias == 3 && number >= all));
    const size_t bias_number = net->bias == 3 ? number - all : number;
    if (bias_at)
        *bias_at =
            has_bias ? weights + element * (before(net, places) + (at * biases(net) * all + bias_number) * net->hidden) : NULL;
    describe(bias, net, has_bias ? net->hidden : 0, 1);
    return OK;
}

static size_t whole(size_t bytes) { return (bytes + 31) / 32 * 32; }
/* What a training keeps for its backward pass, by cuDNN's standard algorithm: of each row the gates and the cell, for a GRU
 * twice the gates, of each layer but the last what it hands on, with the bits that dropout kept. While it computes, that
 * algorithm takes at least 8 MiB for each layer and direction, the matrices anew, rows that come in and go out, and the gates
 * of 256 steps: an LSTM in one direction hardly more, others up to three times as much. What the other algorithms take and
 * keep is not known: the same is kept, and nothing taken. */
EXPORT int cudnnGetRNNTempSpaceSizes(UNUSED void *handle, const struct RNNDescriptor *net, int mode,
                                     const struct RNNDataDescriptor *data, size_t *workspace, size_t *reserve)
{
    static int said;
    if (!said) {
        said = 1;
        note_at_least("cudnnGetRNNTempSpaceSizes");
    }
    const size_t ways = directions(net), states = data->rows * net->hidden * bytes_of(net->type);
    const size_t places = net->layers * ways, batches = net->cell == LSTM ? 10 : net->cell == GRU ? 5 : 3;
    const size_t element = bytes_of(net->type), most_rows = 256 * data->batch;
    const size_t some_rows = data->rows < most_rows ? data->rows : most_rows;
    const size_t kept = net->cell == LSTM ? 5 : net->cell == GRU ? 6 : 1;
    const size_t projected = projection(net) ? net->layers * ways * states : 0, between = (net->layers - 1) * ways;
    const size_t dropped = net->drops ? between * whole((ways * data->rows * net->output + 7) / 8) : 0;
    if (workspace)
        *workspace = net->algorithm == STANDARD
                         ? places * (8 << 20) + element * (before(net, places) + places * batches * data->batch * net->output +
                                                           data->rows * (ways * net->output + net->input) +
                                                           ways * some_rows * gates(net) * net->hidden)
                         : 0;
    if (reserve)
        *reserve = mode == TRAINING ? 256 + whole(places * kept * states) + whole(projected) +
                                          whole(projected / net->hidden * net->output) + whole(between * states) + dropped
                                    : 0;
    return OK;
}
