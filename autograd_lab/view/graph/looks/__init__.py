"""Looks: how cards, wires, pockets and lanes look in a state. A look is a pure function of the state."""
