"""Languages beside English: a folder for each, with what is said in English and how it is said there, and no code.

A folder is named by its language's code, as `es`, and has a file of pairs for each part of what is said:

- `player.json`: words of the player, which the browser looks up (`widgets/src/language.ts`)
- `sentences.json`: captions, headlines and whatever else is made of a trace: patterns with holes (`phrasebook.py`)
- `lessons.json`: lessons, questions and what is said to answers, a paragraph or a text at a time
- `language.json`: what the language is called, and what grammar makes of words that meet ("a el" is "al")

What has no pair is said in English.
"""
