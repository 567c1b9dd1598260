"""Work that was stopped goes on to the same bytes; what is damaged, foreign or of other work is refused in one line."""

import numpy as np
import pytest

from priori import store
from priori.errors import DataError, ModelFileError
from priori.latent import Checkpoint, Clustering, Corpus, Recipe, Sampling, Schedule, Seeds, gibbs_chains
from priori.latent import checkpoint as checkpoints
from priori.latent.checkpoint import fingerprint
from priori.latent.gibbs_sampling.run import Chains


def corpus(seed=0, labels=None):
    """60 documents of two kinds; the terms are t00 .. t29."""
    rng = np.random.default_rng(seed)
    theta = rng.dirichlet(np.full(30, 0.3), 2)
    counts = np.stack([rng.multinomial(12, theta[i % 2]) for i in range(60)])
    return Corpus.of_counts(counts, labels)


LABELS = [*["odd", "even"] * 3, *[None] * 54]
SEEDS = Seeds.of({"odd": ["t03", "t07"], "other": {"t11": 4}})
RUNS = {
    "em": lambda data=corpus, **more: Clustering(data(), 3, **{"recipe": Recipe(restarts=3, iterations=25), **more}),
    "em with labels, seeds, components and annealing": lambda: Clustering(
        corpus(labels=LABELS), 4, recipe=Recipe(restarts=2, components=2, anneal=5), seeds=SEEDS, seed=7
    ),
    "em with labels of some classes": lambda: Clustering(corpus(labels=LABELS), 3, recipe=Recipe(restarts=2)),
    "em from spread starts": lambda: Clustering(corpus(), 2, recipe=Recipe(restarts=2, start="spread"), jobs=2),
    "gibbs": lambda: Sampling(corpus(), 3, chains=Chains(2, Schedule(6, 4, 2), 3), jobs=2),
    "gibbs with labels and seeds": lambda: Sampling(
        corpus(labels=LABELS), 4, seeds=SEEDS, chains=Chains(3, Schedule(0, 12, 1)), seed=5
    ),
}


def walked(run):
    for _ in run:
        pass
    return run


def written(run, path):
    found = run.found() if run.method == "em" else run.found(diagnose=False)
    found.model.save(path)
    return path.read_bytes(), found.probabilities.tobytes(), repr(found.facts)


@pytest.mark.parametrize("name", RUNS)
def test_stopped_after_any_step_and_taken_up_is_never_stopped(name, tmp_path):
    whole = RUNS[name]()
    steps = sum(1 for _ in whole)
    expected = written(whole, tmp_path / "whole.priori")
    for stop in range(1, steps + 1, 1 if steps < 30 else 7):
        path = tmp_path / f"{stop}.partial"
        run = RUNS[name]()
        for _, _ in zip(range(stop), run, strict=False):
            pass
        Checkpoint(path, run).save()
        again = RUNS[name]()
        assert Checkpoint(path, again).resume()
        assert again.where == run.where
        assert written(walked(again), tmp_path / "again.priori") == expected


def test_stopped_after_every_step(tmp_path):
    expected = written(walked(RUNS["em"]()), tmp_path / "whole.priori")
    path = tmp_path / "x.partial"
    for steps in range(200):
        run = RUNS["em"]()
        assert Checkpoint(path, run).resume() == (steps > 0)
        if next(iter(run), None) is None:
            break
        Checkpoint(path, run).save()
    assert steps > 50
    assert written(run, tmp_path / "again.priori") == expected


def test_chains_in_step_draw_what_chains_on_their_own_draw():
    data = corpus()
    run = walked(Sampling(data, 2, chains=Chains(3, Schedule(5, 6, 2)), seed=4))
    alone = gibbs_chains(data, 2, prior=0.1, seed=4, chains=3, burn_in=5, samples=6, thin=2, diagnose=False)
    together = run.result(diagnose=False)
    assert together.by_chain.tobytes() == alone.by_chain.tobytes()
    assert together.log_joint.tobytes() == alone.log_joint.tobytes()


def test_there_is_nothing_to_go_on_from_before_it_was_saved(tmp_path):
    run = RUNS["em"]()
    checkpoint = Checkpoint(tmp_path / "x.partial", run)
    assert not checkpoint.resume()
    checkpoint.save()  # before the first step
    again = RUNS["em"]()
    assert Checkpoint(tmp_path / "x.partial", again).resume()
    assert written(walked(again), tmp_path / "a.priori") == written(walked(run), tmp_path / "b.priori")
    checkpoint.remove()
    assert not (tmp_path / "x.partial").exists()


# --- what is refused -------------------------------------------------------------------------------------------------


def stopped(path, run=None):
    run = run or RUNS["em"]()
    next(iter(run))
    Checkpoint(path, run).save()
    return path


def refused(path, run=None):
    with pytest.raises(DataError) as caught:
        Checkpoint(path, run or RUNS["em"]()).resume()
    message = str(caught.value)
    assert "\n" not in message and message.endswith("--fresh") and str(path) in message
    return message


def test_every_damaged_byte_is_noticed(tmp_path):
    path = stopped(tmp_path / "x.partial")
    whole = path.read_bytes()
    for place in [*range(0, 64), *range(64, len(whole), 97)]:
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        assert "cannot be used" in refused(path)
    for size in (0, 1, 40, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert "cannot be used" in refused(path)


def test_what_is_no_checkpoint(tmp_path):
    path = tmp_path / "x.partial"
    path.write_bytes(b"hello")
    told = "this is not a Priori model file, for it begins otherwise; start anew with --fresh"
    assert refused(path) == f"the checkpoint {path} cannot be used: {told}"
    walked(RUNS["em"]()).found().model.save(path)
    assert "it is no checkpoint of this version" in refused(path)


def test_other_documents_and_other_settings_are_named(tmp_path):
    path = stopped(tmp_path / "x.partial")
    assert "is of other documents" in refused(path, RUNS["em"](lambda: corpus(1)))
    assert "(seed 0 there, 3 here)" in refused(path, RUNS["em"](seed=3))
    other = Recipe(alpha=0.5, restarts=3, iterations=25)
    assert "(alpha 0.1 there, 0.5 here)" in refused(path, RUNS["em"](recipe=other))
    assert "settings (method em there, gibbs here); give" in refused(path, RUNS["gibbs"]())


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda head, arrays: head["values"].pop("ends"), "mean nothing"),
        (lambda head, arrays: head["values"].update(restart="x"), "mean nothing"),
        (lambda head, arrays: head["values"].update(restart=5), "how all starts have ended"),
        (lambda head, arrays: head.update(values=[]), "its values are none"),
        (lambda head, arrays: head["values"].update(objectives=["high"]), "mean nothing"),
        (lambda head, arrays: head["values"].update(best_restart=1), "its best start is none"),
        (lambda head, arrays: arrays.pop("shares"), "are not whole"),
        (lambda head, arrays: arrays.update(best_shares=arrays["shares"]), "are not whole"),
        (lambda head, arrays: head.update(format=2), "no checkpoint of this version"),
        (lambda head, arrays: arrays.update(shares=np.zeros(3)), "has 3 numbers"),
        (lambda head, arrays: arrays.update(shares=np.full(180, np.nan)), "has 180 numbers"),
        (lambda head, arrays: arrays.update(shares=np.zeros(180, np.int32)), "of type int32"),
        (lambda head, arrays: arrays.update(shares=-arrays["shares"]), "shares are not those of these documents"),
        (lambda head, arrays: arrays.update(shares=arrays["shares"] * 1.01), "shares are not those of these documents"),
        (lambda head, arrays: head["values"].update(finished=True), "it stands at iteration 1 of start 1"),
        (lambda head, arrays: head["values"].update(iteration=26, objectives=[0.0] * 26), "iteration 26 of start 1"),
    ],
)
def test_values_that_mean_nothing(tmp_path, change, said):
    path = stopped(tmp_path / "x.partial")
    sections = store.read(path)
    head = sections["checkpoint"]
    arrays = {name: np.array(table["value"]) for name, table in sections.items() if name != "checkpoint"}
    change(head, arrays)
    store.write(path, {"checkpoint": head, **{name: checkpoints._section(array) for name, array in arrays.items()}})
    assert said in refused(path)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda values, arrays: values["chains"][0]["state"].update(inc="zz"), "mean nothing"),
        (lambda values, arrays: values["chains"][1]["state"].pop("inc"), "mean nothing"),
        (lambda values, arrays: values["chains"].pop(), "another number of chains"),
        (lambda values, arrays: values.update(sweep=1), "log_joint_0 has 1 numbers"),
        (lambda values, arrays: values["chains"][0]["state"].update(inc="-0x1"), "mean nothing"),
        (lambda values, arrays: values["chains"][0].update(uinteger=2**40), "mean nothing"),
        (lambda values, arrays: arrays.pop("labels_1"), "chain 2 is not whole"),
    ],
)
def test_chains_that_mean_nothing(tmp_path, change, said):
    path = stopped(tmp_path / "x.partial", RUNS["gibbs"]())
    assert said in changed(path, change)


def changed(path, change):
    """What is said when some of it has been changed."""
    sections = store.read(path)
    head = sections["checkpoint"]
    arrays = {name: np.array(table["value"]) for name, table in sections.items() if name != "checkpoint"}
    change(head["values"], arrays)
    store.write(path, {"checkpoint": head, **{name: checkpoints._section(array) for name, array in arrays.items()}})
    return refused(path, RUNS["gibbs"]())


def later(values, arrays):
    """At sweep 40 of 14, with traces and sizes of that length."""
    values["sweep"] = 40
    for number in (0, 1):
        arrays[f"log_joint_{number}"] = np.zeros(41)
        arrays[f"sizes_{number}"] = np.tile(np.array([20, 20, 20], np.int64), 34)


def other(name, value, place=0):
    """One number of a vector becomes another."""

    def change(values, arrays):
        arrays[name] = arrays[name].copy()
        arrays[name][place] = value

    return change


NOT_THOSE = "the numbers of chain {} are not those of such a chain"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (later, "it stands at sweep 40 of 14"),
        (lambda values, arrays: values.update(sweep=-2), "it stands at sweep -2 of 14"),
        (other("labels_0", 99), NOT_THOSE.format(1)),
        (other("labels_1", -1), NOT_THOSE.format(2)),
        (other("sizes_0", -1), NOT_THOSE.format(1)),
        (other("sizes_1", 61), NOT_THOSE.format(2)),
        (other("total_0", -0.5), NOT_THOSE.format(1)),
        (other("total_1", 1e12, 5), NOT_THOSE.format(2)),
        (lambda values, arrays: arrays.update(total_0=arrays["total_0"] * 1.9), NOT_THOSE.format(1)),
    ],
)
def test_chains_that_cannot_have_stood_there(tmp_path, change, said):
    path, run = tmp_path / "x.partial", RUNS["gibbs"]()
    for _, _ in zip(range(11), run, strict=False):  # the start and ten sweeps: two snapshots
        pass
    Checkpoint(path, run).save()
    assert said in changed(path, change)


def test_a_label_that_is_known_stays(tmp_path):
    path, run = tmp_path / "x.partial", RUNS["gibbs with labels and seeds"]()
    next(iter(run))
    Checkpoint(path, run).save()
    kept = run.kept()
    kept.arrays["labels_0"][0] = 1 - kept.arrays["labels_0"][0]
    with pytest.raises(ModelFileError, match=NOT_THOSE.format(1)):
        RUNS["gibbs with labels and seeds"]().go_on(kept)


def test_a_fingerprint_sees_every_part():
    data = corpus()
    same, seen = fingerprint(corpus()), {fingerprint(data)}
    assert seen == {same}
    changed = [
        data.rows(np.arange(59)),
        data.with_classes(np.where(np.arange(60) == 3, 0, -1), ("a",)),
        corpus(1),
    ]
    assert len({same, *map(fingerprint, changed)}) == 4


# --- when it is written ----------------------------------------------------------------------------------------------


def test_writing_takes_no_more_than_a_tenth_of_the_time(tmp_path, monkeypatch):
    now = [100.0]
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: now[0])
    checkpoint = Checkpoint(tmp_path / "x.partial", RUNS["em"]())
    write, cost = store.write, [0.0]

    def slow(*arguments):
        now[0] += cost[0]
        write(*arguments)

    monkeypatch.setattr(checkpoints.store, "write", slow)
    assert not checkpoint.due
    now[0] += 1.0
    for cost[0], pause in ((0.01, 1.0), (3.0, 30.0), (0.0, 1.0)):
        assert checkpoint.due
        checkpoint.save()
        assert not checkpoint.due
        now[0] += pause - 1e-6
        assert not checkpoint.due
        now[0] += 2e-6
    assert checkpoint.due


def test_the_old_one_stays_until_the_new_one_is_whole(tmp_path, monkeypatch):
    path = stopped(tmp_path / "x.partial")
    before = path.read_bytes()
    run = RUNS["em"]()
    next(iter(run))

    def failing(descriptor):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", failing)
    with pytest.raises(OSError, match="cannot be written"):
        Checkpoint(path, run).save()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["x.partial"]
