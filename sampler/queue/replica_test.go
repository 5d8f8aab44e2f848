package queue_test

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
)

// three starts three servers that keep what is stored on all of them.
func three(t *testing.T) (servers []*server.Server, urls string) {
	t.Helper()
	var routes []*url.URL
	var ports [3]int
	for i := range ports {
		var at string
		at, ports[i] = unused(t)
		routes = append(routes, &url.URL{Scheme: "nats", Host: at})
	}
	for i, port := range ports {
		ns := check(server.NewServer(&server.Options{
			ServerName: fmt.Sprintf("n%d", i), Host: loopback, Port: -1, Authorization: token, JetStream: true, StoreDir: t.TempDir(), SyncAlways: true,
			Cluster: server.ClusterOpts{Name: "three", Host: loopback, Port: port}, Routes: routes, NoLog: true, NoSigs: true,
		}))(t)
		ns.Start()
		t.Cleanup(func() {
			ns.Shutdown()
			ns.WaitForShutdown()
		})
		servers = append(servers, ns)
	}
	var all []string
	for _, ns := range servers {
		if !ns.ReadyForConnections(10 * time.Second) {
			t.Fatal("a server does not begin")
		}
		all = append(all, ns.ClientURL())
	}
	return servers, strings.Join(all, ",")
}

// A run whose streams are kept on three servers goes on when the one that leads them
// is stopped. The planner begins with the servers, before they have found each other.
// Their elections take some seconds each.
func TestDeepThreeServersOutliveTheLossOfOne(t *testing.T) {
	if os.Getenv("GONOGO_DEEP") == "" {
		t.Skip("a deep test: make deep")
	}
	t.Parallel()
	servers, urls := three(t)
	s := newSite(t, 0, nil)
	s.plan.Replicas, s.plan.Wait = 3, time.Minute
	s.w.model = func(string) reply { return reply{text: "42", wait: 20 * time.Millisecond} }
	c := dialTCP(t, urls)
	defer c.Close()
	p := check(c.Lead(t.Context(), s.plan))(t)
	s.team(t, urls, urls, urls)
	jobs := makeJobs(200)
	stopped := make(chan struct{})
	k := &sink{after: map[int]func(){30: func() {
		go func() {
			defer close(stopped)
			for _, ns := range servers {
				if ns.JetStreamIsStreamLeader("$G", "GONOGO-run-1-RESULTS") {
					ns.Shutdown()
					ns.WaitForShutdown()
					return
				}
			}
			t.Error("nobody leads the results")
		}()
	}}}
	check(s.lead(t.Context(), p, jobs, k))(t)
	<-stopped
	whole(t, jobs, k.list())
	if n := s.w.again(); n != p.PaidTwice() {
		t.Errorf("%d rollouts made again, %d told as paid twice", n, p.PaidTwice())
	}
	if err := p.Close(true); err != nil {
		t.Error(err)
	}
}

// What a cluster cannot keep is reported with the key to look at.
func TestMoreReplicasThanServersAreRefused(t *testing.T) {
	t.Parallel()
	c := dialTCP(t, embed(t, t.TempDir(), -1).URL())
	defer c.Close()
	plan := quick
	plan.Replicas = 3
	_, err := c.Lead(t.Context(), plan)
	says(t, err, "queue.replicas is how many servers keep it: use 1")
}
