// Package environment serves the gonogo command; its API may change in any release.
//
// It takes items, rollouts and rewards from an environment of another library: verifiers or
// OpenEnv.
//
// In: Settings, which name the environment and the Python interpreter that has its library. Out: rows
// for each split; a sampler.Agent that makes rollouts in the environment; and a sampler.Grader that
// returns the environment's reward.
//
// One process of that interpreter runs a bridge, which is embedded here, and makes many rollouts at
// once: importing such a library takes seconds. The bridge listens on loopback and keeps the reward of
// each rollout until it is asked for. An output that it did not make itself, such as one of an audit, it
// grades by playing the episode again with a model that replies what was recorded.
package environment
