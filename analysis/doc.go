// Package analysis judges: a run of records goes in, a Result with findings
// and a verdict comes out. What lies beside the records, the grader's audit
// (probes.jsonl) and people's labels (labels.jsonl), tells about the grader.
//
// It is pure. It sees sampler/rollout and nothing else of the sampler: no
// network, no clock, and no file but what it is handed. The same records,
// seed and settings give the same bytes.
package analysis
