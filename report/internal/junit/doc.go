// Package junit writes test results for the test pages of GitHub, GitLab and Jenkins.
//
// In: a Suite of test cases. Out: a JUnit file with the number of its cases. It does not know
// reports.
package junit
