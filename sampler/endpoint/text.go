package endpoint

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonogo/sampler/jsontext"
	"gonogo/sampler/rollout/credential"
	"gonogo/sampler/wording"
)

// maxErrorText bounds the text of an error that is kept in a record.
const maxErrorText = 500

// Brief shortens a foreign text to 500 bytes, between characters, and puts it on one line. It reads
// no more of the text than necessary: an endpoint may answer megabytes.
func Brief(s string) string {
	var b strings.Builder
	for word := range strings.FieldsSeq(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(word[:min(len(word), maxErrorText+1)])
		if b.Len() > maxErrorText {
			break
		}
	}
	return wording.ClipBytes(b.String(), maxErrorText)
}

// RetryAfter returns the delay that a server asks for: Retry-After-Ms, else Retry-After as seconds
// or as a date; 0 if it does not. A date counts from that of the answer: the server's clock and
// ours may differ.
func RetryAfter(h http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return span(ms, time.Millisecond)
	}
	v := h.Get("Retry-After")
	if s, err := strconv.ParseFloat(v, 64); err == nil {
		return span(s, time.Second)
	}
	if t, err := http.ParseTime(v); err == nil {
		return max(0, t.Sub(saidAt(h, now)))
	}
	return 0
}

// saidAt returns when an answer was sent, by the sender's clock; now if it does not say.
func saidAt(h http.Header, now time.Time) time.Time {
	if t, err := http.ParseTime(h.Get("Date")); err == nil {
		return t
	}
	return now
}

// span returns n units, at least 0 and at most a century; 0 for NaN.
func span(n float64, unit time.Duration) time.Duration {
	const longest = 100 * 365 * 24 * time.Hour
	if d := n * float64(unit); d > 0 {
		return time.Duration(min(d, float64(longest)))
	}
	return 0
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &authority) || errors.As(err, &host) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client")
}

func textOf(raw json.RawMessage) string { return jsontext.TextOrJSON(raw) }

func join(code, message string) string {
	switch {
	case code == "":
		return message
	case message == "":
		return code
	}
	return code + ": " + message
}

// Secrets are texts that must not appear in messages, records or pages. What a model or a grader
// reads is masked only by those of Config.Secrets: others may be ordinary words of a tool's answer.
type Secrets []string

// SecretsOf returns the secrets in headers, by credential.InHeader, and in keys. A plain header
// such as "X-Env: production" is not one. Values of fewer than 6 bytes protect nothing, and masking
// them would only garble texts.
func SecretsOf(headers map[string]string, keys ...string) Secrets {
	var s Secrets
	add := func(v string) {
		if v = strings.TrimSpace(v); len(v) >= credential.MinLength {
			s = append(s, v)
		}
	}
	for name, v := range headers {
		for _, secret := range credential.InHeader(name, v) {
			add(secret)
		}
	}
	for _, k := range keys {
		add(k)
	}
	slices.SortFunc(s, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	return s
}

// Answer returns an answer without the secrets, for a message about it.
func (s Secrets) Answer(a Answer) Answer {
	a.Body = []byte(s.Mask(string(a.Body)))
	return a
}

// Mask replaces every secret in text.
func (s Secrets) Mask(text string) string {
	for _, v := range s {
		if strings.Contains(text, v) {
			text = strings.ReplaceAll(text, v, credential.Mask)
		}
	}
	return text
}
