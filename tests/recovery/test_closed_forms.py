"""Models of known competence score what follows from their competence: section by section."""

import pytest

from simworld.evaluate import RUNS
from simworld.models import make_model
from simworld.recovery.closed_forms import closed_forms
from simworld.stats import holm

LEVELS = ["0/0", "0.25/1", "0.5/0.5", "1/0.5", "0.75/0", "1/1"]


def bench(folder, name, settings=None, seed=0):
    run = RUNS[name]
    return run(folder / "benchmarks" / name / run.FILE_NAME, settings or {}, seed)


def measured(run, model):
    metrics = run.run(make_model(model), None, lambda *_: None)[1]["metrics"]
    return {name: metric["value"] for name, metric in metrics.items()}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("causalstep", {}),
        ("causalstep", {"restart": "algorithm1", "scoring": "algorithm1"}),
        ("castbench", {}),
        ("castbench", {"preset": "cli_default"}),
        ("causal2needles", {}),
    ],
)
def test_every_metric_lies_in_the_central_99_percent_over_all_models(folders, name, settings):
    run = bench(folders, name, settings)
    p_values = []
    for levels in LEVELS:
        c, q = map(float, levels.split("/"))
        forms, values = closed_forms(run, c, q), measured(run, f"competence:{levels}")
        assert set(forms) == set(values)
        p_values += [forms[metric].p_value(value) for metric, value in values.items()]
    assert min(holm(p_values)) >= 0.01


def test_causalstep_by_hand(small_folders):
    run = bench(small_folders, "causalstep")
    lengths = [len(video.segments) for video in run.truth]
    forms = closed_forms(run, 0.5, 1.0)
    p = 0.5 + 0.5 / 8
    assert forms["icra"].mean == pytest.approx(p)
    assert forms["dua"].mean == pytest.approx(1)
    assert forms["csr"].mean == pytest.approx(sum(p ** (n - 1) for n in lengths) / len(lengths))
    best = closed_forms(run, 1.0, 1.0)
    assert best["ws"].mean == pytest.approx(
        sum(1 + (n - 1) * n / 2 for n in lengths) / len(lengths)
    )
    assert (best["mcl"].mean, best["rf"].mean) == (max(lengths), 0)


def test_castbench_by_hand(small_folders):
    forms = closed_forms(bench(small_folders, "castbench"), 0.4, 0.3)
    p = 0.4 + 0.6 / 6
    assert forms["accuracy"].mean == pytest.approx(p)
    assert forms["faithful_rate"].mean == pytest.approx(p * 0.3)
    assert forms["spurious_rate"].mean == pytest.approx(p * 0.7)
    assert forms["im_viou"].mean == pytest.approx(0.3)


def test_causal2needles_by_hand(small_folders):
    run = bench(small_folders, "causal2needles")
    forms = closed_forms(run, 0.0, 1.0)
    scenes = [len(ask.window) for ask in run.asks if ask.task == "1needle"]
    assert forms["causal_1n"].mean == pytest.approx(sum(1 / n for n in scenes) / len(scenes))
    assert forms["noncausal_1n"].mean == pytest.approx(1)
    assert forms["id_2n"].mean == pytest.approx(1 / 4)
    assert forms["vg_reverse_both"].mean == pytest.approx(forms["vg_reverse_part2"].mean)


def test_an_unknown_benchmark_has_none():
    with pytest.raises(TypeError, match="no closed forms are known for object"):
        closed_forms(object(), 0.5, 0.5)
