"""Runs the cases under TensorFlow and writes golden/*.json: python tests/python/make_golden.py [FILE…].

Needs tensorflow-cpu 2.21 and Keras 3.15 (bench/requirements.txt)."""

import json
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_ENABLE_ONEDNN_OPTS", "0")

import tensorflow as tf

import golden

sys.path.insert(0, str(golden.HERE))
for file in sys.argv[1:] or golden.case_files():
    answers = {}
    for name, source, _ in golden.cases(file):
        answers[name] = golden.run(source, tf)
        if "raises" in answers[name]:
            print(f"{file}/{name}: raises {answers[name]['raises'][0]}: {answers[name]['message'][:100]}")
    path = golden.HERE / "golden" / f"{file}.json"
    lines = ",\n".join(
        f"{json.dumps(name)}: {json.dumps(answer, separators=(',', ':'))}" for name, answer in answers.items()
    )
    path.write_text("{\n" + lines + "\n}\n")
    print(f"{path.name}: {len(answers)} cases, {path.stat().st_size / 1000:.1f} kB")
