"""The small GPT: its sizes, what a place sees, its slopes, its replay, its samples."""

from __future__ import annotations

import math
import pickle
import random
import subprocess
import sys
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any

import pytest

from tanglegrad import Adam, Value, cross_entropy, gpt
from tanglegrad.data import names
from tanglegrad.gpt import GPT, Block, Head, recorded

if TYPE_CHECKING:
    from collections.abc import Callable


def small(seed: int = 0, **sizes: int) -> GPT:
    sizes = {"context": 6, "width": 4, "heads": 2, **sizes}
    return GPT("abc", **sizes, rng=random.Random(seed))


def grown(seed: int = 0, **sizes: int) -> GPT:
    """A model whose parameters are so large that everything matters."""
    model, rng = small(seed, **sizes), random.Random(seed)
    for p in model.parameters():
        p.data = rng.gauss(0.0, 0.7)
    return model


def numbers(rows: list[list[Value]]) -> list[list[float]]:
    return [[z.data for z in row] for row in rows]


def guesses(model: GPT, text: str) -> list[list[float]]:
    return numbers(model(model.marks(text)[:-1]))


def slopes(model: GPT) -> list[float]:
    return [p.grad for p in model.parameters()]


# Sizes -----------------------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("heads", [1, 2, 4])
@pytest.mark.parametrize(("context", "width"), [(10, 8), (16, 16), (1, 4)])
def test_the_number_of_parameters(
    context: int, width: int, heads: int, layers: int
) -> None:
    model = GPT(ascii_lowercase, context, width, heads, layers)
    embeddings = 2 * 27 * width + context * width
    assert len(model.parameters()) == embeddings + 12 * layers * width**2
    assert len(model.named_parameters()) == len(model.parameters())


def test_it_has_the_size_of_microgpt() -> None:
    model = GPT(ascii_lowercase, context=16, width=16, heads=4)
    assert len(model.parameters()) == 4192


def test_parameters_are_small_and_on_both_sides_of_zero() -> None:
    numbers = [p.data for p in GPT(ascii_lowercase, 16, 16, 4).parameters()]
    assert -0.14 <= min(numbers) < -0.13
    assert 0.13 < max(numbers) <= 0.14
    assert abs(sum(numbers) / len(numbers)) < 0.01


def test_each_place_has_a_logit_for_each_sign() -> None:
    model = small()
    for text in ("", "a", "abcab"):
        logits = guesses(model, text)
        assert [len(row) for row in logits] == [4] * (len(text) + 1)


# What a place sees -----------------------------------------------------------


@pytest.mark.parametrize("layers", [1, 2])
def test_a_later_sign_changes_no_earlier_logit(layers: int) -> None:
    model = grown(layers=layers)
    first, second = guesses(model, "abcab"), guesses(model, "abacc")
    assert first[:3] == second[:3]
    assert all(a != b for a, b in zip(first[3:], second[3:], strict=True))


def test_a_longer_text_begins_as_the_shorter() -> None:
    model = grown()
    assert guesses(model, "abcab")[:3] == guesses(model, "ab")


def test_no_slope_flows_to_a_later_place() -> None:
    rng = random.Random(0)
    block = Block(4, 2, rng.uniform)
    xs = [[Value(rng.gauss(0, 1)) for _ in range(4)] for _ in range(5)]
    block(xs)[2][1].backward()
    assert all(v.grad == 0.0 for x in xs[3:] for v in x)
    assert all(v.grad != 0.0 for x in xs[:3] for v in x)


def test_weights_are_shares_of_the_places_up_to_each() -> None:
    model = grown()
    tables = model.blocks[0].weights(model.embedded(model.marks("abca")))
    assert len(tables) == 2
    for table in map(numbers, tables):
        assert [len(row) for row in table] == [1, 2, 3, 4, 5, 6]
        assert table[0] == [1.0]
        assert all(sum(row) == pytest.approx(1.0) for row in table)
    assert numbers(tables[0]) != numbers(tables[1])


def test_a_head_mixes_values_by_its_weights() -> None:
    rng = random.Random(0)
    head = Head(3, 2, rng.uniform)
    for p in head.parameters():
        p.data *= 10
    xs = [[rng.gauss(0, 1) for _ in range(3)] for _ in range(4)]

    def times(rows: list[list[Value]], x: list[float]) -> list[float]:
        return [sum(w.data * v for w, v in zip(row, x, strict=True)) for row in rows]

    for t, seen in enumerate(head(xs)):
        query = times(head.query, xs[t])
        keys = [times(head.key, x) for x in xs[: t + 1]]
        scores = [
            sum(q * k for q, k in zip(query, key, strict=True)) / math.sqrt(2)
            for key in keys
        ]
        powers = [math.exp(score) for score in scores]
        values = [times(head.value, x) for x in xs[: t + 1]]
        for i, v in enumerate(seen):
            mean = sum(p * value[i] for p, value in zip(powers, values, strict=True))
            assert v.data == pytest.approx(mean / sum(powers), rel=1e-12)


def test_an_embedding_is_brought_to_one_size() -> None:
    model = grown()
    first, second = model.embedded(model.marks("a"))[1:]
    assert [v.data for v in first] != [v.data for v in second]
    sign = model.signs.index("a")
    raw = [
        row[sign].data + place.data
        for row, place in zip(model.embedding, model.places[1], strict=True)
    ]
    mean = sum(x * x for x in raw) / 4 + 1e-5
    ours = [v.data for v in first]
    assert ours == pytest.approx([x / math.sqrt(mean) for x in raw], rel=1e-12)


def test_a_vector_of_zeros_has_a_size_and_slopes() -> None:
    x = [Value(0.0), Value(0.0)]
    normed = gpt._normed(x)
    assert [v.data for v in normed] == [0.0, 0.0]
    normed[0].backward()
    assert [v.grad for v in x] == pytest.approx([1e5**0.5, 0.0])


# Loss and slopes -------------------------------------------------------------


def test_the_loss_is_the_cross_entropy_of_every_sign() -> None:
    model = grown()
    logits = model(model.marks("acb")[:-1])
    labels = [model.signs.index(sign) for sign in "acb."]
    prices = [cross_entropy(z, k).data for z, k in zip(logits, labels, strict=True)]
    loss = model.loss(model.marks("acb")).data
    assert loss == pytest.approx(sum(prices), rel=1e-14)


def test_rows_without_a_mark_cost_nothing() -> None:
    model = grown()
    model.loss(model.marks("ab")).backward()
    before, alone = slopes(model), model.loss(model.marks("ab")).data
    model.zero_grad()
    filled = model.loss([*model.marks("ab"), [0.0] * 4, [0.0] * 4])
    filled.backward()
    assert filled.data == alone
    assert slopes(model) == before


@pytest.mark.parametrize(("width", "layers"), [(4, 1), (2, 2)])
def test_every_slope_is_the_one_that_nudging_measures(width: int, layers: int) -> None:
    model, h = grown(width=width, layers=layers, context=4), 1e-5
    marks = model.marks("abb")
    model.loss(marks).backward()
    for name, p in model.named_parameters().items():
        there, moved = p.data, []
        for number in (there + h, there - h):
            p.data = number
            moved.append(model.loss(marks).data)
        p.data = there
        measured = (moved[0] - moved[1]) / (2 * h)
        assert measured == pytest.approx(p.grad, rel=1e-6, abs=1e-8), name


# The replay ------------------------------------------------------------------


def test_a_replay_has_the_losses_and_the_slopes_of_the_model() -> None:
    model = grown()
    texts = ["", "a", "cab", "abcab"]
    eager = [model.loss(model.marks(text)) for text in texts]
    for loss in eager:
        loss.backward()
    expected = slopes(model)
    model.zero_grad()
    number = recorded(model, 5)(texts)
    assert number == pytest.approx(sum(loss.data for loss in eager), rel=1e-13)
    assert slopes(model) == pytest.approx(expected, rel=1e-11, abs=1e-12)


def test_the_replay_in_c_has_the_bits_of_the_one_in_python() -> None:
    found = []
    for target in ("python", "c"):
        model = grown(width=2, heads=1)
        losses = recorded(model, 2, target)
        found.append((losses(["ab", "c"]), slopes(model)))
    assert found[0] == found[1]


def test_a_replay_follows_the_parameters() -> None:
    model = small()
    losses, marks = recorded(model, 3), model.marks("abc")
    for p in model.parameters():
        p.data *= 20
    assert losses(["abc"]) == pytest.approx(model.loss(marks).data, rel=1e-13)


def trained(seed: int) -> tuple[list[float], list[str]]:
    """The losses of a short training on names, and three samples after it."""
    rng = random.Random(seed)
    model = GPT(ascii_lowercase, context=10, width=4, heads=2, rng=rng)
    optimizer = Adam(model.parameters(), lr=0.03)
    losses, found = recorded(model, 9), []
    for _ in range(40):
        optimizer.zero_grad()
        batch = rng.sample(names(), 4)
        signs = sum(len(name) + 1 for name in batch)
        found.append(losses(batch) / signs)
        optimizer.step()
    return found, [model.sample(rng) for _ in range(3)]


def test_it_learns() -> None:
    losses, _ = trained(0)
    assert losses[0] == pytest.approx(math.log(27), abs=0.3)
    assert sum(losses[-10:]) / 10 < losses[0] - 0.5


def test_the_same_seed_gives_the_same_bits_in_every_process() -> None:
    program = (
        "from tests.engine.test_gpt import trained; losses, texts = trained(3); "
        "print(*[x.hex() for x in losses], *texts)"
    )
    path = ":".join(sys.path)
    runs = [
        subprocess.run(
            [sys.executable, "-c", program],
            check=True,
            capture_output=True,
            text=True,
            env={"PYTHONPATH": path, "PYTHONHASHSEED": seed},
        )
        for seed in "12"
    ]
    assert runs[0].stdout == runs[1].stdout
    losses, texts = trained(3)
    assert runs[0].stdout.split() == " ".join([*map(float.hex, losses), *texts]).split()


# Samples ---------------------------------------------------------------------


def favouring(sign: str) -> GPT:
    """A model that always says one sign, whatever it has read."""
    model = small()
    for row in model.output:
        for p in row:
            p.data = 0.0
    for block in model.blocks:
        for p in block.parameters():
            p.data = 0.0
    for row in (*model.embedding, *model.places):
        for p in row:
            p.data = 1.0
    for p in model.output[model.signs.index(sign)]:
        p.data = 100.0
    return model


def test_a_sample_ends_at_the_point_or_before_the_context_is_full() -> None:
    assert favouring(".").sample() == ""
    assert favouring("b").sample() == "bbbbb"
    assert small(context=1).sample() == ""


def test_what_is_sampled_can_be_read() -> None:
    model = grown()
    for seed in range(20):
        text = model.sample(random.Random(seed))
        assert model.loss(model.marks(text)).data > 0.0


def test_signs_are_drawn_by_their_probabilities() -> None:
    model = grown(context=2)
    (row,) = guesses(model, "")
    shares = [math.exp(z) for z in row]
    rng = random.Random(0)
    texts = [model.sample(rng) or "." for _ in range(2000)]
    for sign, share in zip(model.signs, shares, strict=True):
        wanted = share / sum(shares)
        found = texts.count(sign) / len(texts)
        assert abs(found - wanted) < 0.04, sign


def test_a_low_temperature_draws_the_likeliest() -> None:
    model = grown()
    texts = {model.sample(random.Random(seed), 1e-3) for seed in range(10)}
    (text,) = texts
    signs = text if len(text) == 5 else f"{text}."
    for sign, row in zip(signs, guesses(model, text), strict=False):
        assert model.signs[row.index(max(row))] == sign


def test_sampling_draws_from_the_generator_that_it_gets() -> None:
    model = grown()
    state = random.getstate()
    first = [model.sample(rng) for rng in map(random.Random, range(8))]
    again = [model.sample(rng) for rng in map(random.Random, range(8))]
    assert first == again
    assert len(set(first)) > 1
    assert random.getstate() == state


# Saved -----------------------------------------------------------------------


def test_numbers_are_saved_and_loaded() -> None:
    first, second = grown(0), grown(1)
    assert guesses(first, "abc") != guesses(second, "abc")
    second.load_state_dict(first.state_dict())
    assert guesses(first, "abc") == guesses(second, "abc")
    copy = pickle.loads(pickle.dumps(first))
    assert guesses(copy, "abc") == guesses(first, "abc")


def test_the_numbers_have_names() -> None:
    found = small().named_parameters()
    some = {"embedding.3.0", "places.5.3", "blocks.0.heads.1.key.1.3", "output.3.3"}
    assert some < set(found)


# What is refused -------------------------------------------------------------

REFUSED: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: small(width=6, heads=4), ValueError, "multiple of heads, but 6.*4"),
    (lambda: small(width=0), ValueError, "width must.*not 0"),
    (lambda: small(heads=-1), ValueError, "heads must.*not -1"),
    (lambda: small(layers=0), ValueError, "layers must.*not 0"),
    (lambda: small(context=0), ValueError, "context must.*not 0"),
    (lambda: GPT("aba", 4, 4, 2), ValueError, "letters must.*not 'aba'"),
    (lambda: GPT("ab.", 4, 4, 2), ValueError, "letters must.*not 'ab.'"),
    (lambda: GPT(["a"], 4, 4, 2), TypeError, r"letters must.*not \['a'\]"),  # type: ignore[arg-type]
    (lambda: GPT("ab", 4, 4, 2, rng=3), TypeError, "rng must.*not 3"),  # type: ignore[arg-type]
    (lambda: small().marks("abd"), ValueError, "'d' in 'abd' is none of 'abc'"),
    (lambda: small().marks("a.b"), ValueError, "'.' in 'a.b' is none of"),
    (lambda: small().marks(3), TypeError, "a text must be a str, not 3"),  # type: ignore[arg-type]
    (
        lambda: small().loss(small().marks("abcabc")),
        ValueError,
        r"GPT\(248 parameters\) reads at most 6 signs, not 7",
    ),
    (lambda: small()([[1.0, 0.0]]), ValueError, "one length, not 4 and 2"),
    (lambda: recorded(small(), 6), ValueError, "at most 6 signs, not 7"),
    (lambda: recorded(small(), 0), ValueError, "longest must.*not 0"),
    (lambda: recorded(small(), 2, "rust"), ValueError, "'rust'"),
    (lambda: recorded(small(), 2)(["abc"]), ValueError, "for 2 letters.*'abc' has 3"),
    (lambda: recorded(small(), 2)("ab"), TypeError, "texts must be listed, not 'ab'"),
    (lambda: recorded(small(), 2)(["d"]), ValueError, "'d' in 'd' is none of"),
    (lambda: small().sample(temperature=0), ValueError, "temperature must.*not 0"),
    (lambda: small().sample(temperature=-1), ValueError, "temperature must.*not -1"),
    (lambda: small().sample(3), TypeError, "rng must.*not 3"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("mistake", "kind", "says"), REFUSED)
def test_a_mistake_says_what_was_expected_and_what_came(
    mistake: Callable[[], object], kind: type[Exception], says: str
) -> None:
    with pytest.raises(kind, match=says):
        mistake()


def test_a_refused_text_changes_no_slope_and_draws_no_number() -> None:
    model = grown()
    losses: Any = recorded(model, 3)
    for p in model.parameters():
        p.grad = 0.25
    with pytest.raises(ValueError, match="none of"):
        losses(["abc", "abd"])
    assert set(slopes(model)) == {0.25}
    state = random.getstate()
    with pytest.raises(ValueError, match="multiple"):
        GPT("abc", 4, 6, 4)
    assert random.getstate() == state
