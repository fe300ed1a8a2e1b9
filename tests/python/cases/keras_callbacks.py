"""Callbacks: when they are called, and what Keras' own do."""

START = """
        import os, tempfile
        folder = tempfile.mkdtemp()
        x = rng.normal(size=(8, 3)).astype('float32')
        y = rng.normal(size=(8, 1)).astype('float32')
        def small(rate=0.05, **kwargs):
            model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
            model.set_weights([np.full(w.shape, 0.5, 'float32') for w in model.get_weights()])
            model.compile(keras.optimizers.SGD(rate), 'mse', **kwargs)
            return model
        def plain(history):
            return {k: [float(v) for v in values] for k, values in history.history.items()}
        class Numbers(keras.callbacks.Callback):  # puts numbers of one's own into the logs
            def __init__(self, numbers, name='val_loss'):
                super().__init__()
                self.numbers, self.name = numbers, name
            def on_epoch_end(self, epoch, logs=None):
                logs[self.name] = self.numbers[epoch]
"""
LOOSE = {"rtol": 1e-4}


def case(text):
    return START + (text if text.startswith("\n") else "        " + text)


CASES = [
    ("order", case("""
        seen = []
        class Watch(keras.callbacks.Callback):
            def __getattribute__(self, name):
                if name.startswith('on_'):
                    def hook(*args, **kwargs):
                        seen.append([name] + [a for a in args if isinstance(a, int)])
                    return hook
                return super().__getattribute__(name)
            def on_train_batch_end(self, batch, logs=None): pass
            def on_train_batch_begin(self, batch, logs=None): pass
            def on_test_batch_begin(self, batch, logs=None): pass
            def on_test_batch_end(self, batch, logs=None): pass
            def on_predict_batch_begin(self, batch, logs=None): pass
            def on_predict_batch_end(self, batch, logs=None): pass
        model = small()
        w = Watch()
        model.fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0, validation_data=(x[:4], y[:4]), callbacks=[w])
        model.evaluate(x, y, batch_size=4, verbose=0, callbacks=[w])
        model.predict(x, batch_size=4, verbose=0, callbacks=[w])
        result = [s for s in seen if s[0] not in ('on_batch_begin', 'on_batch_end')]""")),
    ("logs", case("""
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_train_batch_end(self, batch, logs=None):
                seen.append(sorted(logs))
            def on_epoch_end(self, epoch, logs=None):
                seen.append([epoch, sorted(logs)])
            def on_test_end(self, logs=None):
                seen.append(sorted(logs))
        small(metrics=['mae']).fit(x, y, epochs=1, batch_size=4, verbose=0, validation_split=0.25, callbacks=[Watch()])
        result = seen""")),
    ("batch_logs_values", case("""
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_train_batch_end(self, batch, logs=None):
                seen.append(float(logs['loss']))
        small().fit(x, y, epochs=2, batch_size=4, shuffle=False, verbose=0, callbacks=[Watch()])
        result = seen"""), LOOSE),
    ("model_and_params", case("""
        seen = {}
        class Watch(keras.callbacks.Callback):
            def on_train_begin(self, logs=None):
                seen['model'] = self.model is model
                seen['epochs'] = self.params['epochs']
        model = small()
        model.fit(x, y, epochs=3, verbose=0, callbacks=[Watch()])
        result = seen""")),
    ("lambda_callback", case("""
        seen = []
        keras_callback = keras.callbacks.LambdaCallback(on_epoch_end=lambda epoch, logs: seen.append(epoch), on_train_end=lambda logs: seen.append('end'))
        small().fit(x, y, epochs=2, verbose=0, callbacks=[keras_callback])
        result = seen""")),
    ("early_stopping", case("""
        stop = keras.callbacks.EarlyStopping(patience=2)
        h = small().fit(x, y, epochs=9, verbose=0, callbacks=[Numbers([5, 4, 4.5, 4.2, 3, 2, 1, 1, 1]), stop])
        result = [h.epoch, stop.stopped_epoch, stop.wait, float(stop.best), stop.best_epoch]""")),
    ("early_stopping_min_delta", case("""
        stop = keras.callbacks.EarlyStopping(monitor='val_loss', min_delta=0.5, patience=1)
        h = small().fit(x, y, epochs=9, verbose=0, callbacks=[Numbers([5, 4, 3.8, 3.7, 3, 2, 1, 1, 1]), stop])
        result = [h.epoch, stop.stopped_epoch]""")),
    ("early_stopping_max", case("""
        stop = keras.callbacks.EarlyStopping(monitor='score', mode='max', patience=1)
        h = small().fit(x, y, epochs=9, verbose=0, callbacks=[Numbers([1, 2, 3, 2.5, 4, 5, 6, 7, 8], 'score'), stop])
        result = h.epoch""")),
    ("early_stopping_baseline", case("""
        stop = keras.callbacks.EarlyStopping(patience=2, baseline=1.0)
        h = small().fit(x, y, epochs=9, verbose=0, callbacks=[Numbers([5, 4, 3, 2, 1.5, 1.2, 1.1, 1, 1]), stop])
        result = h.epoch""")),
    ("early_stopping_start", case("""
        stop = keras.callbacks.EarlyStopping(patience=0, start_from_epoch=3)
        h = small().fit(x, y, epochs=9, verbose=0, callbacks=[Numbers([1, 2, 3, 4, 5, 6, 7, 8, 9]), stop])
        result = h.epoch""")),
    ("early_stopping_restore", case("""
        stop = keras.callbacks.EarlyStopping(monitor='val_loss', patience=1, restore_best_weights=True)
        model = small()
        model.fit(x, y, epochs=9, shuffle=False, verbose=0, callbacks=[Numbers([3, 1, 2, 2, 2, 2, 2, 2, 2]), stop])
        result = [model.get_weights(), stop.best_epoch]"""), LOOSE),
    ("early_stopping_unknown_direction", case("""
        result = small().fit(x, y, epochs=3, verbose=0, callbacks=[Numbers([3, 1, 2], 'strange'), keras.callbacks.EarlyStopping(monitor='strange')])""")),
    ("reduce_lr", case("""
        reduce = keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=2, min_lr=0.02)
        model = small(0.1)
        h = model.fit(x, y, epochs=9, shuffle=False, verbose=0, callbacks=[Numbers([3, 3, 3, 3, 3, 3, 3, 3, 3]), reduce])
        result = [[round(float(v), 6) for v in h.history['learning_rate']], round(float(model.optimizer.learning_rate), 6)]""")),
    ("reduce_lr_cooldown", case("""
        reduce = keras.callbacks.ReduceLROnPlateau(factor=0.5, patience=1, cooldown=2)
        h = small(0.1).fit(x, y, epochs=7, shuffle=False, verbose=0, callbacks=[Numbers([3, 3, 3, 3, 3, 3, 3]), reduce])
        result = [round(float(v), 6) for v in h.history['learning_rate']]""")),
    ("reduce_lr_factor", "keras.callbacks.ReduceLROnPlateau(factor=1.0)"),
    ("learning_rate_scheduler", case("""
        h = small().fit(x, y, epochs=3, shuffle=False, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda epoch, lr: lr * 0.5)])
        result = [round(float(v), 6) for v in h.history['learning_rate']] + [float(v) for v in h.history['loss']]"""), LOOSE),
    ("learning_rate_scheduler_epoch", case("""
        h = small().fit(x, y, epochs=3, verbose=0, callbacks=[keras.callbacks.LearningRateScheduler(lambda epoch: 0.1 / (epoch + 1))])
        result = [round(float(v), 6) for v in h.history['learning_rate']]""")),
    ("terminate_on_nan", case("""
        model = small()
        h = model.fit(x, np.full((8, 1), np.nan, 'float32'), epochs=3, batch_size=2, verbose=0, callbacks=[keras.callbacks.TerminateOnNaN()])
        result = h.epoch""")),
    ("nan_goes_on", case("""
        h = small().fit(x, np.full((8, 1), np.nan, 'float32'), epochs=2, verbose=0)
        result = [len(h.epoch), bool(np.isnan(h.history['loss'][-1]))]""")),
    ("csv_logger", case("""
        path = os.path.join(folder, 'log.csv')
        small(metrics=['mae']).fit(x, y, epochs=2, shuffle=False, verbose=0, callbacks=[keras.callbacks.CSVLogger(path)])
        lines = open(path).read().splitlines()
        result = [lines[0], len(lines), lines[1].split(',')[0], round(float(lines[1].split(',')[1]), 3)]"""), LOOSE),
    ("csv_logger_append", case("""
        path = os.path.join(folder, 'log.csv')
        for _ in range(2):
            small().fit(x, y, epochs=1, verbose=0, validation_split=0.5, callbacks=[keras.callbacks.CSVLogger(path, separator=';', append=True)])
        result = [len(open(path).read().splitlines()), open(path).readline().strip()]""")),
    ("checkpoint", case("""
        path = os.path.join(folder, 'm-{epoch:02d}.keras')
        model = small()
        model.fit(x, y, epochs=2, verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(path)])
        again = keras.models.load_model(os.path.join(folder, 'm-02.keras'))
        result = [sorted(os.listdir(folder)), bool(np.allclose(again.get_weights()[0], model.get_weights()[0])), int(again.optimizer.iterations)]""")),
    ("checkpoint_weights", case("""
        path = os.path.join(folder, 'w-{epoch}-{loss:.1f}.weights.h5')
        small().fit(x, y, epochs=2, shuffle=False, verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(filepath=path, save_weights_only=True)])
        result = sorted(os.listdir(folder))""")),
    ("checkpoint_best", case("""
        path = os.path.join(folder, '{epoch}.weights.h5')
        small().fit(x, y, epochs=5, verbose=0, callbacks=[Numbers([3, 2, 2.5, 1, 4]), keras.callbacks.ModelCheckpoint(path, save_best_only=True, save_weights_only=True)])
        result = sorted(os.listdir(folder))""")),
    ("checkpoint_best_max", case("""
        path = os.path.join(folder, '{epoch}.weights.h5')
        small().fit(x, y, epochs=4, verbose=0, callbacks=[Numbers([3, 2, 5, 1], 'val_accuracy'), keras.callbacks.ModelCheckpoint(path, monitor='val_accuracy', mode='max', save_best_only=True, save_weights_only=True, initial_value_threshold=4.0)])
        result = sorted(os.listdir(folder))""")),
    ("checkpoint_batches", case("""
        path = os.path.join(folder, '{epoch}-{batch}.weights.h5')
        small().fit(x, y, epochs=2, batch_size=2, verbose=0, callbacks=[keras.callbacks.ModelCheckpoint(path, save_freq=3, save_weights_only=True)])
        result = sorted(os.listdir(folder))""")),
    ("checkpoint_wrong_name", "keras.callbacks.ModelCheckpoint('model.txt')"),
    ("checkpoint_wrong_weights_name", "keras.callbacks.ModelCheckpoint('model.keras', save_weights_only=True)"),
    ("checkpoint_wrong_freq", "keras.callbacks.ModelCheckpoint('model.keras', save_freq='often')"),
    ("backup_and_restore", case("""
        class Stop(keras.callbacks.Callback):
            def on_epoch_begin(self, epoch, logs=None):
                if epoch == 2:
                    raise RuntimeError('cut off')
        model = small()
        backup = keras.callbacks.BackupAndRestore(folder)
        try:
            model.fit(x, y, epochs=4, shuffle=False, verbose=0, callbacks=[backup, Stop()])
        except RuntimeError:
            pass
        again = small()
        h = again.fit(x, y, epochs=4, shuffle=False, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(folder)])
        result = [h.epoch, plain(h), os.path.exists(folder)]"""), LOOSE),
    ("history_object", case("""
        model = small()
        h = model.fit(x, y, epochs=2, verbose=0)
        result = [type(h).__name__, sorted(h.history), h.epoch, model.history is h]""")),
    ("callback_error", case("""
        class Bad(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                raise KeyError('mine')
        result = small().fit(x, y, verbose=0, callbacks=[Bad()])""")),
    ("not_a_callback", case("result = small().fit(x, y, verbose=0, callbacks=[3])"), {"raises": "Exception"}),
    ("callback_list", case("""
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_epoch_end(self, epoch, logs=None):
                seen.append(epoch)
        model = small()
        callbacks = keras.callbacks.CallbackList([Watch()], model=model)
        callbacks.on_train_begin()
        callbacks.on_epoch_begin(0)
        callbacks.on_epoch_end(0, {'loss': 1.0})
        callbacks.on_train_end()
        result = seen""")),
    ("stop_in_a_batch", """
        class Stop(keras.callbacks.Callback):
            def on_train_batch_end(self, batch, logs=None):
                if batch == 1:
                    self.model.stop_training = True
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
        model.set_weights([np.full(w.shape, 0.5, 'float32') for w in model.get_weights()])
        model.compile('sgd', 'mse')
        x = np.ones((20, 3), 'float32')
        history = model.fit(x, x[:, :1], batch_size=4, epochs=5, validation_data=(x, x[:, :1]), verbose=0, callbacks=[Stop()], shuffle=False)
        watch = keras.callbacks.Callback()
        result = [history.history, history.epoch, model.evaluate(x, x[:, :1], verbose=0, callbacks=[watch]), model.predict(x, verbose=0, callbacks=[watch]).shape]""", {"rtol": 1e-4}),
    ("steps_per_execution", """
        seen = []
        class Watch(keras.callbacks.Callback):
            def on_train_batch_begin(self, batch, logs=None): seen.append(['begin', batch])
            def on_train_batch_end(self, batch, logs=None): seen.append(['end', batch, float(logs['loss'])])
            def on_test_batch_begin(self, batch, logs=None): seen.append(['test begin', batch])
            def on_test_batch_end(self, batch, logs=None): seen.append(['test end', batch, float(logs['loss'])])
            def on_predict_batch_begin(self, batch, logs=None): seen.append(['predict begin', batch])
            def on_predict_batch_end(self, batch, logs=None): seen.append(['predict end', batch])
        def made(**options):
            model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])
            model.set_weights([np.full(w.shape, 0.5, 'float32') for w in model.get_weights()])
            model.compile(keras.optimizers.SGD(0.1), 'mse', **options)
            return model
        x = np.arange(20, dtype='float32').reshape(10, 2) / 10
        y = x[:, :1]
        steps = []
        for n, eager in ((1, False), (2, False), (3, False), (8, False), (3, True)):
            model = made(steps_per_execution=n, run_eagerly=eager)
            model.fit(x, y, batch_size=2, epochs=2, shuffle=False, verbose=0, callbacks=[Watch()], validation_data=(x[:6], y[:6]))
            model.evaluate(x, y, batch_size=3, verbose=0, callbacks=[Watch()])
            model.predict(x, batch_size=4, verbose=0, callbacks=[Watch()])
            steps.append(int(model.optimizer.iterations))
            model = made(steps_per_execution=n, run_eagerly=eager)
            model.fit(tf.data.Dataset.from_tensor_slices((x, y)).batch(2).repeat(), steps_per_epoch=5, epochs=2, verbose=0, callbacks=[Watch()])
            steps.append(int(model.optimizer.iterations))
        result = [seen, steps]""", {"rtol": 1e-4}),
    ("old_names_of_batch_hooks", """
        seen = []
        class Both(keras.callbacks.Callback):
            def on_batch_end(self, batch, logs=None): seen.append('Both.on_batch_end')
            def on_train_batch_end(self, batch, logs=None): seen.append('Both.on_train_batch_end')
        class Old(keras.callbacks.Callback):
            def on_batch_begin(self, batch, logs=None): seen.append('Old.on_batch_begin')
            def on_batch_end(self, batch, logs=None): seen.append('Old.on_batch_end')
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1)])
        model.compile('sgd', 'mse')
        model.fit(np.ones((4, 1)), np.ones((4, 1)), batch_size=2, verbose=0, callbacks=[Both(), Old()])
        result = seen"""),
]  # fmt: skip
