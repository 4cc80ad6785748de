package monitor

// help returns what each metric of the bot means.
func help() map[string]string {
	return map[string]string{
		"hostbot_interactions_total":     "Interactions by kind, route and outcome (unanswered: the customer read that the application did not respond, or not how it ended).",
		"hostbot_actions_total":          "Actions on bots that have ended, by name and outcome.",
		"hostbot_first_response_seconds": "From when Discord sent an interaction, by its ID, to Discord's word on the first response. Discord's clock is taken to differ from the machine's by the smallest age at an arrival lately, so the shortest way of an interaction, some 0.05 s, is not in it.",
		"hostbot_build_info":             "The program's version, the commit that it was built from, and Go's version.",
		"hostbot_ready":                  "1 while Discord delivers interactions.",
		"hostbot_leader":                 "1 while this replica does what only one may do: it polls, and sends alerts and panels.",

		"hostbot_hostapi_request_seconds": "Calls to the hosting service by operation and error code (empty: success).",
		"hostbot_hostapi_up":              "0 while the hosting service is taken to be away, and calls are refused.",
		"hostbot_cache_lookups_total":     "Looks at an account by result: fresh, or asked where the hosting service had to be.",

		"hostbot_discord_requests_total":     "Requests to Discord's REST API by route and class of status (none: not answered).",
		"hostbot_discord_invalid_requests":   "Requests of the last ten minutes that count towards a ban of this machine's address: Discord bans at 10,000.",
		"hostbot_gateway_shard_ready":        "1 while Discord delivers the events of a shard that is held.",
		"hostbot_gateway_latency_seconds":    "From a heartbeat to its acknowledgement.",
		"hostbot_gateway_shards_held":        "Shards that this replica holds.",
		"hostbot_gateway_sessions_remaining": "Sessions that Discord still allows today, when it was asked last: before each session that is begun, and every five minutes.",
		"hostbot_gateway_recommended_shards": "Shards that Discord recommends.",
		"hostbot_gateway_max_concurrency":    "Sessions that may be begun at the same time.",
		"hostbot_gateway_identifies_total":   "Sessions that were begun, or tried to begin.",
		"hostbot_gateway_resumes_total":      "Sessions that were resumed.",
		"hostbot_gateway_handovers_total":    "Shards that were given to other replicas.",

		"hostbot_redis_up":                  "0 while Redis cannot be used.",
		"hostbot_redis_connections":         "Connections to Redis.",
		"hostbot_redis_pool_timeouts_total": "Commands that found no free connection to Redis in time.",

		"hostbot_log_lines_dropped_total":   "Lines of the process log that were lost, because nobody read them in time or at all.",
		"hostbot_log_entries_waiting":       "Log channel entries that Discord does not have yet.",
		"hostbot_log_entries_dropped_total": "Log channel entries that nobody reads: too many waited, or for more than a day for a channel that is not in the settings any more.",
		"hostbot_log_oldest_entry_seconds":  "For how long the oldest entry has been waiting that Discord does not have yet.",
		"hostbot_log_channel_failing":       "1 while Discord does not take entries.",
		"hostbot_log_requests_total":        "Messages and edits that Discord took.",
		"hostbot_log_failed_requests_total": "Messages and edits that Discord did not take at once.",

		"hostbot_watch_accounts":           "Accounts that are watched, by all replicas.",
		"hostbot_watch_interval_seconds":   "Time between two polls of an account; more than WATCH_INTERVAL where WATCH_RATE allows no less.",
		"hostbot_watch_lag_seconds":        "For how long the account has been due that is due first.",
		"hostbot_watch_limited_accounts":   "Accounts whose polls the hosting service has answered with 429 lately, by all replicas.",
		"hostbot_watch_slowed":             "1 while polls of all accounts are fewer, as the hosting service has answered 429 to several.",
		"hostbot_watch_looks_total":        "Polls of this replica that succeeded.",
		"hostbot_watch_failed_looks_total": "Polls of this replica that did not succeed.",
		"hostbot_alerts_waiting":           "Alerts that are to be sent or edited, by all replicas.",
		"hostbot_alerts_sent_total":        "Alerts that were sent, by all replicas.",
		"hostbot_alerts_refused_total":     "Customers who took no message, by all replicas.",
		"hostbot_alerts_held":              "Whether Discord lets the bot send no direct messages, or none to new people.",
	}
}
