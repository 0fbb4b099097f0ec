"""Every shipped machine predicts every path."""

import numpy as np
import pytest

from mpps.machine import machines
from mpps.paths import load_path, names
from mpps.predict import predict

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("path", names())
def test_every_machine_predicts_every_path(path):
    path = load_path(path)
    for slug in machines():
        for variant in (path.variants[0], path.variants[-1]):
            forecast = predict(path, [1, 4, 64, 256], variant=variant.name, machine=slug)
            assert np.all(np.isfinite(forecast.quantiles)) and np.all(forecast.quantiles > 0), (slug, variant.name)
            assert np.all(np.diff(forecast.quantiles, axis=0) >= 0), (slug, variant.name)
