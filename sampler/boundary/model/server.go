package model

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/param"
	sdk "github.com/openai/openai-go/v3/responses"

	"gonogo/sampler"
	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// server makes single requests to one base URL.
type server struct {
	client  sdk.ResponseService
	http    *http.Client
	path    string // responses or chat/completions
	address string // the full URL without its query, for messages
	secrets endpoint.Secrets
}

func newServer(cfg Config) (*server, error) {
	if err := cfg.Validate(); err != nil {
		return nil, err
	}
	base, err := url.Parse(cfg.BaseURL)
	if err != nil {
		return nil, err
	}
	e := &server{http: cfg.HTTP, path: "responses", secrets: endpoint.SecretsOf(cfg.Headers, cfg.APIKey)}
	if cfg.API == Chat {
		e.path = "chat/completions"
	}
	if e.http == nil {
		conns := cfg.MaxConns
		if conns <= 0 {
			conns = 16
		}
		e.http = endpoint.HTTPClient(nil, conns)
	}
	query := base.Query()
	base.RawQuery, base.Fragment = "", ""
	base.Path = strings.TrimSuffix(base.Path, "/") + "/"
	e.address = credential.BareURL(base.String()) + e.path

	opts := []option.RequestOption{
		option.WithBaseURL(base.String()),
		option.WithHTTPClient(e.http),
		option.WithMaxRetries(0),
	}
	for name, values := range query {
		for _, v := range values {
			opts = append(opts, option.WithQueryAdd(name, v))
		}
	}
	if cfg.APIKey != "" {
		opts = append(opts, option.WithAPIKey(cfg.APIKey))
	}
	for name, value := range cfg.Headers {
		opts = append(opts, option.WithHeader(name, value))
	}
	if cfg.API == Chat {
		opts = append(opts, option.WithMiddleware(chatPath))
	}
	e.client = sdk.NewResponseService(opts...)
	return e, nil
}

// chatPath sends a request of the SDK's responses service to Chat Completions. The SDK's own service
// for it is in its root package, which links all other services, too: it would add 28 MB to the
// binary, and more to the time of a first build than everything else.
func chatPath(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
	req.URL = req.URL.ResolveReference(&url.URL{Path: "chat/completions", RawQuery: req.URL.RawQuery})
	return next(req)
}

// noParams replaces the SDK's parameters in a request with its own body, so that the SDK does not
// encode them in vain.
var noParams = param.Override[sdk.ResponseNewParams](json.RawMessage("{}"))

// readerOf returns a reader of a body in pieces. It does not change the body.
func readerOf(body net.Buffers) io.Reader {
	pieces := slices.Clone(body)
	return &pieces
}

// sized tells net/http the length of a body in pieces, and how to read it again.
func sized(body net.Buffers) option.Middleware {
	var size int64
	for _, piece := range body {
		size += int64(len(piece))
	}
	return func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		req.ContentLength = size
		req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(readerOf(body)), nil }
		return next(req)
	}
}

// watched reports the answer to a try, and limits how much is read of it to endpoint.MaxReply; the SDK
// by itself would read all of it.
func watched(t *endpoint.Try) option.Middleware {
	return func(req *http.Request, next option.MiddlewareNext) (*http.Response, error) {
		resp, err := next(req)
		if err == nil {
			err = t.Watch(resp)
		}
		if err != nil {
			return nil, err
		}
		resp.Body = endpoint.BoundedReply(resp.Body)
		return resp, nil
	}
}

// post makes one request. The error is an *endpoint.Failure, or a *refused for an answer with an error
// status.
func (e *server) post(ctx context.Context, t *endpoint.Try, body net.Buffers,
	requestID string,
) (answer []byte, header http.Header, err error) {
	var raw []byte
	var resp *http.Response
	_, err = e.client.New(ctx, noParams,
		option.WithRequestBody("application/json", readerOf(body)), option.WithMiddleware(watched(t), sized(body)),
		option.WithResponseBodyInto(&resp), option.WithHeader("X-Client-Request-Id", requestID))
	if resp != nil && err == nil {
		raw, err = endpoint.ReadReply(resp)
	}
	switch {
	case err == nil:
		return raw, resp.Header, nil
	case resp == nil:
		return nil, nil, endpoint.TransportFailure(e.address, err)
	case resp.StatusCode < 400, errors.Is(err, endpoint.ErrLongReply):
		return nil, nil, endpoint.TransportFailure(e.address, fmt.Errorf("read the answer: %w", err))
	}
	// The SDK leaves the body to be read again. Its own error loses the status if the body's "error" is
	// a string.
	text, _ := io.ReadAll(resp.Body)
	return nil, nil, e.refuse(endpoint.Answer{Status: resp.StatusCode, Header: resp.Header, Body: text})
}

// refused is an answer with an error status.
type refused struct {
	*endpoint.Failure
	code, message string
	param         string // the parameter that the error is about; "" if the server does not say
	text          string // text of the failure
	cutOff        string // why the failure is the rollout's own doing; "" if it is the endpoint's
}

// Unwrap returns the failure.
func (r *refused) Unwrap() error { return r.Failure }

// itemType matches the messages with which servers refuse an unknown type of input item: llama.cpp,
// vLLM and other servers that validate with pydantic, and Ollama.
var itemType = regexp.MustCompile(
	`(?i)type of '?(input )?item|(unknown|unsupported|unexpected|invalid) (input )?(item|message) ?(type)?|\binput\b[\]\[.\d'", ]+(type|role|content)`)

// refuse returns a *refused for an answer with an error status.
func (e *server) refuse(a endpoint.Answer) error {
	a = e.secrets.Answer(a)
	code, message := endpoint.APIError(a.Body)
	f, cutOff := sampler.ModelRefusal(e.address, a)
	if e.path == "responses" && !f.Temporary && cutOff == "" && itemType.MatchString(message) {
		f.Err = fmt.Errorf("%w; the server may know this kind of turn only in Chat Completions: try model.api: chat",
			f.Err)
	}
	return &refused{
		Failure: f, code: code, message: message, param: paramOf(a.Body), text: f.Err.Error(),
		cutOff: cutOff,
	}
}

// bad returns the failure of an answer with status 200 that cannot be used. It is retryable.
func (e *server) bad(format string, args ...any) error {
	text := endpoint.Brief(e.secrets.Mask(fmt.Sprintf(format, args...)))
	return &endpoint.Failure{URL: e.address, Status: http.StatusOK, Temporary: true, Err: errors.New(text)}
}

// close closes the idle connections.
func (e *server) close() { e.http.CloseIdleConnections() }
