// Package mcpserver answers coding agents about runs, over the Model Context Protocol.
//
// In: the folder that holds the runs, and the calls of a client on standard input. Out: structured
// results on standard output. A tool reads only below that folder, and none writes: only
// start_run, which exists with --allow-run, makes a run directory. Texts that models, tools,
// graders and data wrote come shortened and without secrets in fields named untrusted_text, and
// nowhere else.
package mcpserver
