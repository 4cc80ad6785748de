package configs_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/configs/redisurl"
	"hostbot/hostapi/secret"
)

// FuzzParse reads addresses in any place of which a password stands: an error does not repeat
// it, and what is accepted is the address of a server.
func FuzzParse(f *testing.F) {
	const password = "hunter2hunter2"
	for _, around := range [][2]string{
		{"", ""}, {"redis://:", "@localhost"}, {"rediss://user:", "@cache.example:7000/3"}, {"redis://", ":6379"},
		{"redis://localhost/", ""}, {"redis://a:26379/2?master_name=", "&addr=b:26379&password=word"},
		{"redis://a:26379?master_name=main&addr=b:26379&password=", ""}, {"redis://:word@a:7000?addr=b:7001&addr=", ":1"},
		{"redis://localhost?", "=1"}, {"redis://localhost#", ""}, {"redis://:", "%zz@localhost"}, {"redis://[", "]:1"}, {"redis://a:", ""},
	} {
		f.Add(around[0], around[1])
	}
	f.Fuzz(func(t *testing.T, before, after string) {
		options, err := redisurl.Parse(secret.Text(before + password + after))
		if err != nil {
			if strings.Contains(err.Error(), password) {
				t.Errorf("the error repeats it: %v", err)
			}
			return
		}
		if len(options.Addrs) == 0 || options.DB < 0 || !options.ContextTimeoutEnabled || options.ReadTimeout <= 0 {
			t.Errorf("accepted as %+v", options)
		}
		if err := redis.NewUniversalClient(options).Close(); err != nil { // which panics on options that make no sense
			t.Error(err)
		}
	})
}
