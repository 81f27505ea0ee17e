"""The ops, by kind. Each is a node class, its calculus in one docstring, and the function that users call.

Each kind is made of those before it, never of those after it: `ground ← shape ← index ← pointwise ← reduction ← matrix`
and `activation ← inplace ← layer, loss`.

- `pointwise/`: element by element: arithmetic, functions, comparisons, choices;
- `reduction/`: few elements of many, or all in order: sums, extremes, norms, running totals, sorting;
- `shape/`: other shapes and orders: views, joining and splitting, slicing, flipping;
- `index/`: elements from given places, or to them: `x[...]`, gather, scatter;
- `matrix/`: products, contractions, linear algebra;
- `activation/`, `layer/`, `loss/`: what networks are made of;
- `inplace/`: ops that write to a tensor;
- `ground/`: what ops of several kinds share: their base classes, formulas, dimensions, writes, copies.
"""
