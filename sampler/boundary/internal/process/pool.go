package process

import (
	"sync"
	"time"
)

// IdlePool holds idle peers for reuse. The zero value is empty. It is safe for concurrent use.
type IdlePool struct {
	mu    sync.Mutex // guards peers
	peers []*Peer    // the most recently used is last
}

// Take returns a running peer; nil if there is none. It kills what exited peers left running.
func (i *IdlePool) Take() *Peer {
	for {
		i.mu.Lock()
		n := len(i.peers)
		if n == 0 {
			i.mu.Unlock()
			return nil
		}
		p := i.peers[n-1]
		i.peers = i.peers[:n-1]
		i.mu.Unlock()
		if p.Alive() {
			return p
		}
		p.Kill()
	}
}

// Put returns a peer to the pool.
func (i *IdlePool) Put(p *Peer) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.peers = append(i.peers, p)
}

// Finish ends all peers at the same time, as Child.Finish does.
func (i *IdlePool) Finish(grace time.Duration) {
	var all sync.WaitGroup
	for p := i.Take(); p != nil; p = i.Take() {
		all.Go(func() { p.Finish(grace) })
	}
	all.Wait()
}
