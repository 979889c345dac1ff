# SPDX-FileCopyrightText: 2026 The Peakscope authors
# SPDX-License-Identifier: GPL-3.0-or-later
"""What an operator makes of the numbers that stand for its tensors (answers.py): a rule takes the values that it is called with, tensors
as answers, those by name, and how many elements are reduced to how many; it gives an answer, several, or None for a number of its own.
"""
import math
import operator

EACH = "each"  # every element is the number
MASK = "mask"  # elements are 0 or 1, and the number is the share of ones
MOST = 1.7976931348623157e308


class Answer:
    __slots__ = ("value", "law", "parts")

    def __init__(self, value, law=None, parts=()):
        self.value, self.law, self.parts = value, law, parts  # parts: of a mask, what was compared with what: ("lt", 2.0, of which law)


class Random:
    """How elements are distributed that were drawn: uniform between two numbers, normal by mean and deviation, or anyhow. Of those that
    comparisons chose (`rejected`) and that were drawn anew, a share is left that is chosen again."""

    __slots__ = ("kind", "one", "other", "rejected", "left")

    def __init__(self, kind, one=0.0, other=1.0, rejected=(), left=1.0):
        self.kind, self.one, self.other, self.rejected, self.left = kind, one, other, rejected, left

    def at(self, number):
        """One of them, by a number from 0 to 2."""
        return self.one + (self.other - self.one) * number / 2 if self.kind == "uniform" else self.one + self.other * number / 2

    def below(self, bound):
        if self.kind == "uniform" and self.one != self.other:
            return min(max((bound - self.one) / (self.other - self.one), 0.0), 1.0)
        if self.kind == "normal" and self.other:
            return 0.5 * (1 + math.erf((bound - self.one) / (self.other * math.sqrt(2))))
        return 0.5

    def share(self, name, bound):
        if name in ("eq", "ne"):
            return float(name == "ne")
        share = self.below(bound) if name in ("lt", "le") else 1 - self.below(bound)
        if (name, bound) in self.rejected:
            return share * self.left
        return 1 - (1 - share) * self.left if (OPPOSITE[name], bound) in self.rejected else share

    def anew(self, parts, left):
        """After those that these comparisons chose were drawn anew (or, nothing left, settled)."""
        return Random(self.kind, self.one, self.other, (*self.rejected, *((name, bound) for name, bound, _ in parts)), left)


OPPOSITE = {"lt": "ge", "ge": "lt", "gt": "le", "le": "gt", "eq": "ne", "ne": "eq"}
MIRRORED = {"lt": "gt", "gt": "lt", "le": "ge", "ge": "le", "eq": "eq", "ne": "ne"}


def number(value):
    return value.value if type(value) is Answer else value


def is_random(value):
    return type(value) is Answer and type(value.law) is Random


def divide(one, other, rounding_mode=None):
    value = one / other if other else math.copysign(MOST, one)
    return value if rounding_mode is None else math.floor(value) if rounding_mode == "floor" else math.trunc(value)


def power(one, other):
    value = float(one) ** other if one or other > 0 else MOST
    return value.real if isinstance(value, complex) else value


def clamp(value, low=None, high=None, **named):
    low, high = named.get("min", low), named.get("max", high)
    value = value if low is None else max(value, low)
    return value if high is None else min(value, high)


def sigmoid(value):
    return 1 / (1 + math.exp(-min(max(value, -700), 700)))


# Of numbers, as of each element.
POINTWISE = {
    "add": lambda one, other, alpha=1: one + alpha * other, "sub": lambda one, other, alpha=1: one - alpha * other,
    "rsub": lambda one, other, alpha=1: other - alpha * one, "mul": operator.mul, "multiply": operator.mul, "div": divide,
    "true_divide": divide, "divide": divide, "floor_divide": lambda one, other: divide(one, other, "floor"),
    "remainder": lambda one, other: one - other * math.floor(divide(one, other)) if other else 0.0, "fmod": math.fmod,
    "neg": operator.neg, "abs": abs, "reciprocal": lambda value: divide(1.0, value), "square": lambda value: value * value,
    "sqrt": lambda value: math.sqrt(max(value, 0.0)), "rsqrt": lambda value: divide(1.0, math.sqrt(max(value, 0.0))),
    "pow": power, "exp": math.exp, "exp2": lambda value: 2.0 ** value, "expm1": math.expm1,
    "log": lambda value: math.log(value) if value > 0 else -MOST, "log1p": lambda value: math.log1p(value) if value > -1 else -MOST,
    "log2": lambda value: math.log2(value) if value > 0 else -MOST, "log10": lambda value: math.log10(value) if value > 0 else -MOST,
    "sin": math.sin, "cos": math.cos, "tanh": math.tanh, "erf": math.erf, "sigmoid": sigmoid, "logit": lambda value, eps=None: value,
    "relu": lambda value: max(value, 0.0), "silu": lambda value: value * sigmoid(value),
    "gelu": lambda value, approximate="none": 0.5 * value * (1 + math.erf(value / math.sqrt(2))),
    "leaky_relu": lambda value, slope=0.01: value if value > 0 else value * slope,
    "softplus": lambda value, beta=1, threshold=20: math.log1p(math.exp(min(value * beta, 700))) / beta,
    "floor": math.floor, "ceil": math.ceil, "trunc": math.trunc, "round": lambda value, decimals=0: round(value, decimals),
    "sign": lambda value: float((value > 0) - (value < 0)), "sgn": lambda value: float((value > 0) - (value < 0)),
    "clamp": clamp, "clip": clamp, "clamp_min": lambda value, low: max(value, low), "clamp_max": lambda value, high: min(value, high),
    "maximum": max, "minimum": min, "fmax": max, "fmin": min, "hypot": math.hypot, "atan2": math.atan2, "copysign": math.copysign,
    "lerp": lambda one, other, weight: one + weight * (other - one),
    "addcmul": lambda value, one, other, scale=1, **named: value + named.get("value", scale) * one * other,
    "addcdiv": lambda value, one, other, scale=1, **named: value + named.get("value", scale) * divide(one, other),
    "nan_to_num": lambda value, *_, **__: value, "bitwise_left_shift": lambda one, other: int(one) << min(int(other), 62),
    "bitwise_right_shift": lambda one, other: int(one) >> min(int(other), 62),
}
AFFINE = {"add", "sub", "rsub", "mul", "multiply", "div", "true_divide", "divide", "neg"}
COMPARISONS = {name: getattr(operator, name) for name in OPPOSITE}
# Every number is finite.
CERTAIN = {"isfinite": 1.0, "isnan": 0.0, "isinf": 0.0, "isposinf": 0.0, "isneginf": 0.0, "isreal": 1.0}


def pointwise(name):
    function = POINTWISE[name]

    def rule(values, named, _):
        numbers = [number(value) for value in values]
        named = {key: number(value) for key, value in named.items()} if named else {}
        try:
            value = function(*numbers, **named)
        except OverflowError:
            value = MOST
        except (ArithmeticError, ValueError, TypeError):
            return None
        law = None
        tensors = [each for each in values if type(each) is Answer]
        if all(each.law is EACH for each in tensors):
            law = EACH
        elif any(type(each.law) is Random for each in tensors):
            law = Random("any")
            places = [index for index, each in enumerate(values) if is_random(each)]
            if name in AFFINE and len(places) == 1 and values[places[0]].law.kind != "any":
                law = moved(values[places[0]].law, lambda at: function(*(at if index == places[0] else each
                                                                         for index, each in enumerate(numbers)), **named))
        return Answer(value, law)

    return rule


def moved(law, function):
    """The distribution of what a straight line makes of it."""
    one = function(law.one)
    if law.kind == "normal":
        return Random("normal", one, abs(function(law.one + law.other) - one))
    return Random("uniform", *sorted((one, function(law.other))))


def comparison(name):
    compare = COMPARISONS[name]

    def share(one, other):
        if one is not other:
            if is_random(one):
                return 0.5 if is_random(other) else one.law.share(name, number(other))
            if is_random(other):
                return other.law.share(MIRRORED[name], number(one))
            if type(one) is Answer and one.law is MASK and 0 < one.value < 1:
                return one.value * compare(1, number(other)) + (1 - one.value) * compare(0, number(other))
        return float(compare(number(one), number(other)))

    def rule(values, named, _):
        one, other = values[0], values[1] if len(values) > 1 else named["other"]
        parts = (((name, number(other), one.law),) if is_random(one) else
                 ((MIRRORED[name], number(one), other.law),) if is_random(other) else ())
        return Answer(share(one, other), MASK, parts)

    return rule


def share_of(value):
    return value.value if type(value) is Answer and value.law is MASK else float(number(value) != 0)


def both(one, other):
    return share_of(one) if one is other else share_of(one) * share_of(other)


def either(one, other):
    return share_of(one) + share_of(other) - both(one, other)


def opposite(parts):
    return tuple((OPPOSITE[name], bound, law) for name, bound, law in parts)


def logic(function, whole=None):
    """Of masks; `whole`: of whole numbers."""

    def rule(values, _, __):
        if whole and any(type(value) is Answer and value.law is not MASK for value in values):
            return Answer(whole(*(int(number(value)) for value in values)))
        parts = tuple(part for value in values if type(value) is Answer for part in value.parts)
        if len(values) == 1:
            parts = opposite(parts)
        return Answer(function(*values), MASK, parts)

    return rule


def chosen(mask, one, other):
    """Elements of one where a mask is true, of the other elsewhere."""
    share = share_of(mask)
    if is_random(other) and is_random(one):  # drawn anew
        if any(law is one.law for *_, law in mask.parts):
            return Answer(one.value, one.law.anew(opposite(mask.parts), 1 - share))
        return Answer(other.value, other.law.anew(mask.parts, share))
    masks = [value for value in (one, other) if type(value) is Answer and value.law is MASK]
    if len(masks) == 2:
        if other is mask:
            return Answer(share * one.value, MASK)
        return Answer(share if one is mask else share * one.value + (1 - share) * other.value, MASK)
    if share in (0, 1):
        value = one if share else other
        return Answer(number(value), value.law if type(value) is Answer else EACH)
    if is_random(other):  # what was rejected is settled
        return Answer(other.value, other.law.anew(mask.parts, 0.0))
    first, second = number(one), number(other)
    if math.inf in (abs(first), abs(second)):
        return Answer(second if abs(first) == math.inf else first)
    return Answer(share * first + (1 - share) * second)


def where(values, *_):
    return chosen(*values) if len(values) == 3 else None


def masked_fill(values, *_):
    return chosen(values[1], values[2], values[0])


def index_put(values, *_):
    masks = [index for index in values[1] if type(index) is Answer and index.law is MASK]
    return chosen(masks[0], values[2], values[0]) if len(masks) == 1 else Answer(number(values[0]))


def masked_scatter(values, *_):
    return chosen(values[1], values[2], values[0])


# ---- reductions

def slices(counts):
    """How many elements each result is of."""
    return max(counts[0] // max(counts[1], 1), 1)


def total(values, _, counts):
    first = values[0]
    if first.law is MASK:
        return Answer(round(first.value * slices(counts)), EACH)
    return Answer(first.value * slices(counts), EACH) if first.law is EACH else Answer(first.value)


def mean(values, *_):
    return Answer(values[0].value, EACH if values[0].law is EACH else None)


def trues(first, counts):
    return round(share_of(first) * slices(counts))


def any_of(values, _, counts):
    return Answer(float(trues(values[0], counts) > 0), MASK)


def all_of(values, _, counts):
    return Answer(float(trues(values[0], counts) == slices(counts)), MASK)


def largest(values, named, counts):
    return extreme(values, counts, max)


def smallest(values, named, counts):
    return extreme(values, counts, min)


def extreme(values, counts, choose):
    first = values[0]
    if len(values) > 1 and type(values[1]) is Answer:  # the larger of two tensors
        return Answer(choose(first.value, values[1].value), EACH if first.law is EACH and values[1].law is EACH else None)
    if first.law is MASK:
        found = trues(first, counts)
        value = float(found > 0 if choose is max else found == slices(counts))
        return Answer(value, MASK), None
    return Answer(first.value, EACH if first.law is EACH else None), None


def extremes(values, named, counts):
    return smallest(values, named, counts)[0], largest(values, named, counts)[0]


def norm(values, named, counts):
    first = values[0]
    order = number(values[1]) if len(values) > 1 and number(values[1]) is not None else 2
    if first.law in (EACH, MASK) and isinstance(order, (int, float)) and order not in (math.inf, -math.inf):
        ones = trues(first, counts) if first.law is MASK else slices(counts)
        value = 1.0 if first.law is MASK else abs(first.value)
        return Answer(ones if order == 0 else value * ones ** (1 / order) if ones else 0.0, EACH)
    return Answer(abs(first.value), EACH if first.law is EACH else None)


def product(values, _, counts):
    """Dot product of two vectors."""
    one, other = values
    count = counts[0] if one.law is EACH and other.law is EACH else 1
    return Answer(one.value * other.value * count, EACH if count > 1 else None)


def deviation(values, *_):
    return Answer(0.0, EACH) if values[0].law is EACH else None


def count_of(values, _, counts):
    return Answer(trues(values[0], counts), EACH)


# ---- what only moves elements

def moved_on(values, *_):
    return values[0]


def joined(values, *_):
    """Several tensors in one."""
    parts = values[0]
    if len({part.law if part.law in (EACH, MASK, None) else "random" for part in parts}) == 1 and (
            parts[0].law is MASK or parts[0].law is EACH and len({part.value for part in parts}) == 1):
        return Answer(sum(part.value for part in parts) / len(parts), parts[0].law)
    return Answer(sum(part.value for part in parts) / len(parts))


def written_over(values, *_):
    source = values[1]
    return source if type(source) is Answer else Answer(source, EACH)


# ---- what is made of numbers

def made_of(place):
    def rule(values, named, _):
        value = number(values[place]) if len(values) > place else named.get("fill_value", named.get("value"))
        return Answer(value, EACH) if isinstance(value, (int, float)) else None

    return rule


def always(value):
    return lambda *_: Answer(value, EACH)


def drawn(kind, first=None, one=0.0, other=1.0):
    """first: where its two numbers stand in a call; None: these."""

    def rule(values, *_):
        low, high = one, other
        if first is not None:
            given = [number(value) for value in values[first:first + 2]]
            low, high = (given + [one, other][len(given):])[:2]
        if not all(isinstance(value, (int, float)) for value in (low, high)):
            return Answer(None, Random("any"))
        return Answer(None, Random(kind, low, high))

    return rule


def bernoulli(values, *_):
    share = number(values[1]) if len(values) > 1 and isinstance(number(values[1]), (int, float)) else number(values[0])
    return Answer(min(max(share, 0.0), 1.0), MASK)


RULES = {
    **{name: pointwise(name) for name in POINTWISE}, **{name: comparison(name) for name in COMPARISONS},
    **{name: (lambda value: lambda *_: Answer(value, MASK))(value) for name, value in CERTAIN.items()},
    "signbit": lambda values, *_: Answer(float(values[0].value < 0), MASK),
    "logical_not": logic(lambda value: 1 - share_of(value)), "logical_and": logic(both), "logical_or": logic(either),
    "logical_xor": logic(lambda one, other: either(one, other) - both(one, other)),
    "bitwise_not": logic(lambda value: 1 - share_of(value), operator.invert), "bitwise_and": logic(both, operator.and_),
    "bitwise_or": logic(either, operator.or_),
    "bitwise_xor": logic(lambda one, other: either(one, other) - both(one, other), operator.xor),
    "where": where, "masked_fill": masked_fill, "index_put": index_put, "index_put_impl": index_put, "masked_scatter": masked_scatter,
    "sum": total, "nansum": total, "mean": mean, "nanmean": mean, "median": largest, "nanmedian": largest, "any": any_of, "all": all_of,
    "max": largest, "amax": largest, "min": smallest, "amin": smallest, "aminmax": extremes, "norm": norm, "linalg_vector_norm": norm,
    "dot": product, "vdot": product, "var": deviation, "std": deviation, "count_nonzero": count_of, "prod": mean, "logsumexp": mean,
    **dict.fromkeys(("clone", "to_copy", "index_select", "gather", "take", "repeat", "flip", "roll", "constant_pad_nd", "index",
                     "masked_select", "sort", "topk", "contiguous", "positive", "lift_fresh_copy", "tril", "triu", "kthvalue",
                     "cumsum", "trace"), moved_on),
    "cat": joined, "stack": joined, "copy": written_over,
    "zeros": always(0), "zero": always(0), "ones": always(1), "zeros_like": always(0), "ones_like": always(1), "new_zeros": always(0),
    "new_ones": always(1), "full": made_of(1), "full_like": made_of(1), "new_full": made_of(2), "fill": made_of(1),
    "rand": drawn("uniform"), "rand_like": drawn("uniform"), "uniform": drawn("uniform", 1), "randn": drawn("normal"),
    "randn_like": drawn("normal"), "normal": drawn("normal", 1), "exponential": lambda *_: Answer(None, Random("any")),
    "cauchy": lambda *_: Answer(None, Random("any")), "log_normal": lambda *_: Answer(None, Random("any")), "bernoulli": bernoulli,
}


def base_name(name):
    """Of "_foreach_add_": ("add", True), for whose lists the rule holds element by element."""
    each = name.startswith("_foreach_")
    return name.removeprefix("_foreach_").strip("_"), each

