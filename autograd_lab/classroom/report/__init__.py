"""What a class has done in the lessons, from the files of its learners: what is believed, and who is stuck where."""
