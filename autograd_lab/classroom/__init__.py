"""For teachers: demonstrations that pose questions, votes by phone, worksheets."""
