package mcp

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
)

// Servers holds the MCP servers of a run. It is safe for concurrent use.
type Servers struct {
	servers  []*server
	tools    []*Tool
	listings []Listing
}

// Listing lists the tools that a server offers.
type Listing struct {
	Server string
	Where  string // the server's program, or its URL without possible secrets
	Tools  []Definition
	Err    error // why the server cannot be reached, or what is wrong with its list; else nil
}

// Hash identifies a list: the definitions that the model is offered, and their order.
func (l Listing) Hash() string {
	h := sha256.New()
	for _, d := range l.Tools {
		_, _ = h.Write(append(d.Chat(), '\n')) // writing to a hash never fails
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}

// New starts the servers, or connects to them, and lists their tools. The error names each server
// that cannot be reached and each mistake in the lists. The returned Servers holds the tools that
// were found, and must be closed even after an error.
func New(ctx context.Context, cfgs []Config, opts Options) (*Servers, error) {
	if opts.HTTP == nil {
		opts.HTTP = endpoint.HTTPClient(nil, 16)
	}
	if opts.HTTP.Transport == nil {
		client := *opts.HTTP
		client.Transport = endpoint.Plain(endpoint.HTTPTransport(16))
		opts.HTTP = &client
	}
	opts.Start = cmp.Or(opts.Start, DefaultStart)
	opts.MaxReply = cmp.Or(opts.MaxReply, DefaultMaxReply)
	all := &Servers{}
	var errs []error
	seen := map[string]bool{}
	for _, cfg := range cfgs {
		err := cfg.Validate()
		if err == nil && seen[cfg.Name] {
			err = fmt.Errorf("there are two MCP servers %s: rename one of them", cfg.Name)
		}
		errs = append(errs, err)
		seen[cfg.Name] = true
		all.servers = append(all.servers, &server{
			cfg: cfg, opts: opts, secrets: cfg.secrets(),
			slots: make(map[string]*slot),
		})
	}
	if err := errors.Join(errs...); err != nil {
		return all, err
	}
	all.listings = make([]Listing, len(all.servers))
	var group sync.WaitGroup
	answered := make([]atomic.Bool, len(all.servers))
	for i, s := range all.servers {
		group.Go(func() {
			all.listings[i] = s.listing(ctx)
			answered[i].Store(true)
		})
	}
	if opts.Slow != nil && len(all.servers) > 0 {
		all.sayIfSlow(&group, answered)
	}
	group.Wait()
	for _, l := range all.listings {
		errs = append(errs, l.Err)
	}
	errs = append(errs, all.collect())
	return all, errors.Join(errs...)
}

// sayIfSlow waits until all servers have answered, and calls Options.Slow if that takes long.
func (all *Servers) sayIfSlow(group *sync.WaitGroup, answered []atomic.Bool) {
	ended := make(chan struct{})
	go func() {
		group.Wait()
		close(ended)
	}()
	select {
	case <-ended:
		return
	case <-time.After(all.servers[0].opts.Start / 20):
	}
	var waiting []string
	for i, s := range all.servers {
		if !answered[i].Load() {
			waiting = append(waiting, fmt.Sprintf("%s (%s)", s.cfg.Name, s.secrets.Mask(s.cfg.where())))
		}
	}
	if len(waiting) > 0 {
		opts := all.servers[0].opts
		opts.Slow(fmt.Sprintf("waiting for the MCP server %s, for at most %v", strings.Join(waiting, ", "), opts.Start))
	}
	<-ended
}

// listing lists the tools that a server offers. It closes the session, unless all rollouts share it.
func (s *server) listing(ctx context.Context) Listing {
	l := Listing{Server: s.cfg.Name, Where: s.secrets.Mask(s.cfg.where())}
	c, err := s.session(ctx, nil, s.slot(""), "")
	var all []Definition
	if err == nil {
		all, err = c.list(ctx)
	}
	if err == nil {
		l.Tools, err = s.cfg.named(all)
	}
	if l.Err = err; err != nil || s.cfg.PerRollout {
		s.close()
	}
	return l
}

// collect makes the tools. The error names tools with the same name.
func (all *Servers) collect() error {
	var errs []error
	owner := map[string]*Tool{}
	for i, l := range all.listings {
		for _, d := range l.Tools {
			t := &Tool{server: all.servers[i], def: d}
			if other := owner[d.Name]; other != nil && other.server != t.server {
				errs = append(errs, fmt.Errorf("the MCP servers %s and %s both have a tool %q: give one of them a "+
					"prefix, rename it there, or exclude it with only", other.server.cfg.Name, l.Server, d.Name))
				continue
			} else if other != nil && l.Err == nil {
				errs = append(errs, fmt.Errorf("two tools of the MCP server %s are called %q: rename one of them",
					l.Server, d.Name))
				continue
			}
			owner[d.Name] = t
			all.tools = append(all.tools, t)
		}
	}
	return errors.Join(errs...)
}

// Listings returns the servers' listings, in the order of the servers.
func (all *Servers) Listings() []Listing { return all.listings }

// Tools returns the tools of all servers in the order in which they are listed.
func (all *Servers) Tools() []*Tool { return all.tools }

// Close ends all sessions, and all processes that the servers' programs started. No call may be in
// flight.
func (all *Servers) Close() {
	var group sync.WaitGroup
	for _, s := range all.servers {
		group.Go(s.close)
	}
	group.Wait()
}

// Tool is a tool of an MCP server. It implements sampler.Tool and sampler.Releaser.
type Tool struct {
	server *server
	def    Definition
}

// Name returns the name by which the model calls the tool.
func (t *Tool) Name() string { return t.def.Name }

// URL returns the server's address; "" if it is a program.
func (t *Tool) URL() string { return t.server.cfg.URL }

// Server returns the name of the tool's server.
func (t *Tool) Server() string { return t.server.cfg.Name }

// Definition returns the tool as its server describes it.
func (t *Tool) Definition() Definition { return t.def }

// Call makes one request. It returns a Result for what the model sees: an answer, an answer that the
// tool marks as an error, or the server's reply that the tool does not exist or that its arguments
// are invalid. Anything else is a failure, which is retryable unless it is fatal or the rollout's
// own server is gone with its state.
func (t *Tool) Call(ctx context.Context, call sampler.Call) (sampler.Result, error) {
	return t.server.call(ctx, t.def.Remote, call)
}

// Release ends the session of a finished rollout.
func (t *Tool) Release(trace string) { t.server.leave(trace) }
