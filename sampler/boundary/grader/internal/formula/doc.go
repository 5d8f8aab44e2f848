// Package formula computes the reward of a grader that is made of others.
//
// In: a text such as "tests * (0.7 + 0.3*style)" and the names that it may contain. Out: a Formula,
// which turns the values of those names into a number or an error, and knows which of them are
// gates. It imports only the standard library.
package formula
