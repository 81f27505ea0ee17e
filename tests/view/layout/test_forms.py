from __future__ import annotations

import math
from collections import defaultdict
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from autograd_lab.view.layout.boxes import Box, Link, beneath
from autograd_lab.view.layout.lanes import lanes
from autograd_lab.view.layout.placed import Placed
from autograd_lab.view.layout.ranked import least, ranks
from autograd_lab.view.layout.stairs import stairs, zigzag
from autograd_lab.view.layout.stretch import stretched

NEAR = 0.05
ASIDE = 2.0
"""Where several lines leave one edge, a steep one may end so many px to the left of where it begins."""
GAP, CLEAR = 54.0, 24.0
few = settings(max_examples=30, deadline=None)


# Graphs


@st.composite
def cards(draw, name: str) -> Box:
    """As large as the cards of the picture are."""
    width, height = draw(st.integers(52, 170)), draw(st.integers(32, 170))
    hang = draw(st.sampled_from((0, 9, 22)))
    return Box(name, width, height, hang, draw(st.integers(12, width)) if hang else 0)


@st.composite
def graphs(draw, most=20):
    """Boxes in the order of a program, each with up to three operands of which most are near, several uses of one."""
    count = draw(st.integers(1, most))
    boxes = [draw(cards(f"b{i}")) for i in range(count)]
    links = []
    for i in range(1, count):
        for back in draw(st.lists(st.sampled_from((1, 1, 1, 2, 2, 3, 5, 9)), max_size=3)):
            links.append(Link(f"l{len(links)}", f"b{max(0, i - back)}", f"b{i}"))
    return boxes, links, draw(thicknesses(links))


def thicknesses(links):
    return st.fixed_dictionaries({link.id: st.sampled_from((1.5, 2.0, 2.0, 6.0, 14.0)) for link in links})


@st.composite
def skipping(draw, most=14, guests_too=True):
    """A chain, skips that are nested or in a row (also several that begin or end at one box), and guests."""
    count = draw(st.integers(3, most))
    boxes = [draw(cards(f"b{i}")) for i in range(count)]
    pairs = [(i, i + 1) for i in range(count - 1)]
    skips: list[tuple[int, int]] = []
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1)).map(sorted)
    for a, b in draw(st.lists(ends, min_size=1, max_size=8)):
        if b - a > 1 and not any(a < c < b < d or c < a < d < b for c, d in skips):
            skips.append((a, b))
    links = [Link(f"l{i}", f"b{a}", f"b{b}") for i, (a, b) in enumerate(pairs + skips)]
    depth = [sum(a < k < b for a, b in skips) for k in range(count)]
    tops = [k for k in range(count) if depth[k] == 0]
    guests = []
    for i in range(draw(st.integers(0, 4 * guests_too))):
        guests.append(draw(cards(f"g{i}")))
        for user in sorted(draw(st.lists(st.sampled_from(tops), min_size=1, max_size=3, unique=True))):
            links.append(Link(f"g{i}-{user}", f"g{i}", f"b{user}"))
    tails = [draw(cards(f"t{i}")) for i in range(draw(st.integers(0, 2)))]
    links += [Link(tail.id, f"b{draw(st.sampled_from(tops))}", tail.id) for tail in tails]
    heads = frozenset(guest.id for guest in guests)
    return [*guests, *boxes, *tails], links, heads, draw(thicknesses(links)), sorted(set(skips))


def graph_of(text: str, **sizes: tuple[float, ...]) -> tuple[list[Box], list[Link]]:
    """Boxes and links of a text such as "x>a a>y", whose names occur in a topological order."""
    ends = [part.split(">") for part in text.split()]
    names = list(dict.fromkeys(name for pair in ends for name in pair))
    done: list[str] = []
    while len(done) < len(names):
        done += [it for it in names if it not in done and all(a in done for a, b in ends if b == it)][:1]
    return (
        [Box(name, *sizes.get(name, (64, 96, 10, 24))) for name in done],
        [Link(f"{a}>{b}" + "'" * ends[:i].count([a, b]), a, b) for i, (a, b) in enumerate(ends)],
    )


UNET = "x>d1 d1>d2 d2>d3 d3>mid mid>u3 d3>u3 u3>u2 d2>u2 u2>u1 d1>u1 u1>out out>loss target>loss"
GPT = " ".join(
    ["ids>tok tok>x0 pos>x0", *(f"x{i}>attn{i} attn{i}>x{i + 1} x{i}>x{i + 1}" for i in range(8)), "x8>head head>loss"]
)
RESNET = (
    "x>conv conv>a1 a1>b1 b1>s1 conv>s1 s1>a2 a2>m2 m2>b2 b2>s2 s1>down down>s2 s2>pool pool>fc fc>loss target>loss"
)
SIAMESE = "x1>e1 x2>e2 w>e1 w>e2 e1>n1 e2>n2 n1>dist n2>dist dist>loss target>loss"
FAN = " ".join(f"x>u{i} u{i}>sum" for i in range(10))


# What is looked at


def points(route, steps=16):
    for i in range(0, len(route) - 1, 3):
        a, b, c, d = route[i : i + 4]
        for step in range(steps + 1):
            t = step / steps
            weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
            yield tuple(sum(w * p[axis] for w, p in zip(weights, (a, b, c, d), strict=True)) for axis in (0, 1))


def detour(route) -> float:
    drawn = sum(math.dist(a, b) for a, b in pairwise(points(route)))
    return drawn / max(1.0, math.dist(route[0], route[-1]))


def areas(placed: Placed) -> dict[str, tuple[float, float, float, float]]:
    return {
        name: (x, y, x + placed.boxes[name].width, y + placed.boxes[name].height + placed.boxes[name].hang)
        for name, (x, y) in placed.places.items()
    }


def assert_apart(placed: Placed) -> None:
    for (a, one), (b, two) in combinations(areas(placed).items(), 2):
        free = max(two[0] - one[2], one[0] - two[2], two[1] - one[3], one[1] - two[3])
        assert free >= 4, (a, b, free)


def assert_clear(placed: Placed) -> None:
    for name, route in placed.routes.items():
        for box, (left, top, right, bottom) in areas(placed).items():
            if box not in placed.ends[name]:
                for x, y in points(route):
                    assert not (left + 1 < x < right - 1 and top + 1 < y < bottom - 1), (name, box)


def assert_joined(placed: Placed) -> None:
    """Both ends of each line are on the outline of their boxes, or below what hangs there."""
    for name, route in placed.routes.items():
        assert len(route) % 3 == 1
        for end, (x, y) in zip(placed.ends[name], (route[0], route[-1]), strict=True):
            left, top = placed.places[end]
            right, bottom = left + placed.boxes[end].width, top + placed.boxes[end].height
            beside = min(abs(x - left), abs(x - right)) < NEAR and top - NEAR < y < bottom + NEAR
            hung = bottom + placed.boxes[end].hang  # a box that has grown may be wider than what hangs there
            over = min(abs(y - top), abs(y - bottom), abs(y - hung)) < NEAR and left - NEAR < x < right + NEAR
            assert beside or over, (name, end)


def assert_within(placed: Placed) -> None:
    corners = [corner for area in areas(placed).values() for corner in (area[:2], area[2:])]
    for x, y in [*corners, *(point for route in placed.routes.values() for point in route)]:
        assert -NEAR <= x <= placed.width + NEAR and -NEAR <= y <= placed.height + NEAR


def assert_sound(placed: Placed) -> None:
    assert_apart(placed)
    assert_clear(placed)
    assert_joined(placed)
    assert_within(placed)


FEW = 6
"""Lines of which a mean says little."""


def assert_short(placed: Placed) -> None:
    detours = [detour(route) for route in placed.routes.values()]
    most = 1.25 if len(detours) >= FEW else 1.5  # of a few lines between small boxes, a bend or two tells much
    assert not detours or (sum(detours) / len(detours) <= most and max(detours) <= 3.0), detours


def level(route, axis=1) -> bool:
    return all(abs(point[axis] - route[0][axis]) < NEAR for point in route)


# Ranks


@pytest.mark.parametrize("direction", ["LR", "TB"])
@few
@given(graph=graphs())
def test_in_ranks_no_box_overlaps_another_and_no_line_runs_through_a_box(direction, graph):
    boxes, links, thick = graph
    assert_sound(ranks(boxes, links, direction=direction, thick=thick))


@few
@given(graph=graphs())
def test_in_ranks_lines_make_no_long_detours(graph):
    boxes, links, thick = graph
    assert_short(ranks(boxes, links, thick=thick))


@pytest.mark.parametrize("direction", ["LR", "TB"])
@few
@given(graph=graphs())
def test_lines_that_share_a_side_are_five_px_apart_where_it_is_long_enough(direction, graph):
    boxes, links, thick = graph
    placed = ranks(boxes, links, direction=direction, thick=thick)
    axis = 1 if direction == "LR" else 0
    for end in (0, -1):
        fans = defaultdict(list)
        for name, route in placed.routes.items():
            fans[placed.ends[name][end]].append((route[end][axis], thick[name]))
        for box, fan in fans.items():
            low, high = beneath(placed.boxes[box])
            side = placed.boxes[box].height - 16 if axis else high - low if end == 0 else placed.boxes[box].width - 16
            fan.sort()
            if sum(px for _, px in fan) + 5 * len(fan) < side:
                for (a, one), (b, two) in pairwise(fan):
                    assert b - a >= (one + two) / 2 + 5 - NEAR


@pytest.mark.parametrize("direction", ["LR", "TB"])
@few
@given(graph=graphs())
def test_two_lines_from_neighbours_to_one_box_do_not_cross(direction, graph):
    boxes, links, thick = graph
    placed = ranks(boxes, links, direction=direction, thick=thick)
    axis = 1 if direction == "LR" else 0
    fans = defaultdict(list)
    for name, route in placed.routes.items():
        if len(route) <= 4:
            fans[placed.ends[name][1]].append((route[-1][axis], route[0][axis]))
    for fan in fans.values():
        starts = [start for _, start in sorted(fan)]
        assert starts == sorted(starts)


@few
@given(graph=graphs())
def test_a_line_between_neighbours_that_can_be_level_with_a_small_step_aside_is_level(graph):
    boxes, links, _ = graph
    placed = ranks(boxes, links)
    degree = defaultdict(int)
    for source, target in placed.ends.values():
        degree[source, 0] += 1
        degree[target, 1] += 1
    for name, route in placed.routes.items():
        source, target = placed.ends[name]
        if len(route) == 4 and degree[source, 0] == degree[target, 1] == 1:
            rise = abs(route[0][1] - route[-1][1])
            assert rise < NEAR or rise >= 16 or min(placed.boxes[it].height for it in (source, target)) < 48


@pytest.mark.parametrize("direction", ["LR", "TB"])
@few
@given(graph=graphs())
def test_no_ranks_are_shorter_than_the_least_length(direction, graph):
    boxes, links, thick = graph
    placed = ranks(boxes, links, direction=direction, rank_gap=GAP, thick=thick)
    length = placed.width if direction == "LR" else placed.height
    assert least(boxes, links, gap=GAP, direction=direction) <= length + NEAR


@few
@given(graph=graphs())
def test_top_down_a_line_leaves_a_box_at_its_outline_beside_what_hangs_there(graph):
    boxes, links, thick = graph
    placed = ranks(boxes, links, direction="TB", thick=thick)
    for name, route in placed.routes.items():
        source = placed.boxes[placed.ends[name][0]]
        x, y = placed.places[source.id]
        assert abs(route[0][1] - y - source.height) < NEAR
        if source.hang and source.hang_width < source.width - 40:
            assert route[0][0] >= x + source.hang_width


@pytest.mark.parametrize("direction", ["LR", "TB"])
def test_a_fan_of_ten_is_drawn_without_a_crossing_and_around_one_middle(direction):
    boxes, links = graph_of(FAN, x=(100, 90, 20, 40), sum=(100, 90))
    placed = ranks(boxes, links, direction=direction, thick={link.id: 3 for link in links})
    assert_sound(placed)
    assert_short(placed)
    axis = 1 if direction == "LR" else 0
    order = [link.id for link in links if link.source == "x"]
    for end in (0, -1):
        assert order == sorted(order, key=lambda it: placed.routes[it][end][axis])


def test_a_hub_of_two_thousand_users_shares_one_lane():
    boxes, links = graph_of(" ".join(f"{i}>{i + 1}" for i in range(400)))
    links += [Link(f"0-{i}", "0", str(i)) for i in range(2, 400)]
    assert ranks(boxes, links).height < 300


def test_two_encoders_that_share_a_weight_are_alike():
    placed = ranks(*graph_of(SIAMESE))
    assert_sound(placed)
    middle = placed.places["dist"][1]
    assert placed.places["e1"][0] == placed.places["e2"][0]
    assert abs(placed.places["e1"][1] + placed.places["e2"][1] - 2 * middle) < 60


# Stairs


@few
@given(graph=skipping(), above=st.booleans())
def test_on_stairs_no_box_overlaps_another_and_no_line_runs_through_a_box(graph, above):
    boxes, links, heads, thick, _ = graph
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads=heads, above=above, thick=thick)
    if placed is not None:
        assert_sound(placed)
        assert_short(placed)


@few
@given(graph=skipping(guests_too=False))
def test_a_skip_runs_straight_at_its_own_height_and_what_it_skips_stands_lower(graph):
    boxes, links, heads, thick, skips = graph
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads=heads, thick=thick)
    if placed is None or not skips:
        return
    ends = {(link.source, link.target): link.id for link in links}
    for a, b in skips:
        route = placed.routes[ends[f"b{a}", f"b{b}"]]
        outer = any(c < a < d or c < b < d or ((c, d) != (a, b) and {c, d} & {a, b}) for c, d in skips)
        assert outer or level(route)
        lowest = max(y for _, y in route) if not outer else -math.inf
        assert all(placed.places[f"b{k}"][1] > lowest for k in range(a + 1, b))


@few
@given(graph=skipping(guests_too=False))
def test_nested_skips_and_second_outputs_at_the_top_make_stairs(graph):
    boxes, links, _, thick, skips = graph
    if skips:
        assert stairs(boxes, links, gap=GAP, clear=CLEAR, thick=thick) is not None


@few
@given(graph=skipping())
def test_lines_of_stairs_never_run_back(graph):
    boxes, links, heads, thick, _ = graph
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads=heads, thick=thick)
    going_on = {link.source for link in links}  # several ends of one box stand side by side over it
    for name, route in placed.routes.items() if placed else ():
        if all(end[0] == "b" and end in going_on for end in placed.ends[name]):
            assert all(a[0] <= b[0] + ASIDE for a, b in pairwise(route))


@pytest.mark.parametrize("make", [stairs, zigzag])
@few
@given(graph=graphs())
def test_whatever_the_graph_a_form_is_sound_or_says_that_it_does_not_suit(make, graph):
    boxes, links, thick = graph
    options = {"clear": CLEAR, "thick": thick}
    placed = make(boxes, links, gap=GAP, **options)
    if placed is not None:
        assert_sound(placed)
        assert set(placed.places) == {box.id for box in boxes} and set(placed.routes) == {link.id for link in links}


def test_a_unet_is_a_u():
    placed = stairs(*graph_of(UNET), gap=GAP, clear=CLEAR, heads={"x", "target"})
    assert_sound(placed)
    assert_short(placed)
    heights = {name: y + placed.boxes[name].height / 2 for name, (_, y) in placed.places.items()}
    for k in (1, 2, 3):
        assert heights[f"d{k}"] == heights[f"u{k}"] and level(placed.routes[f"d{k}>u{k}"])
    assert heights["d1"] < heights["d2"] < heights["d3"] < heights["mid"]
    assert heights["x"] == heights["d1"] == heights["loss"] > heights["target"]


def test_an_embedding_stands_with_its_places_beside_the_line_of_residual_blocks():
    boxes, links = graph_of(GPT.replace("pos>x0", "pos>x0 places>pos"))
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads={"ids", "places"})
    assert placed is not None and set(placed.places) == {box.id for box in boxes}
    assert_apart(placed)
    assert_clear(placed)
    assert_joined(placed)
    assert placed.places["places"][1] == placed.places["pos"][1] < placed.places["x0"][1]
    assert placed.routes["places>pos"][0][1] == placed.routes["places>pos"][-1][1]


def test_two_branches_of_one_length_are_a_fork_and_no_skip():
    boxes, links = graph_of("x>a x>b a>y b>y y>z")
    assert stairs(boxes, links, gap=GAP, clear=CLEAR, heads=set()) is None


def test_a_chain_of_residual_blocks_is_a_line_with_hanging_blocks_a_third_narrower_than_ranks():
    boxes, links = graph_of(GPT)
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads={"ids", "pos"}, above=True)
    assert_sound(placed)
    assert_short(placed)
    assert placed.width < 0.65 * ranks(boxes, links, rank_gap=GAP).width
    assert all(level(placed.routes[f"x{i}>x{i + 1}"]) for i in range(8))


def test_a_box_entered_and_left_at_its_bottom_has_its_ports_at_27_and_73_percent():
    boxes, links = graph_of(GPT)
    boxes = [Box(box.id, 100, 60) for box in boxes]
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads={"ids", "pos"}, above=True)
    x = placed.places["x3"][0]
    assert placed.routes["attn2>x3"][-1][0] == x + 27 and placed.routes["x3>attn3"][0][0] == x + 73


def test_a_projection_stands_on_the_straight_line_of_the_skip_that_it_is_part_of():
    placed = stairs(*graph_of(RESNET), gap=GAP, clear=CLEAR, heads={"x", "target"})
    assert_sound(placed)
    assert level(placed.routes["s1>down"]) and level(placed.routes["down>s2"])
    assert placed.routes["s1>down"][0][1] == placed.routes["conv>s1"][0][1] < placed.places["m2"][1]


def test_a_leaf_with_several_users_and_a_second_output_stand_above_the_spine():
    text = GPT + " w>tok w>head x3>aux x3>aux2"
    placed = stairs(*graph_of(text), gap=GAP, clear=CLEAR, heads={"ids", "pos", "w"}, above=True)
    assert_sound(placed)
    top = placed.places["x0"][1]
    assert all(placed.places[name][1] + placed.boxes[name].height < top for name in ("w", "ids", "pos", "aux", "aux2"))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a>b b>c c>d", "no skip"),
        ("a>b b>c c>d d>e a>d b>e", "crossing skips"),
        ("x>q x>k q>s k>s", "two ways of the same length"),
    ],
)
def test_a_graph_of_another_shape_makes_no_stairs(text, why):
    assert stairs(*graph_of(text), gap=GAP, clear=CLEAR) is None, why


# Zigzag


@few
@given(count=st.integers(6, 20), data=st.data())
def test_a_zigzag_is_sound_and_shorter_than_ranks(count, data):
    boxes = [data.draw(cards(f"b{i}")) for i in range(count)]
    links = [Link(str(i), f"b{i}", f"b{i + 1}") for i in range(count - 1)]
    for k in data.draw(st.lists(st.integers(1, count - 1), max_size=4)):
        boxes.insert(0, data.draw(cards(f"w{len(boxes)}")))
        links.append(Link(f"w{len(boxes)}", boxes[0].id, f"b{k}"))
    heads = {box.id for box in boxes if box.id[0] == "w"}
    placed = zigzag(boxes, links, gap=GAP, heads=heads)
    assert_sound(placed)
    assert_short(placed)
    if not heads:
        assert placed.width < ranks(boxes, links, rank_gap=GAP).width


def test_a_line_from_beside_what_hangs_at_a_guest_swings_below_it_clear_of_the_guest_next_to_it():
    boxes = [Box(f"b{i}", 52, 32) for i in range(6)]
    links = [Link(str(i), f"b{i}", f"b{i + 1}") for i in range(5)]
    for name, width, k in (("w6", 154, 2), ("w7", 52, 1), ("w8", 142, 2), ("w9", 52, 2)):
        hang = (22, 12) if name == "w9" else (0, 0)
        boxes.insert(0, Box(name, width, 32, *hang))
        links.append(Link(f"to {name}", name, f"b{k}"))
    assert_sound(zigzag(boxes, links, gap=GAP, heads={"w6", "w7", "w8", "w9"}))


def test_two_outputs_of_a_box_stay_clear_of_each_other_when_it_is_opened():
    boxes = [Box(name, 52, 32) for name in ("g0", "g1", "g2", "b0", "b1", "b2", "b3", "t0")]
    boxes.append(Box("t1", 52, 32, 22, 12))
    ends = ("b0 b1", "b1 b2", "b2 b3", "b0 b2", "g0 b0", "g1 b0", "g2 b0", "b0 t0", "b0 t1")
    links = [Link(pair, *pair.split()) for pair in ends]
    placed = stairs(boxes, links, gap=GAP, clear=CLEAR, heads={"g0", "g1", "g2"})
    assert_sound(stretched(placed, None, {"b0": (223, 32)}))


def test_a_graph_with_skips_or_a_short_chain_makes_no_zigzag():
    assert zigzag(*graph_of(UNET), gap=GAP, heads={"x", "target"}) is None
    assert zigzag(*graph_of("a>b b>c"), gap=GAP) is None


# Lanes


@st.composite
def turns(draw):
    """An RNN: in each turn some boxes beside and below each other, most of which use what is shared."""
    parts = draw(st.integers(1, 4))
    bars = [Box(name, 120, 54) for name in "WUb"[: draw(st.integers(1, 3))]]
    boxes, links = [draw(cards("h0"))], []
    for turn in range(draw(st.integers(1, 4))):
        cells = [draw(cards(f"c{turn}.{part}")) for part in range(parts)]
        boxes += [*cells, draw(cards(f"h{turn + 1}"))]
        links += [Link(f"in {cell.id}", f"h{turn}", cell.id) for cell in cells]
        links += [Link(f"out {cell.id}", cell.id, f"h{turn + 1}") for cell in cells]
    pairs = [(box.id, bar.id) for box in boxes for bar in bars]
    return boxes, links, bars, draw(st.lists(st.sampled_from(pairs), unique=True))


@few
@given(graph=turns())
def test_in_lanes_every_use_is_a_straight_drop_into_its_bar_through_no_box(graph):
    boxes, links, bars, drops = graph
    placed = lanes(boxes, links, bars, drops, gap=GAP, room=(1200, 500))
    assert_sound(placed)
    assert set(placed.drops) == set(drops)
    for (box, bar), (x, y0, y1) in placed.drops.items():
        left, top, right, _ = areas(placed)[box]
        assert left <= x <= right and abs(y0 - top - placed.boxes[box].height) < NEAR and y1 == placed.bars[bar][1]
        for other, area in areas(placed).items():
            assert other == box or not (area[0] < x < area[2] and area[3] > y0), (box, other)


@st.composite
def separate_turns(draw):
    """Turns that nothing joins but what they share: chains of one to three boxes."""
    boxes, links = [], []
    for turn in range(draw(st.integers(2, 6))):
        chain = [draw(cards(f"c{turn}.{place}")) for place in range(draw(st.integers(1, 3)))]
        boxes += chain
        links += [Link(f"{a.id}>{b.id}", a.id, b.id) for a, b in pairwise(chain)]
    return boxes, links, [(box.id, "w") for box in boxes if draw(st.booleans())]


@few
@given(graph=separate_turns())
def test_in_lanes_turns_that_nothing_joins_are_sound_too(graph):
    boxes, links, drops = graph
    placed = lanes(boxes, links, [Box("w", 120, 54)], drops, gap=GAP, room=(1200, 500))
    assert_sound(placed)
    for (box, _), (x, _, _) in placed.drops.items():
        top = areas(placed)[box][1]
        for other, area in areas(placed).items():
            assert other == box or not (area[0] < x < area[2] and area[3] > top), (box, other)


@few
@given(graph=turns())
def test_bars_lie_below_all_columns_one_under_the_other_and_before_them_there_is_room_for_their_names(graph):
    boxes, links, bars, drops = graph
    placed = lanes(boxes, links, bars, drops, gap=GAP, room=(1200, 500))
    tops = [placed.bars[bar.id][1] for bar in bars]
    assert max(area[3] for area in areas(placed).values()) < tops[0] and tops == sorted(tops)
    assert min(x for x, _ in placed.places.values()) >= 120
    assert all(54 <= height <= 108 and width == placed.width for _, _, width, height in placed.bars.values())


def test_an_lstm_of_six_turns_keeps_its_cells_on_one_line():
    turns = " ".join(f"c{i}>c{i + 1}" for i in range(6)) + " " + " ".join(f"x{i}>c{i + 1}" for i in range(6))
    boxes, links = graph_of(turns)
    drops = [(f"c{i}", bar) for i in range(1, 7) for bar in ("W", "U", "b")]
    placed = lanes(boxes, links, [Box(bar, 120, 54) for bar in "WUb"], drops, gap=GAP, room=(1200, 500))
    assert_sound(placed)
    assert all(level(placed.routes[f"c{i}>c{i + 1}"]) for i in range(1, 6))


# Stretching


def forms(graph) -> list[Placed]:
    boxes, links, heads, thick, _ = graph
    made = [
        ranks([*boxes], links, thick=thick),
        ranks([*boxes], links, direction="TB", thick=thick),
        stairs(boxes, links, gap=GAP, clear=CLEAR, heads=heads, thick=thick),
    ]
    return [placed for placed in made if placed is not None]


@few
@given(graph=skipping(most=8), room=st.tuples(st.integers(300, 2000), st.integers(300, 2000)))
def test_a_stretched_picture_comes_nearer_to_the_shape_of_its_room_and_stays_sound(graph, room):
    for placed in forms(graph):
        wide = stretched(placed, room)
        assert_sound(wide)
        assert wide.width >= placed.width - NEAR and wide.height >= placed.height - NEAR
        scale = min(room[0] / placed.width, room[1] / placed.height)
        assert wide.width * scale <= room[0] + 1 and wide.height * scale <= room[1] + 1
        for name, route in placed.routes.items():
            for axis in (0, 1):
                assert not level(route, axis) or level(wide.routes[name], axis)


@few
@given(graph=skipping(most=8), data=st.data())
def test_a_box_that_is_opened_pushes_all_others_away_and_level_lines_stay_level(graph, data):
    for placed in forms(graph):
        chosen = data.draw(st.lists(st.sampled_from(sorted(placed.places)), min_size=1, max_size=2, unique=True))
        grown = {}
        for name in chosen:
            box = placed.boxes[name]
            grown[name] = (box.width + data.draw(st.integers(0, 400)), box.height + data.draw(st.integers(0, 400)))
        opened = stretched(placed, None, grown)
        assert_apart(opened)
        assert_joined(opened)
        assert_within(opened)
        if placed.form == "stairs":
            assert_clear(opened)
        for name, size in grown.items():
            assert (opened.boxes[name].width, opened.boxes[name].height) == size
        if placed.form == "stairs":
            for name, route in placed.routes.items():
                assert not level(route) or level(opened.routes[name])


def test_nothing_is_drawn_as_nothing():
    assert ranks([], []).places == {} and stairs([], [], gap=GAP, clear=CLEAR) is None
    assert zigzag([], [], gap=GAP) is None and least([], [], gap=GAP) == 0
    assert stretched(ranks([], []), (100, 100)).routes == {}
    assert lanes([], [], [], [], gap=GAP, room=(100, 100)).bars == {}


@few
@given(graph=skipping())
def test_the_same_graph_gives_the_same_numbers(graph):
    assert forms(graph) == forms(graph)
