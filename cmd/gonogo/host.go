package main

import (
	"cmp"
	"context"
	"fmt"
	"io"

	"gonogo/fixtures"
	"gonogo/sampler"
)

// host serves the built-in world that the configuration names, unless its
// address is mapped already.
func (p *project) host() error {
	_, mapped := p.cfg.Sampling.AddressMap[fixtures.Origin]
	if p.cfg.World == "" || mapped {
		return nil
	}
	world, err := fixtures.Find(p.cfg.World)
	if err != nil {
		return p.cfg.fault("world", "%v", err)
	}
	if program := lacking(world); program != "" {
		return p.cfg.fault("world", "%q needs %s, which is not on PATH: install it, or choose another world", world.Name, program)
	}
	p.warnings = append(p.warnings, fmt.Sprintf("the built-in world %q answers for %s: its policy is scripted, not a model; take the key world out when the endpoints are yours", world.Name, fixtures.Origin))
	return p.serve(world)
}

// serveWorld brings the server of a built-in world back for a run whose own
// ended with it.
func (p *project) serveWorld(ctx context.Context, say io.Writer) error {
	was, mapped := p.cfg.Sampling.AddressMap[fixtures.Origin]
	if !mapped && p.cfg.World == "" {
		return nil
	}
	world, err := fixtures.Find(cmp.Or(p.cfg.World, p.cfg.Name)) // a run of before there was a key is named after its world
	if err != nil || mapped && sampler.Reach(ctx, was) == nil {
		return nil
	}
	if err := p.serve(world); err != nil {
		return err
	}
	fmt.Fprintf(say, "Serving the built-in world %q again.\n", world.Name)
	return nil
}

// serve maps the worlds' origin to a server of the world, which ends with the
// project.
func (p *project) serve(world fixtures.World) error {
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		return err
	}
	p.close = append(p.close, func() { _ = server.Close() }) // nothing of it is kept
	if p.cfg.Sampling.AddressMap == nil {
		p.cfg.Sampling.AddressMap = map[string]string{}
	}
	p.cfg.Sampling.AddressMap[fixtures.Origin] = server.URL()
	return nil
}
