// Package jsonrows reads rows that are not one a line: a JSON array of objects, or a list of objects
// below a key of the object that makes up the file.
//
// In: a file of any content. Out: where its rows are, and the rows as JSON lines. Values are not
// decoded and need no memory, however long they are.
package jsonrows
