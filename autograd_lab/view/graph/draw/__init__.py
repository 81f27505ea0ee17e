"""Drawing: cards, wires, pockets and lanes as SVG, each from its place and its look."""
