// Package junit writes test results for the test pages of GitHub, GitLab and Jenkins.
//
// In: a Suite of test cases. Out: a JUnit file, its cases counted. It knows no reports.
package junit
