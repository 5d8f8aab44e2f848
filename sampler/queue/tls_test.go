package queue_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"log/slog"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gonogo/sampler/queue"
)

// authority signs certificates.
type authority struct {
	t    *testing.T
	file string // its own certificate
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	last int64
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t}
	about := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign,
	}
	a.key = check(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	der := check(x509.CreateCertificate(rand.Reader, about, about, a.key.Public(), a.key))(t)
	a.cert = check(x509.ParseCertificate(der))(t)
	a.file = write(t, "ca.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
	return a
}

// sign makes a certificate for a name or an address, and its key.
func (a *authority) sign(name string, until time.Duration) (cert, key string) {
	a.t.Helper()
	a.last++
	about := &x509.Certificate{
		SerialNumber: big.NewInt(a.last + 1), Subject: pkix.Name{CommonName: name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(until),
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(name); ip != nil {
		about.IPAddresses = []net.IP{ip}
	} else {
		about.DNSNames = []string{name}
	}
	k := check(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(a.t)
	der := check(x509.CreateCertificate(rand.Reader, about, a.cert, k.Public(), a.key))(a.t)
	return write(a.t, "cert.pem", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})),
		write(a.t, "key.pem", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: check(x509.MarshalPKCS8PrivateKey(k))(a.t)}))
}

func write(t *testing.T, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// serve starts a server with a certificate for a name. clients is whether it wants
// one of theirs.
func (a *authority) serve(name string, until time.Duration, clients bool) (url string) {
	a.t.Helper()
	return serve(a.t, server.Options{JetStream: true, TLSConfig: a.config(name, until, clients)})
}

func (a *authority) config(name string, until time.Duration, clients bool) *tls.Config {
	a.t.Helper()
	cfg := &tls.Config{Certificates: []tls.Certificate{check(tls.LoadX509KeyPair(a.sign(name, until)))(a.t)}, MinVersion: tls.VersionTLS12}
	if clients {
		cfg.ClientAuth, cfg.ClientCAs = tls.RequireAndVerifyClientCert, x509.NewCertPool()
		cfg.ClientCAs.AddCert(a.cert)
	}
	return cfg
}

const loopback = "127.0.0.1"

func TestARunGoesThroughTLS(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	url := a.serve(loopback, time.Hour, true)
	for _, scheme := range []string{"tls://", "nats://"} { // a server that wants it gets it by either
		at := queue.Address{URL: scheme + strings.TrimPrefix(strings.TrimPrefix(url, "nats://"), "tls://"), CA: a.file}
		at.Cert, at.Key = a.sign("worker", time.Hour)
		s := newSite(t, 2, func() *queue.Conn { return check(queue.Dial(context.Background(), at, nil))(t) })
		jobs, k := makeJobs(20), new(sink)
		check(s.sample(t.Context(), nil, jobs, k))(t)
		whole(t, jobs, k.list())
		if s.twice+s.w.again() > 0 {
			t.Errorf("%s: %d paid twice, %d made again", scheme, s.twice, s.w.again())
		}
	}
}

// What is wrong with TLS does not pass: it is reported at once, by the keys to look at.
func TestWhatIsWrongWithTLSSaysWhichKey(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	open, closed := a.serve(loopback, time.Hour, false), a.serve(loopback, time.Hour, true)
	plain := serve(t, server.Options{JetStream: true})
	host := func(url string) string { return url[strings.Index(url, "//")+2:] }
	cert, key := a.sign("worker", time.Hour)
	_, another := a.sign("worker", time.Hour)
	theirs, theirKey := other.sign("worker", time.Hour)
	past, pastKey := a.sign("worker", -time.Hour)
	text := write(t, "text.pem", []byte("planted text"))
	for name, c := range map[string]struct {
		a    queue.Address
		want []string
	}{
		"another CA":                         {queue.Address{URL: open, CA: other.file}, []string{open, "signed by none of those in " + other.file, "queue.tls_ca, --tls-ca"}},
		"no CA":                              {queue.Address{URL: open}, []string{"signed by an authority that this machine does not trust", "queue.tls_ca, --tls-ca"}},
		"no CA, by nats://":                  {queue.Address{URL: "nats://" + host(open)}, []string{"signed by an authority that this machine does not trust", "queue.tls_ca, --tls-ca"}},
		"a server's that is over":            {queue.Address{URL: a.serve(loopback, -time.Hour, false), CA: a.file}, []string{"expired", "the server needs a new certificate"}},
		"one for another name":               {queue.Address{URL: a.serve("nats.example", time.Hour, false), CA: a.file}, []string{loopback, "use one of them in the address (queue.url, --queue)"}},
		"none where one is wanted":           {queue.Address{URL: closed, CA: a.file}, []string{closed, "give queue.tls_cert and queue.tls_key (--tls-cert, --tls-key)"}},
		"one that another has signed":        {queue.Address{URL: closed, CA: a.file, Cert: theirs, Key: theirKey}, []string{"it may not accept the client certificate " + theirs, "queue.tls_cert"}},
		"one of ours that is over":           {queue.Address{URL: closed, CA: a.file, Cert: past, Key: pastKey}, []string{"the client certificate " + past + " (queue.tls_cert) was valid until 20", "get a new one"}},
		"tls:// where none is spoken":        {queue.Address{URL: "tls://" + host(plain)}, []string{"it does not speak TLS: use nats:// without queue.tls_ca"}},
		"a CA where none is spoken":          {queue.Address{URL: plain, CA: a.file}, []string{"it does not speak TLS: use nats:// without queue.tls_ca"}},
		"the key of another":                 {queue.Address{URL: closed, CA: a.file, Cert: cert, Key: another}, []string{"queue.tls_key: " + another + " is not the key of " + cert + " (queue.tls_cert)", "does not match"}},
		"a certificate without its key":      {queue.Address{URL: closed, CA: a.file, Cert: cert}, []string{"queue.tls_cert and queue.tls_key (--tls-cert, --tls-key) go together"}},
		"a key without its certificate":      {queue.Address{URL: closed, CA: a.file, Key: key}, []string{"go together"}},
		"a CA that is no PEM":                {queue.Address{URL: closed, CA: text}, []string{"queue.tls_ca: " + text + " holds no certificate"}},
		"a certificate that is no PEM":       {queue.Address{URL: closed, Cert: text, Key: key}, []string{"queue.tls_cert: " + text + " holds no certificate"}},
		"a key that is no PEM":               {queue.Address{URL: closed, Cert: cert, Key: text}, []string{"queue.tls_key: " + text + " is not the key of " + cert}},
		"a file that is not there":           {queue.Address{URL: closed, CA: "nowhere.pem"}, []string{"queue.tls_ca: open nowhere.pem"}},
		"a key's file that is not there":     {queue.Address{URL: closed, Cert: cert, Key: "nowhere.pem"}, []string{"queue.tls_key: open nowhere.pem"}},
		"one that is there, one that is not": {queue.Address{URL: open + ",tls://127.0.0.1:1", CA: other.file}, []string{"queue.tls_ca, --tls-ca"}},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			conn, err := queue.Await(ctx, c.a, nil)
			if err == nil {
				conn.Close()
			}
			says(t, err, c.want...)
			if ctx.Err() != nil {
				t.Error("it was waited for")
			}
		})
	}
}

// A server that comes back with a certificate that no one trusts is waited for, and
// it learns why.
func TestAServerThatComesBackWithAnotherCertificateIsTold(t *testing.T) {
	t.Parallel()
	a, other := newAuthority(t), newAuthority(t)
	_, port := unused(t)
	begin := func(a *authority) (end func()) {
		ns := check(server.NewServer(&server.Options{Host: loopback, Port: port, NoLog: true, NoSigs: true, TLSConfig: a.config(loopback, time.Hour, false)}))(t)
		ns.Start()
		if !ns.ReadyForConnections(10 * time.Second) {
			t.Fatal("the server does not begin")
		}
		return func() {
			ns.Shutdown()
			ns.WaitForShutdown()
		}
	}
	end := begin(a)
	said := new(notes)
	c := check(queue.Dial(t.Context(), queue.Address{URL: fmt.Sprintf("tls://%s:%d", loopback, port), CA: a.file}, slog.New(slog.NewTextHandler(said, nil))))(t)
	defer c.Close()
	end()
	end = begin(other)
	until(t, func() bool { return said.count("signed by none of those in "+a.file) > 0 })
	end()
	defer begin(a)()
	until(t, func() bool { return said.count("queue server reachable again") > 0 })
	if n := said.count("queue.tls_ca"); n != 1 {
		t.Errorf("it was told %d times", n)
	}
}
