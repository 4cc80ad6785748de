module hostbot/bot/testing/discordtest/clients

go 1.26.8

require (
	github.com/disgoorg/disgo v0.19.6
	github.com/disgoorg/omit v1.0.0
	github.com/disgoorg/snowflake/v2 v2.0.3
	github.com/google/go-cmp v0.7.0
	hostbot v0.0.0-00010101000000-000000000000
)

require (
	github.com/disgoorg/godave v0.1.0 // indirect
	github.com/disgoorg/json/v2 v2.0.0 // indirect
	github.com/gorilla/websocket v1.5.3 // indirect
	github.com/klauspost/compress v1.20.1 // indirect
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3 // indirect
	github.com/sasha-s/go-csync v0.0.0-20240107134140-fcbab37b09ad // indirect
	golang.org/x/crypto v0.59.0 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/text v0.44.0 // indirect
)

replace hostbot => ../../../..
