"""Files of arrays and text, and what NumPy and TensorFlow read in them: tests/golden/files_*.json.

Run by make_golden.py, or alone. `file` holds the bytes in hex.
"""

import io
import tempfile

import numpy as np
import tensorflow as tf


def saved(value):
    out = io.BytesIO()
    np.save(out, value)
    return out.getvalue()


def zipped(save, arrays):
    out = io.BytesIO()
    save(out, **arrays)
    return out.getvalue()


def values(shape, dtype):
    dtype = np.dtype(dtype)
    count = int(np.prod(shape))
    if dtype.kind == "c":
        return (np.arange(count) + 1j * np.arange(count, 0, -1)).reshape(shape).astype(dtype)
    if dtype.kind == "b":
        return (np.arange(count) % 3 == 0).reshape(shape)
    low = -count // 2 if dtype.kind != "u" else 0
    return (np.arange(count) + low).reshape(shape).astype(dtype) * (np.asarray(1.5, dtype) if dtype.kind == "f" else 1)


def plain(value):
    """Complex numbers as pairs along a last axis."""
    return np.stack([value.real, value.imag], -1) if value.dtype.kind == "c" else value


def files(case):
    def npy_cases():
        codes = [
            order + code
            for code in ("f2", "f4", "f8", "i2", "i4", "i8", "u2", "u4", "u8", "c8", "c16")
            for order in "<>"
        ]
        for code in codes + ["|i1", "|u1", "|b1"]:
            for shape in ((2, 3), (5,), ()):
                value = np.asarray(values(shape, code)).astype(code)
                params = {"file": saved(value).hex(), "dtype": np.dtype(code).newbyteorder("=").name}
                # What a writer must write, byte for byte: little-endian ones.
                yield case(f"npy/{code}/{shape}", {}, params | {"as_written": code[0] != ">"}, {"value": plain(value)})
        for shape in ((2, 3), (2, 3, 4), (1, 5), (0, 3), (3, 0, 2)):
            for code in ("<f4", ">i2"):
                value = values(shape, code[1:]).astype(code)
                name = np.dtype(code).newbyteorder("=").name
                yield case(
                    f"npy/fortran/{code}/{shape}",
                    {},
                    {"file": saved(np.asfortranarray(value)).hex(), "dtype": name, "as_written": False},
                    {"value": value},
                )
        for version in ((1, 0), (2, 0), (3, 0)):
            out = io.BytesIO()
            np.lib.format.write_array(out, values((2, 2), "<f4"), version=version)
            yield case(
                f"npy/version/{version[0]}",
                {},
                {"file": out.getvalue().hex(), "dtype": "float32", "as_written": version == (1, 0)},
                {"value": values((2, 2), "<f4")},
            )

    def npz_cases():
        arrays = {
            "x": values((3, 4), "<f4"),
            "y": values((3,), ">i8"),
            "f": np.asfortranarray(values((2, 3), "<f8")),
            "truth": values((7,), "|b1"),
            "none": values((0, 2), "<i4"),
        }
        for name, save in (("stored", np.savez), ("deflated", np.savez_compressed)):
            yield case(f"npz/{name}", {}, {"file": zipped(save, arrays).hex()}, arrays)

    def csv(name, text, types, **options):
        """Rows as TensorFlow reads them; where it refuses one, its number is in `refused`."""
        with tempfile.NamedTemporaryFile() as file:
            file.write(text)
            file.flush()
            rows = iter(tf.data.experimental.CsvDataset(file.name, types, **options))
            read, refused = [], []
            for row in range(100):
                try:
                    read.append([v.numpy() for v in next(rows)])
                except StopIteration:
                    break
                except tf.errors.InvalidArgumentError:
                    refused.append(row)
        params = {"file": text.hex()} | {k: v for k, v in options.items() if k != "select_cols"}
        outputs = {}
        for i, kind in enumerate(types):
            given = isinstance(kind, list)
            kind = tf.convert_to_tensor(kind).dtype if given else kind
            params[f"dtype_{i}"] = kind.name
            if given:
                params[f"default_{i}"] = types[i][0]
            column = [r[i] for r in read]
            if kind == tf.string:
                outputs[f"column_{i}"] = np.array(column, dtype=object)
            else:  # bits, since JSON has neither infinities nor all of 64 bits
                numbers = np.array(column, kind.as_numpy_dtype)
                outputs[f"column_{i}"] = np.frombuffer(numbers.tobytes(), np.uint32)
        inputs = {
            "refused": np.array(refused, np.int64),
            "select_cols": np.array(options.get("select_cols") or [], np.int64),
        }
        return case(f"csv/{name}", inputs, params, outputs)

    def csv_cases():
        i, j, f, d, s = tf.int32, tf.int64, tf.float32, tf.float64, tf.string
        for name, end in (("lf", b"\n"), ("crlf", b"\r\n"), ("cr", b"\r")):
            for last in (b"", end):
                yield csv(f"{name}/{len(last)}", end.join([b"1,a,2.5", b"-3,b,1e-3", b"+4,,7"]) + last, [i, [""], f])
        yield csv(
            "integers",
            b"0,0\n2147483647,9223372036854775807\n-2147483648,-9223372036854775808\n 5 ,\t6\n+7,-0\n",
            [i, j],
        )
        yield csv("integers_refused", b"2147483648\n-2147483649\n1.0\n1e2\n1_0\n0x10\n--1\n+-1\n1 2\nx\n5\n", [i])
        yield csv(
            "floats",
            b"1.5,1.5\n.5,5.\ninf,-inf\nnan,NaN\nInfinity,-infinity\n1e39,1e400\n-1e39,-1e400\n1e-50,1e-400\n"
            b"0.1,0.1\n16777217,9007199254740993\n3.4028236e38,1e308\n+2.5,\t-7 \n0x10,-0x1p3\n",
            [f, d],
        )
        yield csv("floats_refused", b"1f\n1e\n.\n-\n+\n1,5\nx\n1.5.5\n7\n", [f])
        yield csv("quotes", b'"a","b,c"\n"a ""quoted"" b",""\n"line\nfeed","cr\r\nlf"\n"x",y\n"""",""""""\n', [s, [""]])
        yield csv("quoted_numbers", b'"5","6.5"\n" 7 ",8\n', [i, f])
        yield csv("no_quotes", b'"1",2\na"b,3\n', [s, i], use_quote_delim=False)
        yield csv("quote_refused", b'a"b,1\nc,2\n', [s, i])
        yield csv("missing", b'NA,1\n,2\n"",3\n"NA",4\n5,6\n', [[9], i], na_value="NA")
        yield csv("missing_refused", b"1,2\n,3\n4,\n5,6\n\n", [i, [7]])
        yield csv("defaults", b",,\n", [[1], [2.5], ["text"]])
        yield csv("header", b"a,b\n1,2\n3,4\n", [i, i], header=True)
        yield csv("header_only", b"a,b", [i, i], header=True)
        yield csv("header_quoted", b'"a\nb",c\n1,2\n', [i, i], header=True)
        yield csv("select", b"1,x,2,y\n3,z,4\n5\n6,a,7,b,c\n", [i, i], select_cols=[0, 2])
        yield csv("too_many_and_few", b"1,2\n3\n4,5,6\n7,8\n", [i, i])
        yield csv("delimiter", b"1;2,5\n3;x\n", [i, s], field_delim=";")
        yield csv("tabs", b"1\t2\n3\t4\n", [i, i], field_delim="\t")
        yield csv("empty", b"", [i])
        yield csv("blank_lines", b"1\n\n3\n\r\n", [[7]])
        yield csv("not_utf8", b"\xff\xfe,\x00\n", [s, s])

    def inference_cases():
        texts = {
            "integers": b"a,b,c\n1,2147483648,\n-5,3,7\n",
            "floats": b"a,b,c\n1,1.5,1e39\n2.5,2,3\n",
            "strings": b"a,b,c\n1,x,nan\ny,2.5,1\n",
            "mixed": b"a,b,c\n1e39,9223372036854775808,-inf\nNA,1,1\n",
            "spaces": b"a,b,c\n 1 , 2.5,-\n,,\n",
        }
        for name, text in texts.items():
            with tempfile.NamedTemporaryFile() as file:
                file.write(text)
                file.flush()
                data = tf.data.experimental.make_csv_dataset(file.name, 1, na_value="NA", num_epochs=1)
                kinds = [data.element_spec[c].dtype.name for c in "abc"]
            yield case(
                f"csv_inference/{name}",
                {},
                {"file": text.hex(), "na_value": "NA"},
                {"dtypes": np.array(kinds, dtype=object)},
            )

    def line_cases():
        for i, text in enumerate(
            (b"a\nb\n", b"a\r\nb", b"a\rb\n", b"\n\n", b"", b"a\r\r\nb\r", b"a\n\r\n", b"a\0b\n\xff", b"\r")
        ):
            with tempfile.NamedTemporaryFile() as file:
                file.write(text)
                file.flush()
                lines = [v.numpy() for v in tf.data.TextLineDataset(file.name)]
            yield case(f"lines/{i}", {}, {"file": text.hex()}, {"lines": np.array(lines, dtype=object)})

    yield "files_npy.json", list(npy_cases())
    yield "files_npz.json", list(npz_cases())
    yield "files_csv.json", list(csv_cases()) + list(inference_cases())
    yield "files_lines.json", list(line_cases())


if __name__ == "__main__":
    import make_golden

    for file, cases in files(make_golden.case):
        make_golden.write(file, cases)
