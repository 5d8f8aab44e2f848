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

// Options says how runs are shown.
type Options struct {
	Floors [2]float64                            // bottom of the reward range of each run
	Rater  string                                // who labels
	Mask   func([]rollout.Label) []rollout.Label // takes secrets out of labels before they are kept
	Redact bool                                  // names and texts are left out
	Other  *rollout.Run                          // a second run next to the first; nil is none
}

// Server is the page over one run or two, with its token.
type Server struct {
	opt   Options
	sides []*side
	names *names
	token string
	mux   *http.ServeMux
}

// New begins to index the runs. Close ends it.
func New(run *rollout.Run, opt Options) *Server {
	s := &Server{opt: opt, names: newNames(opt.Redact), token: rand.Text(), mux: http.NewServeMux()}
	s.sides = append(s.sides, newSide(run, s.names, opt.Floors[0]))
	if opt.Other != nil {
		s.sides = append(s.sides, newSide(opt.Other, s.names, opt.Floors[1]))
	}
	s.routes()
	return s
}

// Close ends the work in the background.
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
		panic(err) // it is built in
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

// Listen opens a port that this machine alone can reach; 0 is any that is free.
func Listen(port int) (net.Listener, error) {
	return net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
}

// URL is the page's address on a listener, with its token.
func (s *Server) URL(ln net.Listener) string {
	u := url.URL{Scheme: "http", Host: ln.Addr().String(), Path: "/", RawQuery: url.Values{"token": {s.token}}.Encode()}
	return u.String()
}

// farewell is how long answers that are being written may take at the end.
const farewell = 2 * time.Second

// Serve answers on a listener until ctx ends, and closes it. It refuses one that
// others than this machine can reach.
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
	ended := make(chan error, 1)
	go func() { ended <- srv.Serve(ln) }()
	select {
	case err := <-ended:
		return fmt.Errorf("serve on %s: %w", addr, err)
	case <-ctx.Done():
	}
	stop() // searches end
	last, cancel := context.WithTimeout(context.Background(), farewell)
	defer cancel()
	err := srv.Shutdown(last)
	if err != nil {
		err = srv.Close()
	}
	<-ended
	return err
}
