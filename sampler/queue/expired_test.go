package queue_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nkeys"

	"gonogo/sampler/queue"
)

// Credentials that run out end the run with what to do; what is recorded stays.
func TestCredentialsThatRunOutSaySo(t *testing.T) {
	t.Parallel()
	operator, account, system := check(nkeys.CreateOperator())(t), check(nkeys.CreateAccount())(t), check(nkeys.CreateAccount())(t)
	public := func(k nkeys.KeyPair) string { return check(k.PublicKey())(t) }
	trusted := jwt.NewOperatorClaims(public(operator))
	trusted.SystemAccount = public(system)
	accounts := &server.MemAccResolver{}
	for _, k := range []nkeys.KeyPair{account, system} {
		claims := jwt.NewAccountClaims(public(k))
		if k == account {
			claims.Limits.JetStreamLimits = jwt.JetStreamLimits{MemoryStorage: -1, DiskStorage: -1, Streams: -1, Consumer: -1}
		}
		if err := accounts.Store(public(k), check(claims.Encode(operator))(t)); err != nil {
			t.Fatal(err)
		}
	}
	url := serve(t, server.Options{
		JetStream: true, AccountResolver: accounts, SystemAccount: public(system),
		TrustedOperators: []*jwt.OperatorClaims{check(jwt.DecodeOperatorClaims(check(trusted.Encode(operator))(t)))(t)},
	})
	creds := func(until time.Time) queue.Address {
		user := check(nkeys.CreateUser())(t)
		claims := jwt.NewUserClaims(public(user))
		claims.Expires = until.Unix()
		seed := check(user.Seed())(t)
		file := filepath.Join(t.TempDir(), "user.creds")
		if err := os.WriteFile(file, check(jwt.FormatUserConfig(check(claims.Encode(account))(t), seed))(t), 0o600); err != nil {
			t.Fatal(err)
		}
		return queue.Address{URL: url, Creds: file}
	}
	c, err := queue.Dial(t.Context(), creds(time.Now().Add(-time.Hour)), nil)
	if err == nil {
		c.Close()
	}
	says(t, err, url, "queue.creds")

	c = check(queue.Dial(t.Context(), creds(time.Now().Add(10*time.Second)), nil))(t)
	defer c.Close()
	s := newSite(t, 0, nil)
	s.w.model = func(string) reply { return reply{text: "42", wait: 5 * time.Millisecond} }
	p := check(c.Lead(t.Context(), quick))(t)
	works := check(queue.Dial(t.Context(), creds(time.Now().Add(time.Hour)), nil))(t)
	defer works.Close()
	m := check(works.Join(t.Context(), quick.Run, queue.WorkerInfo{Host: "host", Slots: 8}))(t)
	var work sync.WaitGroup
	defer work.Wait()
	defer m.Leave()
	work.Go(func() { _, _ = m.Work(t.Context(), nil, s.cfg, s.w.boundaries(), nil, nil) })
	_, err = s.lead(t.Context(), p, makeJobs(20000), new(sink)) // more than it gets to make
	says(t, err, url, "the credentials are no longer valid: get new ones and run again; nothing is lost")
	_ = p.Close(false) // the connection is over
}
