package check

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/discord/register"
	"hostbot/bot/discord/rest"
	"hostbot/bot/staff/health"
)

// commandsGuild reports whether customers' commands can be registered in the one guild
// that is set.
func (c *checker) commandsGuild(ctx context.Context) health.Item {
	v := c.commandsIn(ctx, c.cfg.Settings.Discord.GuildID)
	if v.State == health.OK {
		v.Text = "commands are registered in guild " + c.cfg.Settings.Discord.GuildID + " alone"
	}
	return v
}

// commandsIn reports whether commands can be registered in a guild.
func (c *checker) commandsIn(ctx context.Context, guildID string) health.Item {
	app, err := c.discord.application()
	if err != nil {
		return c.withoutApplication()
	}
	var commands []struct{}
	err = c.discord.get(ctx, "applications/"+app.ID+"/guilds/"+guildID+"/commands", &commands)
	switch {
	case rest.IsAbsent(err):
		return fail(c.invite(app, guildID), "the bot may not register commands in guild %s", guildID)
	case err != nil:
		return discordTrouble(err)
	}
	return good("%d commands are registered there", len(commands))
}

// invite says where the bot is invited to a guild of the host's.
func (c *checker) invite(app register.Application, guildID string) string {
	return "invite it there: " + rest.InviteURL(app.ID, guildID, c.cfg.Settings.Admin.SupportChannelID != "")
}

// staffGuild reports whether the bot is in staff's guild and can have commands there.
func (c *checker) staffGuild(ctx context.Context) health.Item {
	id := c.cfg.Settings.Admin.GuildID
	v := c.commandsIn(ctx, id)
	if v.State != health.OK {
		return v
	}
	guild, err := c.guild(ctx, id)
	if err != nil {
		return c.notInGuild(id, err)
	}
	return good("%s (%s); %s", guild.Name, id, v.Text)
}

// notInGuild is what is found of a guild that could not be read.
func (c *checker) notInGuild(guildID string, err error) health.Item {
	app, appErr := c.discord.application()
	switch {
	case appErr != nil:
		return c.withoutApplication()
	case rest.IsAbsent(err):
		return fail(c.invite(app, guildID), "the bot is not in guild %s", guildID)
	}
	return discordTrouble(err)
}

// staffRoles reports whether the roles of staff exist.
func (c *checker) staffRoles(ctx context.Context) health.Item {
	admin := c.cfg.Settings.Admin
	if len(admin.RoleIDs) == 0 && len(admin.UserIDs) == 0 {
		return warn("set ADMIN_ROLE_IDS or ADMIN_USER_IDS", "nobody may use staff's commands")
	}
	guild, err := c.guild(ctx, admin.GuildID)
	if err != nil {
		return notChecked("the staff guild")
	}
	var names, unknown []string
	for _, id := range admin.RoleIDs {
		i := slices.IndexFunc(guild.Roles, func(r *discordgo.Role) bool { return r.ID == id })
		switch {
		case i < 0:
			unknown = append(unknown, id)
		case id == guild.ID: // it is that of @everyone
			return fail("take the guild's ID out of ADMIN_ROLE_IDS", "every member of the guild may use staff's commands")
		default:
			names = append(names, guild.Roles[i].Name)
		}
	}
	if len(unknown) > 0 {
		return fail("copy the roles' IDs anew to ADMIN_ROLE_IDS", "the guild has no role %s", strings.Join(unknown, ", "))
	}
	return good("%s", strings.Join(names, ", "))
}

// staffUsers reports whether staff are in their guild.
func (c *checker) staffUsers(ctx context.Context) health.Item {
	admin := c.cfg.Settings.Admin
	if _, err := c.guild(ctx, admin.GuildID); err != nil {
		return notChecked("the staff guild")
	}
	var names, unknown []string
	for _, id := range admin.UserIDs {
		member, err := c.member(ctx, admin.GuildID, id)
		switch code := rest.CodeOf(err); {
		case err == nil:
			names = append(names, member.User.Username)
		case code == rest.CodeUnknownMember, code == rest.CodeUnknownUser:
			unknown = append(unknown, id)
		default:
			return discordTrouble(err)
		}
	}
	if len(unknown) > 0 {
		return warn("invite them, or take them out of ADMIN_USER_IDS", "not in the guild: %s", strings.Join(unknown, ", "))
	}
	return good("%s", strings.Join(names, ", "))
}

// https://docs.discord.com/developers/resources/guild#get-guild
func (c *checker) guild(ctx context.Context, id string) (guild discordgo.Guild, err error) {
	return guild, c.discord.get(ctx, "guilds/"+id, &guild)
}

// https://docs.discord.com/developers/resources/guild#get-guild-member
func (c *checker) member(ctx context.Context, guildID, userID string) (member discordgo.Member, err error) {
	return member, c.discord.get(ctx, "guilds/"+guildID+"/members/"+userID, &member)
}

// named returns the names of what is true, sorted.
func named(facts map[string]bool) []string {
	maps.DeleteFunc(facts, func(_ string, is bool) bool { return !is })
	return slices.Sorted(maps.Keys(facts))
}
