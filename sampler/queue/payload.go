package queue

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gonogo/sampler"
	"gonogo/sampler/rollout"
)

// A row or a record may be larger than a server allows for one message, by default 1 MB.
// Bodies of packFrom bytes or more are compressed. What is still too large goes to the run's
// object store, and the message holds its name there.
const (
	packFrom = 16 << 10
	largest  = rollout.MaxLine // size of an unpacked body
	forHeads = 4 << 10         // reserved in a message for its subject and headers

	storeTimeout = 2 * time.Minute // for one attempt to store or read the largest body
)

var (
	packer = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1))
		if err != nil {
			panic("queue: " + err.Error())
		}
		return e
	})
	unpacker = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(largest), zstd.WithDecoderConcurrency(2))
		if err != nil {
			panic("queue: " + err.Error())
		}
		return d
	})
)

// pack compresses a body of packFrom bytes or more, and notes that in the header.
func pack(body []byte, h nats.Header) []byte {
	if len(body) < packFrom {
		return body
	}
	h.Set(packedHeader, "zstd")
	return packer().EncodeAll(body, nil)
}

// unpack decompresses what pack compressed, up to largest bytes.
func unpack(body []byte, h nats.Header) ([]byte, error) {
	switch how := h.Get(packedHeader); {
	case how == "zstd":
		return unpacker().DecodeAll(body, nil)
	case how != "":
		return nil, fmt.Errorf("unknown compression %q", how)
	}
	return body, nil
}

// CheckJobSize returns an error with the size of an item's jobs if they are too large to be
// sent to workers.
func CheckJobSize(it *rollout.Item) error { return travels(it, largest-forHeads) }

func travels(it *rollout.Item, most int) error {
	text := len(it.Row) + len(it.Tools)
	for i := range it.Messages {
		text += len(it.Messages[i].Content) + len(it.Messages[i].Parts)
	}
	if text < most/16 { // even when it is escaped, with the rest of the row
		return nil
	}
	if n := len(it.Row); n > most {
		return tooLarge(uint64(n))
	}
	body, err := encodeJob(sampler.Rollout{Item: it})
	if err == nil && len(body) > most {
		err = tooLarge(uint64(len(body)))
	}
	return err
}

func tooLarge(bytes uint64) error {
	return fmt.Errorf("%.1f MB is over the limit of %d MB", math.Ceil(float64(bytes)/(1<<20)*10)/10,
		largest>>20)
}

// seal builds the message of a body of up to largest bytes. A body that does not fit into a
// message goes to the object store under the given name.
func (c *Conn) seal(ctx context.Context, n names, subject, name string, body []byte, h nats.Header) (*nats.Msg, error) {
	if len(body) > largest {
		return nil, tooLarge(uint64(len(body)))
	}
	h.Set(schemaHeader, Schema)
	body = pack(body, h)
	if int64(len(body)) > c.nc.MaxPayload()-forHeads {
		err := c.persistFor(ctx, storeTimeout, "store "+name, func(ctx context.Context) error {
			store, err := c.js.ObjectStore(ctx, n.bucket())
			if err == nil {
				_, err = store.PutBytes(ctx, name, body)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		h.Set(storedHeader, name)
		body = nil
	}
	return &nats.Msg{Subject: subject, Header: h, Data: body}, nil
}

// unseal returns the body of a message that seal built.
func (c *Conn) unseal(ctx context.Context, n names, h nats.Header, body []byte) ([]byte, error) {
	if err := checkSchema(h.Get(schemaHeader), "its writer"); err != nil {
		return nil, err
	}
	if name := h.Get(storedHeader); name != "" {
		var gone error
		err := c.persistFor(ctx, storeTimeout, "read "+name, func(ctx context.Context) error {
			store, err := c.js.ObjectStore(ctx, n.bucket())
			if err != nil {
				return err
			}
			info, err := store.GetInfo(ctx, name)
			if errors.Is(err, jetstream.ErrObjectNotFound) {
				gone = err
				return nil
			}
			if err != nil {
				return err
			}
			if info.Size > largest {
				gone = tooLarge(info.Size)
				return nil
			}
			body, err = store.GetBytes(ctx, name)
			return err
		})
		if err = errors.Join(err, gone); err != nil {
			return nil, err
		}
	}
	return unpack(body, h)
}

// discard deletes what seal put into the object store.
func (c *Conn) discard(ctx context.Context, n names, h nats.Header) {
	name := h.Get(storedHeader)
	if name == "" {
		return
	}
	if store, err := c.js.ObjectStore(ctx, n.bucket()); err == nil {
		_ = store.Delete(ctx, name) // it is deleted with the run at the latest
	}
}

// create stores a message unless its subject already holds one, which exists reports.
//
// Note: no Nats-Msg-Id. The server refuses a repeated id for two minutes even if its message
// is gone, but a job that was given back is stored again under its key.
func (c *Conn) create(ctx context.Context, doing, stream string, m *nats.Msg) (exists bool, err error) {
	err = c.persist(ctx, doing, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
		if exists = apiCode(err) == jetstream.JSErrCodeStreamWrongLastSequence; exists {
			return nil
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) { // the server or the stream is missing
			if _, gone := c.js.Stream(ctx, stream); errors.Is(gone, jetstream.ErrStreamNotFound) {
				return gone
			}
		}
		return err
	})
	return exists, err
}
