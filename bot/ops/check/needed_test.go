package check

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

// TestNeededCommands compares what is tried with what the program calls: methods of go-redis's, and
// commands in its scripts.
func TestNeededCommands(t *testing.T) {
	// What a method sends, where it is not called after it; nothing for what the bot asks only of a Redis in its process.
	sends := map[string]string{
		"PIPELINED": "", "TXPIPELINED": "", "MEMORYUSAGE": "", "ZADDNX": "ZADD", "ZADDXX": "ZADD", "ZADDARGS": "ZADD", "ZRANGEWITHSCORES": "ZRANGE", "ZRANGEARGSWITHSCORES": "ZRANGE", "SETNX": "SET",
		"ZRANGEBYSCOREWITHSCORES": "ZRANGEBYSCORE",
		"XGROUPCREATEMKSTREAM":    "XGROUP", "XRANGEN": "XRANGE", "XTRIMMAXLEN": "XTRIM", "XTRIMMINID": "XTRIM",
	}
	methods, client := make(map[string]bool), reflect.TypeFor[redis.UniversalClient]()
	for method := range client.Methods() {
		methods[method.Name] = true
	}
	used := map[string]string{"PING": "go-redis", "EVAL": "redis.Script", "EVALSHA": "redis.Script", "UNSUBSCRIBE": "go-redis"}
	calls := regexp.MustCompile(`(?i:redis|client|pipe|\bp|\btx|\bc)\.([A-Z]\w+)\(ctx\b|redis\.p?call\('([A-Z]+)'`)
	for _, dir := range []string{"../../../bot", "../../../hostapi", "../../../commands"} {
		err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
			foreign := strings.HasSuffix(path, "_test.go") || strings.Contains(path, "/testing/") || strings.Contains(path, "/ops/check/") || strings.Contains(path, "redistest")
			if err != nil || foreign || filepath.Ext(path) != ".go" {
				return err
			}
			text, err := os.ReadFile(path)
			if !strings.Contains(strings.ToLower(string(text)), "redis") {
				return err
			}
			for _, call := range calls.FindAllStringSubmatch(string(text), -1) {
				if call[1] != "" && !methods[call[1]] {
					continue
				}
				name := strings.ToUpper(cmp.Or(call[1], call[2]))
				if sent, other := sends[name]; other {
					name = sent
				}
				used[name] = path
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	delete(used, "")
	delete(used, "WATCH") // with which try begins
	tried := make(map[string]string)
	for _, command := range needed() {
		name, _ := command[0].(string)
		tried[name] = name
	}
	for _, name := range slices.Sorted(maps.Keys(used)) {
		if tried[name] == "" {
			t.Errorf("%s is not tried, which %s calls", name, used[name])
		}
	}
	for _, name := range slices.Sorted(maps.Keys(tried)) {
		if used[name] == "" {
			t.Errorf("%s is tried, and nothing calls it", name)
		}
	}
}
