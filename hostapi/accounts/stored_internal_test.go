package accounts

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

// TestEachFieldIsReadBack fails where a field is stored and not read.
func TestEachFieldIsReadBack(t *testing.T) {
	stored := entry{
		UserID: "42", FetchedAt: time.Date(2026, 11, 22, 1, 2, 3, 456, time.UTC), DoubtedSince: time.Date(2026, 11, 22, 1, 2, 3, 0, time.UTC),
		List:  hostapi.List{Servers: make([]hostapi.Server, 2)},
		Notes: map[string]Note{"a": {}, "b": {}},
	}
	n := 0
	for i := range stored.List.Servers {
		fill(t, reflect.ValueOf(&stored.List.Servers[i]).Elem(), &n)
	}
	fill(t, reflect.ValueOf(&stored.List.Account).Elem(), &n)
	for id, note := range stored.Notes {
		fill(t, reflect.ValueOf(&note).Elem(), &n)
		stored.Notes[id] = note
	}
	data, err := stored.encode()
	if err != nil {
		t.Fatal(err)
	}
	read, err := decode(string(data), "42")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(stored, *read); diff != "" {
		t.Errorf("stored and read again (-stored +read):\n%s", diff)
	}
}

// fill gives each field of a struct a value of its own, which is not its zero.
func fill(t *testing.T, record reflect.Value, n *int) {
	t.Helper()
	for i := range record.NumField() {
		*n++
		switch field := record.Field(i); field.Interface().(type) {
		case string:
			field.SetString(fmt.Sprintf("%q of field %d ü 🤖 <&> \u2028\n", record.Type().Field(i).Name, *n))
		case bool:
			field.SetBool(true)
		case int:
			field.SetInt(int64(*n))
		case hostapi.StatusMap: // which is stored nowhere
		case time.Time:
			field.Set(reflect.ValueOf(time.Date(2026, 1, 1, 0, 0, *n, 5000, time.UTC)))
		default:
			t.Fatalf("what is a %s?", field.Type())
		}
	}
}
