package project

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"gonogo/cmd/gonogo/internal/ui"
	"gonogo/fixtures"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/input/spelling"
)

// World finds a built-in world by name.
func World(name string) (fixtures.World, error) {
	names := ui.Names(fixtures.Worlds(), func(w fixtures.World) string { return w.Name })
	if i := slices.Index(names, name); i >= 0 {
		return fixtures.Worlds()[i], nil
	}
	return fixtures.World{}, fmt.Errorf("no world is called %q%s; gonogo help worlds lists them", name,
		spelling.DidYouMean(name, names))
}

// ServeWorld serves the built-in world that the configuration names, unless its address is already
// mapped.
func ServeWorld(p *Project) error {
	_, mapped := p.Config.Sampling.AddressMap[fixtures.Origin]
	if mapped {
		return nil
	}
	if p.Config.World == "" {
		if what, address := atOrigin(p, nil); what != "" {
			p.Warnings = append(p.Warnings, fmt.Sprintf("%s is at %s, the address of a built-in world's server: put "+
				"your own address there, or set the key world (gonogo help worlds)", what, address))
		}
		return nil
	}
	world, err := World(p.Config.World)
	if err != nil {
		return p.Config.Fault("world", "%v", err)
	}
	if program := world.Missing(); program != "" {
		return p.Config.Fault("world", "%q needs %s, which is not on PATH: install it, or choose another world",
			world.Name, program)
	}
	if what, address := atOrigin(p, &world); what != "" {
		return p.Config.Fault("world",
			"%q serves nothing at %s, the address of %s: name the world that these files belong to%s", world.Name,
			address, what, servingTemplates(p))
	}
	p.Warnings = append(p.Warnings, fmt.Sprintf("the built-in world %q answers for %s: its policy is scripted, not "+
		"a model; remove the key world when the endpoints are yours", world.Name, fixtures.Origin))
	return serveFixture(p, world)
}

// atOrigin finds a session hook, a tool or, if world is nil, the model at an address of the worlds'
// server that the world does not serve.
func atOrigin(p *Project, world *fixtures.World) (what, address string) {
	list := []Endpoint{{"session.start", p.Config.Session.Start}, {"session.stop", p.Config.Session.Stop}}
	if world == nil { // a world's server answers for models of any name
		list = append(list, Endpoint{"the model", p.Config.Model.BaseURL})
	}
	if p.Config.Body != nil {
		for _, t := range p.Config.Body.Tools {
			list = append(list, Endpoint{"the tool " + t.Name, t.ServerURL})
		}
	}
	for _, e := range list {
		if strings.HasPrefix(e.URL, fixtures.Origin+"/") && (world == nil || !world.Serves(e.URL)) {
			return e.Name, e.URL
		}
	}
	return "", ""
}

// servingTemplates lists the templates that serve all the project's addresses.
func servingTemplates(p *Project) string {
	var names []string
	for _, w := range fixtures.Templates() {
		if what, _ := atOrigin(p, &w); what == "" {
			names = append(names, w.Name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return ", such as " + strings.Join(names, " or ")
}

// RestartWorld restarts the server of a built-in world for a run whose server ended with it.
func RestartWorld(ctx context.Context, p *Project, say io.Writer) error {
	was, mapped := p.Config.Sampling.AddressMap[fixtures.Origin]
	if !mapped && p.Config.World == "" {
		return nil
	}
	// runs made before the key existed are named after their world
	world, err := fixtures.Find(cmp.Or(p.Config.World, p.Config.Name))
	if err != nil || mapped && endpoint.Reach(ctx, was) == nil {
		return nil
	}
	if err := serveFixture(p, world); err != nil {
		return err
	}
	fmt.Fprintf(say, "Serving the built-in world %q again.\n", world.Name)
	return nil
}

// serveFixture maps the worlds' origin to a server of the world, which is closed with the project.
func serveFixture(p *Project, world fixtures.World) error {
	server, err := world.Serve(fixtures.ServeOptions{})
	if err != nil {
		return err
	}
	p.closers = append(p.closers, func() { _ = server.Close() }) // it holds nothing to keep
	if p.Config.Sampling.AddressMap == nil {
		p.Config.Sampling.AddressMap = map[string]string{}
	}
	p.Config.Sampling.AddressMap[fixtures.Origin] = server.URL()
	return nil
}
