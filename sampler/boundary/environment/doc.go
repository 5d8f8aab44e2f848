// Package environment serves the gonogo command; its API may change in any release.
//
// It takes items, rollouts and rewards from an environment of another library: verifiers or
// OpenEnv.
//
// In: Settings, which name the environment and the Python interpreter that has its library. Out: rows
// for each split; a sampler.Agent that makes rollouts in the environment and reports its rewards; and a
// sampler.Grader for all other outputs, which plays the episode again.
//
// One process of that interpreter runs a bridge, which is embedded here, and makes many rollouts at
// once: importing such a library takes seconds. The bridge listens on loopback. An output of no rollout
// here, such as one of an audit, it grades by playing an episode with a model that replies what was
// recorded.
package environment
