"""tf.strings, and tf.io on strings."""

CASES = [
    (
        "join",
        "[tf.strings.join(['a', 'b']), tf.strings.join([['a', 'b'], ['c', 'd']], separator='-'), tf.strings.join([['a', 'b'], 'x'])]",
    ),
    (
        "reduce_join",
        "x = [['a', 'b'], ['c', 'd']]; [tf.strings.reduce_join(x), tf.strings.reduce_join(x, axis=0), tf.strings.reduce_join(x, 1, separator=' ', keepdims=True)]",
    ),
    (
        "split",
        "[tf.strings.split('a b  c'), tf.strings.split(['a,b', 'c'], sep=','), tf.strings.split(['a,b,c'], ',', maxsplit=1), tf.strings.split('a,,b', ',')]",
    ),
    ("split_to_tensor", "tf.strings.split(['hello there', 'you']).to_tensor()"),
    ("split_to_list", "tf.strings.split([['a b', 'c'], ['d e f', '']]).to_list()"),
    ("bytes_split", "[tf.strings.bytes_split('abc'), tf.strings.bytes_split(['ab', 'c'])]"),
    ("unicode_split", "[tf.strings.unicode_split('häl', 'UTF-8'), tf.strings.unicode_split(['ab', 'é'], 'UTF-8')]"),
    (
        "unicode_decode",
        "[tf.strings.unicode_decode('hä€', 'UTF-8'), tf.strings.unicode_decode(['ab', 'é'], input_encoding='UTF-8')]",
    ),
    (
        "unicode_encode",
        "[tf.strings.unicode_encode([104, 228], 'UTF-8'), tf.strings.unicode_encode([[104, 105], [228, 8364]], 'UTF-8')]",
    ),
    ("unicode_transcode", "tf.strings.unicode_transcode(['hä'], 'UTF-8', 'UTF-16-BE')"),
    ("lower", "[tf.strings.lower(['ABC', 'dEf']), tf.strings.upper('aBc')]"),
    ("strip", "tf.strings.strip(['  a b ', '\\n\\tc'])"),
    ("length", "[tf.strings.length(['abc', '', 'hä']), tf.strings.length('hä', unit='UTF8_CHAR')]"),
    ("length_unit", "tf.strings.length('a', unit='WORD')"),
    (
        "substr",
        "[tf.strings.substr('hello', 1, 3), tf.strings.substr(['hello', 'world'], pos=[0, 2], len=[2, 2]), tf.strings.substr('hello', -3, 2), tf.strings.substr('hällo', 1, 2, unit='UTF8_CHAR')]",
    ),
    ("substr_out_of_range", "tf.strings.substr('abc', 9, 1)", {"raises": "Exception"}),
    (
        "regex_replace",
        "[tf.strings.regex_replace(['a1b22', 'c'], '[0-9]+', '#'), tf.strings.regex_replace('aaa', 'a', 'b', replace_global=False), tf.strings.regex_replace('john smith', r'(\\w+) (\\w+)', r'\\2 \\1')]",
    ),
    ("regex_full_match", "tf.strings.regex_full_match(['abc', 'abcd', 'xbc'], '[a-z]bc')"),
    ("regex_bad", "tf.strings.regex_replace('a', '(', 'b')", {"raises": "Exception"}),
    (
        "to_number",
        "[tf.strings.to_number(['1.5', '-2e3']), tf.strings.to_number('7', tf.int32), tf.strings.to_number(['9'], out_type=tf.int64)]",
    ),
    ("to_number_bad", "tf.strings.to_number('x').numpy()", {"raises": "Exception"}),
    (
        "as_string",
        "[tf.strings.as_string([1, 2]), tf.strings.as_string([1.5, 2.25]), tf.strings.as_string(3.14159, precision=2), tf.strings.as_string([7], width=3, fill='0'), tf.strings.as_string([True]), tf.as_string(12), tf.strings.as_string(1234.5, scientific=True), tf.strings.as_string(0.5, shortest=True)]",
    ),
    (
        "to_hash_bucket_fast",
        "[tf.strings.to_hash_bucket_fast(['Hello', 'TensorFlow', '2.x'], 3), tf.strings.to_hash_bucket_fast('a', num_buckets=1000)]",
    ),
    ("to_hash_bucket", "tf.strings.to_hash_bucket(['a', 'b', 'c'], 100)"),
    ("to_hash_bucket_strong", "tf.strings.to_hash_bucket_strong(['Hello', 'TF'], 3, [1, 2])"),
    (
        "format",
        "[tf.strings.format('x is {} and {}', (tf.constant([1, 2]), tf.constant(2.5))), tf.strings.format('{}', tf.range(10))]",
    ),
    (
        "ngrams",
        "[tf.strings.ngrams(['a', 'b', 'c', 'd'], 2), tf.strings.ngrams(tf.ragged.constant([['a', 'b', 'c'], ['d']]), ngram_width=[1, 2], separator='-')]",
    ),
    ("unsorted_segment_join", "tf.strings.unsorted_segment_join(['this', 'a', 'is'], [0, 1, 0], 2, separator=' ')"),
    ("equality", "[tf.constant(['a', 'b']) == 'a', tf.equal('a', ['a', 'c']), tf.not_equal(['x'], 'y')]"),
    ("add", "[tf.constant('a') + 'b', tf.constant(['x', 'y']) + tf.constant('z')]"),
    (
        "moves",
        "x = tf.constant([['a', 'b'], ['c', 'd']]); [tf.transpose(x), tf.reshape(x, [4]), x[1], tf.concat([x, x], 0), tf.gather(x, [1]), tf.stack(['a', 'b']), tf.where([True, False], ['a', 'b'], 'z')]",
    ),
    ("numpy", "[tf.constant('a').numpy(), tf.constant(['a', 'b']).numpy().tolist(), tf.constant(b'\\xff').numpy()]"),
    ("str", "str(tf.constant(['a', 'b']))"),
    ("repr", "repr(tf.constant('a'))"),
    (
        "encode_base64",
        "[tf.io.encode_base64('hello?>'), tf.io.encode_base64(['a', 'b'], pad=True), tf.io.decode_base64(tf.io.encode_base64('hello'))]",
    ),
    (
        "decode_raw",
        "[tf.io.decode_raw(b'\\x01\\x02\\x03\\x04', tf.uint8), tf.io.decode_raw([b'\\x01\\x00', b'\\x02\\x01'], tf.int16), tf.io.decode_raw(b'\\x01\\x02', tf.int16, little_endian=False), tf.io.decode_raw([b'abc', b'd'], tf.uint8, fixed_length=4)]",
    ),
    ("decode_raw_lengths", "tf.io.decode_raw([b'ab', b'c'], tf.uint8)", {"raises": "Exception"}),
    (
        "decode_csv",
        "[tf.io.decode_csv(['1,2.5,a', '3,,\"b,c\"'], [0, 7.5, '']), tf.io.decode_csv('4|5', [0, 0], field_delim='|'), tf.io.decode_csv(['1,2,3'], [0.0, 0], select_cols=[0, 2])]",
    ),
    ("decode_csv_missing", "tf.io.decode_csv([',1'], [tf.constant([], tf.int32), 0])"),
    (
        "serialize_tensor",
        "[tf.io.serialize_tensor(tf.constant([[1.5, 2.0]])), tf.io.serialize_tensor([1, 2, 3]), tf.io.serialize_tensor(['a', 'bc'])]",
    ),
    (
        "parse_tensor",
        "[tf.io.parse_tensor(tf.io.serialize_tensor(tf.constant([[1, 2]], tf.int64)), tf.int64), tf.io.parse_tensor(tf.io.serialize_tensor(['a']), tf.string)]",
    ),
    ("parse_tensor_dtype", "tf.io.parse_tensor(tf.io.serialize_tensor([1]), tf.float32)"),
    ("parse_tensor_garbage", "tf.io.parse_tensor(b'\\xff\\xff\\xff', tf.float32)"),
    (
        "read_write_file",
        "import tempfile, os; p = os.path.join(tempfile.mkdtemp(), 'x'); tf.io.write_file(p, b'hi\\x00'); [tf.io.read_file(p), tf.io.gfile.exists(p), tf.io.gfile.GFile(p, 'rb').read()]",
    ),
    ("read_file_missing", "tf.io.read_file('/nonexistent/x')"),
    (
        "gfile",
        "import tempfile, os; d = tempfile.mkdtemp(); g = tf.io.gfile; g.makedirs(g.join(d, 'a', 'b')); f = g.GFile(g.join(d, 'a', 'f.txt'), 'w'); f.write('one\\ntwo\\n'); f.close(); g.copy(g.join(d, 'a', 'f.txt'), g.join(d, 'g.txt')); [g.isdir(d), sorted(g.listdir(d)), [os.path.basename(x) for x in g.glob(d + '/*.txt')], g.GFile(g.join(d, 'g.txt')).read(), g.stat(g.join(d, 'g.txt')).length, g.remove(g.join(d, 'g.txt')), g.rmtree(d), g.exists(d)]",
    ),
    ("gfile_missing", "tf.io.gfile.GFile('/nonexistent/x').read()"),
    (
        "matching_files",
        "import tempfile, os; d = tempfile.mkdtemp(); tf.io.write_file(d + '/b.txt', 'x'); tf.io.write_file(d + '/a.txt', 'x'); [os.path.basename(x.numpy()) for x in tf.io.matching_files(d + '/*.txt')]",
    ),
]
