package commands

import (
	"slices"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
)

// group is commands that the same people may use, with all that is typed, chosen, pressed
// and filled in for them.
type group struct {
	// admit lets those through who may use the commands. If it is nil, the routes are closed.
	admit    interaction.Middleware
	staff    bool // they are registered in staff's guild alone
	commands []command
}

// command is an entry in the table of commands. The router's routes, the definitions
// that are registered with Discord, the suggestions for an option and the list in
// /help follow from it.
//
// Its texts have the keys command.<name>.name and .description, with dots for the
// spaces of the name. They decide what a reader sees in another language than English.
// Discord sends the names of the table, whatever the reader's language.
type command struct {
	name     string // in full: "bot show"
	userMenu string // key of the name of a context menu on a user, which this then is
	// purpose is under which heading /help lists the command; unlisted for none.
	purpose purpose
	// forManagers is for members of a guild who may manage messages in the channel.
	forManagers bool
	off         bool // it is not registered
	// requires lists operations of which one must be turned on for the command to be
	// registered; nil for none.
	requires []hostapi.Operation
	options  []option
	handle   interaction.Handler
	// components and modals are the routes of the custom IDs that the command's
	// messages carry. Messages live for long, so a route must not be renamed.
	components, modals []route
}

// purpose is what customers use a command for.
type purpose int

const (
	unlisted purpose = iota
	toSee
	toDo
	toBeTold
)

// route is a pattern of custom IDs, as package interaction has them.
type route struct {
	pattern string
	handle  interaction.Handler
}

// option is an option of a command. Its texts are those with the key option.<name>.
type option struct {
	name     string
	optional bool
	kind     discordgo.ApplicationCommandOptionType
	choices  []string            // values, each called what the button.<value> is
	complete interaction.Handler // suggests values while one is typed; nil for none
}

// The names of options.
const (
	optionBot    = "bot"
	optionUser   = "user"
	optionAction = "do"
	optionCode   = "code"
)

// The custom IDs of components and modals begin with these. A bot's key comes last,
// as it may hold slashes.
const (
	idList      = "list/"          // + page, from 0, for which the service is asked
	idListWith  = "list/with/"     // + key: the page that lists this bot; without a key the first
	idOpen      = "open"           // a select menu of keys
	idShow      = "show/"          // + key: the card, for which the service is asked
	idBrief     = "brief/"         // + key: the card without what is opened there
	idDetails   = "details/"       // + key
	idMore      = "more/"          // + key
	idPages     = "pages"          // a select menu of pages, from 0
	idPlan      = "plan"           // for which the service is asked
	idHistory   = "history/"       // + key
	idPanelNew  = "panel/new"      // a select menu of keys, and the form that it leads to
	idPanelForm = "panel/new/form" // opens that form
	idPanelAll  = "panel/new/all"  // opens it for a panel of all bots
	idPanelOpen = "panel/open"     // a select menu of panels' IDs
	// The owner of a panel changes it. A panel's ID follows.
	idPanelTitle     = "panel/title/"
	idPanelBots      = "panel/bots/"   // a select menu of keys
	idPanelTop       = "panel/top/"    // likewise
	idPanelEvery     = "panel/every/"  // has it show all bots, also later ones
	idPanelSay       = "panel/say/"    // has alerts posted in its channel
	idPanelRole      = "panel/role/"   // a select menu of roles, one of which these mention
	idPanelHush      = "panel/hush/"   // ends that
	idPanelRemove    = "panel/remove/" // asks
	idPanelRemoveNow = "panel/remove/now/"
	idStartup        = "startup/"   // + key
	idPlain          = "plain/"     // + key: the form of the startup, in plain characters
	idDelete         = "delete/"    // + key
	idCreate         = "create/"    // + sizes; for a select menu its size goes first
	idSizes          = "create/new" // chooses the sizes
	// idReinstallNow is for a reinstallation that the bot has asked about. A key follows.
	idReinstallNow = "packages/"
	// idForget removes what /admin forget lists, and idKeep does not. The log channel calls
	// a removal by its custom ID, as it does a command by its name.
	idForget    = "admin/forget"
	idKeep      = "admin/forget/not"
	idRetryDead = "admin/status/retry"
	// A notice is chosen in a menu of IDs. An ID, or newNotice, follows the others.
	idNotice     = "admin/notice"
	idNoticeForm = "admin/notice/form/"
	idNoticeEnd  = "admin/notice/end/"
	newNotice    = "new"
	// onBehalf begins the custom IDs of a staff view. The customer's ID and what a
	// customer's own component would have follow.
	onBehalf = "for/"
)

// anyBot matches a bot's key in a pattern.
const anyBot = "{bot...}"

// table lists all commands, by who may use them.
func (c *Commands) table() []group {
	groups := []group{{admit: interaction.Everybody, commands: c.customersTable()}}
	if c.staff.GuildID != "" {
		groups = append(groups, group{admit: c.staffAlone, staff: true, commands: c.staffTable()})
	}
	return groups
}

// customersTable lists customers' commands.
func (c *Commands) customersTable() []command {
	bots := []option{{name: optionBot, kind: discordgo.ApplicationCommandOptionString, complete: c.complete}}
	anyOfThem := []option{{name: optionBot, optional: true, kind: discordgo.ApplicationCommandOptionString, complete: c.complete}}
	list, show := c.shown(c.drawList), c.shown(c.drawCard(brief))
	// A command on one bot does what the button of the same name does.
	onBot := func(name string, op hostapi.Operation, h interaction.Handler, modals ...route) command {
		buttons := []route{{name + "/" + anyBot, h}, {name, h}} // the latter is a select menu of keys
		return command{name: "bot " + name, requires: []hostapi.Operation{op}, options: bots, handle: h, components: buttons, modals: modals, purpose: toDo}
	}
	// A form is opened by a button alone (see choosePanelBots): the menu leads to the bot's card, which has it.
	onForm := func(name string, op hostapi.Operation, ask, submit interaction.Handler) command {
		asks := onBot(name, op, ask, route{name + "/" + anyBot, c.filled(submit)})
		asks.components[1].handle = c.shown(c.drawCard(more))
		return asks
	}
	table := []command{
		{name: "bot list", purpose: toSee, handle: list, components: []route{
			{idList + "{page}", c.refreshed(c.drawList)}, {idListWith + anyBot, list}, {idPages, list},
			{idRestartCrashed, c.refreshed(c.askRestartCrashed)}, {idRestartCrashed + restartNow, c.restartCrashed},
			{idSeveral + "{page}/{bots}", c.shown(c.chooseSeveral)}, {idSeveral + "{bots}", c.shown(c.chooseSeveral)},
			{idActOnChosen + "{action}/{bots}", named(c.askSeveral)}, {idActOnChosen + "{action}/" + actNow + "{bots}", named(c.actOnChosen)},
		}},
		{name: "bot show", purpose: toSee, options: anyOfThem, handle: c.withPicker(show), components: []route{
			{idOpen, show}, {idShow + anyBot, c.refreshed(c.drawCard(brief))}, {idBrief + anyBot, show},
			{idDetails + anyBot, c.shown(c.drawCard(details))}, {idMore + anyBot, c.shown(c.drawCard(more))},
			{idSchedule + anyBot, c.watching("error.not_offered", c.onBot(c.askSchedule))},
		}, modals: []route{{idSchedule + anyBot, c.watching("error.not_offered", c.filled(c.onBot(c.changeSchedule)))}}},
	}
	for _, a := range actionList() {
		act := c.pressed(a)
		acts := onBot(a.name, a.op, act)
		acts.options, acts.handle = anyOfThem, c.withPicker(act)
		if a.op == hostapi.OpReinstall {
			acts.components = append(acts.components, route{idReinstallNow + anyBot, c.act(a)})
		}
		table = append(table, acts)
	}
	history := c.watching("history.off", c.onBot(c.history))
	changeStartup := onForm("startup", hostapi.OpUpdateStartup, c.onBot(c.askStartup), c.onBot(c.changeStartup))
	changeStartup.components = append(changeStartup.components, route{idPlain + anyBot, c.onBot(c.askPlainStartup)})
	table = append(table,
		command{
			name: "bot history", purpose: toSee, off: !c.watch.offered(), options: anyOfThem, handle: c.withPicker(history),
			components: []route{{idHistory + anyBot, history}, {"history", history}},
		},
		changeStartup,
		onForm("delete", hostapi.OpDelete, c.onBot(c.askDelete), c.onBot(c.delete)),
		command{
			name: "bot create", purpose: toDo, requires: []hostapi.Operation{hostapi.OpCreate}, handle: c.chooseSizes,
			components: []route{{idSizes, c.chooseSizes}, {idCreate + "{what}/{ram}/{disk}/{cpu}", c.chooseSizes}, {idCreate + "{ram}/{disk}/{cpu}", c.askCreate}},
			modals:     []route{{idCreate + "{ram}/{disk}/{cpu}", c.filled(c.create)}},
		},
		command{name: "plan", purpose: toSee, handle: c.shown(c.drawPlan), components: []route{{idPlan, c.refreshed(c.drawPlan)}}},
	)
	table = append(table, c.watchTable()...)
	table = append(table, command{name: "help", handle: c.help})
	help := &table[len(table)-1] // a failure is met anywhere, and so are its buttons
	help.components = []route{
		{idTellSupport + "{code}", c.tellSupport}, {idTellCrashes + anyBot, c.tellCrashes}, {idAgain + "{command}/" + anyBot, askedAgain(table)},
		{idReply + "{id}", c.askText("reply")}, {idUnread, c.shown(c.readAnswer)},
	}
	help.modals = []route{{idReply + "{id}", c.written("reply", c.reply)}}
	return table
}

// watchTable is the part of the table that tells of bots by itself.
func (c *Commands) watchTable() []command {
	alerting := func(h interaction.Handler) interaction.Handler { return c.watching("alerts.off", c.withFollows(h)) }
	watching := func(h interaction.Handler) interaction.Handler { return c.watching("history.off", h) }
	posting := func(h interaction.Handler) interaction.Handler { return watching(c.posting(h)) }
	return []command{
		{name: "alerts", purpose: toBeTold, off: !c.watch.offered(), handle: alerting(c.alerts), components: []route{
			{idAlerts, alerting(c.changeAlerts)}, {idAlertsOf + anyBot, alerting(c.alerts)},
			{idTell + anyBot, alerting(c.onBot(c.tellNextTime))},
			{idAlertAll + "{on}", alerting(c.changeAlerts)}, {idAlertOne + "{on}/" + anyBot, alerting(c.changeAlerts)},
			{idAlertsFollow, alerting(c.endFollow)}, {idAlertQuiet, alerting(c.askQuiet)},
			{idAutoRestart, alerting(c.changeAutoRestart(false))}, {idAutoRestartOf + "{how}/" + anyBot, alerting(c.changeAutoRestart(false))},
			{idAutoRestartCard + "{how}/" + anyBot, alerting(c.changeAutoRestart(true))},
			{idAlertOpen, c.shown(c.drawCard(brief))}, {idAlertShow + anyBot, c.shown(c.drawCard(brief))}, {idAlertList, c.shown(c.drawList)}, {idAlertMute + anyBot, alerting(c.onBot(c.mute))},
			{idAlertAct + "{action}/" + anyBot, named(c.pressed)}, {interaction.ReplyPrefix + idRestartCrashed, c.refreshed(c.askRestartCrashed)},
			{interaction.ReplyPrefix + idRestart("{alert}"), c.refreshed(c.askRestartCrashed)}, {idRestart("{alert}"), c.refreshed(c.askRestartCrashed)},
			{idRestart("{alert}") + restartNow, c.restartCrashed},
		}, modals: []route{{idAlertQuiet, alerting(c.filled(c.changeQuiet))}}},
		{name: "panel", purpose: toBeTold, forManagers: true, off: !c.watch.offered(), handle: watching(c.panels), components: []route{
			{idPanelNew, posting(c.choosePanelBots)}, {idPanelForm, posting(c.askNewPanel)}, {idPanelAll, posting(c.askPanelOfAll)},
			{idPanelOpen, watching(c.openPanel)}, {aboutPanel + "{id}", watching(c.openPanel)},
			{idPanel + "{owner}" + idPanelManage + "{id}", watching(c.managePanel)},
			{idPanel + "{owner}" + idPanelFollow + "{id}", watching(c.followPanel)}, {idUnfollow + "{id}", watching(c.unfollowPanel)},
			{idPanelTitle + "{id}", watching(c.askPanelTitle)}, {idPanelBots + "{id}", watching(c.changePanelBots)},
			{idPanelTop + "{id}", watching(c.putBotFirst)}, {idPanelEvery + "{id}", watching(c.showAllBots)},
			{idPanelSay + "{id}", watching(c.sayHere)}, {idPanelRole + "{id}", watching(c.sayHere)}, {idPanelHush + "{id}", watching(c.sayHere)},
			{idPanelRemove + "{id}", watching(c.askRemovePanel)}, {idPanelRemoveNow + "{id}", watching(c.removePanel)},
		}, modals: []route{{idPanelNew, posting(c.postPanel)}, {idPanelTitle + "{id}", watching(c.changePanelTitle)}}},
	}
}

// staffTable is the part of the table that is staff's.
func (c *Commands) staffTable() []command {
	text, user := discordgo.ApplicationCommandOptionString, option{name: optionUser, kind: discordgo.ApplicationCommandOptionUser}
	forCustomer := func(h interaction.Handler) interaction.Handler { return audited(c.forCustomer(h)) }
	lookup := forCustomer(c.lookUp(c.shown))
	views := []route{
		{idList + "{page}", forCustomer(c.lookUp(c.refreshed))}, {idListWith + anyBot, lookup}, {idPages, lookup},
		{idOpen, forCustomer(c.shown(c.drawCard(brief)))}, {idShow + anyBot, forCustomer(c.refreshed(c.drawCard(brief)))},
		{idBrief + anyBot, forCustomer(c.shown(c.drawCard(brief)))}, {idDetails + anyBot, forCustomer(c.shown(c.drawCard(details)))},
	}
	var operations []hostapi.Operation
	var choices []string
	for _, a := range actionList() {
		act := c.actForCustomer(a)
		if a.op == hostapi.OpReinstall {
			views = append(views, route{idReinstallNow + anyBot, act})
			act = c.forCustomer(c.reinstall(a))
		}
		views = append(views, route{a.name + "/" + anyBot, act}, route{a.name, act})
		if c.hosting.Offers(a.op) {
			choices = append(choices, a.name)
		}
		operations = append(operations, a.op)
	}
	for i := range views {
		views[i].pattern = onBehalf + "{user}/" + views[i].pattern
	}
	views = append(views, route{LookupID("{user}", "{name...}"), lookup})
	reference, answerID := audited(c.reference), idAnswer+"{user}/{code}/{locale}"
	return []command{
		{name: "admin lookup", options: []option{user}, handle: lookup, components: views},
		{
			name: "admin action", requires: operations, handle: c.chooseAction,
			options: []option{
				user,
				{name: optionBot, kind: text, complete: c.forCustomer(c.complete)},
				{name: optionAction, kind: text, choices: choices},
			},
		},
		{name: "admin refresh", options: []option{user}, handle: forCustomer(c.lookUp(c.anew))},
		{
			name: "admin forget", options: []option{user}, handle: c.forCustomer(c.askForget),
			components: []route{
				{onBehalf + "{user}/" + idForget, c.forCustomer(c.forget)},
				{onBehalf + "{user}/" + idKeep, c.forCustomer(c.keep)},
			},
		},
		{
			name: "admin reference", options: []option{{name: optionCode, kind: text}}, handle: reference,
			components: []route{{ReferenceID("{code}"), reference}, {ReferencesID, reference}, {answerID, c.askText("answer")}},
			modals:     []route{{answerID, c.forCustomer(c.written("answer", c.answer))}},
		},
		{
			name: "admin notice", off: c.watch.Notices == nil, handle: audited(c.listNotices),
			components: []route{{idNotice, c.listNotices}, {idNoticeForm + "{id}", c.askNotice}, {idNoticeEnd + "{id}", c.endNotice}},
			modals:     []route{{idNoticeForm + "{id}", c.filled(c.saveNotice)}},
		},
		{name: "admin status", handle: audited(c.status), components: []route{{idRetryDead, audited(c.retryDead)}}},
		{name: "admin logs test", handle: audited(c.testLogs)},
		{name: "Hosted bots", userMenu: "menu.bots", handle: lookup},
	}
}

// offered returns the commands that are registered for customers, or for staff.
func (c *Commands) offered(staff bool) []command {
	var offered []command
	for _, g := range c.table() {
		if g.staff == staff {
			offered = append(offered, g.commands...)
		}
	}
	return slices.DeleteFunc(offered, func(cmd command) bool {
		return cmd.off || cmd.requires != nil && !slices.ContainsFunc(cmd.requires, c.hosting.Offers)
	})
}

// Route adds all routes to a router. Those of an operation that is turned off are
// among them: buttons of older messages lead there, and say so.
func (c *Commands) Route(r *interaction.Router) {
	for _, g := range c.table() {
		g.route(r.Group(g.admit))
	}
}

// route adds the routes of the group's commands.
func (g group) route(routes interaction.Group) {
	for _, cmd := range g.commands {
		routes.Command(cmd.name, cmd.handle)
		for _, o := range cmd.options {
			if o.complete != nil {
				routes.Autocomplete(cmd.name, o.name, o.complete)
			}
		}
		for _, c := range cmd.components {
			routes.Component(c.pattern, c.handle)
		}
		for _, m := range cmd.modals {
			routes.Modal(m.pattern, m.handle)
		}
	}
}
