// Package form serves the gonogo command; its API may change in any release.
//
// It finds the constant text around the variable part of a run's answers.
//
// In: answers that earned the top of the reward range, and their items' references. Out: the
// Form that most of them share, such as "ANSWER: {{reference}}", <answer>{{reference}}</answer>
// or {"answer": "{{reference}}"}, and whether another answer has it. A grader that pays for only
// one form rejects a bare reference, and that rejection says nothing about the grader.
package form
