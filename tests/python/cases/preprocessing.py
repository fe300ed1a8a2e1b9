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
    ("affine_transforms", """
        x = np.arange(110 * 120 * 3, dtype='float32').reshape(110, 120, 3) % 251
        g = tf.keras.preprocessing.image
        [g.apply_affine_transform(x, row_axis=0, col_axis=1, channel_axis=2, **how)[::27, ::30, 0] for how in (
            {'theta': 30}, {'tx': 5, 'ty': -7}, {'shear': 20, 'zx': 0.8, 'zy': 1.1}, {'theta': 10, 'fill_mode': 'constant', 'cval': 9.0}, {'tx': 40, 'fill_mode': 'wrap'})]
    """, {"rtol": 1e-3, "atol": 1e-2}),
    ("pictures_of_arrays", """
        x = np.arange(40 * 6 * 5 * 3, dtype='float32').reshape(40, 6, 5, 3) % 255
        g = tf.keras.preprocessing.image.ImageDataGenerator(rescale=1 / 255, featurewise_center=True, featurewise_std_normalization=True, validation_split=0.25)
        g.fit(x)
        flow = g.flow(x, np.arange(40) % 3, batch_size=16, shuffle=False, subset='training')
        images, labels = next(flow)
        [len(flow), images.shape, images[3, 2], labels, g.flow(x, batch_size=7, shuffle=False)[5].shape, g.flow(x, np.arange(40) % 3, subset='validation', shuffle=False)[0][1]]
    """, {"rtol": 1e-4, "atol": 1e-4}),
    ("a_chosen_transform", """
        x = np.arange(105 * 101 * 3, dtype='float32').reshape(105, 101, 3) % 255
        g = tf.keras.preprocessing.image.ImageDataGenerator(samplewise_center=True)
        y = g.apply_transform(x, {'theta': 15, 'flip_horizontal': True, 'channel_shift_intensity': 20})
        [y[::26, ::25, 1], g.standardize(x)[::26, ::25, 2]]
    """, {"rtol": 1e-3, "atol": 1e-2}),
    ("training_on_flows", """
        g = tf.keras.preprocessing.image.ImageDataGenerator(rotation_range=20, horizontal_flip=True, zoom_range=0.2, width_shift_range=0.1)
        model = keras.Sequential([keras.Input((32, 32, 3)), keras.layers.Flatten(), keras.layers.Dense(101)])
        model.compile('sgd', keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        history = model.fit(g.flow(np.zeros((110, 32, 32, 3)), np.arange(110) % 101, batch_size=50), epochs=2, verbose=0)
        len(history.history['loss'])
    """),
    ("sampling_table", "tf.keras.preprocessing.sequence.make_sampling_table(120)"),
    ("skipgrams", "sorted(tf.keras.preprocessing.sequence.skipgrams(list(range(130)), 130, window_size=2, negative_samples=0, shuffle=False)[0])[:20]"),
]  # fmt: skip
