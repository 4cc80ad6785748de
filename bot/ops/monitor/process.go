package monitor

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// process writes what the kernel knows of the process: nothing where it has no /proc.
func (p *page) process() {
	self, err := procfs.Self()
	if err != nil {
		return
	}
	if stat, err := self.Stat(); err == nil {
		const ticks = 100 // a second, wherever Linux runs (USER_HZ)
		p.seconds("process_cpu_seconds_system_total", float64(stat.STime)/ticks)
		p.seconds("process_cpu_seconds_total", stat.CPUTime())
		p.seconds("process_cpu_seconds_user_total", float64(stat.UTime)/ticks)
		p.counter("process_major_pagefaults_total", uint64(stat.MajFlt))
		p.counter("process_minor_pagefaults_total", uint64(stat.MinFlt))
		p.gauge("process_num_threads", float64(stat.NumThreads))
		p.gauge("process_resident_memory_bytes", float64(stat.ResidentMemory()))
		p.gauge("process_virtual_memory_bytes", float64(stat.VirtualMemory()))
	}
	if status, err := self.NewStatus(); err == nil {
		p.gauge("process_virtual_memory_peak_bytes", float64(status.VmPeak))
		p.gauge("process_resident_memory_peak_bytes", float64(status.VmHWM))
		p.gauge("process_resident_memory_anon_bytes", float64(status.RssAnon))
		p.gauge("process_resident_memory_file_bytes", float64(status.RssFile))
		p.gauge("process_resident_memory_shared_bytes", float64(status.RssShmem))
	}
	if io, err := self.IO(); err == nil {
		p.counter("process_io_read_bytes_total", io.RChar)
		p.counter("process_io_written_bytes_total", io.WChar)
		p.counter("process_io_read_syscalls_total", io.SyscR)
		p.counter("process_io_write_syscalls_total", io.SyscW)
		p.counter("process_io_storage_read_bytes_total", io.ReadBytes)
		p.counter("process_io_storage_written_bytes_total", io.WriteBytes)
	}
	if limits, err := self.Limits(); err == nil {
		p.gauge("process_max_fds", float64(limits.OpenFiles))
	}
	if open, err := self.FileDescriptorsLen(); err == nil {
		p.gauge("process_open_fds", float64(open))
	}
}

// runtime writes what Go's runtime knows of itself.
func (p *page) runtime() {
	p.runtimeMetrics()
	p.memory()
	p.collections()
	threads, _ := runtime.ThreadCreateProfile(nil)
	p.counter("go_cgo_calls_count", uint64(runtime.NumCgoCall()))
	p.gauge("go_cpu_count", float64(runtime.NumCPU()))
	p.gauge("go_gomaxprocs", float64(runtime.GOMAXPROCS(0)))
	p.gauge("go_goroutines", float64(runtime.NumGoroutine()))
	p.gauge("go_threads", float64(threads))
	p.gauge("go_info", 1, "version", runtime.Version())
	p.gauge("go_info_ext", 1, "compiler", runtime.Compiler, "GOARCH", runtime.GOARCH, "GOOS", runtime.GOOS)
}

// runtimeMetrics writes some of package runtime/metrics.
func (p *page) runtimeMetrics() {
	names := [][2]string{
		{"go_sched_latencies_seconds", "/sched/latencies:seconds"},
		{"go_gc_pauses_seconds", "/sched/pauses/total/gc:seconds"},
		{"go_mutex_wait_seconds_total", "/sync/mutex/wait/total:seconds"},
		{"go_gc_mark_assist_cpu_seconds_total", "/cpu/classes/gc/mark/assist:cpu-seconds"},
		{"go_gc_cpu_seconds_total", "/cpu/classes/gc/total:cpu-seconds"},
		{"go_scavenge_cpu_seconds_total", "/cpu/classes/scavenge/total:cpu-seconds"},
		{"go_memlimit_bytes", "/gc/gomemlimit:bytes"},
	}
	samples := make([]metrics.Sample, len(names))
	for i, name := range names {
		samples[i].Name = name[1]
	}
	metrics.Read(samples)
	for i, s := range samples {
		switch name := names[i][0]; s.Value.Kind() {
		case metrics.KindFloat64Histogram:
			p.distribution(name, s.Value.Float64Histogram())
		case metrics.KindFloat64:
			p.seconds(name, s.Value.Float64())
		case metrics.KindUint64:
			p.gauge(name, float64(s.Value.Uint64()))
		}
	}
}

// distribution writes a histogram of Go's, which has hundreds of bounds, with a few. A
// value is shown one bound too high if Go's bucket with it reaches beyond its own.
func (p *page) distribution(name string, h *metrics.Float64Histogram) {
	p.describe(name, "histogram")
	i, total := 0, uint64(0)
	for _, bound := range []float64{1e-6, 1e-5, 1e-4, 1e-3, .01, .1, 1} {
		for ; i < len(h.Counts) && h.Buckets[i+1] <= bound; i++ {
			total += h.Counts[i]
		}
		p.sample(name+"_bucket", float64(total), below(decimal(bound), ""))
	}
	for ; i < len(h.Counts); i++ {
		total += h.Counts[i]
	}
	p.sample(name+"_bucket", float64(total), below("+Inf", ""))
}

// memory writes what package runtime says of the heap and the rest.
func (p *page) memory() {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	for _, figure := range []struct {
		name  string
		value uint64
	}{
		{"alloc_bytes", m.Alloc}, {"alloc_bytes_total", m.TotalAlloc}, {"buck_hash_sys_bytes", m.BuckHashSys},
		{"frees_total", m.Frees}, {"gc_sys_bytes", m.GCSys}, {"heap_alloc_bytes", m.HeapAlloc},
		{"heap_idle_bytes", m.HeapIdle}, {"heap_inuse_bytes", m.HeapInuse}, {"heap_objects", m.HeapObjects},
		{"heap_released_bytes", m.HeapReleased}, {"heap_sys_bytes", m.HeapSys}, {"lookups_total", m.Lookups},
		{"mallocs_total", m.Mallocs}, {"mcache_inuse_bytes", m.MCacheInuse}, {"mcache_sys_bytes", m.MCacheSys},
		{"mspan_inuse_bytes", m.MSpanInuse}, {"mspan_sys_bytes", m.MSpanSys}, {"next_gc_bytes", m.NextGC},
		{"other_sys_bytes", m.OtherSys}, {"stack_inuse_bytes", m.StackInuse}, {"stack_sys_bytes", m.StackSys}, {"sys_bytes", m.Sys},
	} {
		if name := "go_memstats_" + figure.name; strings.HasSuffix(name, "_total") {
			p.counter(name, figure.value)
		} else {
			p.gauge(name, float64(figure.value))
		}
	}
	p.gauge("go_memstats_gc_cpu_fraction", m.GCCPUFraction)
	p.gauge("go_memstats_last_gc_time_seconds", float64(m.LastGC)/1e9)
	p.counter("go_gc_forced_count", uint64(m.NumForcedGC))
}

// collections writes how long the latest garbage collections stopped the program.
func (p *page) collections() {
	const name = "go_gc_duration_seconds"
	stats := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&stats)
	p.describe(name, "summary")
	for i, quantile := range []string{"0", "0.25", "0.5", "0.75", "1"} {
		p.sample(name, stats.PauseQuantiles[i].Seconds(), `quantile="`+quantile+`"`)
	}
	p.sample(name+"_sum", stats.PauseTotal.Seconds(), "")
	p.sample(name+"_count", float64(stats.NumGC), "")
}
