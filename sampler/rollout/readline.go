package rollout

// ReadLine reads one line of a file of rollouts by itself, as Read does except for what depends on
// the lines before: whether the record counts, and its sample if the line does not give one.
// numbered reports whether the line gives it. source and split apply to a line without its own; ""
// is Import and Train. text may have white space around it; ReadLine does not keep it.
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
