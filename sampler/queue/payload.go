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

// A row or a record may be larger than what a server lets pass in one message, by
// default 1 MB. Bodies are packed from packFrom on; what is still too large is
// in the run's object store, and the message says under which name.
const (
	packFrom = 16 << 10
	largest  = rollout.MaxLine // unpacked
	forHeads = 4 << 10         // of a message, for its subject and headers

	storeTimeout = 2 * time.Minute // for one try to store or read the largest
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

// pack makes a body smaller where that is worth it.
func pack(body []byte, h nats.Header) []byte {
	if len(body) < packFrom {
		return body
	}
	h.Set(packedHeader, "zstd")
	return packer().EncodeAll(body, nil)
}

// unpack reads what pack wrote, up to largest bytes.
func unpack(body []byte, h nats.Header) ([]byte, error) {
	switch how := h.Get(packedHeader); {
	case how == "zstd":
		return unpacker().DecodeAll(body, nil)
	case how != "":
		return nil, fmt.Errorf("packed by %q, which is not known", how)
	}
	return body, nil
}

// CheckJobSize returns nil if the jobs of an item can be sent to workers, else an error
// with their size.
func CheckJobSize(it *rollout.Item) error { return travels(it, largest-forHeads) }

func travels(it *rollout.Item, most int) error {
	text := len(it.Row) + len(it.Tools)
	for i := range it.Messages {
		text += len(it.Messages[i].Content) + len(it.Messages[i].Parts)
	}
	if text < most/16 { // escaped, and with the rest of the row
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
	return fmt.Errorf("%.1f MB are more than the %d MB that can travel", math.Ceil(float64(bytes)/(1<<20)*10)/10,
		largest>>20)
}

// seal makes the message of a body that may be of any size, and stores what does
// not fit under the name.
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

// unseal reads the body of such a message.
func (c *Conn) unseal(ctx context.Context, n names, h nats.Header, body []byte) ([]byte, error) {
	if err := checkSchema(h.Get(schemaHeader), "who wrote it"); err != nil {
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

// discard deletes what seal stored in addition to a message.
func (c *Conn) discard(ctx context.Context, n names, h nats.Header) {
	name := h.Get(storedHeader)
	if name == "" {
		return
	}
	if store, err := c.js.ObjectStore(ctx, n.bucket()); err == nil {
		_ = store.Delete(ctx, name) // it goes with the run at the latest
	}
}

// create stores a message where there is none under its subject. there is whether
// one did.
//
// Note: no Nats-Msg-Id. The server refuses an id for two minutes, also when its
// message is gone, and a job that was given back comes again under its key.
func (c *Conn) create(ctx context.Context, doing, stream string, m *nats.Msg) (there bool, err error) {
	err = c.persist(ctx, doing, func(ctx context.Context) error {
		_, err := c.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
		if there = apiCode(err) == jetstream.JSErrCodeStreamWrongLastSequence; there {
			return nil
		}
		if errors.Is(err, jetstream.ErrNoStreamResponse) { // the server is not there, or the stream
			if _, gone := c.js.Stream(ctx, stream); errors.Is(gone, jetstream.ErrStreamNotFound) {
				return gone
			}
		}
		return err
	})
	return there, err
}
