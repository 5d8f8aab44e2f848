// Package form serves the gonogo command; its API may change in any release.
//
// It finds the constant text around what a run's answers say.
//
// In: answers that earned the top, and their items' references. Out: the Form that most of
// them share, such as "ANSWER: {{reference}}", <answer>{{reference}}</answer> or
// {"answer": "{{reference}}"}, and whether any other answer has it. A grader that pays for one
// form alone rejects a bare reference, which says nothing about the grader.
package form
