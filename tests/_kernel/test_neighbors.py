"""The kernel's search for nearest rows checks every array it is given."""

import numpy as np
import pytest
from kernel_switch import needs_kernel

from troenpy._kernel import native
from troenpy.models.neighbors import METRICS


@needs_kernel
class TestForeignMemoryIsNeverRead:
    def arrays(self, indptr=(0, 1, 2), indices=(0, 1), data=(1.0, 2.0)):
        return np.array(indptr, np.int64), np.array(indices, np.int32), np.array(data, float)

    def search(self, queries, k=1, skip_own_row=False, shape=None):
        index = native.NearestRows()
        index.add(self.arrays(), 2, "euclidean")
        shape = shape or (max(0, len(queries[0]) - 1), k)
        index.search([queries], skip_own_row, 1, np.empty(shape), np.empty(shape, np.int64))

    bad = pytest.mark.parametrize(
        ("rows", "error", "message"),
        [
            ({"indptr": ()}, ValueError, "indptr is empty"),
            ({"indptr": (0, 2, 1)}, ValueError, "indptr does not ascend"),
            ({"indptr": (-1, 0, 1)}, ValueError, "indptr does not ascend"),
            ({"indptr": (0, 1, 9)}, ValueError, "indptr exceeds"),
            ({"indices": (0, 2)}, IndexError, "outside"),
            ({"indices": (-1, 1)}, ValueError, "must ascend from 0"),
            ({"indptr": (0, 2, 2), "indices": (1, 0)}, ValueError, "must ascend from 0"),
            ({"indptr": (0, 2, 2), "indices": (1, 1)}, ValueError, "must ascend from 0"),
            ({"data": (1.0,)}, ValueError, "data and indices differ in length"),
        ],
    )

    @bad
    def test_in_training_rows(self, rows, error, message):
        with pytest.raises(error, match=message):
            native.NearestRows().add(self.arrays(**rows), 2, "euclidean")

    @bad
    def test_in_queries(self, rows, error, message):
        with pytest.raises(error, match=message):
            self.search(self.arrays(**rows))

    @pytest.mark.parametrize(
        ("rows", "options", "message"),
        [
            ({}, {"k": 3}, "between 1 and the number of rows"),
            ({}, {"k": 2, "skip_own_row": True}, "between 1 and the number of rows"),
            ({}, {"shape": (1, 1)}, r"of shape \(queries, neighbours\)"),
            ({"indptr": (0, 1, 2, 2)}, {"skip_own_row": True}, "more queries than rows"),
        ],
    )
    def test_in_shapes(self, rows, options, message):
        with pytest.raises(ValueError, match=message):
            self.search(self.arrays(**rows), **options)

    def test_in_numbers_of_blocks(self):
        with pytest.raises(ValueError, match="as many blocks as were added"):
            native.NearestRows().search([], False, 1, np.empty((1, 1)), np.empty((1, 1), np.int64))

    @pytest.mark.parametrize(
        ("rows", "metric", "message"),
        [
            ({"indptr": (0, 1)}, "manhattan", "blocks differ in their number of rows"),
            ({}, "chebyshev", "metric must be 'euclidean'"),
        ],
    )
    def test_in_another_block(self, rows, metric, message):
        index = native.NearestRows()
        index.add(self.arrays(), 2, "manhattan")
        with pytest.raises(ValueError, match=message):
            index.add(self.arrays(**rows), 2, metric)

    @pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
    @pytest.mark.parametrize("metric", METRICS)
    def test_in_numbers_that_are_none(self, value, metric):
        index = native.NearestRows()
        index.add(self.arrays(data=(1.0, value)), 2, metric)
        distances, rows = np.empty((2, 2)), np.empty((2, 2), np.int64)
        index.search([self.arrays(data=(value, 1.0))], False, 2, distances, rows)
        assert sorted(rows[0].tolist()) == [0, 1]
        assert not np.isnan(distances).any()
