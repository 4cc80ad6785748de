package timeline

import (
	"encoding/json"
	"fmt"
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
		return "first response: " + callbackMeaning(body.Type)
	}
	switch c.Method + " " + c.Route {
	case "POST " + discordtest.RouteFollowUps:
		return "a further message"
	case "PATCH " + discordtest.RouteOriginal, "PATCH " + discordtest.RouteFollowUp:
		return "changes the answer"
	case "DELETE " + discordtest.RouteOriginal, "DELETE " + discordtest.RouteFollowUp:
		return "takes the answer away"
	case "POST " + discordtest.RouteMessages:
		return "a message in a channel"
	case "GET " + discordtest.RouteGateway, "GET " + discordtest.RouteGatewayBot:
		return "asks where the gateway is"
	case "GET " + discordtest.RouteCommands, "GET " + discordtest.RouteGuildCommands:
		return "reads the commands"
	case "PUT " + discordtest.RouteCommands, "PUT " + discordtest.RouteGuildCommands:
		return "registers the commands"
	}
	return c.Method
}

// callbackMeaning says what a first response of a type does.
func callbackMeaning(kind int) string {
	switch kind {
	case 4:
		return "a message"
	case 5:
		return "“thinking…”, the answer follows"
	case 6:
		return "noted, a change follows"
	case 7:
		return "changes the message"
	case 8:
		return "suggestions"
	case 9:
		return "a form"
	}
	return fmt.Sprint("type ", kind)
}
