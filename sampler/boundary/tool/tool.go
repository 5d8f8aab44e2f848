package tool

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout"
	"gonogo/sampler/rollout/credential"
	"gonogo/sampler/wording"
)

// Config describes one tool of the job.
type Config struct {
	Name      string
	ServerURL string
	Headers   map[string]string          // with variables already replaced
	Extra     map[string]json.RawMessage // further keys of the job's entry, sent unchanged in the body
}

// Options apply to all tools of a run.
type Options struct {
	HTTP  *http.Client // nil = a new endpoint.HTTPClient
	Conns int          // connections to keep to each server; 0 = 16

	// MaxReply is the length in bytes of the longest answer that is shown to the model. The model
	// sees a longer one as an error with status 413, which is Azure's rule at 1 MB. 0 means
	// DefaultMaxReply.
	MaxReply int64
}

// DefaultMaxReply is 1 MB, for every target: without a limit, a huge tool answer that fills the context
// would be the more common way to lose a rollout.
const DefaultMaxReply = 1_000_000

// maxRefusal is how much of an error payload the model sees if a refusal has no output, in bytes.
const maxRefusal = 4096

// Tool is one tool behind HTTP. It implements sampler.Tool.
type Tool struct {
	name    string
	address sampler.Address
	client  *http.Client
	extra   []byte // ,"key":value… of the job's entry
	limit   int64  // Options.MaxReply
	echo    echo
}

// New returns the job's tools, in order.
func New(cfgs []Config, opts Options) ([]sampler.Tool, error) {
	if opts.MaxReply <= 0 {
		opts.MaxReply = DefaultMaxReply
	}
	if opts.HTTP == nil {
		opts.HTTP = endpoint.HTTPClient(nil, cmp.Or(opts.Conns, 16))
	}
	tools := make([]sampler.Tool, 0, len(cfgs))
	seen := map[string]bool{}
	for _, c := range cfgs {
		t, err := newTool(c, opts)
		if err != nil {
			return nil, err
		}
		if seen[c.Name] {
			return nil, fmt.Errorf("tool %q is listed twice", c.Name)
		}
		seen[c.Name] = true
		tools = append(tools, t)
	}
	return tools, nil
}

func newTool(c Config, opts Options) (*Tool, error) {
	if c.Name == "" {
		return nil, errors.New("a tool has no name")
	}
	address, err := sampler.NewAddress("server_url", c.ServerURL, c.Headers)
	if err != nil {
		return nil, fmt.Errorf("tool %q: %w", c.Name, err)
	}
	t := &Tool{name: c.Name, address: address, client: opts.HTTP, limit: opts.MaxReply}
	keys := make([]string, 0, len(c.Extra))
	for k := range c.Extra {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if reserved[k] {
			return nil, fmt.Errorf("tool %q: the extra key %q would replace a field of the call", c.Name, k)
		}
		if !json.Valid(c.Extra[k]) {
			return nil, fmt.Errorf("tool %q: the extra key %q is not JSON", c.Name, k)
		}
		t.extra = append(jsontext.AppendQuoted(append(t.extra, ','), k), ':')
		t.extra = append(t.extra, c.Extra[k]...)
	}
	return t, nil
}

// reserved holds the fields of a call's body.
var reserved = map[string]bool{
	"type": true, "id": true, "call_id": true, "name": true, "arguments": true,
	"trace_id": true, "item": true,
}

// Name returns the tool's name.
func (t *Tool) Name() string { return t.name }

// URL returns the tool's address.
func (t *Tool) URL() string { return t.address.URL() }

// SessionReads lists the session variables in the tool's address.
func (t *Tool) SessionReads() []string { return t.address.Reads() }

// Call makes one request. It returns a Result for what the model sees: an answer with status 2xx, or
// one with 4xx, with its output or else its payload. 408, 425, 429, 5xx, a broken connection, an answer
// that cannot be read and one that belongs to another call are retryable failures; the wire contract
// does not say what a trainer does with the last three.
func (t *Tool) Call(ctx context.Context, call sampler.Call) (sampler.Result, error) {
	address, header, secrets, err := t.address.In(call.RolloutSession)
	if err != nil {
		return sampler.Result{}, err
	}
	a, err := call.Try.Post(ctx, t.client, address, header, t.body(call), t.limit)
	if err != nil {
		return sampler.Result{}, err
	}
	switch {
	case transport(a):
		f := endpoint.StatusFailure(address, secrets.Answer(a))
		f.Fatal = false
		return sampler.Result{}, f
	case a.Over:
		text := fmt.Sprintf("413: the tool's output is longer than %d bytes", t.limit)
		return sampler.Result{HTTPStatus: a.Status, Error: text, Output: "Error: " + text}, nil
	case a.Status >= 400:
		return refusal(a, secrets), nil
	case a.Status >= 300:
		return sampler.Result{}, &endpoint.Failure{
			URL: credential.BareURL(address), Status: a.Status,
			Err: errors.New("the tool answered with a redirect without a target"),
		}
	}
	reply, ok := outputOf(a.Body)
	switch {
	case !ok:
		err = fmt.Errorf("the answer is not a JSON object with an \"output\": %s",
			endpoint.Brief(secrets.Mask(string(a.Body))))
	case t.echo.foreign(call.ID, reply.callID):
		err = fmt.Errorf("the answer to call %s belongs to another call, %s", call.ID,
			endpoint.Brief(secrets.Mask(reply.callID)))
	default:
		return sampler.Result{Output: reply.output, HTTPStatus: a.Status, Note: reply.note}, nil
	}
	return sampler.Result{}, &endpoint.Failure{
		URL: credential.BareURL(address), Status: a.Status, Temporary: true,
		Err: err,
	}
}

// transport reports whether an answer means a failure of the server, not a refusal by the tool. 409,
// which is temporary elsewhere, is a refusal here: the model has to resolve the conflict.
func transport(a endpoint.Answer) bool {
	return endpoint.Temporary(a.Status) && a.Status != http.StatusConflict
}

// body returns the body of a call. The item's row is sent unchanged.
func (t *Tool) body(call sampler.Call) []byte {
	var row []byte
	if call.Item != nil {
		row = call.Item.Row
	}
	b := make([]byte, 0, len(row)+len(call.Arguments)+len(t.extra)+256)
	field := func(name, value string) {
		b = append(b, name...)
		b = jsontext.AppendQuoted(b, value)
	}
	field(`{"type":"function_call","id":`, "fc_"+call.ID)
	field(`,"call_id":`, call.ID)
	field(`,"name":`, t.name)
	field(`,"arguments":`, call.Arguments)
	field(`,"trace_id":`, call.TraceID)
	b = append(b, `,"item":`...)
	b = append(b, row...)
	if len(row) == 0 {
		b = append(b, "null"...)
	}
	b = append(b, t.extra...)
	return append(b, '}')
}

// refusal returns the result of a 4xx answer, as the model sees it.
func refusal(a endpoint.Answer, secrets endpoint.Secrets) sampler.Result {
	res := sampler.Result{
		HTTPStatus: a.Status,
		Error:      fmt.Sprintf("status %d: %s", a.Status, endpoint.ErrorText(secrets.Answer(a))),
	}
	if reply, ok := outputOf(a.Body); ok {
		res.Output, res.Note = reply.output, reply.note
		return res
	}
	payload := wording.ClipBytes(string(a.Body), maxRefusal)
	if payload == "" {
		payload = http.StatusText(a.Status)
	}
	res.Output, res.NoOutput = fmt.Sprintf("Error %d: %s", a.Status, payload), true
	return res
}

// reply holds the fields of a tool's answer.
type reply struct {
	output string
	note   string // something unusual about the output
	callID string // the call that it answers; "" if it does not say
}

// outputOf reads {"output": …, "call_id": …}, or the same within "result". An output that is not a
// string becomes its JSON, with a note.
func outputOf(body []byte) (r reply, ok bool) {
	var output, callID, result []byte
	read := func(text []byte) error {
		return jsontext.Fields(text, func(key, value []byte) error {
			switch string(key) {
			case "output":
				output = value
			case "call_id":
				callID = value
			case "result":
				result = value
			}
			return nil
		})
	}
	if read(body) != nil {
		return reply{}, false
	}
	if inner := result; output == nil && inner != nil && read(inner) != nil {
		return reply{}, false
	}
	if output == nil {
		return reply{}, false
	}
	if output[0] != '"' {
		r.note = rollout.NotText
	}
	if r.output = jsontext.TextOrJSON(output); r.output == "" && output[0] == 'n' {
		r.output = "null"
	}
	r.callID = jsontext.TextOrJSON(callID)
	return r, true
}
