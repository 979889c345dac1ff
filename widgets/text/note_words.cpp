// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/text/note_words.h"

#include "core/results/component.h"
#include "widgets/look/component_palette.h"
#include "widgets/text/known_sentences.h"

#include <QCoreApplication>
#include <QRegularExpression>

#include <optional>
#include <utility>

namespace peakscope {

namespace {

struct NoteWords {
    Q_DECLARE_TR_FUNCTIONS(peakscope::NoteWords)

public:
    // As the engine words them, %1 and so on for what differs from run to run; the narrower before the wider.
    static constexpr const char* kNotes[] = {
        QT_TR_NOOP("Each expert is taken to get as many tokens. If all went to the same %1, the peak would be %2."),
        QT_TR_NOOP("each expert is taken to get as many tokens; \"estimate\" gives the peak for skewed loads too"),
        QT_TR_NOOP("loss head naive: Liger hides the head from Opacus"),
        QT_TR_NOOP("loss head naive: Liger has no chunked loss for %1"),
        QT_TR_NOOP("loss head chunked: TRL has no other"),
        QT_TR_NOOP("All tokens are taken to go to the same %1 experts, the most that one can get."),
        QT_TR_NOOP("data.routing: all tokens went to the same %1 experts"),
        QT_TR_NOOP("data.routing: each expert got as many tokens; if all went to the same %1, the peak would be about "
                   "%2"),
        QT_TR_NOOP("data.routing: skewed is for plans and dry runs; this run routed its own tokens"),
        QT_TR_NOOP("data.seq: %1 tokens are more than the %2 positions that the model was made for "
                   "(model.max_positions)"),
        QT_TR_NOOP("data: builtin: %1 records, %2 tokens (%3), %4 rows of %5"),
        QT_TR_NOOP("data: builtin: a record a sample (%1); %2 members, %3 others, %4 for perplexity, %5 for the base "
                   "model and the features"),
        QT_TR_NOOP("data: %1: a line a sample; %2 members, %3 others, %4 for perplexity, %5 for the base model and the "
                   "features"),
        QT_TR_NOOP("data: %1: rows of data.seq + 1 tokens; %2 members, %3 others, %4 for perplexity, %5 for the base "
                   "model and the features"),
        QT_TR_NOOP("data: %1: rows of tokens (zlib packs the ids' digits); %2 members, %3 others, %4 for perplexity, "
                   "%5 for the base model and the features"),
        QT_TR_NOOP("data: %1: %2 files, %3 tokens (%4), %5 rows of %6"),
        QT_TR_NOOP("data: %1: %2 tokens (%3), %4 rows of %5"),
        QT_TR_NOOP("data: %1: %2 rows, %3 tokens"),
        QT_TR_NOOP(
            "data: the tokens of the builtin records (%1) pass the model's vocabulary of %2 and were folded into it"),
        QT_TR_NOOP("data: token ids pass the model's vocabulary and were folded into it"),
        QT_TR_NOOP("data: rows of up to %1 tokens were cut to data.seq = %2"),
        QT_TR_NOOP("data: rows of different lengths: shorter ones are padded, and padding is not predicted"),
        QT_TR_NOOP("data: %1 repeated samples were left out"),
        QT_TR_NOOP("data: %1 samples were cut to data.seq + 1 = %2 tokens"),
        QT_TR_NOOP("weights: too many to draw on the CPU, so the device drew them: others than a CPU run's"),
        QT_TR_NOOP("clipping auto: %1 row at a time; all per-sample gradients are held"),
        QT_TR_NOOP("clipping auto: %1 rows at a time; all per-sample gradients are held"),
        QT_TR_NOOP("clipping auto: %1 row at a time; %2"),
        QT_TR_NOOP("clipping auto: %1 rows at a time; %2"),
        QT_TR_NOOP("privacy: epsilon is that of Poisson batches; these take the rows in order "
                   "(training.privacy.poisson is false)"),
        QT_TR_NOOP("privacy: norms are made of products in TF32; that no row adds more than max_grad_norm rests on "
                   "training.norm_safety"),
        QT_TR_NOOP("privacy: the noise comes from a seeded generator, fit for measuring, not for releasing a model"),
        QT_TR_NOOP("privacy: no epsilon: %1"),
        QT_TR_NOOP("step %1 drew no rows: its update is noise alone. The loss is that of the last step with rows, the "
                   "gradient norm that of the noise"),
        QT_TR_NOOP("step %1 drew no rows: its update is noise alone"),
        QT_TR_NOOP("%1 steps drew no rows (the last of them step %2): their updates are noise alone. The loss is that "
                   "of the last step with rows, the gradient norm that of the noise"),
        QT_TR_NOOP("%1 steps drew no rows (the last of them step %2): their updates are noise alone"),
        QT_TR_NOOP("times are of %1 run without tracing, in turns with the other methods; memory is of a traced run"),
        QT_TR_NOOP("times are of %1 runs without tracing, in turns with the other methods; memory is of a traced run"),
        QT_TR_NOOP("memory: that of rank %1, the highest peak of %2 ranks"),
        QT_TR_NOOP("a dry run: LibTorch's own allocator and operators on a stand-in of %1; kernels did nothing, so no "
                   "number was computed and no time measured"),
        QT_TR_NOOP("a dry run: the program's own allocator and operators on a stand-in of %1; kernels did nothing, so "
                   "its output is not a result"),
        QT_TR_NOOP("one rank of %1, without the others: they are taken to hold what rank %2 holds"),
        QT_TR_NOOP("the program made no process group: it ran as one process on its own, not as a rank of %1"),
        QT_TR_NOOP("cuda:%1 is shown; of the other devices the program held at most: %2"),
        QT_TR_NOOP("memory: that of rank %1, the highest peak of the %2 ranks that were run"),
        QT_TR_NOOP("%1 value read back from the card could not be computed: %2; a size that depends on one uses a "
                   "fixed value instead"),
        QT_TR_NOOP("%1 values read back from the card could not be computed: %2; a size that depends on one uses a "
                   "fixed value instead"),
        QT_TR_NOOP("integers from other ranks were replaced in %1 call: %2. An exchange returns this rank's own "
                   "values, a receive a fixed value, so dependent sizes may differ on real cards"),
        QT_TR_NOOP("integers from other ranks were replaced in %1 calls: %2. An exchange returns this rank's own "
                   "values, a receive a fixed value, so dependent sizes may differ on real cards"),
        QT_TR_NOOP("sizes queried from the card's libraries that the stand-in does not have: %1"),
        QT_TR_NOOP("the peak is a lower bound: of the card's libraries' own memory only a minimum is known: %1"),
        QT_TR_NOOP("NCCL takes memory of its own beside this, in no number here: about %1 for %2 communicator, as "
                   "users of other cards reported it"),
        QT_TR_NOOP("NCCL takes memory of its own beside this, in no number here: about %1 for %2 communicators, as "
                   "users of other cards reported it"),
        QT_TR_NOOP("masks and counts on the card were not followed, and read as fixed answers: %1"),
        QT_TR_NOOP(
            "PyTorch %1 has not been compared with a card or another release: what it needs of CUDA was read from "
            "its own files"),
        QT_TR_NOOP("files saved by the program, without valid values: %1, %2; they were written to a scratch folder "
                   "and deleted (--allow-saves writes them to their paths)"),
        QT_TR_NOOP(
            "not reached within the steps: %1; what these take is in no number (--through-eval goes on to one batch "
            "of an evaluation and one save)"),
        QT_TR_NOOP("max-autotune: of %1 products the first kernel was taken, since none can be timed here"),
        QT_TR_NOOP("%1 of %2 s passed before the card was used; if weights are drawn or read on the host, --ghost "
                   "FOLDER avoids that"),
        QT_TR_NOOP("the program put nothing on the card: it ran on the processor"),
        QT_TR_NOOP("PyTorch's own history is missing: it is written when a program ends by itself. So there are no "
                   "lines, no stacks and no snapshot"),
        QT_TR_NOOP("on the processor PyTorch held %1 at most"),
        QT_TR_NOOP("%1 allocates %2 % more than the fitted line"),
        QT_TR_NOOP("%1 allocates %2 % less than the fitted line"),
        QT_TR_NOOP("%1 is the end of the range, not of the card: more may fit; go on with --vary %2"),
        QT_TR_NOOP("%1: its steps request different bytes, so other rows may take more than the first. To try seeds 0 "
                   "to %2, put {draw} in the arguments"),
        QT_TR_NOOP("%1 does not fit the program's own limit; the card has room for it. That limit is a share of what "
                   "--target leaves of the card"),
        QT_TR_NOOP("%1 fits though %2 does not: what the program takes does not rise with it"),
        QT_TR_NOOP("%1 in %2 draws of its rows reserves %3 to %4"),
        QT_TR_NOOP("over the budget of %1: %2 more were requested while %3 were allocated, at %4"),
        QT_TR_NOOP("over the budget of %1: %2 more were requested while %3 were allocated"),
        QT_TR_NOOP("the program was still running"),
        QT_TR_NOOP("the program was stopped"),
        QT_TR_NOOP("the program was ended by signal %1"),
        QT_TR_NOOP("the program ended with status %1"),
        QT_TR_NOOP(
            "no optimiser took a step (backward passes: %1): what an optimiser holds once it has stepped is in no "
            "number"),
        QT_TR_NOOP("no optimiser of PyTorch took a step (backward passes: %1): each pass counts as a step, and another "
                   "optimiser's states as inputs"),
        QT_TR_NOOP("%1 has stepped and holds nothing: none of its parameters had a gradient"),
        QT_TR_NOOP("dry runs of %1 optimiser steps each: what comes later and takes more is not in them"),
        QT_TR_NOOP("of %1 ranks %2 run, each without the others; a value fits that fits each of them"),
        QT_TR_NOOP("what NCCL takes for itself, %1 by a margin, is in no number: a lower --target leaves room for it"),
        QT_TR_NOOP("a program ended without a step of an optimiser: what a step takes is not in its bytes"),
        QT_TR_NOOP("values that the program read back from the card could not be computed: sizes that depend on them "
                   "use fixed values instead"),
        QT_TR_NOOP("resumed from what an interrupted run had finished"),
        QT_TR_NOOP("the measured product and its symmetry are those of %1 alone: no requested quantity holds a vector "
                   "of all parameters"),
        QT_TR_NOOP("features: alignment needs at least 3 rows in the batch and is not a number here"),
        QT_TR_NOOP("block_diagonal: rows are too many to be blocks; tensors were taken"),
        QT_TR_NOOP("eigenvalues: not converged after %1 products; their residuals bound the error"),
        QT_TR_NOOP("eigenvalues: finite differences are off by %1 in the first, by an exact product; another "
                   "curvature.step may be nearer, method \"auto\" is exact"),
        QT_TR_NOOP("eigenvalues: finite differences are off by %1 in the first, by an exact product"),
        QT_TR_NOOP("finite differences: step %1, %2 of %3 kinks crossed, product off by %4 of its length"),
        QT_TR_NOOP("finite differences: rounding at this step is larger than the product, so no digit is right. Use a "
                   "larger curvature.step, dtype \"float64\", or method \"auto\""),
        QT_TR_NOOP("embedding: the units differ in no feature"),
        QT_TR_NOOP("embedding: the same for all units and left out: %1"),
        QT_TR_NOOP("embedding: %1 units without %2 have its mean"),
        QT_TR_NOOP("the rows differ by no more than the rounding of their numbers: what the embedding shows is noise, "
                   "and it is not scored"),
        QT_TR_NOOP("no scores: they would praise noise"),
        QT_TR_NOOP("no trustworthiness: it needs three rows or more"),
        QT_TR_NOOP("the thresholds leave %1 empty, so classes are by rank: the upper third of alignment less sparsity "
                   "is Wfunc, the lower third Wsens"),
        QT_TR_NOOP("there are too few units for three classes: %1 is empty"),
        QT_TR_NOOP("%1 unit has no alignment or sparsity and counts as Wboth"),
        QT_TR_NOOP("%1 units have no alignment or sparsity and count as Wboth"),
        QT_TR_NOOP("the check of small noise against the Hessian's trace was left out: its float64 copies of the model "
                   "exceed the size limit or the budget"),
        QT_TR_NOOP("prm.finetune_epochs is 0: nothing was memorised, so attacks have nothing to find"),
        QT_TR_NOOP("synthetic: units, features and answers come from a random generator; nothing was trained, "
                   "perturbed or measured"),
        // Of plans, whose sentences hold others.
        QT_TR_NOOP("The estimate may be off by %1 %, which would change this verdict; a dry run decides."),
        QT_TR_NOOP("These bytes are of a dry run on a stand-in of the card."),
        QT_TR_NOOP("Does not fit: the dry run ran out of memory with %1 of %2 reserved."),
        QT_TR_NOOP("operators as LibTorch's CUDA kernels allocate; training steps on an H100 took 0.1 to 0.5 % more, "
                   "what cuBLAS keeps for itself (docs/gpu.md)"),
        QT_TR_NOOP("a step of whole rows of %1 tokens has %2 tokens; %3 were requested"),
        QT_TR_NOOP("Yes, %1: %2."),
        QT_TR_NOOP("No, not %1: %2. Yes with %3: %4."),
        QT_TR_NOOP("No, not on %1 x %2: %3. Yes on %4 of them, %5: %6."),
        QT_TR_NOOP("No, nothing searched fits on %1 x %2. %3: %4."),
        QT_TR_NOOP("at least %1 each"),
        QT_TR_NOOP("about %1 of %2 each, batch %3 x %4 in passes of %5 over %6 devices"),
        QT_TR_NOOP("%1 of %2 each, batch %3 x %4 in passes of %5 over %6 devices"),
        QT_TR_NOOP("about %1 of %2 each, batch %3 x %4 over %5 devices"),
        QT_TR_NOOP("%1 of %2 each, batch %3 x %4 over %5 devices"),
        QT_TR_NOOP("about %1 of %2, batch %3 x %4 in passes of %5"),
        QT_TR_NOOP("%1 of %2, batch %3 x %4 in passes of %5"),
        QT_TR_NOOP("about %1 of %2, batch %3 x %4"),
        QT_TR_NOOP("%1 of %2, batch %3 x %4"),
        QT_TR_NOOP("%1, 8-bit states"),
        QT_TR_NOOP("%1, kahan rounding"),
        QT_TR_NOOP("%1, float32 adapters"),
        QT_TR_NOOP("%1, stochastic rounding"),
        QT_TR_NOOP("%1 with float32 masters"),
        QT_TR_NOOP("all weights in %1"),
        QT_TR_NOOP("LoRA over %1 in %2"),
        QT_TR_NOOP("LoRA in %1"),
        QT_TR_NOOP("Comfortable: %1."),
        QT_TR_NOOP("Fits: %1."),
        QT_TR_NOOP("Comfortable on each of %1 devices: %2."),
        QT_TR_NOOP("Fits on each of %1 devices: %2."),
        QT_TR_NOOP("Tight: %1; another process on the device or fragmentation may end it."),
        QT_TR_NOOP("Does not fit: %1."),
        QT_TR_NOOP("Needs %1 of %2 (%3 here), %4 on each."),
        QT_TR_NOOP("%1 reserved and %2 for the CUDA context are %3 % of %4 usable, %5 to spare"),
        QT_TR_NOOP("%1 reserved and %2 for the CUDA context are %3 % of %4 usable, %5 missing"),
        QT_TR_NOOP("%1 reserved and %2 for the process are %3 % of %4 usable, %5 to spare"),
        QT_TR_NOOP("%1 reserved and %2 for the process are %3 % of %4 usable, %5 missing"),
        QT_TR_NOOP("The peak of %1 is in %2: %3. The logits make it: %4 of it are theirs."),
        QT_TR_NOOP("The peak of %1 is in %2: %3."),
        QT_TR_NOOP("Exact. Trains what was requested: the same numbers up to rounding."),
        QT_TR_NOOP("Costs no extra time."),
        QT_TR_NOOP("Costs no extra time; at least %1 a step by roofline, %2 tokens/s."),
        QT_TR_NOOP("Costs no extra time; at least %1 for %2 by roofline."),
        QT_TR_NOOP("Costs time: %1; at least %2 a step by roofline, %3 tokens/s."),
        QT_TR_NOOP("Costs time: %1; at least %2 for %3 by roofline."),
        QT_TR_NOOP("every layer runs forward once more in backward (about a third more operations)"),
        QT_TR_NOOP("%1 passes of %2 row instead of one"),
        QT_TR_NOOP("%1 passes of %2 rows instead of one"),
        QT_TR_NOOP("attention writes its T x T scores to memory"),
        QT_TR_NOOP("attention computes its scores once more in backward"),
        QT_TR_NOOP("%1 move between the devices each step"),
        QT_TR_NOOP("%1 move between the devices in all"),
        QT_TR_NOOP("data.batch %1 is %2 row on each of %3 devices."),
        QT_TR_NOOP("data.batch %1 is %2 rows on each of %3 devices."),
        QT_TR_NOOP("The prediction is not yet proved by a measured run of this kind."),
        QT_TR_NOOP("Has room for more: data.batch %1 fits in the same way."), // of earlier versions
        QT_TR_NOOP("Has no room for more: data.batch %1 does not fit in the same way."),
        QT_TR_NOOP("data.batch %1 is the largest that was tried and leaves room."),
        QT_TR_NOOP(
            "Updates each weight within backward: gradients are not accumulated, nor clipped by the norm of all."),
        QT_TR_NOOP("Weights and gradients in %1; float32 masters and moments take the updates."),
        QT_TR_NOOP(
            "Weights, gradients and moments in %1; what rounding loses of an update is kept in as many bits again "
            "(Kahan)."),
        QT_TR_NOOP("Weights, gradients and moments in %1; updates are rounded up or down at random, right on average."),
        QT_TR_NOOP("The frozen weights are %1; adapters, their gradients and moments are float32."),
        QT_TR_NOOP("Both moments in 8 bits, blocks of %1 (%2)."),
        QT_TR_NOOP("The weights under the adapters are rounded to 4 bits (%1)."),
        QT_TR_NOOP("Weights, gradients and states in %1, rounded to nearest: updates below 1/%2 of a weight are lost."),
        QT_TR_NOOP("Matrix products round their inputs to %1 (%2 bits); weights, gradients and states stay %3."),
        QT_TR_NOOP("Trains adapters of rank %1 only; the weights stay as they are."),
        QT_TR_NOOP("%1 instead of %2: no moments, another path of training."),
        QT_TR_NOOP("%1 instead of %2: another path of training."),
        QT_TR_NOOP("Rows of %1 tokens instead of %2: nothing beyond is attended to."),
        QT_TR_NOOP("Ranks first: nothing runs as it is, and this is the nearest."),
        QT_TR_NOOP("Ranks first: of what is exact and %1 it is the quickest."),
        QT_TR_NOOP("Ranks first: nothing exact %1; of what only rounds differently it is the quickest."),
        QT_TR_NOOP("Ranks first: nothing %1 that trains what was requested; of what changes it, this is the quickest."),
        QT_TR_NOOP("fits on one device"),
        QT_TR_NOOP("fits on the devices at hand"),
        QT_TR_NOOP("Ranks below those above: they run on one device."),
        QT_TR_NOOP("Ranks below those above: they run on the devices at hand."),
        QT_TR_NOOP("Ranks below those above: this one does not fit."),
        QT_TR_NOOP("Ranks below those above: they are exact, this one rounds differently."),
        QT_TR_NOOP("Ranks below those above: this one changes what was requested."),
        QT_TR_NOOP("Ranks below the one above: %1 more are missing."),
        QT_TR_NOOP("Ranks below the one above: one device more."),
        QT_TR_NOOP("Ranks below the one above: %1 devices more."),
        QT_TR_NOOP("Ranks below the one above: by roofline %1 times as long per token, and it needs %2 more."),
        QT_TR_NOOP("Ranks below the one above: by roofline %1 times as long per token, and it needs %2 less."),
        QT_TR_NOOP("Ranks below the one above: by roofline %1 times as long per token."),
        QT_TR_NOOP(
            "Ranks below the one above: as quick by roofline, within 2 %, and it changes more, and it needs %1 more."),
        QT_TR_NOOP(
            "Ranks below the one above: as quick by roofline, within 2 %, and it changes more, and it needs %1 less."),
        QT_TR_NOOP("Ranks below the one above: as quick by roofline, within 2 %, and it changes more."),
        QT_TR_NOOP("Ranks below the one above: as quick, and it needs %1 more."),
        QT_TR_NOOP("Ranks below the one above: as quick, and it needs %1 less."),
        QT_TR_NOOP("Ranks below the one above: as quick."),
        // Of what readers of other programs' files say.
        QT_TR_NOOP("all sizes are estimates by a rule of thumb, not measured"),
        QT_TR_NOOP("%1: intermediate is 2 × the parameters, a rule of thumb"),
        QT_TR_NOOP("%1: activations are one tensor of 128 positions × %2 × 4 bytes: a width guessed as parameters / %3 "
                   "(at most %4), without layers, attention or logits"),
        QT_TR_NOOP("%1: block_diagonal_hessian counts 10 × the diagonal, whatever the blocks are"),
        QT_TR_NOOP("%1: strategies are sums of all parts, as if all were alive at one time"),
        QT_TR_NOOP("%1: approximate_hessian counts no memory for the approximation itself"),
        QT_TR_NOOP("all sizes are sums by a rule of thumb, not measured"),
        QT_TR_NOOP("a strategy is a sum of parts; the block-diagonal one counts ten times the diagonal, whatever the "
                   "blocks are"),
        QT_TR_NOOP("the step time is the mean over the iterations"),
        QT_TR_NOOP("the step time is the %1 over the iterations"),
        QT_TR_NOOP("the file does not record which statistic the step time is"),
        QT_TR_NOOP("the file holds no configuration"),
        QT_TR_NOOP("the file names no experiment; taken from its file name: %1"),
        // Before the next, whose first value would take its words.
        QT_TR_NOOP("the breakdown was read after the step, not at the peak: its parts sum to %1 without the activation "
                   "hooks, the peak is %2"),
        QT_TR_NOOP("the breakdown was read after the step, not at the peak: its parts sum to %1, the peak is %2"),
        QT_TR_NOOP("activation hooks are cumulated over the iterations, so their %1 exceed the peak"),
        QT_TR_NOOP(
            "activation hooks are cumulated over the iterations, so their %1 are not what was alive at one time"),
        QT_TR_NOOP("temp matrices are always 0 in what this script writes: it never measures them"),
        QT_TR_NOOP("the peak is 0: the script measures nothing without a CUDA device"),
        QT_TR_NOOP(
            "total_seconds is the time of a whole configuration, loading the model included; there is no step time"),
        QT_TR_NOOP(
            "PyTorch's TEMPORARY is shown as workspace, AUTOGRAD_DETAIL as activation gradients, unknown bytes as "
            "other; the categories are PyTorch's own guess"),
        QT_TR_NOOP("synthetic: the scripts of this family drew delta_ppl and delta_auc from a random generator"),
        QT_TR_NOOP("joined from %1 files of a point each"),
        QT_TR_NOOP("the files do not agree in which statistic of the iterations their step time is: %1"),
        QT_TR_NOOP("the files do not agree in the number of GPUs: %1"),
        QT_TR_NOOP("a secret was left out: %1 and %2 more"),
        QT_TR_NOOP("numbers written as text were read as numbers: %1"),
        QT_TR_NOOP("not a finite number, so left out: %1"),
        QT_TR_NOOP("a secret was left out: %1"),
        QT_TR_NOOP("sizes outside `snapshots` are bytes, those inside GiB; all are bytes here"),
        QT_TR_NOOP("figures by kind of module are sums of increases between hooks (forward as activations, backward as "
                   "gradients); nested modules are counted more than once"),
        QT_TR_NOOP("gradient and activation estimates are rules of thumb of the script, not measured"),
        QT_TR_NOOP("peak_memory_mb is decimal MB (10^6 bytes), peak_allocated_memory_mb MiB (2^20); the peak is read "
                   "from the first"),
        QT_TR_NOOP("peak_memory_mb is decimal MB (10^6 bytes), peak_allocated_memory_mb MiB (2^20); the peak is read "
                   "from the second"),
        QT_TR_NOOP("peak_memory_mb and breakdown.peak_allocated_mb differ: %1 and %2"),
        QT_TR_NOOP("%1 were freed that were never seen allocated; they count as alive from the start"),
        QT_TR_NOOP("the timeline was merged from %1 events: exact at the times given, the peak kept"),
        QT_TR_NOOP("the events' peak of %1 lies above the %2 that were reserved, so it is doubtful"),
        QT_TR_NOOP("the events sum to %1 at most, the trace's own totals reach %2: events are missing, and the peak is "
                   "doubtful"),
        QT_TR_NOOP("a stage's bytes inherit earlier peaks: the script never resets the peak between stages"),
        QT_TR_NOOP("%1 points have no peak: they did not run"),
        QT_TR_NOOP("a trace does not record the purpose of its bytes: all count as \"other\""),
        QT_TR_NOOP("%1 were alive before the trace began"),
        QT_TR_NOOP("the curve is the trace's counter %1: levels at the times of its events, so what lies between two "
                   "of them is not in it"),
        QT_TR_NOOP("the counter's %1 are read as decimal ones"),
        QT_TR_NOOP("the trace ends without its closing bracket, which its format allows"),
        QT_TR_NOOP("the trace holds no [memory] events before it ends"),
        QT_TR_NOOP(
            "the device's type is PrivateUse1, an external backend whose name is not in the trace: it is called npu"),
        QT_TR_NOOP("the trace has %1 out-of-memory events"),
        // Of CUDA snapshots.
        QT_TR_NOOP("out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the "
                   "device: fragmented"),
        QT_TR_NOOP("out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the "
                   "device: too big"),
        QT_TR_NOOP("out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5, %6 on the "
                   "device: the program's limit"),
        QT_TR_NOOP("out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5: fragmented"),
        QT_TR_NOOP("out of memory at %1: %2 requested, %3 free of %4 reserved, in pieces of at most %5: too big"),
        QT_TR_NOOP("grows: %1 left %2 alive in %3 steps"),
        QT_TR_NOOP("may grow: %1 left %2 alive in %3 steps"),
        QT_TR_NOOP("%1 more stacks grow or may grow"),
        QT_TR_NOOP("a snapshot does not record the purpose of its bytes: components and phases are inferred from "
                   "stacks and lifetimes"),
        QT_TR_NOOP("a snapshot does not record the purpose of its bytes: without stacks all count as \"other\""),
        QT_TR_NOOP("%1 were alive before the range began"),
        QT_TR_NOOP("the events have no times: the axis counts them, a microsecond each"),
        QT_TR_NOOP("steps are inferred: the user_metadata counts them"),
        QT_TR_NOOP("steps are inferred: zero_grad lets go of the same gradients each time"),
        QT_TR_NOOP("the file ends too early, at byte %1: what came before is shown"),
        QT_TR_NOOP("the history ends with the file, so the peak is a lower bound"),
        QT_TR_NOOP("the history was cut: only its last %1 entries were kept, so the peak is a lower bound; record with "
                   "a larger max_entries"),
        QT_TR_NOOP("the history was cut: %1 whole steps ended before its first event, so the peak is a lower bound; "
                   "record with a larger max_entries"),
        QT_TR_NOOP("a range of the history: events %1 to %2; peaks, what grows and components are those within it"),
        QT_TR_NOOP("no history was recorded for this device: its peak is unknown; it held %1 of %2 reserved when the "
                   "snapshot was taken"),
        QT_TR_NOOP("pinned host memory, which is in no sum of a device: %1 at its peak, most of it at %2"),
        QT_TR_NOOP(
            "pinned host memory, which is in no sum of a device: %1 when the snapshot was taken, most of it at %2"),
        QT_TR_NOOP("no attack was run: AUC and its change are absent"),
        QT_TR_NOOP("baseline_ppl differs between rows; the first is shown"),
        QT_TR_NOOP("the silhouette is absent: its -1 means \"not computed\""),
        QT_TR_NOOP("the file holds bare NaN, inf or the like; such values are absent"),
    };
    // Of a strategy's title, between its commas.
    static constexpr const char* kTitleParts[] = {
        QT_TR_NOOP("%1 autocast"),
        QT_TR_NOOP("LoRA rank %1"),
        QT_TR_NOOP("clipping %1"),
        QT_TR_NOOP("checkpointing"),
        QT_TR_NOOP("chunked loss head"),
        QT_TR_NOOP("%1 attention"),
        QT_TR_NOOP("batch %1 x %2"),
        QT_TR_NOOP("%1 row a pass"),
        QT_TR_NOOP("%1 rows a pass"),
        QT_TR_NOOP("%1 over %2 devices"),
        QT_TR_NOOP("%1 devices"),
        QT_TR_NOOP("%1 parameters"),
        QT_TR_NOOP("float32 masters"),
        QT_TR_NOOP("kahan rounding"),
        QT_TR_NOOP("float32 adapters"),
        QT_TR_NOOP("stochastic rounding"),
        QT_TR_NOOP("%1 base"),
        QT_TR_NOOP("updated in backward"),
        QT_TR_NOOP("optimiser step without foreach (parameter by parameter)"),
        QT_TR_NOOP("%1 by %2"),
    };
    // What would fit where nothing does; what is in brackets is a strategy's title.
    static constexpr const char* kWouldFit[] = {
        QT_TR_NOOP("devices: %1 x %2 (%3)"),
        QT_TR_NOOP("devices: no number of %1 up to %2 fits it by ZeRO-3: one layer or its activations are too large"),
        QT_TR_NOOP("devices: more of them hold no more of %1 than one: trace, density, eigenvalues and single entries "
                   "are what shards have"),
        QT_TR_NOOP("a smaller model: %1 (%2 parameters) is the largest of the family in the catalogue that runs as "
                   "requested on one %3"),
        QT_TR_NOOP("a smaller model: %1 (%2 parameters) is the largest of the family in the catalogue that runs as "
                   "requested on %3"),
        QT_TR_NOOP("a smaller model: %1 (%2 parameters) is the largest of the catalogue that runs as requested on one "
                   "%3"),
        QT_TR_NOOP("a smaller model: %1 (%2 parameters) is the largest of the catalogue that runs as requested on %3"),
        QT_TR_NOOP("no approximation fits: the smallest found (%1) misses %2"),
        QT_TR_NOOP("an approximation: %1: %2 of %3. %4"),
        QT_TR_NOOP("%1 of weights are in mapped files, or in other memory that PyTorch did not allocate; they count as "
                   "parameters"),
        QT_TR_NOOP("%1 were allocated before the recorder was attached"),
        QT_TR_NOOP("the search did not end: more may fit than the largest that ran"),
        QT_TR_NOOP("the disk was full: what the program did afterwards was not recorded"),
    };
};

// Results that people keep hold the words of older versions.
QString todaysWords(const std::string& note)
{
    static constexpr std::pair<const char*, const char*> kChanged[] = {
        {" unit has no alignment or sparsity and count as ", " unit has no alignment or sparsity and counts as "},
        {" for the perplexity, ", " for perplexity, "},
        {"; the loss is that of the last step that drew some, the gradient's norm the noise's",
         ". The loss is that of the last step with rows, the gradient norm that of the noise"},
        {" that the program read back from the card could not be known: ",
         " read back from the card could not be computed: "},
        {"; a size that depends on one is that of a fixed answer",
         "; a size that depends on one uses a fixed value instead"},
        {"so what the program printed is no result", "so its output is not a result"},
        {"the peak is at least this: of what the card's libraries take for themselves the stand-in knows only the "
         "least: ",
         "the peak is a lower bound: of the card's libraries' own memory only a minimum is known: "},
        {"sizes that the card's libraries were asked for and the stand-in does not know: ",
         "sizes queried from the card's libraries that the stand-in does not have: "},
        {"nothing that was asked for holds a vector of all parameters",
         "no requested quantity holds a vector of all parameters"},
        {"their residuals say how far off they may be", "their residuals bound the error"},
        {"there is nothing that tells the units apart", "the units differ in no feature"},
        {"it takes float64 copies of the model that this size or budget does not allow",
         "its float64 copies of the model exceed the size limit or the budget"},
        {"does not say what its bytes are for", "does not record the purpose of its bytes"},
        {"the file does not say which statistic", "the file does not record which statistic"},
        {"names no experiment; its name says ", "names no experiment; taken from its file name: "},
        {" asked for, ", " requested, "},
        {" free of the ", " free of "},
        {"its -1 stands for ", "its -1 means "},
        {"whole numbers that only another rank knows came from ", "integers from other ranks were replaced in "},
        {"; an exchange is taken to bring what this rank keeps for itself, a receipt one fixed answer, so sizes that "
         "follow may differ on cards",
         ". An exchange returns this rank's own values, a receive a fixed value, so dependent sizes may differ on real "
         "cards"},
        {"files that the program saved (of unknown values): ", "files saved by the program, without valid values: "},
        {"; they went to a scratch folder that is gone, and --allow-saves writes them where they belong",
         "; they were written to a scratch folder and deleted (--allow-saves writes them to their paths)"},
        {" s went by before the card was used; where weights are drawn or read on the host, --ghost FOLDER stands for "
         "them without contents",
         " s passed before the card was used; if weights are drawn or read on the host, --ghost FOLDER avoids that"},
        {"at this step rounding is larger than the product, no digit of it is right: a larger curvature.step or dtype "
         "\"float64\" keeps some, method \"auto\" all",
         "rounding at this step is larger than the product, so no digit is right. Use a larger curvature.step, dtype "
         "\"float64\", or method \"auto\""},
        {"one parameter updated after another", "optimiser step without foreach (parameter by parameter)"},
    };
    QString words = QString::fromStdString(note);
    for (const auto& [before, now] : kChanged)
        words.replace(QLatin1String(before), QLatin1String(now));
    static const QRegularExpression freeOnDevice(QStringLiteral(", and (\\S+ \\S+) free on the device"));
    return words.replace(freeOnDevice, QStringLiteral(", \\1 on the device"));
}

std::optional<KnownSentences::Found> known(const QString& note)
{
    static const KnownSentences sentences(NoteWords::kNotes);
    return sentences.find(note);
}

// "parameters 12.5 GiB", "backward": names of components and phases as their titles.
std::optional<QString> namedText(const QString& text)
{
    const qsizetype space = text.indexOf(u' ');
    const std::string word = text.left(space).toStdString();
    const QString rest = space < 0 ? QString() : text.mid(space);
    if (const auto component = componentFromName(word); component && (rest.isEmpty() || rest.at(1).isDigit()))
        return componentTitle(*component) + rest;
    if (const auto phase = phaseFromName(word); phase && rest.isEmpty())
        return phaseTitle(*phase);
    return std::nullopt;
}

// What stands in a note: a sentence of its own, a list of named amounts, or a value that stays.
QString partText(const QString& part)
{
    if (const auto inner = known(part))
        return noteText(part.toStdString());
    static const QRegularExpression between(QStringLiteral(", | and "));
    QStringList items;
    for (const QString& item : part.split(between)) {
        const auto named = namedText(item);
        const auto sentence = known(item);
        if (!named && !sentence)
            return part;
        items << (named ? *named : noteText(item.toStdString()));
    }
    return items.join(listComma());
}

} // namespace

QString noteText(const std::string& note)
{
    const QString whole = todaysWords(note);
    const auto found = known(whole);
    const char* words = found ? NoteWords::kNotes[found->place] : "";
    const QString translated = NoteWords::tr(words);
    if (!found || translated == QLatin1String(words))
        return whole;
    return withValues(translated, [&](int number) { return partText(found->match.captured(number)); });
}

bool isKnownNote(const std::string& note)
{
    return known(todaysWords(note)).has_value();
}

QString listComma()
{
    return NoteWords::tr(", ", "between parts of a list");
}

QString wouldFitText(const std::string& sentence)
{
    static const KnownSentences sentences(NoteWords::kWouldFit);
    const QString whole = QString::fromStdString(sentence);
    const auto found = sentences.find(whole);
    if (!found)
        return whole;
    return withValues(NoteWords::tr(NoteWords::kWouldFit[found->place]), [&](int number) {
        const std::string value = found->match.captured(number).toStdString();
        const QString title = strategyTitleText(value);
        return title.toStdString() == value ? noteText(value) : title;
    });
}

QString strategyTitleText(const std::string& title)
{
    static const KnownSentences sentences(NoteWords::kTitleParts);
    QStringList parts;
    for (const QString& part : todaysWords(title).split(QStringLiteral(", "))) {
        const auto found = sentences.find(part);
        parts << (found ? withValues(NoteWords::tr(NoteWords::kTitleParts[found->place]),
                                     [&](int number) { return found->match.captured(number); })
                        : part);
    }
    return parts.join(listComma());
}

} // namespace peakscope
