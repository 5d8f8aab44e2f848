package queue

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// Address says where a cluster is and how to come in. Creds, CA, Cert and Key are
// files.
type Address struct {
	URL                   string // nats://host:port or tls://host:port, several with commas between
	Creds                 string // a user's JWT and seed
	CA, Cert, Key         string // PEM
	Token, User, Password string
}

// Conn is a connection to a cluster.
type Conn struct{ nc *nats.Conn }

// Dial connects.
func Dial(ctx context.Context, a Address, log *slog.Logger) (*Conn, error) {
	return nil, errors.ErrUnsupported
}

// Close ends the connection.
func (c *Conn) Close() { c.nc.Close() }

// Server is a server inside this process.
type Server struct{ ns *server.Server }

// Embed starts a server that keeps its files in dir. Port 0 opens no socket; any
// other listens on loopback, and wants the token.
func Embed(dir string, port int, token string) (*Server, error) { return nil, errors.ErrUnsupported }

// Dial connects without a socket.
func (s *Server) Dial(ctx context.Context, log *slog.Logger) (*Conn, error) {
	return nil, errors.ErrUnsupported
}

// URL is where it listens; "" without a socket.
func (s *Server) URL() string { return s.ns.ClientURL() }

// Close ends the server. Its files stay.
func (s *Server) Close() { s.ns.Shutdown() }

// Plan is a run whose rollouts workers make.
type Plan struct {
	Run, Name   string
	Version     string // of this tool
	Fingerprint string // of what the run was made with: another one is another run
	Seed        uint64
	Description []byte // what a worker needs to know, opaque here
	Deliveries  int    // of a job, before it is given up; 0 = 4
	Replicas    int    // of what is stored in a cluster; 0 = 1

	AckWait time.Duration // after which a job whose worker is silent goes to another; 0 = 30 s
	Lease   time.Duration // after which such a worker's requests are let go; 0 = 10 s
}

// Planner leads a run. It is a sampler.Elsewhere.
type Planner struct{}

// Lead claims a run. A run that somebody leads is refused.
func (c *Conn) Lead(ctx context.Context, p Plan) (*Planner, error) {
	return nil, errors.ErrUnsupported
}

// Open begins a call of Sample.
func (p *Planner) Open(lines sampler.Lines, drained <-chan struct{}) (sampler.Maker, func()) {
	return nil, nil
}

// Workers tells how the workers do, in the order in which they came.
func (p *Planner) Workers() []WorkerState { return nil }

// PaidTwice is how many rollouts were made a second time though their record was
// there.
func (p *Planner) PaidTwice() int { return 0 }

// Tell hands over the counts that a status answers with.
func (p *Planner) Tell(e sampler.Event) {}

// Close lets go of the run and sends its workers away. What is stored of a
// complete one is deleted.
func (p *Planner) Close(complete bool) error { return nil }

// WorkerState is how one worker does.
type WorkerState struct {
	ID       string        `json:"id"`
	Host     string        `json:"host"`
	PID      int           `json:"pid"`
	Version  string        `json:"version"`
	Slots    int           `json:"slots"`
	InFlight int           `json:"in_flight"` // rollouts
	Requests int           `json:"requests"`  // to endpoints, under way
	Waiting  int           `json:"waiting"`   // requests that wait for their turn
	Made     int           `json:"made"`      // rollouts
	Missing  int           `json:"missing"`   // of them, those that a boundary failed
	Joined   time.Time     `json:"joined_at"`
	Silent   time.Duration `json:"silent_ns"`       // since it was heard last
	Lost     bool          `json:"lost"`            // silent for too long
	Left     bool          `json:"left"`            // it said so
	Lacks    string        `json:"lacks,omitempty"` // why it takes no jobs
}

// Me is a worker.
type Me struct {
	Host    string
	PID     int
	Slots   int // rollouts at once
	Version string
}

// Member is a worker that was let into a run.
type Member struct{}

// Join waits until somebody leads the run, or any for "", and joins it. A run
// that refuses is an error.
func (c *Conn) Join(ctx context.Context, run string, me Me) (*Member, error) {
	return nil, errors.ErrUnsupported
}

// Run is the run's id.
func (m *Member) Run() string { return "" }

// Seed is the run's.
func (m *Member) Seed() uint64 { return 0 }

// Description is the plan's.
func (m *Member) Description() []byte { return nil }

// Lacks tells the planner that this worker takes no jobs, and why.
func (m *Member) Lacks(ctx context.Context, reason string) error { return nil }

// Leave tells the planner that this worker goes.
func (m *Member) Leave() {}

// Work takes jobs until the run is over, which is no error, drain is closed, or
// ctx ends. redact masks the worker's own secrets in records.
func (m *Member) Work(ctx context.Context, drain <-chan struct{}, cfg sampler.Config, b sampler.Boundaries, redact *rollout.Redactor) (sampler.Stats, error) {
	return sampler.Stats{}, errors.ErrUnsupported
}

// Status is how a run does.
type Status struct {
	Run        string                  `json:"run"`
	Name       string                  `json:"name,omitempty"`
	Version    string                  `json:"version"`
	Host       string                  `json:"host"`
	PID        int                     `json:"pid"`
	Since      time.Time               `json:"since"`
	Told       bool                    `json:"told"` // what follows to Boundaries is known
	Jobs       int                     `json:"jobs"`
	Recorded   int                     `json:"recorded"`
	InFlight   int                     `json:"in_flight"`
	Outcomes   map[rollout.Outcome]int `json:"outcomes,omitempty"`
	Tokens     int64                   `json:"tokens"`
	USD        *float64                `json:"usd,omitempty"`
	Elapsed    time.Duration           `json:"elapsed_ns"`
	Boundaries []sampler.Boundary      `json:"boundaries,omitempty"`
	Workers    []WorkerState           `json:"workers"`
	PaidTwice  int                     `json:"paid_twice"`
}

// Status asks the planners of all runs that are led, or of one.
func (c *Conn) Status(ctx context.Context, run string) ([]Status, error) {
	return nil, errors.ErrUnsupported
}
