// SPDX-FileCopyrightText: 2026 The Peakscope authors
// SPDX-License-Identifier: GPL-3.0-or-later
// What an optimiser is, without LibTorch: its states and its update as a list of tensor operations. The engine computes
// by that list (core/engine/training/optimizer.cpp), the simulation counts bytes by it, the roofline words. Never
// changed; any thread.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace peakscope {

// What an update's numbers may depend on.
struct UpdateTime {
    double lr = 0;
    std::int64_t step = 1;              // updates of this parameter, this one included
    std::int64_t rows = 0, columns = 0; // of a matrix
};

// A number of the update: always the same, or made anew for every one.
class UpdateNumber
{
public:
    UpdateNumber(double value = 0) : m_value(value) {}
    template <std::invocable<const UpdateTime&> Make>
    UpdateNumber(Make make) : m_make(std::move(make))
    {}
    double at(const UpdateTime& time) const { return m_make ? m_make(time) : m_value; }

private:
    double m_value = 0;
    std::function<double(const UpdateTime&)> m_make;
};

inline constexpr std::size_t kMostTemporaries = 4; // of an update
inline constexpr int kNewtonSchulzSteps = 5;

enum class OperandRole : std::uint8_t { None, Parameter, Gradient, State, Temporary };

struct Operand {
    OperandRole role = OperandRole::None;
    std::uint8_t index = 0;
    bool operator==(const Operand&) const = default;
};

enum class UpdateKind {
    MultiplyBy,  // of · number
    DivideBy,    // of / number
    AddNumber,   // of + number
    AddScaled,   // of + number · left
    AddProduct,  // of + number · left · right
    AddQuotient, // of + number · left / right
    SquareRoot,
    Sign,
    Interpolate, // of + number · (left − of)
    Multiply,    // of · left
    // Of whole tensors; pieces of one would give other numbers.
    Orthogonalise,  // Newton-Schulz steps in bfloat16 on of / max(‖of‖, number)
    RowSquares,     // the mean square of each row, a column of them
    ColumnSquares,  // of each column, a row of them
    Outer,          // of · left, a column and a row
    DivideByMean,   // of / max(mean of left, the type's epsilon)
    InverseRoot,    // 1 / sqrt(max(of, the type's epsilon squared))
    AddInProportion // of + number · max(0.001, rms of) / max(1, rms left) · left
};

// In place where `into` is `of`; else it makes `into`, a temporary, which goes after the last operation that reads it.
struct UpdateOperation {
    UpdateKind kind = UpdateKind::Sign;
    Operand into, of, left, right;
    UpdateNumber number;

    bool inPlace() const { return into == of; }
    bool isOfWhole() const { return kind >= UpdateKind::Interpolate; }
    // LibTorch makes such a number a tensor of its own; where it is a factor of another tensor, it does not.
    bool numberIsTensor() const
    {
        return kind == UpdateKind::MultiplyBy || kind == UpdateKind::DivideBy || kind == UpdateKind::AddNumber;
    }
};

// What is said of a tensor that is updated, without its numbers.
struct TensorShape {
    std::int64_t elements = 0;
    std::int64_t rows = 0, columns = 0; // of a matrix; of more dimensions the last two
    bool embedding = false;
    bool hidden = false; // a matrix that is neither an embedding nor the head
};

// The states of a rule of matrices have the matrix's shape, or a number for each row or each column.
enum class StateShape : std::uint8_t { Whole, Rows, Columns };

// Where matrices are updated otherwise than the rest.
struct MatrixRule {
    bool hiddenOnly = false;
    std::vector<StateShape> states;
    std::vector<UpdateOperation> update;
};

// States in blocks of 8-bit codes instead of the parameter's type.
enum class EightBitStates : std::uint8_t { None, All, ButEmbeddings };

struct OptimizerDescription {
    std::string name;                                     // as experiments write it
    std::string title;                                    // for people
    std::vector<std::pair<std::string, double>> settings; // PyTorch's defaults, where it has the optimiser
    std::vector<std::string> states; // each of the parameter's shape and type, zeros before its first update
    std::vector<UpdateOperation> update;
    bool foreachByDefault = true; // on a GPU torch.optim updates all parameters together where nothing is said
    EightBitStates eightBit = EightBitStates::None;
    std::size_t firstUnsigned = 0; // from this one on 8-bit states are never negative
    std::optional<MatrixRule> matrices{}; // then the update takes whole tensors, no pieces of them and no shards

    // Muon's kind of rule: one matrix after another.
    bool orthogonalises() const
    {
        return matrices && std::any_of(matrices->update.begin(), matrices->update.end(),
                                       [](const auto& each) { return each.kind == UpdateKind::Orthogonalise; });
    }
    bool takesWholeTensors() const { return matrices.has_value(); }
    bool updatesAsMatrix(const TensorShape& shape) const
    {
        return matrices && shape.rows > 0 && (shape.hidden || !matrices->hiddenOnly);
    }
    const std::vector<UpdateOperation>& updateOf(const TensorShape& shape) const
    {
        return updatesAsMatrix(shape) ? matrices->update : update;
    }
    // The elements of each state of such a tensor.
    std::vector<std::int64_t> stateElements(const TensorShape& shape) const;
};

// An experiment's optimiser, never null: a row of optimizers(), so that comparing two gives the order of the rows.
using OptimizerKind = const OptimizerDescription*;

// How updates are written.
namespace update {

inline constexpr Operand kParameter{OperandRole::Parameter};
inline constexpr Operand kGradient{OperandRole::Gradient};
constexpr Operand state(std::uint8_t index)
{
    return {OperandRole::State, index};
}
consteval Operand temporary(std::uint8_t index)
{
    return index < kMostTemporaries ? Operand{OperandRole::Temporary, index}
                                    : throw "more temporaries than runUpdate has";
}

inline UpdateOperation multiplyBy(Operand x, UpdateNumber number)
{
    return {UpdateKind::MultiplyBy, x, x, {}, {}, std::move(number)};
}
inline UpdateOperation divideBy(Operand x, UpdateNumber number)
{
    return {UpdateKind::DivideBy, x, x, {}, {}, std::move(number)};
}
inline UpdateOperation addNumber(Operand x, UpdateNumber number)
{
    return {UpdateKind::AddNumber, x, x, {}, {}, std::move(number)};
}
inline UpdateOperation addScaled(Operand x, Operand left, UpdateNumber number)
{
    return {UpdateKind::AddScaled, x, x, left, {}, std::move(number)};
}
inline UpdateOperation addProduct(Operand x, Operand left, Operand right, UpdateNumber number)
{
    return {UpdateKind::AddProduct, x, x, left, right, std::move(number)};
}
inline UpdateOperation addQuotient(Operand x, Operand left, Operand right, UpdateNumber number)
{
    return {UpdateKind::AddQuotient, x, x, left, right, std::move(number)};
}
inline UpdateOperation squareRoot(Operand x)
{
    return {UpdateKind::SquareRoot, x, x, {}, {}, {}};
}
inline UpdateOperation sign(Operand x)
{
    return {UpdateKind::Sign, x, x, {}, {}, {}};
}
inline UpdateOperation interpolate(Operand x, Operand left, UpdateNumber number)
{
    return {UpdateKind::Interpolate, x, x, left, {}, std::move(number)};
}
inline UpdateOperation multiply(Operand x, Operand left)
{
    return {UpdateKind::Multiply, x, x, left, {}, {}};
}
inline UpdateOperation orthogonalise(Operand x, double eps)
{
    return {UpdateKind::Orthogonalise, x, x, {}, {}, eps};
}
inline UpdateOperation rowSquares(Operand x)
{
    return {UpdateKind::RowSquares, x, x, {}, {}, {}};
}
inline UpdateOperation columnSquares(Operand x)
{
    return {UpdateKind::ColumnSquares, x, x, {}, {}, {}};
}
inline UpdateOperation outer(Operand x, Operand left)
{
    return {UpdateKind::Outer, x, x, left, {}, {}};
}
inline UpdateOperation divideByMean(Operand x, Operand left)
{
    return {UpdateKind::DivideByMean, x, x, left, {}, {}};
}
inline UpdateOperation inverseRoot(Operand x)
{
    return {UpdateKind::InverseRoot, x, x, {}, {}, {}};
}
inline UpdateOperation addInProportion(Operand x, Operand left, UpdateNumber number)
{
    return {UpdateKind::AddInProportion, x, x, left, {}, std::move(number)};
}
// The operation's result as a new tensor instead of in place.
inline UpdateOperation make(Operand into, UpdateOperation operation)
{
    operation.into = into;
    return operation;
}

} // namespace update

// Runs the update over one parameter's tensors, numbers or none behind them. apply(operation, of, left, right) gives
// what the operation made; `left` and `right` are the parameter where it has none.
template <typename Tensor, typename Apply>
void runUpdate(const std::vector<UpdateOperation>& list, Tensor& parameter, Tensor& gradient,
               std::vector<Tensor>& states, Apply apply)
{
    std::array<Tensor, kMostTemporaries> temporaries;
    const auto at = [&](const Operand& operand) -> Tensor& {
        switch (operand.role) {
        case OperandRole::None:
        case OperandRole::Parameter:
            break;
        case OperandRole::Gradient:
            return gradient;
        case OperandRole::State:
            return states[operand.index];
        case OperandRole::Temporary:
            return temporaries[operand.index];
        }
        return parameter;
    };
    for (auto operation = list.begin(); operation != list.end(); ++operation) {
        Tensor made = apply(*operation, at(operation->of), at(operation->left), at(operation->right));
        if (!operation->inPlace())
            at(operation->into) = std::move(made);
        for (const Operand& read : {operation->of, operation->left, operation->right}) {
            const auto reads = [&read](const UpdateOperation& later) {
                return later.of == read || later.left == read || later.right == read;
            };
            if (read.role == OperandRole::Temporary && std::none_of(operation + 1, list.end(), reads))
                at(read) = Tensor();
        }
    }
}

} // namespace peakscope
