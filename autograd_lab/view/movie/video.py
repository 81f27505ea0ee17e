"""Movies as videos: H.264 in MP4, VP9 in WebM, through PyAV.

Frames last as long as their shots, so there is one for each shot, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from functools import partial
from itertools import accumulate, chain
from typing import BinaryIO, cast

import av
from av.video.codeccontext import VideoCodecContext
from av.video.reformatter import ColorPrimaries, ColorRange, Colorspace, ColorTrc
from av.video.stream import VideoStream

from autograd_lab.view.movie.canvas import Pixels, pictures
from autograd_lab.view.movie.movie import Reel
from autograd_lab.view.movie.suffixes import MovieUnavailable

CODECS = {".mp4": ("libx264", "mpeg4"), ".webm": ("libvpx-vp9",)}
"""Encoders by suffix, the better ones first."""
OPTIONS = {
    "libx264": {"crf": "23", "bf": "0"},
    "mpeg4": {"qmin": "2", "qmax": "2"},
    "libvpx-vp9": {"crf": "32", "b": "0", "cpu-used": "5", "row-mt": "1"},
}
TICK = Fraction(1, 1000)
"""Unit of times, seconds."""


def writer_for(suffix: str) -> Callable[[Reel, BinaryIO], None]:
    """What encodes such videos. Raises MovieUnavailable where this PyAV has no encoder for them."""
    return partial(write_video, suffix=suffix, codec=codec_for(suffix, av.codecs_available))


def codec_for(suffix: str, available: Collection[str]) -> str:
    """The best of the encoders that there are. Raises MovieUnavailable.

    >>> codec_for(".mp4", {"mpeg4", "png"})
    'mpeg4'
    """
    for codec in CODECS[suffix]:
        if codec in available:
            return codec
    raise MovieUnavailable(f"a {suffix} needs a PyAV with {' or '.join(CODECS[suffix])}: pip install --upgrade av")


def write_video(reel: Reel, file: BinaryIO, suffix: str, codec: str) -> None:
    """Odd sides get a white line more, since a colour is kept for two by two pixels. How often it is played is for the
    player to say."""
    size = reel.size[0] + reel.size[0] % 2, reel.size[1] + reel.size[1] % 2
    begins = [0, *accumulate(reel.lengths)]
    lengths = dict(zip(begins, reel.lengths, strict=False))
    with av.open(file, "w", format=suffix[1:]) as container:
        stream = cast(VideoStream, container.add_stream(codec, options=OPTIONS[codec]))
        _set_up(stream.codec_context, size)
        shown = (_frame(picture, begin) for begin, picture in zip(begins, pictures(reel.frames, size), strict=False))
        for frame in chain(shown, [None]):  # None asks for what the encoder still holds
            for packet in stream.encode(frame):
                packet.duration = lengths[cast(int, packet.pts)]
                container.mux(packet)


def _set_up(encoder: VideoCodecContext, size: tuple[int, int]) -> None:
    encoder.width, encoder.height = size
    encoder.pix_fmt, encoder.time_base = "yuv420p", TICK
    encoder.colorspace, encoder.color_range = Colorspace.ITU709, ColorRange.MPEG
    encoder.color_primaries, encoder.color_trc = ColorPrimaries.BT709, ColorTrc.BT709


def _frame(picture: Pixels, begin: int) -> av.VideoFrame:
    """A picture in the colours of television, which players assume where they do not read what a file says."""
    frame = av.VideoFrame.from_ndarray(picture, format="rgb24")
    frame = frame.reformat(format="yuv420p", dst_colorspace=Colorspace.ITU709, dst_color_range=ColorRange.MPEG)
    frame.pts, frame.time_base = begin, TICK
    return frame
