package sanitize_test

import (
	"testing"

	"hostbot/bot/sanitize"
)

func BenchmarkMarkdown(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sanitize.Markdown("Support_Bot *3*", 80)
	}
}

func BenchmarkPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		sanitize.Plain("Support_Bot *3*", 80)
	}
}
