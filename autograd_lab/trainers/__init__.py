"""Watching a training run from inside: `with watch(model, every=100):`, a callback for Lightning, one for Hugging Face.

Read `watch.py`, which decides what is recorded and measured; `layers.py` has the numbers of a layer, and the logbooks
say where all of it goes: `folder_log.py`, `tensorboard_log.py`, `wandb_log.py`. `lightning.py` and `hugging_face.py`
tell a `Watch` where iterations begin and end. Nobody else imports their libraries.
"""
