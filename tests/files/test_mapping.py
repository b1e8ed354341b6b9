"""Mapped files hold what the safetensors package reads, stay as they are when replaced, and are checked."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from safetensors.numpy import load_file, save_file

from troenpy.files import archive
from troenpy.files.mapping import map_file

TYPES = st.sampled_from([np.uint8, np.int16, np.uint32, np.int64, np.float16, np.float32, np.float64, np.bool_])
ARRAYS = st.dictionaries(st.sampled_from("abcd"), hnp.arrays(TYPES, hnp.array_shapes(min_dims=0, min_side=0)))


@given(ARRAYS)
@settings(deadline=None)
def test_a_mapped_file_is_what_the_package_reads(tmp_path_factory, arrays):
    path = tmp_path_factory.mktemp("mapped") / "file"
    save_file(arrays, path, metadata={"who": "me"})
    metadata, mapped = map_file(path)
    expected = load_file(path)
    assert metadata == {"who": "me"}
    assert mapped.keys() == expected.keys()
    for name, array in expected.items():
        assert mapped[name].dtype == array.dtype
        np.testing.assert_array_equal(mapped[name], array)


def content(header, data=b""):
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def entry(dtype="U8", shape=(2,), offsets=(0, 2)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_arrays_are_read_only_and_aligned(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(content({"a": entry(), "b": entry("F64", (1,), (2, 10))}, b"ab" + np.array(1.5).tobytes()))
    arrays = map_file(path)[1]
    assert arrays["b"].flags.aligned
    assert arrays["b"].tolist() == [1.5]
    assert not arrays["a"].flags.writeable


@pytest.mark.parametrize(
    "header",
    [
        {"a": entry(offsets=(0, 1))},
        {"a": entry(offsets=(0, 3))},
        {"a": entry(offsets=(1, 3))},
        {"a": entry(shape=(1,), offsets=(0, 1))},  # one byte too many
        {"a": entry(), "b": entry()},  # on top of each other
        {"a": entry(shape=(-2,))},
        {"a": entry(shape=(True, 2))},
        {"a": entry(shape=(2.0,))},
        {"a": entry(shape=(10**400,))},
        {"a": entry(dtype="F8_E4M3")},
        {"a": entry(dtype=["U8"])},
        {"a": 5},
        {"a": {}},
        {"__metadata__": {"a": 5}},
        {"__metadata__": 5},
        [],
        5,
    ],
)
def test_a_wrong_header_is_an_error(tmp_path, header):
    path = tmp_path / "file"
    path.write_bytes(content(header, b"ab"))
    with pytest.raises(ValueError, match="is damaged or not a safetensors file"):
        archive.read(path, "model", 1)


def test_a_replaced_file_leaves_the_map_as_it_was(tmp_path):
    path = tmp_path / "file"
    first, second = np.arange(50_000.0), np.zeros(10)
    archive.write(path, {"kind": "test", "version": 1}, {"a": first})
    mapped = archive.read(path, "test", 1)[1]["a"]
    archive.write(path, {"kind": "test", "version": 1}, {"a": second})
    np.testing.assert_array_equal(mapped, first)
    path.unlink()
    np.testing.assert_array_equal(mapped, first)
