"""What all readers share: the nouns, the text of a file, numbers, units, and words for counts."""
