package commands

import "github.com/bwmarrin/discordgo"

// idRestartCrashed is for all bots of whoever presses it that have crashed by then: it names none.
const idRestartCrashed = "restartcrashed"

// restartCrashedButton restarts all that has crashed, of which so many are known. The prefix of its
// custom ID is "" or interaction.ReplyPrefix, where the message is to stay.
func (v view) restartCrashedButton(prefix string, n int) discordgo.Button {
	button := v.button(discordgo.PrimaryButton, "button.restart_all", prefix+idRestartCrashed, false)
	button.Label = v.t.Format("button.restart_all", args{"N": n})
	return button
}
