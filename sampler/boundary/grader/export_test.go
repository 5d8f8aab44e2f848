package grader

// ReadPrinted is for the fuzz test.
var ReadPrinted = readPrinted
