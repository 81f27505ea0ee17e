"""Languages beside English: a folder for each, with what is said in English and how it is said there, and no code.

A folder is named by its language's code, as `es`, and has a file of pairs for each part of what is said:

- `player.json`: words of the player, which the browser looks up (`widgets/src/language.ts`)
- `sentences.json`: captions, headlines and whatever else is made of a trace: patterns with holes (`phrasebook.py`)
- `lessons/`: `00.json` and so on, what a lesson says, a paragraph or a text at a time (one without a file stays
  English), `index.json`, their index and survey, and `frame.json`, what is said around all of them
- `glossary.json`: for each term of the lessons a pattern for how it stands in a text, and what it means
- `language.json`: what the language is called, and what grammar makes of words that meet ("a el" is "al")

What has no pair is said in English.
"""
