package agent

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/wording"
)

// Maximum lengths of the bodies of requests, in bytes.
const (
	largestSample = 64 << 20
	largestReport = 1 << 20
)

// silent discards what the HTTP library logs about single connections.
var silent = log.New(io.Discard, "", 0)

// mostEnded is how many trajectories are remembered after their end.
const mostEnded = 4096

// jobRuntime has the API of SageMaker's job runtime: it is a server on loopback at which agents call the
// model, complete their rollouts and report rewards. Credentials of requests are ignored: what names a
// rollout is its trajectory id, which cannot be guessed.
type jobRuntime struct {
	listen  string
	client  *http.Transport // to the model's proxy
	forward *httputil.ReverseProxy

	mu     sync.Mutex // guards the fields below
	server *http.Server
	at     string // its URL
	failed error  // why it could not be started
	served chan error
	live   map[string]*trajectory
	ended  map[string]bool
	order  []string // the keys of ended, oldest first
	stray  int      // calls that named no trajectory of this run
	last   string   // what the last of them named
}

func newJobRuntime(listen string) *jobRuntime {
	transport := &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true}
	r := &jobRuntime{
		listen: listen, client: transport, served: make(chan error, 1),
		live: make(map[string]*trajectory), ended: make(map[string]bool),
	}
	r.forward = &httputil.ReverseProxy{
		Rewrite: toModel, Transport: transport, ModifyResponse: asRuntime, ErrorHandler: notForwarded,
		ErrorLog: silent, FlushInterval: -1,
	}
	return r
}

// start starts the server unless it is running.
func (r *jobRuntime) start() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.server != nil || r.failed != nil {
		return r.failed
	}
	listener, err := net.Listen("tcp", r.listen)
	if err != nil {
		agentErr := &sampler.AgentError{
			Kind: sampler.KindAgentStart, Outcome: rollout.ToolFailed,
			Err: fmt.Errorf("serve the job runtime for the agent: %w (agent.listen)", err),
		}
		r.failed = &endpoint.Failure{Fatal: true, Err: agentErr}
		return r.failed
	}
	r.at = "http://" + listener.Addr().String()
	r.server = &http.Server{Handler: r, ReadHeaderTimeout: 10 * time.Second, ErrorLog: silent}
	go func(s *http.Server) { r.served <- s.Serve(listener) }(r.server)
	return nil
}

// address returns the URL of the server.
func (r *jobRuntime) address() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.at
}

// close stops the server, if it was started.
func (r *jobRuntime) close() error {
	r.mu.Lock()
	server := r.server
	r.mu.Unlock()
	if server == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	err := server.Shutdown(ctx)
	if err != nil {
		err = server.Close()
	}
	if served := <-r.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	r.client.CloseIdleConnections()
	return err
}

// open makes a trajectory.
func (r *jobRuntime) open(model sampler.ModelAccess) *trajectory {
	t := newTrajectory("gonogo-"+rand.Text()+rand.Text(), model) // AgentCore's session ids have 33 characters or more
	r.mu.Lock()
	defer r.mu.Unlock()
	r.live[t.id] = t
	return t
}

// end closes a trajectory: its rollout has ended.
func (r *jobRuntime) end(t *trajectory) {
	t.change(func(s *state) { s.status = statusEnded })
	close(t.over)
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, t.id)
	r.ended[t.id] = true
	if r.order = append(r.order, t.id); len(r.order) > mostEnded {
		delete(r.ended, r.order[0])
		r.order = r.order[1:]
	}
}

// find returns the trajectory with an id, or why there is none.
func (r *jobRuntime) find(id string) (*trajectory, *runtimeError) {
	if id == "" {
		return nil, invalid("the request names no trajectory")
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if t := r.live[id]; t != nil {
		return t, nil
	}
	if r.ended[id] {
		return nil, conflict("Cannot transition trajectory %s: its rollout has ended", id)
	}
	r.stray++
	r.last = id
	return nil, notFound("there is no trajectory %s", endpoint.Brief(id))
}

// strays returns how many calls so far named no trajectory of this run.
func (r *jobRuntime) strays() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stray
}

// strayed says that calls since a count named no trajectory of this run; "" if none did.
func (r *jobRuntime) strayed(since int) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.stray == since {
		return ""
	}
	return fmt.Sprintf("; meanwhile %d calls named another trajectory, such as %q: send the one in metadata",
		r.stray-since, wording.ClipBytes(r.last, 80))
}

// runtimeError is an error in the format of the service.
type runtimeError struct {
	name    string
	status  int
	message string
}

func invalid(format string, args ...any) *runtimeError {
	return &runtimeError{"ValidationException", http.StatusBadRequest, fmt.Sprintf(format, args...)}
}

func conflict(format string, args ...any) *runtimeError {
	return &runtimeError{"ConflictException", http.StatusConflict, fmt.Sprintf(format, args...)}
}

func notFound(format string, args ...any) *runtimeError {
	return &runtimeError{"ResourceNotFoundException", http.StatusNotFound, fmt.Sprintf(format, args...)}
}

// ofStatus returns the error for a status of the model's server.
func ofStatus(status int, message string) *runtimeError {
	switch {
	case status == http.StatusTooManyRequests:
		return &runtimeError{"ThrottlingException", status, message}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &runtimeError{"AccessDeniedException", http.StatusForbidden, message}
	case status == http.StatusPaymentRequired:
		return &runtimeError{"ServiceQuotaExceededException", status, message}
	case status == http.StatusNotFound:
		return &runtimeError{"ResourceNotFoundException", status, message}
	case status/100 == 4:
		return invalid("%s", message)
	}
	return &runtimeError{"InternalServiceError", http.StatusInternalServerError, message}
}

// body returns the error as JSON, as AWS's clients read it or, with chat, as OpenAI's do.
func (e *runtimeError) body(chat bool) []byte {
	message := wording.ClipBytes(e.message, 1024) // the model's limit
	var v any = map[string]string{"Message": message}
	if chat {
		v = map[string]any{"error": map[string]any{"message": message, "type": e.name, "param": nil, "code": e.name}}
	}
	b, _ := json.Marshal(v) // strings always encode
	return b
}

func (e *runtimeError) write(w http.ResponseWriter, chat bool) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Amzn-Errortype", e.name)
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body(chat)) // fails if the agent is gone
}

// chatPath is the path at which the service is called as an OpenAI-compatible server.
const chatPath = "/v1/chat/completions"

// ServeHTTP serves the operations of the job runtime.
func (r *jobRuntime) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	chat := req.URL.Path == chatPath
	fault := r.serve(w, req)
	if fault != nil {
		fault.write(w, chat)
	}
}

func (r *jobRuntime) serve(w http.ResponseWriter, req *http.Request) *runtimeError {
	if req.Method != http.MethodPost {
		return &runtimeError{"UnknownOperationException", http.StatusNotFound, "there is no " + req.Method + " here"}
	}
	switch req.URL.Path {
	case chatPath, "/sample", "/sample-with-response-stream":
		return r.sample(w, req)
	case "/complete-rollout":
		return r.report(w, req, func(t *trajectory, q reported) *runtimeError {
			return t.complete(q.Status, q.ClientToken)
		})
	case "/update-reward":
		return r.report(w, req, func(t *trajectory, q reported) *runtimeError {
			return t.reward(q.Rewards, q.ClientToken)
		})
	}
	return &runtimeError{
		"UnknownOperationException", http.StatusNotFound,
		fmt.Sprintf("%.80q is not an operation of the job runtime", req.URL.Path),
	}
}

// reported is the body of CompleteRollout and UpdateReward. JobArn is a header in the service's API,
// and a key of the body in the SDK's.
type reported struct {
	JobArn       string
	TrajectoryId string //nolint:revive // as the service spells it
	Status       string
	Rewards      []*float64
	ClientToken  string
}

// The headers that name the job and the trajectory of a request.
const (
	jobHeader        = "X-Amzn-Sagemaker-Job-Arn"
	trajectoryHeader = "X-Amzn-Sagemaker-Trajectory-Id"
)

// report takes a call that reports something about a trajectory.
func (r *jobRuntime) report(w http.ResponseWriter, req *http.Request,
	take func(*trajectory, reported) *runtimeError,
) *runtimeError {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, largestReport))
	if err != nil {
		return invalid("the request cannot be read: %v", err)
	}
	q, unread := readReport(body)
	t, fault := r.find(q.TrajectoryId)
	if fault == nil {
		fault = cmp.Or(unread, wrongJob(cmp.Or(req.Header.Get(jobHeader), q.JobArn)))
	}
	if fault == nil {
		fault = take(t, q)
	}
	if fault != nil {
		if t != nil {
			t.refuse(fault.message)
		} else if unread != nil && q.TrajectoryId == "" {
			fault = unread
		}
		return fault
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, "{}") // fails if the agent is gone
	return nil
}

// notFinite matches numbers that are not JSON, as Python's json writes them.
var notFinite = regexp.MustCompile(`\bNaN\b|-?\bInfinity\b`)

// readReport reads a report. With an error it returns the trajectory that a readable part names.
func readReport(body []byte) (q reported, fault *runtimeError) {
	err := jsontext.Unmarshal(body, &q)
	if err == nil {
		return q, nil
	}
	if !notFinite.Match(body) {
		return q, invalid("the request cannot be read: %v", err)
	}
	_ = jsontext.Unmarshal(notFinite.ReplaceAll(body, []byte("null")), &q) // for the trajectory it names
	return q, invalid("a reward is NaN or infinite, which is not JSON")
}

// wrongJob returns an error unless a request names the job of this run.
func wrongJob(arn string) *runtimeError {
	switch arn {
	case sageMakerJob:
		return nil
	case "":
		return invalid("the request names no job (%s)", jobHeader)
	}
	return notFound("there is no job %s: send the one in metadata", endpoint.Brief(arn))
}

// forwarding is what a request on its way to the model carries.
type forwarding struct {
	t        *trajectory
	url      *url.URL
	body     []byte
	chat     bool
	answered bool // the model has begun to answer
}

// forwardingKey is the key of a request's *forwarding in its context.
type forwardingKey struct{}

func forwardingOf(req *http.Request) *forwarding {
	f, _ := req.Context().Value(forwardingKey{}).(*forwarding)
	return f
}

// sample forwards a request to the model. The name of the model in it is replaced: on the platform the
// job decides which model answers.
func (r *jobRuntime) sample(w http.ResponseWriter, req *http.Request) *runtimeError {
	t, fault := r.find(req.Header.Get(trajectoryHeader))
	if fault != nil {
		if fault.status == http.StatusConflict { // the service documents none for these operations
			fault = invalid("Trajectory %s is not in valid status: its rollout has ended", req.Header.Get(trajectoryHeader))
		}
		return fault
	}
	defer unblockAtEnd(t, w)()
	f, fault := r.prepare(w, req, t)
	if fault == nil {
		fault = t.begin()
	}
	if fault != nil {
		t.refuse(fault.message)
		return fault
	}
	whole := false
	defer func() { t.finish(f.answered && !whole) }()
	r.forward.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), forwardingKey{}, f)))
	whole = true // an answer that breaks off panics instead
	return nil
}

// unblockAtEnd makes reads and writes of the connection fail when the rollout ends: an agent that does
// not send its request, or does not read its answer, must not block anything.
func unblockAtEnd(t *trajectory, w http.ResponseWriter) (stop func()) {
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case <-t.over:
			c, past := http.NewResponseController(w), time.Unix(1, 0)
			_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // they fail if the connection is closed
		case <-done:
		}
	}()
	return func() {
		close(done)
		<-ended
	}
}

// prepare reads a request and returns what is forwarded.
func (r *jobRuntime) prepare(w http.ResponseWriter, req *http.Request, t *trajectory) (*forwarding, *runtimeError) {
	if fault := wrongJob(req.Header.Get(jobHeader)); fault != nil {
		return nil, fault
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, largestSample))
	if err != nil {
		return nil, invalid("the request cannot be read: %v", err)
	}
	var fields map[string]json.RawMessage
	if err := jsontext.Unmarshal(body, &fields); err != nil || fields == nil {
		return nil, invalid("the body is not a JSON object of Chat Completions")
	}
	fields["model"], _ = json.Marshal(t.model.Model) // a string always encodes
	if _, ok := fields["stream"]; !ok && req.URL.Path == "/sample-with-response-stream" {
		fields["stream"] = json.RawMessage("true")
	}
	f := &forwarding{t: t, chat: req.URL.Path == chatPath}
	if f.body, err = json.Marshal(fields); err != nil {
		return nil, invalid("the body cannot be read: %v", err)
	}
	if f.url, err = url.Parse(t.model.BaseURL + "/chat/completions"); err != nil {
		return nil, &runtimeError{"InternalServiceError", http.StatusInternalServerError, "the model has no address"}
	}
	return f, nil
}

// toModel rewrites a request for the model's proxy. None of its headers, credentials included, goes
// there.
func toModel(r *httputil.ProxyRequest) {
	f := forwardingOf(r.In)
	r.Out.URL, r.Out.Host = f.url, f.url.Host
	r.Out.Header = http.Header{
		"Content-Type": {"application/json"}, "Authorization": {"Bearer " + f.t.model.Key}, "User-Agent": {""},
	}
	r.Out.Body, r.Out.ContentLength = io.NopCloser(bytes.NewReader(f.body)), int64(len(f.body))
}

// asRuntime counts an answer of the model, before the agent can have read it and report rewards, and
// translates the error of an operation of the service.
func asRuntime(resp *http.Response) error {
	f := forwardingOf(resp.Request)
	if f.answered = resp.StatusCode == http.StatusOK; f.answered {
		f.t.answered()
	}
	if f.answered || f.chat {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, 64<<10))
	if err != nil {
		return err
	}
	_ = resp.Body.Close()
	e := ofStatus(resp.StatusCode, endpoint.ErrorText(endpoint.Answer{Status: resp.StatusCode, Body: text}))
	body := e.body(false)
	resp.StatusCode, resp.Status = e.status, ""
	resp.Body, resp.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	resp.Header.Set("Content-Type", "application/json")
	resp.Header.Set("X-Amzn-Errortype", e.name)
	resp.Header.Del("Content-Length")
	return nil
}

// notForwarded answers a request that did not reach the model's proxy, which happens when the rollout
// or the agent's connection ends.
func notForwarded(w http.ResponseWriter, req *http.Request, err error) {
	(&runtimeError{
		"InternalServiceError", http.StatusInternalServerError,
		"the request was not forwarded to the model: " + strings.TrimSpace(err.Error()),
	}).write(w, forwardingOf(req).chat)
}
