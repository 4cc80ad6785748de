package accounts

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"reflect"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
)

var noon = time.Date(2026, 1, 2, 12, 0, 0, 0, time.UTC)

// fill gives every field a value of its own.
func fill(v reflect.Value, n *int) {
	*n++
	switch {
	case v.Type() == reflect.TypeFor[time.Time]():
		v.Set(reflect.ValueOf(noon.Add(-time.Duration(*n) * time.Millisecond)))
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case v.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			fill(v.Index(i), n)
		}
	case v.Kind() == reflect.String:
		v.SetString("ünï <" + strconv.Itoa(*n))
	case v.CanInt():
		v.SetInt(-int64(*n))
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	default:
		panic(fmt.Sprintf("no value for a %v", v.Type()))
	}
}

func filled() *entry {
	e := new(entry)
	fill(reflect.ValueOf(e).Elem(), new(int))
	e.UserID = "1"
	return e
}

func encode(t testing.TB, e *entry) []byte {
	t.Helper()
	data, err := e.MarshalMsg(nil)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// A field that the generated code does not know is lost.
func TestEntryIsReadAsItWasWritten(t *testing.T) {
	for name, e := range map[string]*entry{"full": filled(), "missing": {UserID: "1", Missing: true}} {
		got, err := decode(encode(t, e), "1", noon)
		if err != nil {
			t.Fatal(name, err)
		}
		if diff := cmp.Diff(e, got); diff != "" {
			t.Errorf("%s (-written +read):\n%s", name, diff)
		}
	}
}

func TestEntryFormHasAVersion(t *testing.T) {
	sum := sha256.Sum256(encode(t, filled()))
	if got := hex.EncodeToString(sum[:8]); got != "9f3003a51a1030e8" {
		t.Errorf("the form is another one (%s): change the version in freshKey, and this sum", got)
	}
}

func TestDecodeRefusesNonsense(t *testing.T) {
	good := encode(t, filled())
	for length := range good {
		if _, err := decode(good[:length], "1", noon); err == nil {
			t.Errorf("the first %d bytes are taken for an entry", length)
		}
	}
	for name, data := range map[string][]byte{
		"more than an entry": append(bytes.Clone(good), 0),
		"JSON":               []byte(`{"UserID":"1"}`),
		// An array of 2^32-1 servers.
		"endless": append(encode(t, &entry{UserID: "1"})[:20], 0x92, 0xdd, 0xff, 0xff, 0xff, 0xff),
	} {
		if e, err := decode(data, "1", noon); err == nil {
			t.Errorf("%s: read as %+v", name, e)
		}
	}
	if _, err := decode(good, "2", noon); err == nil {
		t.Error("another user's entry is believed")
	}
}

func TestMemoryIsBounded(t *testing.T) {
	s := newStore(Config{})
	for i := range 2 * maxPending {
		s.memory.expire(strconv.Itoa(i))
	}
	if n := len(s.memory.accounts); n != maxPending {
		t.Errorf("%d accounts are kept", n)
	}
	if s.memory.get(strconv.Itoa(2*maxPending-1)) == nil {
		t.Error("the latest is not kept")
	}
}

// TenBots is an account for benchmarks.
func TenBots() hostapi.List {
	l := hostapi.List{Account: hostapi.Account{PlanName: "Pro", PlanRAMMB: 8192, MaxServers: 20, ServerCount: 10}}
	for i := range 10 {
		l.Servers = append(l.Servers, hostapi.Server{
			ID: fmt.Sprintf("cmf3k2x9q000%da8l5b2c7d1e0", i), Name: fmt.Sprintf("Music bot %d", i), Language: "NODE",
			Status: "RUNNING", Subdomain: fmt.Sprintf("music-%d", i), StartupCommand: "node index.js --color", EntryFile: "index.js",
			RAMMB: 512, DiskMB: 2048, CPUPercent: 100, PlanName: "Pro", CreatedAt: time.Date(2025, 1, 2, 3, 4, 5, 678e6, time.UTC),
		})
	}
	return l
}

func BenchmarkEncode(b *testing.B) {
	e := &entry{UserID: "80351110224678912", FetchedAt: noon, List: TenBots()}
	b.ReportAllocs()
	for b.Loop() {
		encode(b, e)
	}
}

func BenchmarkDecode(b *testing.B) {
	data := encode(b, &entry{UserID: "80351110224678912", FetchedAt: noon, List: TenBots()})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := decode(data, "80351110224678912", noon); err != nil {
			b.Fatal(err)
		}
	}
}
