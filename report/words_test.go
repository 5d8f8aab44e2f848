package report

import (
	"reflect"
	"testing"
)

func TestTheCatalogueIsComplete(t *testing.T) {
	var walk func(path string, v reflect.Value)
	walk = func(path string, v reflect.Value) {
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				walk(path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		case reflect.Map:
			for _, k := range v.MapKeys() {
				walk(path, v.MapIndex(k))
			}
			if v.Len() == 0 {
				t.Errorf("%s has no entries", path)
			}
		case reflect.Slice:
			for i := range v.Len() {
				walk(path, v.Index(i))
			}
		case reflect.String:
			if v.String() == "" {
				t.Errorf("%s has no text", path)
			}
		}
	}
	walk("english", reflect.ValueOf(english))
}
