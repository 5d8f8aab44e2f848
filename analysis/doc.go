// Package analysis judges: a run of records goes in, a Result with findings
// and a verdict comes out.
//
// It is pure. It sees sampler/rollout and nothing else of the sampler: no
// network, no clock, and no file but what it is handed. The same records,
// seed and settings give the same bytes.
package analysis
