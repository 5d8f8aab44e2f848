package proxy

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// Config configures the model behind the proxy.
type Config struct {
	BaseURL string            // such as https://api.openai.com/v1; a query is kept
	Model   string            // its name; requests for other models are refused
	API     string            // responses or chat: the API that agents must use
	APIKey  string            // sent as a bearer token; "" sends none
	Headers map[string]string // sent with every request; may replace Authorization
	HTTP    *http.Client
	Secrets endpoint.Secrets // as in sampler.Config; masked in answers, so that no agent reads them
}

// Proxy is a server on loopback. It implements sampler.ModelProxy.
type Proxy struct {
	cfg     Config
	base    *url.URL
	secrets endpoint.Secrets
	address string // its own address
	server  *http.Server
	done    chan error // the error of Serve

	mu    sync.Mutex       // guards rooms
	rooms map[string]*room // by key
}

// New starts a proxy on a free port of the loopback interface.
func New(cfg Config) (*Proxy, error) {
	base, err := url.Parse(cfg.BaseURL)
	if err != nil || base.Host == "" {
		return nil, fmt.Errorf("the model's base_url %q is not a URL", credential.BareURL(cfg.BaseURL))
	}
	if err := endpoint.CheckHeaders(cfg.Headers); err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for agents: %w", err)
	}
	p := &Proxy{
		cfg: cfg, base: base, secrets: endpoint.SecretsOf(cfg.Headers, cfg.APIKey), address: "http://" +
			listener.Addr().String(),
		done: make(chan error, 1), rooms: make(map[string]*room),
	}
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: 10 * time.Second}
	go func() { p.done <- p.server.Serve(listener) }()
	return p, nil
}

// Open makes an address and a key for one try of a rollout. The function that it returns ends them,
// cancels the requests in flight, and returns what was recorded.
func (p *Proxy) Open(ctx context.Context,
	play sampler.AgentRequest,
) (sampler.ModelAccess, func() sampler.ModelTraffic, error) {
	inner, stop := context.WithCancel(ctx)
	token := "gonogo-" + rand.Text()
	r := newRoom(inner, play)
	p.mu.Lock()
	p.rooms[token] = r
	p.mu.Unlock()
	shut := func() sampler.ModelTraffic {
		p.mu.Lock()
		delete(p.rooms, token)
		p.mu.Unlock()
		stop()
		r.busy.Wait() // for the canceled requests
		return r.traffic()
	}
	return sampler.ModelAccess{
		BaseURL: p.address + "/r/" + token + "/v1", Key: token, Model: p.cfg.Model,
		API: p.cfg.API, Refused: r.refusal,
	}, shut, nil
}

// Close stops the server, even if rooms are open.
func (p *Proxy) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	err := p.server.Shutdown(ctx)
	if err != nil {
		err = p.server.Close()
	}
	if served := <-p.done; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

// room returns the room of a request, and the path below the API's root. The path contains the room's
// key; if the agent uses the address without it, the key is in the request's headers. A room that is
// found is busy until the caller calls busy.Done.
func (p *Proxy) room(req *http.Request) (r *room, path string) {
	path = req.URL.Path
	token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
	if key := req.Header.Get("Api-Key"); key != "" {
		token = key
	}
	if rest, ok := strings.CutPrefix(path, "/r/"); ok {
		token, path, _ = strings.Cut(rest, "/")
	}
	path = strings.TrimPrefix(strings.Trim(path, "/"), "v1/")
	p.mu.Lock()
	defer p.mu.Unlock()
	r = p.rooms[token]
	if r != nil {
		r.busy.Add(1)
	}
	return r, path
}

// modelURL returns the model's URL for a path.
func (p *Proxy) modelURL(path string) string {
	u := *p.base
	u.Path = strings.TrimSuffix(u.Path, "/") + "/" + path
	return u.String()
}
