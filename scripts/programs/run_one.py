"""Runs one program in this process: run_one.py PROGRAM RESULT.json brio|tensorflow.

Its top-level statements run one after the other, and one that fails does not end the program:
what comes after it is of interest too.
"""

import ast
import collections
import json
import os
import pathlib
import sys
import time
import traceback
import types
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import libraries
import source
import stand_ins
import values


def main(path, result, library):
    os.environ.setdefault("MPLBACKEND", "Agg")
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    warnings.simplefilter("ignore")
    if library == "brio":
        libraries.use_brio()
    stand_ins.install()
    text = source.read(path)
    stand_ins.for_program(text)
    local = pathlib.Path("program.py").absolute()  # inspect.getsource() and AutoGraph read it
    local.write_text(text, encoding="utf-8")
    module = types.ModuleType("__main__")
    module.__file__ = str(local)
    setattr(module, source.SHELL, stand_ins.in_a_shell)
    sys.modules["__main__"], sys.argv = module, [str(local)]
    done = {"errors": [], "values": {}, "last": 0}
    start = time.monotonic()
    for statement in source.statements(text):
        done["last"] = statement.lineno
        try:
            exec(compile(ast.Module([statement], []), str(local), "exec"), module.__dict__)
        except (Exception, SystemExit) as error:  # noqa: BLE001  any is told, and the next statement may work
            done["errors"].append(_described(error, statement, local))
            print(f"--- line {statement.lineno}", file=sys.stderr)
            traceback.print_exc()
        done["seconds"] = time.monotonic() - start
        pathlib.Path(result).write_text(json.dumps(done))  # what there is when the time is over
    left = {
        name: values.describe(value)
        for name, value in list(vars(module).items())
        if not name.startswith("_") and name != source.SHELL
    }
    done["values"] = {name: text for name, text in left.items() if text is not None}
    done["ended"] = True
    pathlib.Path(result).write_text(json.dumps(done))
    sys.stdout.flush()
    os._exit(0)  # threads that a program left do not keep the runner waiting


def _described(error, statement, local):
    inside = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(local)]
    return collections.OrderedDict(
        line=statement.lineno,
        at=inside[-1] if inside else statement.lineno,
        type=type(error).__name__,
        message=" ".join(str(error).split())[:400],
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
