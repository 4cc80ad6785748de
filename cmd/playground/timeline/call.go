package timeline

import (
	"cmp"
	"encoding/json"
	"strings"

	"hostbot/bot/discordtest"
)

// tokenIn returns the interaction's token in a call's path; "" where there is none.
func tokenIn(c *discordtest.Call) string {
	parts := strings.Split(c.Path, "/")
	if len(parts) > 3 && (parts[1] == "interactions" || parts[1] == "webhooks") {
		return parts[3]
	}
	return ""
}

// meaning says what a call does.
func meaning(c *discordtest.Call) string {
	if c.Route == discordtest.RouteCallback {
		var body struct{ Type int }
		_ = json.Unmarshal(c.Request, &body) // what cannot be read has no type
		return "first response: " + map[int]string{
			4: "a message", 5: "“thinking…”, the answer follows", 6: "noted, a change follows",
			7: "changes the message", 8: "suggestions", 9: "a form",
		}[body.Type]
	}
	return cmp.Or(map[string]string{
		"POST " + discordtest.RouteFollowUps:    "a further message",
		"PATCH " + discordtest.RouteOriginal:    "changes the answer",
		"PATCH " + discordtest.RouteFollowUp:    "changes the answer",
		"DELETE " + discordtest.RouteOriginal:   "takes the answer away",
		"DELETE " + discordtest.RouteFollowUp:   "takes the answer away",
		"POST " + discordtest.RouteMessages:     "a message in a channel",
		"GET " + discordtest.RouteGateway:       "asks where the gateway is",
		"GET " + discordtest.RouteGatewayBot:    "asks where the gateway is",
		"GET " + discordtest.RouteCommands:      "reads the commands",
		"GET " + discordtest.RouteGuildCommands: "reads the commands",
		"PUT " + discordtest.RouteCommands:      "registers the commands",
		"PUT " + discordtest.RouteGuildCommands: "registers the commands",
	}[c.Method+" "+c.Route], c.Method)
}
