"""The stories that part from ours with some other PyTorch than 2.13, and why: PyTorch itself was, or is, otherwise."""

from __future__ import annotations

from tests.stories.test_stories import PARTING

WORDS = "an error names a node ExpBackward0, and not yet Exp, or advises less"
SLOTS = "what a saved-tensor hook keeps cannot be seen"
ORDER = "nodes are numbered otherwise where a checkpoint computes again"
VIEWS = "a view after a product is recorded by another node"
CORNERS = "another gradient where a curve has a corner"
FILLS = "a number is written by fill_, and no longer copied from a tensor"

MAY_PART = PARTING | dict.fromkeys(
    (
        "writes.a_write_to_what_a_product_saved", "writes.a_write_to_a_result_that_was_saved",
        "writes.three_ways_to_add_one", "writes.outputs_of_unbind_are_not_written_to",
        "writes.a_constant_that_was_saved_changes", "writes.one_write_after_the_other",
        "writes.a_step_between_two_backward_passes", "functions.a_function_that_saves_its_result",
        "modes.inference_tensors_are_not_saved", "modes.detach_shares_memory_and_counter",
        "training.a_wrong_fix_by_retaining", "mistakes.an_activation_is_written_to",
        "mistakes.a_saved_view_is_written_to", "writes.a_constant_is_transposed_where_it_stands",
        "lessons.now_at_backward_or_never",
    ), WORDS,
) | dict.fromkeys(
    (
        "checkpoints.saved_in_half_precision", "checkpoints.only_some_nodes_are_packed", "checkpoints.unpacked_twice",
        "checkpoints.a_packed_tensor_hides_a_write",
    ), SLOTS,
) | dict.fromkeys(
    (
        "checkpoints.a_part_that_is_computed_again", "checkpoints.a_chain_of_checkpoints",
        "checkpoints.a_checkpoint_inside_another",
    ), ORDER,
) | {
    "layers.attention_in_heads": VIEWS,
    "arithmetic.corners_of_curves": CORNERS,
} | dict.fromkeys(
    ("shapes.a_view_shares_memory_and_version", "shapes.a_reshape_that_has_to_copy", "writes.an_element_is_set"), FILLS
)  # fmt: skip
