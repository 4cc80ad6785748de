package bot

import (
	"slices"
	"strings"
	"testing"

	"hostbot/commands"
	"hostbot/configs"
	"hostbot/hostapi"
	"hostbot/locale"
)

// offersAll is a hosting service that has every operation.
type offersAll struct{ commands.Hosting }

func (offersAll) Offers(hostapi.Operation) bool { return true }

// TestCommandsBelongToOneList: nobody sees a command twice, whatever guilds are named.
func TestCommandsBelongToOneList(t *testing.T) {
	texts, err := locale.Load()
	if err != nil {
		t.Fatal(err)
	}
	const customers, staff = "bot help plan", "Hosted bots admin"
	for name, test := range map[string]struct {
		customersGuild, staffsGuild string
		want                        []string // each list: its guild, and its commands
	}{
		"everywhere":                {"", "", []string{"", customers}},
		"customers' guild":          {"1", "", []string{"1", customers}},
		"staff's guild":             {"", "2", []string{"", customers, "2", staff}},
		"both":                      {"1", "2", []string{"1", customers, "2", staff}},
		"both of them are the same": {"1", "1", []string{"1", staff + " " + customers}},
	} {
		t.Run(name, func(t *testing.T) {
			s := &configs.Settings{}
			s.Discord.GuildID, s.Admin.GuildID = test.customersGuild, test.staffsGuild
			b := &Bot{settings: s, handlers: commands.New(commands.Config{Hosting: offersAll{}, Texts: texts, Staff: commands.Staff{GuildID: test.staffsGuild}})}
			var got []string
			for _, scope := range b.scopes() {
				var names []string
				for _, c := range scope.Commands {
					names = append(names, c.Name)
				}
				slices.Sort(names)
				got = append(got, scope.GuildID, strings.Join(names, " "))
				if scope.Registered == nil {
					t.Errorf("of the list %q nobody learns the commands' IDs", scope.GuildID)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("the lists are %q, want %q", got, test.want)
			}
		})
	}
}
