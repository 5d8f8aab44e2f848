package queue

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/nats-io/nats.go"
)

// tlsFiles are the certificate files of an address: the CAs we trust and the
// certificate we present.
type tlsFiles struct {
	ca, cert string    // "" if there is none
	until    time.Time // end of the certificate's validity
}

// options checks the address's files and returns the options for connecting.
func (a Address) options() ([]nats.Option, tlsFiles, error) {
	var opts []nats.Option
	p := tlsFiles{ca: a.CA, cert: a.Cert}
	if a.Creds != "" {
		if _, err := os.ReadFile(a.Creds); err != nil {
			return nil, p, fmt.Errorf("queue.creds: %w", err)
		}
		opts = append(opts, nats.UserCredentials(a.Creds))
	}
	if a.CA != "" {
		if err := certificates("queue.tls_ca", a.CA); err != nil {
			return nil, p, err
		}
		opts = append(opts, nats.RootCAs(a.CA))
	}
	if (a.Cert == "") != (a.Key == "") {
		return nil, p, errors.New("queue.tls_cert and queue.tls_key (--tls-cert, --tls-key) go together: give both " +
			"or neither")
	}
	if a.Cert != "" {
		var err error
		if p.until, err = pair(a.Cert, a.Key); err != nil {
			return nil, p, err
		}
		opts = append(opts, nats.ClientCert(a.Cert, a.Key))
	}
	if a.Token != "" {
		opts = append(opts, nats.Token(a.Token))
	}
	if a.User != "" {
		opts = append(opts, nats.UserInfo(a.User, a.Password))
	}
	return opts, p, nil
}

// certificates checks that a file holds certificates. key is its name in gonogo.yaml.
func certificates(key, file string) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	if !x509.NewCertPool().AppendCertsFromPEM(text) {
		return fmt.Errorf("%s: %s holds no certificate: it begins with -----BEGIN CERTIFICATE----- (PEM)", key, file)
	}
	return nil
}

// pair checks that a certificate and a key belong together, and returns the end of its validity.
func pair(cert, key string) (until time.Time, err error) {
	if err := certificates("queue.tls_cert", cert); err != nil {
		return until, err
	}
	if _, err := os.ReadFile(key); err != nil {
		return until, fmt.Errorf("queue.tls_key: %w", err)
	}
	both, err := tls.LoadX509KeyPair(cert, key)
	if err != nil {
		return until, fmt.Errorf("queue.tls_key: %s is not the key of %s (queue.tls_cert), in PEM and without a "+
			"password: %w", key, cert, err)
	}
	return both.Leaf.NotAfter, nil
}

// remedy returns what to do if one side does not trust the other's certificate; "" for any
// other error.
func (p tlsFiles) remedy(err error) string {
	if errors.Is(err, nats.ErrSecureConnWanted) {
		return "it does not speak TLS: use nats:// without queue.tls_ca, queue.tls_cert and queue.tls_key, or set " +
			"the server up for TLS"
	}
	if _, ok := errors.AsType[x509.UnknownAuthorityError](err); ok {
		by := "an authority that this machine does not trust"
		if p.ca != "" {
			by = "none of those in " + p.ca
		}
		return "its certificate is signed by " + by + ": name the certificate of its signer (queue.tls_ca, --tls-ca)"
	}
	if _, ok := errors.AsType[x509.HostnameError](err); ok {
		return "its certificate is for other names: use one of them in the address (queue.url, --queue), or have " +
			"the certificate made for this one"
	}
	if e, ok := errors.AsType[x509.CertificateInvalidError](err); ok && e.Reason == x509.Expired {
		return "the server needs a new certificate, unless the clock of this machine is wrong"
	}
	if op, ok := errors.AsType[*net.OpError](err); !errors.Is(err, nats.ErrTLS) && (!ok || op.Op != "remote error") {
		return ""
	}
	switch {
	case p.cert == "":
		return "it may require a client certificate: give queue.tls_cert and queue.tls_key (--tls-cert, --tls-key)"
	case time.Now().After(p.until):
		return fmt.Sprintf("the client certificate %s (queue.tls_cert) was valid until %s: get a new one", p.cert,
			p.until.Format(time.DateTime))
	}
	return fmt.Sprintf("it may not accept the client certificate %s: check that queue.tls_cert is signed by an "+
		"authority that the server trusts", p.cert)
}
