package sampler

import (
	"fmt"
	"net/http"
	"net/url"

	"gonogo/sampler/endpoint"
	"gonogo/sampler/rollout/credential"
)

// Address is a URL with headers, in both of which {{session.NAME}} stands for a value that the
// start of the rollout's session returned.
type Address struct {
	url     string
	header  http.Header
	headers map[string]string
	secrets endpoint.Secrets
	reads   []string
}

// NewAddress checks the URL of a key and the headers of its JSON requests.
func NewAddress(key, address string, headers map[string]string) (Address, error) {
	a := Address{
		url: address, header: endpoint.JSONHeader(headers), headers: headers,
		secrets: endpoint.SecretsOf(headers), reads: SessionVariables(address),
	}
	for _, value := range headers {
		a.reads = append(a.reads, SessionVariables(value)...)
	}
	if !a.UsesSession() {
		if err := checkURL(address); err != nil {
			return Address{}, fmt.Errorf("%s %w", key, err)
		}
	}
	return a, endpoint.CheckHeaders(headers)
}

func checkURL(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return fmt.Errorf("%q is not an http or https URL", credential.BareURL(address))
	}
	return nil
}

// UsesSession reports whether the address has session variables.
func (a Address) UsesSession() bool { return len(a.reads) > 0 }

// Reads lists the session variables of the address.
func (a Address) Reads() []string { return a.reads }

// URL returns the address as written.
func (a Address) URL() string { return a.url }

// In returns the address for a rollout with session e, its headers and the secrets in them. An
// error is a *endpoint.Failure.
func (a Address) In(e *RolloutSession) (address string, header http.Header, secrets endpoint.Secrets, err error) {
	if !a.UsesSession() {
		return a.url, a.header, a.secrets, nil
	}
	address, err = e.Fill(a.url)
	if err == nil {
		err = checkURL(address)
	}
	filled := make(map[string]string)
	for name, value := range a.headers {
		if err == nil {
			filled[name], err = e.Fill(value)
		}
	}
	if err == nil {
		err = endpoint.CheckHeaders(filled)
	}
	if err != nil {
		return "", nil, nil,
			&endpoint.Failure{URL: credential.BareURL(a.url), Err: fmt.Errorf("fill in the session: %w", err)}
	}
	secrets = endpoint.SecretsOf(filled)
	if e != nil {
		e.secrets.keep(secrets)
	}
	return address, endpoint.JSONHeader(filled), secrets, nil
}
