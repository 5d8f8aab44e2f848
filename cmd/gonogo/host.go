package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"gonogo/fixtures"
	"gonogo/sampler"
)

// host serves the built-in world that the configuration names, unless its
// address is mapped already.
func (p *project) host() error {
	_, mapped := p.cfg.Sampling.AddressMap[fixtures.Origin]
	if mapped {
		return nil
	}
	if p.cfg.World == "" {
		if what, address := p.atOrigin(nil); what != "" {
			p.warnings = append(p.warnings, fmt.Sprintf("%s is at %s, which stands for the server of a built-in world: put your own address there, or set the key world (gonogo help worlds)", what, address))
		}
		return nil
	}
	world, err := worldNamed(p.cfg.World)
	if err != nil {
		return p.cfg.Fault("world", "%v", err)
	}
	if program := lacking(world); program != "" {
		return p.cfg.Fault("world", "%q needs %s, which is not on PATH: install it, or choose another world", world.Name, program)
	}
	if what, address := p.atOrigin(&world); what != "" {
		return p.cfg.Fault("world", "%q serves nothing at %s, where %s is: name the world that these files are of%s", world.Name, address, what, p.homes())
	}
	p.warnings = append(p.warnings, fmt.Sprintf("the built-in world %q answers for %s: its policy is scripted, not a model; take the key world out when the endpoints are yours", world.Name, fixtures.Origin))
	return p.serve(world)
}

// atOrigin finds a hook of sessions, a tool or, where no world is asked for, the
// model at an address of the worlds' server that the world does not serve.
func (p *project) atOrigin(world *fixtures.World) (what, address string) {
	list := []endpoint{{"session.start", p.cfg.Session.Start}, {"session.stop", p.cfg.Session.Stop}}
	if world == nil { // a world's server answers for models of any name
		list = append(list, endpoint{"the model", p.cfg.Model.BaseURL})
	}
	if p.cfg.Body != nil {
		for _, t := range p.cfg.Body.Tools {
			list = append(list, endpoint{"the tool " + t.Name, t.ServerURL})
		}
	}
	for _, e := range list {
		if strings.HasPrefix(e.url, fixtures.Origin+"/") && (world == nil || !served(*world, e.url)) {
			return e.name, e.url
		}
	}
	return "", ""
}

// homes lists the templates that serve all the project's addresses.
func (p *project) homes() string {
	var names []string
	for _, w := range fixtures.Templates() {
		if what, _ := p.atOrigin(&w); what == "" {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", such as " + strings.Join(names, " or ")
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
