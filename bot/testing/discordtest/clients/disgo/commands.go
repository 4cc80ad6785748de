package main

import (
	"github.com/disgoorg/disgo/discord"
	"github.com/disgoorg/omit"
)

var commands = []discord.ApplicationCommandCreate{
	discord.SlashCommandCreate{
		Name:        "order",
		Description: "Your orders",
		Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionSubCommand{
				Name:        "create",
				Description: "Order something",
				Options: []discord.ApplicationCommandOption{
					discord.ApplicationCommandOptionString{
						Name: "item", Description: "What to order", Required: true, Autocomplete: true,
					},
					discord.ApplicationCommandOptionInt{
						Name: "amount", Description: "How many", MinValue: omit.Ptr(1), MaxValue: omit.Ptr(10),
					},
					discord.ApplicationCommandOptionBool{Name: "express", Description: "Send it today"},
					discord.ApplicationCommandOptionUser{Name: "recipient", Description: "Who gets it"},
				},
			},
			discord.ApplicationCommandOptionSubCommand{
				Name:        "status",
				Description: "Ask where an order is",
				Options: []discord.ApplicationCommandOption{
					discord.ApplicationCommandOptionInt{
						Name: "number", Description: "Number of the order", Required: true, MinValue: omit.Ptr(1),
					},
				},
			},
		},
	},
	discord.SlashCommandCreate{
		Name:        "announce",
		Description: "Write to a channel",
		Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionString{
				Name: "text", Description: "What to write", Required: true, MaxLength: omit.Ptr(200),
			},
			discord.ApplicationCommandOptionChannel{
				Name: "channel", Description: "Where to write it",
				ChannelTypes: []discord.ChannelType{discord.ChannelTypeGuildText, discord.ChannelTypeGuildNews},
			},
		},
		DefaultMemberPermissions: omit.NewPtr(discord.PermissionManageGuild),
	},
	discord.SlashCommandCreate{Name: "feedback", Description: "Tell us what you think"},
	discord.SlashCommandCreate{
		Name:        "count",
		Description: "Count in messages",
		Options: []discord.ApplicationCommandOption{
			discord.ApplicationCommandOptionInt{
				Name: "to", Description: "The last number", Required: true, MinValue: omit.Ptr(1), MaxValue: omit.Ptr(20),
			},
		},
	},
	discord.SlashCommandCreate{Name: "help", Description: "List the commands"},
	discord.UserCommandCreate{Name: "Greet"},
}
