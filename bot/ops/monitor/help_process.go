package monitor

// processHelp returns what each metric means that the kernel knows. Most have the names that
// Prometheus's own client gives them, which dashboards know.
func processHelp() map[string]string {
	return map[string]string{
		"process_cpu_seconds_total":              "CPU time, of the program and of the kernel for it.",
		"process_cpu_seconds_user_total":         "CPU time of the program.",
		"process_cpu_seconds_system_total":       "CPU time of the kernel for the program.",
		"process_major_pagefaults_total":         "Pages of memory that had to be read from disk.",
		"process_minor_pagefaults_total":         "Pages of memory that were mapped without the disk.",
		"process_num_threads":                    "Threads, as the kernel counts them.",
		"process_open_fds":                       "Open files and connections.",
		"process_max_fds":                        "Files and connections that may be open.",
		"process_start_time_seconds":             "When the process started, since 1970.",
		"process_resident_memory_bytes":          "Memory that is held.",
		"process_resident_memory_peak_bytes":     "The most memory that was held.",
		"process_resident_memory_anon_bytes":     "Memory that is held, of the program's own.",
		"process_resident_memory_file_bytes":     "Memory that is held, of files.",
		"process_resident_memory_shared_bytes":   "Memory that is held, shared with other processes.",
		"process_virtual_memory_bytes":           "Address space.",
		"process_virtual_memory_peak_bytes":      "The most address space.",
		"process_io_read_bytes_total":            "Bytes that were read, from connections too.",
		"process_io_written_bytes_total":         "Bytes that were written, to connections too.",
		"process_io_read_syscalls_total":         "Calls of the kernel to read.",
		"process_io_write_syscalls_total":        "Calls of the kernel to write.",
		"process_io_storage_read_bytes_total":    "Bytes that were read from disk.",
		"process_io_storage_written_bytes_total": "Bytes that were written to disk.",
	}
}

// runtimeHelp returns what each metric of Go's runtime means, likewise.
func runtimeHelp() map[string]string {
	return map[string]string{
		"go_info":            "The version of Go that the program was built with.",
		"go_info_ext":        "The compiler that the program was built with, and for what.",
		"go_goroutines":      "Goroutines.",
		"go_threads":         "Threads, as Go's runtime counts them.",
		"go_cpu_count":       "CPUs that the process may use.",
		"go_gomaxprocs":      "Goroutines that run at the same time at most.",
		"go_cgo_calls_count": "Calls of C, since the start.",

		"go_sched_latencies_seconds":          "For how long goroutines waited for a CPU.",
		"go_mutex_wait_seconds_total":         "For how long goroutines waited for locks, together.",
		"go_gc_duration_seconds":              "For how long the latest garbage collections stopped the program.",
		"go_gc_pauses_seconds":                "For how long each garbage collection stopped the program.",
		"go_gc_cpu_seconds_total":             "CPU time of the garbage collector, as Go estimates it.",
		"go_gc_mark_assist_cpu_seconds_total": "CPU time in which goroutines had to help the garbage collector.",
		"go_gc_forced_count":                  "Garbage collections that the program asked for, since the start.",
		"go_scavenge_cpu_seconds_total":       "CPU time to give memory back to the system.",
		"go_memlimit_bytes":                   "What GOMEMLIMIT allows.",

		"go_memstats_alloc_bytes":          "Memory of the heap in use.",
		"go_memstats_alloc_bytes_total":    "Memory of the heap that was ever taken.",
		"go_memstats_mallocs_total":        "Objects of the heap that were ever made.",
		"go_memstats_frees_total":          "Objects of the heap that were collected.",
		"go_memstats_lookups_total":        "Looks at pointers by the runtime.",
		"go_memstats_heap_alloc_bytes":     "Memory of the heap in use, likewise.",
		"go_memstats_heap_idle_bytes":      "Memory of the heap in parts that hold nothing.",
		"go_memstats_heap_inuse_bytes":     "Memory of the heap in parts that hold something.",
		"go_memstats_heap_objects":         "Objects of the heap.",
		"go_memstats_heap_released_bytes":  "Memory of the heap that was given back to the system.",
		"go_memstats_heap_sys_bytes":       "Memory of the heap that was had from the system.",
		"go_memstats_stack_inuse_bytes":    "Memory of goroutines' stacks.",
		"go_memstats_stack_sys_bytes":      "Memory of stacks that was had from the system.",
		"go_memstats_mspan_inuse_bytes":    "Memory of the runtime's spans in use.",
		"go_memstats_mspan_sys_bytes":      "Memory of the runtime's spans that was had from the system.",
		"go_memstats_mcache_inuse_bytes":   "Memory of the runtime's caches in use.",
		"go_memstats_mcache_sys_bytes":     "Memory of the runtime's caches that was had from the system.",
		"go_memstats_buck_hash_sys_bytes":  "Memory of the runtime's profiles.",
		"go_memstats_gc_sys_bytes":         "Memory of the garbage collector.",
		"go_memstats_other_sys_bytes":      "Memory of the rest of the runtime.",
		"go_memstats_sys_bytes":            "Memory that was had from the system.",
		"go_memstats_next_gc_bytes":        "Size of the heap at which it is collected next.",
		"go_memstats_gc_cpu_fraction":      "Part of the CPU time that the garbage collector took since the start.",
		"go_memstats_last_gc_time_seconds": "When garbage was collected last, since 1970.",
	}
}
