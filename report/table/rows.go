package table

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/klauspost/compress/zstd"

	"gonogo/analysis/collect"
)

// row is a rollout as the tables show it: the cells of rolloutColumns, and its sub-scores.
type row struct {
	cells []any
	parts map[string]float64
}

func rowOf(columns []Column[collect.Counted], r collect.Counted) row {
	cells := make([]any, len(columns))
	for i, c := range columns {
		cells[i] = c.Of(r)
	}
	return row{cells, r.Parts}
}

// rowColumns are RolloutColumns of rows.
func rowColumns(parts []string, rest bool) []Column[row] {
	var all []Column[row]
	for i, c := range rolloutColumns() {
		if c.Name == partsBefore {
			all = append(all, partColumns(parts, rest, func(r row) map[string]float64 { return r.parts })...)
		}
		all = append(all, Column[row]{c.Name, c.Kind, c.Doc, func(r row) any { return r.cells[i] }})
	}
	return all
}

// mostKept is the memory of the rows that a keeper keeps, in bytes.
const mostKept = 64 << 20

// keeper keeps rows in memory, compressed, so that the rollouts are read only once.
type keeper struct {
	most, block int // bytes of all rows, compressed, and of those that are compressed together

	columns []Column[collect.Counted]
	part    map[string]uint64 // index in names
	names   []string          // of sub-scores
	open    []byte            // rows that are not compressed yet
	blocks  [][]byte
	size    int // of blocks
	zip     *zstd.Encoder
	lost    bool // there are more than may be kept
}

func newKeeper() *keeper {
	zip, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithWindowSize(128<<10), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // never: the options are right
	}
	return &keeper{
		most: mostKept, block: 128 << 10,
		columns: rolloutColumns(), part: make(map[string]uint64), zip: zip,
	}
}

// add keeps a rollout.
func (k *keeper) add(r collect.Counted) {
	if k.lost {
		return
	}
	k.open = binary.AppendUvarint(k.open, uint64(r.At))
	for _, c := range k.columns {
		k.open = appendCell(k.open, c.Of(r))
	}
	k.open = binary.AppendUvarint(k.open, uint64(len(r.Parts)))
	for name, x := range r.Parts {
		i, known := k.part[name]
		if !known {
			i = uint64(len(k.names))
			k.part[name] = i
			k.names = append(k.names, name)
		}
		k.open = binary.LittleEndian.AppendUint64(binary.AppendUvarint(k.open, i), math.Float64bits(x))
	}
	if len(k.open) >= k.block {
		k.pack()
	}
}

func (k *keeper) pack() {
	block := k.zip.EncodeAll(k.open, nil)
	k.blocks = append(k.blocks, slices.Clip(block))
	k.open = k.open[:0]
	if k.size += len(block); k.size > k.most {
		k.blocks, k.lost = nil, true
	}
}

// end compresses the last rows. No row is added after it.
func (k *keeper) end() {
	if len(k.open) > 0 && !k.lost {
		k.pack()
	}
	k.open, k.zip = nil, nil
}

// each yields the rows in the order in which they were added, with their lines, after end.
func (k *keeper) each(yield func(line int, r row) error) error {
	unzip, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true))
	if err != nil {
		return err
	}
	defer unzip.Close()
	cells := make([]any, len(k.columns))
	var text []byte
	for _, block := range k.blocks {
		if text, err = unzip.DecodeAll(block, text[:0]); err != nil {
			return err
		}
		for in := (kept{text}); len(in.text) > 0; {
			line := int(in.uvarint())
			for i := range cells {
				cells[i] = in.cell()
			}
			var parts map[string]float64
			if n := in.uvarint(); n > 0 {
				parts = make(map[string]float64, n)
				for range n {
					name := k.names[in.uvarint()]
					parts[name] = math.Float64frombits(in.uint64())
				}
			}
			if err := yield(line, row{cells, parts}); err != nil {
				return err
			}
		}
	}
	return nil
}

// The types of kept cells.
const (
	keptNone byte = iota
	keptText
	keptCount
	keptNumber
	keptTrue
	keptFalse
	keptTime
)

func appendCell(b []byte, value any) []byte {
	switch x := value.(type) {
	case nil:
		return append(b, keptNone)
	case string:
		return append(binary.AppendUvarint(append(b, keptText), uint64(len(x))), x...)
	case int64:
		return binary.AppendVarint(append(b, keptCount), x)
	case float64:
		return binary.LittleEndian.AppendUint64(append(b, keptNumber), math.Float64bits(x))
	case bool:
		if x {
			return append(b, keptTrue)
		}
		return append(b, keptFalse)
	case time.Time: // to the microsecond; see moment
		return binary.AppendVarint(append(b, keptTime), x.UnixMicro())
	}
	panic(fmt.Sprintf("table: a column holds a %T", value))
}

// kept reads what keeper.add wrote.
type kept struct{ text []byte }

func (k *kept) uvarint() uint64 {
	x, n := binary.Uvarint(k.text)
	k.text = k.text[n:]
	return x
}

func (k *kept) varint() int64 {
	x, n := binary.Varint(k.text)
	k.text = k.text[n:]
	return x
}

func (k *kept) uint64() uint64 {
	x := binary.LittleEndian.Uint64(k.text)
	k.text = k.text[8:]
	return x
}

func (k *kept) cell() any {
	kind := k.text[0]
	k.text = k.text[1:]
	switch kind {
	case keptText:
		n := k.uvarint()
		text := string(k.text[:n])
		k.text = k.text[n:]
		return text
	case keptCount:
		return k.varint()
	case keptNumber:
		return math.Float64frombits(k.uint64())
	case keptTrue, keptFalse:
		return kind == keptTrue
	case keptTime:
		return time.UnixMicro(k.varint())
	}
	return nil
}
