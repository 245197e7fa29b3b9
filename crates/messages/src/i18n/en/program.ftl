# The Program screen, in English. Other languages copy its keys.

program-argument = parameter { $number }: { $problem }
program-argument-unreadable = the text is not a value of its shape
program-argument-memory = the value does not fit in memory
program-no-entry = the program has no entry computation
program-not-executed = This instruction was not executed in the run.
program-sources-not-kept = Sources are known for the entry computation of programs whose values are kept.
