package main

import (
	"os"
	"os/signal"

	"github.com/nats-io/nats-server/v2/server"

	"gonogo/sampler/queue"
)

// queueServer is a program for scripts: a queue on loopback, whose address it
// writes to FILE, until it is interrupted. It keeps jobs in DIR, and without
// one is a server without JetStream.
func queueServer() {
	if len(os.Args) < 2 || len(os.Args) > 3 {
		panic("usage: queueserver FILE [DIR]")
	}
	var address string
	if len(os.Args) == 3 {
		s, err := queue.Embed(os.Args[2], server.RANDOM_PORT, os.Getenv(queue.TokenEnv))
		if err != nil {
			panic(err)
		}
		address = s.URL()
	} else {
		s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, Authorization: os.Getenv(queue.TokenEnv), NoLog: true, NoSigs: true})
		if err != nil {
			panic(err)
		}
		s.Start()
		address = s.ClientURL()
	}
	if err := os.WriteFile(os.Args[1]+".new", []byte(address), 0o644); err != nil {
		panic(err)
	}
	if err := os.Rename(os.Args[1]+".new", os.Args[1]); err != nil {
		panic(err)
	}
	over := make(chan os.Signal, 1)
	signal.Notify(over, os.Interrupt) // which may be ignored where the tests run in the background
	<-over
}
