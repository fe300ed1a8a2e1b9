"""Every case of cases/ gives what TensorFlow gave (golden.py)."""

import json
import sys

import pytest

import brio as tf
import golden

sys.path.insert(0, str(golden.HERE))


def collect():
    for file in golden.case_files():
        answers = json.loads((golden.HERE / "golden" / f"{file}.json").read_text())
        for name, source, options in golden.cases(file):
            yield pytest.param(source, answers.get(name), options, id=f"{file}/{name}")


@pytest.mark.parametrize("source, want, options", list(collect()))
def test_agrees_with_tensorflow(source, want, options):
    assert want is not None, "no answer is kept for this case: run tests/python/make_golden.py"
    found = golden.differences(golden.run(source, tf), want, options)
    assert not found, "\n".join(found) + "\n" + source


@pytest.mark.parametrize("file", golden.case_files())
def test_answers_name_no_machine(file):
    answers = json.loads((golden.HERE / "golden" / f"{file}.json").read_text())
    told = {name: answer["message"] for name, answer in answers.items() if "message" in answer}
    assert told == {name: golden.of_any_machine(message) for name, message in told.items()}
