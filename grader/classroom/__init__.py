"""Grades a class of submissions into a folder, so that no grade is lost or given twice.

In order of use: `class_folder` lists the folder, `platforms`, `roster` and `class_list` say whose each submission is;
`grade` reads them and keeps what comes back in the database, `store`; `judging` hands them to judges, in processes of
this machine or of many (`cluster`). `results` reads records with final points (`final_points`) from it, and writes
results.jsonl and the pages; `after_grading` explains, overrides, forgets and compares.
"""
