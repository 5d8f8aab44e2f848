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

// largest bounds a request, and what is kept of an answer.
const largest = 64 << 20

// dialect is one of the paths that are forwarded.
type dialect struct {
	path   string
	talks  bool                                             // it is a turn of the conversation
	input  string                                           // the request's key that holds the conversation
	read   func(json.RawMessage) ([]rollout.Message, error) // its value
	answer func([]byte) reply                               // a whole answer
	stream func() stream                                    // what reads a streamed one
}

// dialects lists what agents may ask. Nothing else of the model's API is theirs:
// the key they act under may do more than to ask.
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
		{path: "embeddings", answer: usageAlone},
	}
}

// asked is a request of an agent, read.
type asked struct {
	dialect
	body     []byte
	sum      [sha256.Size]byte // of the body as the agent wrote it
	messages []rollout.Message
	stream   bool
	injected bool // the usage of the stream was asked for by us
	limit    *int // of output tokens; nil without one
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

// forward asks the model what the agent asks.
func (p *Proxy) forward(w http.ResponseWriter, req *http.Request, r *room, d dialect) {
	defer r.play.Caller.Track()()
	defer untilTheEnd(r.ctx, w)()
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
	// The rollout's own end ends the request, too, and the rollout's clock runs it.
	ctx, stop := context.WithCancel(r.ctx)
	defer stop()
	defer context.AfterFunc(req.Context(), stop)()
	// A rollout that ends cancels its requests one by one: the next one may be admitted
	// in the place of the first before its own context is canceled.
	over := func() bool { return r.ctx.Err() != nil || ctx.Err() != nil }
	var said reply
	asked := false
	id := r.play.TraceID + "/" + strconv.Itoa(turn)
	_, unasked := r.play.Caller.Do(ctx, endpoint.Request{Endpoint: endpoint.Model, Name: id, Once: true},
		func(ctx context.Context, t *endpoint.Try) error {
			asked = true
			err = p.ask(ctx, w, r, q, id, t, &said)
			if t.Used(said.usage); said.cutOff != "" {
				return nil // the server has done its work
			}
			return err
		})
	switch {
	case !asked:
		if !over() { // else the rollout ended, and the model did not fail
			r.fail(unasked, "")
		}
		refuse(w, http.StatusServiceUnavailable, "unavailable", "the model is no longer asked")
	case err == nil, over() && said.message != nil: // what an agent did not hear to its end was said all the same
		if m := said.message; m != nil && transcript.CutAt(q.limit, said.finish, said.usage, m.ToolCalls) {
			said.finish = rollout.FinishLength
		}
		r.note(said, time.Now())
	case !over():
		r.fail(err, said.cutOff)
	}
	if errors.Is(err, errBrokeOff) {
		panic(http.ErrAbortHandler) // or the agent would take what came for all of it
	}
}

// untilTheEnd has an agent that does not send what it asks, or does not read what is
// answered, hold no one up when its rollout has ended.
func untilTheEnd(ctx context.Context, w http.ResponseWriter) (stop func()) {
	over := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		defer close(over)
		c, past := http.NewResponseController(w), time.Unix(1, 0)
		_, _ = c.SetReadDeadline(past), c.SetWriteDeadline(past) // on a connection that is gone they fail
	})
	return func() {
		if !undo() {
			<-over
		}
	}
}

// read reads a request, and asks a streamed chat to report its tokens.
func (p *Proxy) read(d dialect, body []byte) (asked, error) {
	q := asked{dialect: d, body: body, sum: sha256.Sum256(body)}
	var fields map[string]json.RawMessage
	if err := jsontext.Unmarshal(body, &fields); err != nil {
		return q, fmt.Errorf("the request is not a JSON object: %w", err)
	}
	var model string
	_ = jsontext.Unmarshal(fields["model"], &model) // "" is refused below
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
	_ = jsontext.Unmarshal(fields["stream"], &q.stream) // whatever else it is, is the model's to refuse
	if q.stream && d.path == "chat/completions" {
		q.body, q.injected = withUsage(body, fields)
	}
	return q, nil
}

// withUsage asks for the tokens of a streamed chat, where the agent does not.
func withUsage(body []byte, fields map[string]json.RawMessage) ([]byte, bool) {
	var options map[string]json.RawMessage
	_ = jsontext.Unmarshal(fields["stream_options"], &options)
	var told bool
	if _ = jsontext.Unmarshal(options["include_usage"], &told); told {
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
	more, err := json.Marshal(fields)
	if err != nil {
		return body, false
	}
	return more, true
}

// ask makes the request and hands the answer on as it comes.
func (p *Proxy) ask(ctx context.Context, w http.ResponseWriter, r *room, q asked, id string, t *endpoint.Try,
	said *reply,
) error {
	address := p.at(q.path)
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
	from := resp.Body
	if resp.StatusCode == http.StatusOK && strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") &&
		q.dialect.stream != nil {
		err := p.pass(w, resp, from, r, q, said)
		said.served = p.secrets.Mask(sampler.ServedBy(said.served, resp.Header))
		return err
	}
	text, err := io.ReadAll(endpoint.BoundedReply(from))
	if err != nil {
		err = endpoint.TransportFailure(address, fmt.Errorf("read the answer: %w", err))
		refuse(w, http.StatusBadGateway, "model_broke_off", err.Error())
		return err
	}
	if resp.StatusCode == http.StatusOK {
		text = r.blank(text, p.cfg.Secrets)
		*said = q.answer(text)
		said.served = p.secrets.Mask(sampler.ServedBy(said.served, resp.Header))
	} else {
		text = []byte(p.secrets.Mask(string(text)))
	}
	if err := p.failed(address, *said); said.broken {
		refuse(w, http.StatusBadGateway, "model_broke_off", err.Error())
		return err
	}
	copyHeader(w, resp)
	w.WriteHeader(resp.StatusCode)
	_, _ = w.Write(text) // an agent that is gone is found out by its own end
	if resp.StatusCode != http.StatusOK {
		f, cutOff := sampler.ModelRefusal(address, endpoint.Answer{
			Status: resp.StatusCode, Header: resp.Header,
			Body: text,
		})
		said.cutOff = cutOff
		return f
	}
	return p.failed(address, *said)
}

// failed is the failure that an answer of status 200 reports; nil when it reports none.
func (p *Proxy) failed(address string, said reply) error {
	if said.failed == nil {
		return nil
	}
	f := *said.failed
	f.URL, f.Err = credential.BareURL(address), errors.New(endpoint.Brief(p.secrets.Mask(f.Err.Error())))
	return &f
}

// copyHeader passes on the headers that an agent's library uses.
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

// deny answers in the place of the model, and takes down why.
func (r *room) deny(w http.ResponseWriter, status int, code, message string) {
	r.refuse(message)
	refuse(w, status, code, message)
}

// refuse answers with an error in the form OpenAI's API uses.
func refuse(w http.ResponseWriter, status int, code, message string) {
	writeJSON(w, status,
		map[string]any{"error": map[string]any{"message": message, "type": "gonogo_error", "param": nil, "code": code}})
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	b, err := json.Marshal(v)
	if err != nil { // it is made of texts and numbers
		panic("proxy: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}
