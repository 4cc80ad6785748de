package main

import (
	"fmt"

	"hostbot/bot/discordtest"
	"hostbot/hostapi/hostapitest"
)

// person is somebody whom one can be on the page.
type person struct {
	*discordtest.User
	about string
}

// people makes the users and their accounts.
func people(discord *discordtest.Server, service *hostapitest.Service) []person {
	customer := func(name, locale, about string, plan hostapitest.Plan, servers ...hostapitest.Server) person {
		user := discord.User(name, discordtest.Locale(locale))
		service.AddAccount(user.ID, plan)
		for _, s := range servers {
			s.PlanName = plan.Name
			service.AddServer(user.ID, s)
		}
		return person{user, about}
	}
	many := make([]hostapitest.Server, 60)
	for i := range many {
		many[i] = hosted(fmt.Sprintf("worker-%02d", i+1), hostapitest.Running, 256)
	}
	return []person{
		customer("Anna", "en-US", "A customer with three bots: one runs, one is stopped, one has crashed.",
			hostapitest.Plan{Name: "Pro", RAMMB: 4096, MaxServers: 5},
			hosted("Shop", hostapitest.Running, 512), hosted("Radio", hostapitest.Stopped, 1024), hosted("Quiz *night*", hostapitest.Crashed, 512)),
		customer("Ben", "de", "A customer with one bot and a full plan.",
			hostapitest.Plan{Name: "Starter", RAMMB: 512, MaxServers: 1}, hosted("Moderator", hostapitest.Running, 512)),
		customer("Ceren", "tr", "A customer with sixty bots.", hostapitest.Plan{Name: "Fleet", RAMMB: 32768, MaxServers: 100}, many...),
		customer("Dora", "en-US", "A customer who has no bot yet.", hostapitest.Plan{Name: "Starter", RAMMB: 512, MaxServers: 1}),
		{discord.User("Eli"), "Somebody without a hosting account."},
		{discord.User("Sam"), "One of the company's staff, who watches the log channel."},
	}
}

// hosted is a bot in the service.
func hosted(name, status string, ramMB int) hostapitest.Server {
	return hostapitest.Server{
		Name: name, Language: "NODE", Status: status, Subdomain: "bot.example",
		EntryFile: "index.js", StartupCommand: "node index.js", RAMMB: ramMB, DiskMB: 2048, CPUPercent: 100,
	}
}
