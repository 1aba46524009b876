"""Speed, memory and accuracy as the pages in docs/ show them; each module is a command of its own."""
