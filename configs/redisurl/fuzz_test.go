package redisurl_test

import (
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"

	"hostbot/configs/redisurl"
	"hostbot/hostapi/secret"
)

// FuzzParse reads any address: without a crash, and without repeating the password.
func FuzzParse(f *testing.F) {
	for _, address := range []string{
		"redis://user:hunter2@host:6379/0", "rediss://:hunter2@host", "redis://host:26379/0?master_name=main&addr=host2:26379&password=hunter2",
		"redis://host:6379?addr=host2:6379&addr=host3", "redis://host?pool_size=9&read_timeout=1s&protocol=3", "redis://[::1]:x/-1?max_retries=-9", "redis://%zz@host", "unix:///x",
	} {
		f.Add(address)
	}
	f.Fuzz(func(t *testing.T, address string) {
		options, err := redisurl.Parse(secret.Text(address))
		switch {
		case err != nil && strings.Contains(err.Error(), "hunter2"):
			t.Errorf("%q is answered with %v", address, err)
		case err == nil:
			_ = redis.NewUniversalClient(options).Close() // which panics where an option is wrong
		}
	})
}
