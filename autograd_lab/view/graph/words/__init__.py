"""What is said of a recorded graph: captions, headlines, what one thing is, and why it has no gradient.

A caption tells in a sentence what a step did; a headline says what it teaches. They and all reasons say the same
things with the same words: gradients *travel*, *arrive*, *meet* and *add*; they are *stored* in `.grad`, *added* to
what was there, or *cleared*. A node is *recorded*; it *saves* values for backward, *needs* them there, then *lets go*
of them, or *keeps* them (`retain_graph`); they are *freed* or, once *overwritten*, *stale*. A tensor *asks* for a
gradient, is *used* once or twice, *written* in place, *cut* from its history. Backward *begins* at a tensor, *stands*
at a node, *stops*. A gradient *fades*, *grows*, is *finite* or exactly 0.
"""
