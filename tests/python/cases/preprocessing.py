"""tf.keras.preprocessing: texts and sequences as numbers."""

CASES = [
    ("tokenizer", """
        texts = ['The cat sat on the mat.', 'The dog ate my homework!', 'the the THE rose']
        answers = []
        for options in ({}, {'num_words': 4}, {'num_words': 4, 'oov_token': '<OOV>'}, {'char_level': True}, {'lower': False, 'filters': ''}):
            t = tf.keras.preprocessing.text.Tokenizer(**options)
            t.fit_on_texts(texts)
            answers.append([t.word_index, t.texts_to_sequences(texts + ['an unknown cat']), t.sequences_to_texts([[1, 2, 3]]), t.document_count])
        result = answers
    """),
    ("tokenizer_matrix", """
        t = tf.keras.preprocessing.text.Tokenizer(num_words=150)
        t.fit_on_texts([' '.join(f'w{i % n}' for i in range(200)) for n in (3, 50, 120)])
        [t.texts_to_matrix(['w1 w1 w2 w119'], mode=m) for m in ('binary', 'count', 'freq', 'tfidf')]
    """),
    ("tokenizer_as_json", """
        t = tf.keras.preprocessing.text.Tokenizer()
        t.fit_on_texts(['a b a', 'c a'])
        again = tf.keras.preprocessing.text.tokenizer_from_json(t.to_json())
        [again.word_index, again.index_docs[1], again.texts_to_sequences(['c b'])]
    """),
    ("words_of_a_text", "tf.keras.preprocessing.text.text_to_word_sequence('Hello, big World... and\\tmore!')"),
    ("hashing", "tf.keras.preprocessing.text.hashing_trick('a rose is a rose', 150, hash_function='md5')"),
    ("windows", """
        data = np.arange(300).reshape(150, 2)
        g = tf.keras.preprocessing.sequence.TimeseriesGenerator(data, np.arange(150), length=10, sampling_rate=2, stride=3, batch_size=8)
        [len(g), *g[0], *g[len(g) - 1]]
    """),
    ("sampling_table", "tf.keras.preprocessing.sequence.make_sampling_table(120)"),
    ("skipgrams", "sorted(tf.keras.preprocessing.sequence.skipgrams(list(range(130)), 130, window_size=2, negative_samples=0, shuffle=False)[0])[:20]"),
]  # fmt: skip
