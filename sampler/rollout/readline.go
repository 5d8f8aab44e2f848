package rollout

// ReadLine reads one line of a file of rollouts by itself, as Read does but for
// what takes the lines before it: whether the record counts, and its sample
// where the line does not say it. numbered reports that the line says it.
// Source and split are those of a line that does not name its own; "" is Import
// and Train. The text may have white space around it, and is the caller's.
func ReadLine(text []byte, source Source, split Split) (rec *Record, numbered bool, err error) {
	d, err := decodeRecord(text, decoding{})
	if err != nil {
		return nil, false, err
	}
	if source == "" {
		source = Import
	}
	if split == "" {
		split = Train
	}
	if _, err := d.settle(source, split); err != nil {
		return nil, false, err
	}
	return d.rec, d.hasSample, nil
}
