package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"gonogo/sampler/rollout/disk"
)

// Write writes the page into dir: one file for each format that has one, and charts/NAME.png for
// each chart if one of the formats shows pictures. Everything is rendered before the first file is
// touched, and each file is replaced in one step, so that a reader never sees half a report. Formats
// made from rollouts are written to disk as they are made: they may be large. Without a format that has
// a file, it makes no directory.
func Write[P Page](dir string, p P, formats []Format[P]) error {
	if !slices.ContainsFunc(formats, func(f Format[P]) bool { return f.File != "" }) {
		return nil
	}
	p.base().tables = slices.ContainsFunc(formats, func(f Format[P]) bool { return f.Rollouts })
	pictures := slices.ContainsFunc(formats, func(f Format[P]) bool { return f.Pictures })
	files, err := render(dir, p, formats)
	if err != nil {
		return err
	}
	charts, made := filepath.Join(dir, "charts"), dir
	if pictures {
		drawn, err := p.base().chartFiles(charts)
		if err != nil {
			return err
		}
		if err := disk.CheckRegularDir(charts); err != nil {
			return fmt.Errorf("make report directory: %w", err)
		}
		files, made = append(files, drawn...), charts
	}
	if err := os.MkdirAll(made, 0o755); err != nil {
		return fmt.Errorf("make report directory: %w", err)
	}
	staged, err := stage(dir, p, formats)
	defer func() {
		for _, s := range staged {
			s.Discard()
		}
	}()
	if err != nil {
		return err
	}
	for _, f := range files {
		if err := disk.WriteFile(f.path, f.data); err != nil {
			return fmt.Errorf("make the report: %w", err)
		}
	}
	for len(staged) > 0 {
		if err := staged[0].Commit(); err != nil {
			return fmt.Errorf("make the report: %w", err)
		}
		staged = staged[1:]
	}
	if pictures {
		return p.base().removeEmpty(charts)
	}
	return nil
}

// removeEmpty removes the pictures in dir that an earlier report had and this one lacks.
func (p *common) removeEmpty(dir string) error {
	for _, f := range p.empty {
		if err := os.Remove(filepath.Join(dir, f.Name+".png")); err != nil && !os.IsNotExist(err) {
			return fmt.Errorf("remove a picture of the last report: %w", err)
		}
	}
	return nil
}

// file is a file of the report, rendered.
type file struct {
	path string
	data []byte
}

// render makes the formats that need only the page.
func render[P Page](dir string, p P, formats []Format[P]) ([]file, error) {
	var files []file
	for _, f := range formats {
		if f.File == "" || f.Rollouts {
			continue
		}
		var b bytes.Buffer
		if err := f.Write(&b, p); err != nil {
			return nil, err
		}
		files = append(files, file{filepath.Join(dir, f.File), b.Bytes()})
	}
	return files, nil
}

// stage writes the formats made from rollouts next to their final places. The files that it returns
// with an error are staged, too.
func stage[P Page](dir string, p P, formats []Format[P]) ([]*disk.Staged, error) {
	var staged []*disk.Staged
	for _, f := range formats {
		if f.File == "" || !f.Rollouts {
			continue
		}
		s, err := disk.StageFile(filepath.Join(dir, f.File), func(w io.Writer) error { return f.Write(w, p) })
		if err != nil {
			return staged, fmt.Errorf("make the report: %w", err)
		}
		staged = append(staged, s)
	}
	return staged, nil
}
