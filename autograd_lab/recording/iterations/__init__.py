"""Training loops: which iterations of a run are recorded, and what is noted of the others.

A program that trains passes milestones, the ends of backward passes and the steps of optimizers. Where they stand on
its stack tells when a loop comes round (`turns`); what the loops go over tells which turn will be the last (`loops`).
A session (`session`) records those iterations that are asked for, keeps the last one that was whole, and notes the
loss and the norms of gradients of all of them (`measures`).
"""
