package safetext_test

import (
	"testing"

	"hostbot/bot/safetext"
)

func BenchmarkMarkdown(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		safetext.Markdown("Support_Bot *3*", 80)
	}
}

func BenchmarkPlain(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		safetext.Plain("Support_Bot *3*", 80)
	}
}
