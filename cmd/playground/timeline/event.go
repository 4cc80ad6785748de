package timeline

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"
	"github.com/valyala/fastjson"

	event "hostbot/bot/interaction"
	"hostbot/bot/testing/discordtest"
)

// interactionOf reads the interaction that an event brings, if it is one.
func interactionOf(d *discordtest.Dispatch) (*interaction, bool) {
	data, err := fastjson.ParseBytes(d.Data)
	if d.Name != "INTERACTION_CREATE" || err != nil {
		return nil, false
	}
	e := event.ReadEvent(data)
	in := &interaction{token: string(e.Token), userID: e.UserID}
	in.ID, in.User, in.Title, in.At = e.ID, e.UserName, title(&e.Request, data), d.At
	in.until = d.At.Add(unanswered)
	return in, true
}

// title says what the user did.
func title(r *event.Request, data *fastjson.Value) string {
	switch r.Kind {
	case event.Component:
		return used(r, data)
	case event.Modal:
		return "form sent"
	}
	if discordgo.ApplicationCommandType(data.GetInt("data", "type")) != discordgo.ChatApplicationCommand {
		return "menu: " + r.Name
	}
	command := "/" + r.Name
	for _, name := range slices.Sorted(maps.Keys(r.Options)) {
		command += " " + name + ": " + r.Options[name]
	}
	if r.Kind == event.Autocomplete {
		return "typing: " + command
	}
	return command
}

// used says which button was pressed, or what was chosen in which menu.
func used(r *event.Request, data *fastjson.Value) string {
	text := func(v *fastjson.Value, keys ...string) string { return string(v.GetStringBytes(keys...)) }
	for _, row := range data.GetArray("message", "components") {
		for _, c := range row.GetArray("components") {
			switch {
			case text(c, "custom_id") != r.Name:
			case len(r.Values) == 0:
				return "button: " + strings.TrimSpace(text(c, "emoji", "name")+" "+text(c, "label"))
			default:
				var chosen []string
				for _, o := range c.GetArray("options") {
					if slices.Contains(r.Values, text(o, "value")) {
						chosen = append(chosen, text(o, "label"))
					}
				}
				return "menu: " + text(c, "placeholder") + " → " + strings.Join(chosen, ", ")
			}
		}
	}
	return "component"
}

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
		"POST " + discordtest.RouteThreads:      "starts a thread from a message",
		"GET " + discordtest.RouteGateway:       "asks where the gateway is",
		"GET " + discordtest.RouteGatewayBot:    "asks where the gateway is",
		"GET " + discordtest.RouteCommands:      "reads the commands",
		"GET " + discordtest.RouteGuildCommands: "reads the commands",
		"PUT " + discordtest.RouteCommands:      "registers the commands",
		"PUT " + discordtest.RouteGuildCommands: "registers the commands",
	}[c.Method+" "+c.Route], c.Method)
}
