// Package mutant serves the gonogo command; its API may change in any release.
//
// It makes programs that are almost right: one operator, comparison, constant or branch of a program that
// passes an item's own tests is changed, and these tests fail.
//
// In: an item's row, whose tests have one of the layouts that public data sets use, and programs that may be
// right. Out: a changed program. The layouts are test_list (MBPP), test with entry_point (HumanEval,
// BigCodeBench), test as a file for pytest, input_output and public_tests (APPS, TACO, CodeContests),
// public_test_cases (LiveCodeBench), and asserts or inputs with outputs under tests, test_cases or a ground
// truth.
//
// The tests run in the sandbox of package python, and only there, unless the configuration turns it off.
package mutant
