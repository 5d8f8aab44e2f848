package proxy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/internal/transcript"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
)

// largest is the maximum length of a request, and of an event of a stream, in bytes.
const largest = 64 << 20

// dialect is one of the paths that are forwarded.
type dialect struct {
	path   string
	talks  bool                                             // requests are turns of the conversation
	input  string                                           // the request's key with the conversation
	read   func(json.RawMessage) ([]rollout.Message, error) // reads the value of input
	answer func([]byte) reply                               // reads an answer that is not streamed
	stream func() stream                                    // returns a reader of a streamed answer
}

// dialects lists the requests that agents may make. The rest of the model's API is closed to them: the
// run's key may allow more than asking the model.
func dialects() []dialect {
	chat := func(raw json.RawMessage) ([]rollout.Message, error) { return transcript.Messages(raw, "user") }
	return []dialect{
		{
			path: "chat/completions", talks: true, input: "messages", read: chat, answer: chatAnswer,
			stream: func() stream { return &chatStream{} },
		},
		{
			path: "responses", talks: true, input: "input", read: transcript.Items, answer: responsesAnswer,
			stream: func() stream { return &responsesStream{} },
		},
		{path: "embeddings", answer: readUsage},
	}
}

// asked is an agent's request.
type asked struct {
	dialect
	body     []byte
	sum      [sha256.Size]byte // hash of the body as the agent wrote it
	messages []rollout.Message
	stream   bool
	injected bool // the proxy, not the agent, requested the stream's usage
	limit    *int // limit on output tokens; nil if none
}

// ServeHTTP forwards a request of an agent to the model.
func (p *Proxy) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	r, path := p.room(req)
	if r == nil {
		refuse(w, http.StatusUnauthorized, "invalid_api_key",
			"this address is for running rollouts: use the base_url and the api_key that came with this one")
		return
	}
	defer r.busy.Done()
	if path == "models" && req.Method == http.MethodGet {
		writeJSON(w, http.StatusOK,
			map[string]any{
				"object": "list",
				"data": []any{map[string]any{
					"id": p.cfg.Model, "object": "model", "created": 0,
					"owned_by": "gonogo",
				}},
			})
		return
	}
	for _, d := range dialects() {
		if path == d.path && req.Method == http.MethodPost {
			p.forward(w, req, r, d)
			return
		}
	}
	r.deny(w, http.StatusNotFound, "not_found", req.Method+" "+strconv.Quote(path)+" is not forwarded to the model: "+
		"POST chat/completions, responses and embeddings are, and GET models is answered")
}

// forward forwards an agent's request to the model.
func (p *Proxy) forward(w http.ResponseWriter, req *http.Request, r *room, d dialect) {
	defer r.play.Caller.Track()()
	defer unblockAtEnd(r.ctx, w)()
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, largest))
	if err != nil {
		r.deny(w, http.StatusRequestEntityTooLarge, "invalid_request", "the request cannot be read: "+err.Error())
		return
	}
	q, err := p.read(d, body)
	if err != nil {
		r.deny(w, http.StatusBadRequest, "invalid_request", err.Error())
		return
	}
	turn, limit := r.admit(q)
	if limit != "" {
		refuse(w, http.StatusBadRequest, "limit_reached", limit+" reached: this rollout must end")
		return
	}
	// The request ends with the rollout or the agent's connection, and runs on the rollout's clock.
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	defer context.AfterFunc(req.Context(), stop)()
	// The requests of a rollout that ends are canceled one by one: when the first one ends, the next one
	// may get its slot before its own context is canceled.
	over := func() bool { return r.ctx.Err() != nil || ctx.Err() != nil }
	var answer reply
	sent := false
	id := r.play.TraceID + "/" + strconv.Itoa(turn)
	_, notSent := r.play.Caller.Do(ctx, endpoint.Request{Endpoint: endpoint.Model, Name: id, Once: true},
		func(ctx context.Context, t *endpoint.Try) error {
			sent = true
			err = p.ask(ctx, w, r, q, id, t, &answer)
			if t.Used(answer.usage); answer.cutOff != "" {
				return nil // the server has done its work
			}
			return err
		})
	switch {
	case !sent:
		if !over() { // otherwise the rollout ended, and the model did not fail
			r.fail(notSent, "")
		}
		refuse(w, http.StatusServiceUnavailable, "unavailable", "the run sends no more requests to the model")
	case err == nil, over() && answer.message != nil: // record an answer even if the agent did not read all of it
		if m := answer.message; m != nil && transcript.CutAt(q.limit, answer.finish, answer.usage, m.ToolCalls) {
			answer.finish = rollout.FinishLength
		}
		r.note(answer, time.Now())
	case !over():
		r.fail(err, answer.cutOff)
	}
	if errors.Is(err, errBrokeOff) {
		panic(http.ErrAbortHandler) // otherwise the agent would think that the answer is complete
	}
}

// unblockAtEnd makes reads and writes of the connection fail when ctx, the rollout, ends: an agent that
// does not send its request or does not read its answer must not block anything.
func unblockAtEnd(ctx context.Context, w http.ResponseWriter) (stop func()) {
	done := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		defer close(done)
		c, past := http.NewResponseController(w), time.Unix(1, 0)
		_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // they fail if the connection is closed
	})
	return func() {
		if !undo() {
			<-done
		}
	}
}

// read reads a request. In a streamed chat request it also asks for the usage.
func (p *Proxy) read(d dialect, body []byte) (asked, error) {
	q := asked{dialect: d, body: body, sum: sha256.Sum256(body)}
	var fields map[string]json.RawMessage
	if err := jsontext.Unmarshal(body, &fields); err != nil {
		return q, fmt.Errorf("the request is not a JSON object: %w", err)
	}
	var model string
	_ = jsontext.Unmarshal(fields["model"], &model) // an invalid model is "", which is refused below
	if d.talks && model != p.cfg.Model {
		return q, fmt.Errorf("this run measures the model %q, not %q: send the name that came with the rollout "+
			"(model.name)", p.cfg.Model, endpoint.Brief(model))
	}
	if !d.talks {
		return q, nil
	}
	var err error
	if q.messages, err = d.read(bytes.TrimSpace(fields[d.input])); err != nil {
		return q, fmt.Errorf("%q cannot be read: %w", d.input, err)
	}
	for _, name := range []string{"max_tokens", "max_completion_tokens", "max_output_tokens"} {
		_ = jsontext.Unmarshal(fields[name], &q.limit)
	}
	_ = jsontext.Unmarshal(fields["stream"], &q.stream) // the model refuses an invalid value
	if q.stream && d.path == "chat/completions" {
		q.body, q.injected = withUsage(body, fields)
	}
	return q, nil
}

// withUsage adds a request for the usage to a streamed chat request, unless the agent asks for it. It
// reports whether it did.
func withUsage(body []byte, fields map[string]json.RawMessage) ([]byte, bool) {
	var options map[string]json.RawMessage
	_ = jsontext.Unmarshal(fields["stream_options"], &options)
	var included bool
	if _ = jsontext.Unmarshal(options["include_usage"], &included); included {
		return body, false
	}
	if options == nil {
		options = make(map[string]json.RawMessage)
	}
	options["include_usage"] = json.RawMessage("true")
	var err error
	if fields["stream_options"], err = json.Marshal(options); err != nil {
		return body, false
	}
	extended, err := json.Marshal(fields)
	if err != nil {
		return body, false
	}
	return extended, true
}

// ask makes the request, forwards the answer as it arrives, and stores it in answer.
func (p *Proxy) ask(ctx context.Context, w http.ResponseWriter, r *room, q asked, id string, t *endpoint.Try,
	answer *reply,
) error {
	address := p.modelURL(q.path)
	out, err := http.NewRequestWithContext(ctx, http.MethodPost, address, bytes.NewReader(q.body))
	if err != nil {
		return err
	}
	out.Header = endpoint.JSONHeader(nil)
	if q.stream {
		out.Header.Set("Accept", "text/event-stream")
	}
	if p.cfg.APIKey != "" {
		out.Header.Set("Authorization", "Bearer "+p.cfg.APIKey)
	}
	for name, value := range p.cfg.Headers {
		out.Header.Set(name, value)
	}
	out.Header.Set("X-Client-Request-Id", id)
	resp, err := p.cfg.HTTP.Do(out)
	if err == nil {
		err = t.Watch(resp)
	}
	if err != nil {
		err = endpoint.TransportFailure(address, err)
		refuse(w, http.StatusBadGateway, "model_unreachable", p.secrets.Mask(err.Error()))
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") &&
		q.dialect.stream != nil {
		err := p.pass(w, resp, resp.Body, r, q, answer)
		answer.served = p.secrets.Mask(sampler.ServedBy(answer.served, resp.Header))
		return err
	}
	text, err := io.ReadAll(endpoint.BoundedReply(resp.Body))
	if err != nil {
		err = endpoint.TransportFailure(address, fmt.Errorf("read the answer: %w", err))
		refuse(w, http.StatusBadGateway, "model_broke_off", err.Error())
		return err
	}
	if resp.StatusCode == http.StatusOK {
		text = r.blank(text, p.cfg.Secrets)
		*answer = q.answer(text)
		answer.served = p.secrets.Mask(sampler.ServedBy(answer.served, resp.Header))
	} else {
		text = []byte(p.secrets.Mask(string(text)))
	}
	if err := p.failed(address, *answer); answer.broken {
		refuse(w, http.StatusBadGateway, "model_broke_off", err.Error())
		return err
	}
	copyHeader(w, resp)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(text) // fails if the agent is gone, which is noticed elsewhere
	if resp.StatusCode != http.StatusOK {
		f, cutOff := sampler.ModelRefusal(address, endpoint.Answer{
			Status: resp.StatusCode, Header: resp.Header,
			Body: text,
		})
		answer.cutOff = cutOff
		return f
	}
	return p.failed(address, *answer)
}

// failed returns the failure that an answer with status 200 reports; nil if it reports none.
func (p *Proxy) failed(address string, answer reply) error {
	if answer.failed == nil {
		return nil
	}
	f := *answer.failed
	f.URL, f.Err = credential.BareURL(address), errors.New(endpoint.Brief(p.secrets.Mask(f.Err.Error())))
	return &f
}

// copyHeader forwards the headers that an agent's library uses.
func copyHeader(w http.ResponseWriter, resp *http.Response) {
	for name, values := range resp.Header {
		switch lower := strings.ToLower(name); {
		case lower == "content-type", lower == "retry-after", lower == "retry-after-ms", lower == "x-request-id",
			lower == "x-should-retry",
			strings.HasPrefix(lower, "x-ratelimit-"), strings.HasPrefix(lower, "openai-"):
			w.Header()[name] = values
		}
	}
}

// deny refuses a request, and records why.
func (r *room) deny(w http.ResponseWriter, status int, code, message string) {
	r.refuse(message)
	refuse(w, status, code, message)
}

// refuse answers with an error in the format of OpenAI's API.
func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status,
		map[string]any{"error": map[string]any{"message": message, "type": "gonogo_error", "param": nil, "code": code}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // cannot happen: v has only strings, numbers and nil
		panic("proxy: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
