package viewer

import (
	"context"
	"crypto/rand"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"gonogo/sampler/rollout"
)

//go:embed assets
var assets embed.FS

// Options configures how runs are shown.
type Options struct {
	Floors [2]float64                            // bottom of the reward range of each run
	Rater  string                                // who writes the labels
	Mask   func([]rollout.Label) []rollout.Label // removes secrets from labels before they are saved
	Redact bool                                  // hide names and texts
	Other  *rollout.Run                          // a second run to show next to the first; nil for none
}

// Server serves the page of one run or two, protected by a token.
type Server struct {
	opt   Options
	sides []*side
	names *names
	token string
	mux   *http.ServeMux
}

// New starts to index the runs. Close stops it.
func New(run *rollout.Run, opt Options) *Server {
	s := &Server{opt: opt, names: newNames(opt.Redact), token: rand.Text(), mux: http.NewServeMux()}
	s.sides = append(s.sides, newSide(run, s.names, opt.Floors[0]))
	if opt.Other != nil {
		s.sides = append(s.sides, newSide(opt.Other, s.names, opt.Floors[1]))
	}
	s.routes()
	return s
}

// Close stops the background work.
func (s *Server) Close() error {
	var errs []error
	for _, side := range s.sides {
		errs = append(errs, side.index.Close())
	}
	return errors.Join(errs...)
}

func (s *Server) routes() {
	sub, err := fs.Sub(assets, "assets")
	if err != nil {
		panic(err) // assets are embedded
	}
	s.mux.HandleFunc("GET /{$}",
		func(w http.ResponseWriter, r *http.Request) { http.ServeFileFS(w, r, sub, "view.html") })
	s.mux.Handle("GET /view/{file}", http.StripPrefix("/view/", http.FileServerFS(sub)))
	s.mux.HandleFunc("GET /api/run", s.getRun)
	s.mux.HandleFunc("GET /api/items", s.getItems)
	s.mux.HandleFunc("GET /api/item", s.getItem)
	s.mux.HandleFunc("GET /api/rollout", s.getRollout)
	s.mux.HandleFunc("GET /api/search", s.getHits)
	s.mux.HandleFunc("GET /api/labels.jsonl", s.getLabels)
	s.mux.HandleFunc("POST /api/label", s.postLabel)
}

// Listen opens a port that only this machine can reach; port 0 picks any free one.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// URL returns the address of the page on a listener, with the token in its fragment.
func (s *Server) URL(ln net.Listener) string {
	u := url.URL{Scheme: "http", Host: ln.Addr().String(), Path: "/", Fragment: "token=" + s.token}
	return u.String()
}

// shutdownTimeout is how long responses in flight may take when the server stops.
const shutdownTimeout = 2 * time.Second

// Serve serves on a listener until ctx ends, and closes it. It refuses a listener that other
// machines can reach.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok || !addr.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("serve on %s: only this machine may see a run: listen on 127.0.0.1", ln.Addr()),
			ln.Close())
	}
	base, stop := context.WithCancel(context.Background())
	defer stop()
	srv := &http.Server{
		Handler: s.guard(addr.Port, s.mux), ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute,
		MaxHeaderBytes: 64 << 10,
		BaseContext:    func(net.Listener) context.Context { return base },
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(ln) }()
	select {
	case err := <-served:
		return fmt.Errorf("serve on %s: %w", addr, err)
	case <-ctx.Done():
	}
	stop() // ends running searches
	shutdown, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
	defer cancel()
	err := srv.Shutdown(shutdown)
	if err != nil {
		err = srv.Close()
	}
	<-served
	return err
}
