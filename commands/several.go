package commands

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"slices"
	"strconv"
	"strings"

	"github.com/bwmarrin/discordgo"

	"hostbot/bot/interaction"
	"hostbot/hostapi"
	"hostbot/hostapi/accounts"
)

// The custom IDs by which bots are chosen, and one action is asked for on those that are. A custom ID has 100
// characters, so bots are named there by codes (see codesOf).
const (
	idSeveral     = "several/" // + page, from 0, and codes: opens it with these chosen; + codes: a select menu of pages
	idActOnChosen = "some/"    // + action and codes: asks
	actNow        = "now/"     // between action and codes: does not ask
)

// toSeveral is the button that has several bots be chosen; it is missing where there are none to choose from.
func (l botList) toSeveral() []discordgo.Button {
	if len(l.known.List.Servers) < 2 || l.asked.ByStaff() || l.suspended() || len(l.offeredActions()) == 0 {
		return nil
	}
	return []discordgo.Button{l.button(discordgo.SecondaryButton, "button.several", severalAt(l.page*pageSize/maxOptions, codesOf(nil, nil)), false)}
}

// severalAt returns the custom ID that opens a page on which bots are chosen.
func severalAt(page int, codes string) string { return idSeveral + strconv.Itoa(page) + "/" + codes }

// offeredActions are the actions that are turned on.
func (v view) offeredActions() []action {
	all := actionList()
	return those(all[:], func(a action) bool { return v.offers(a.op) })
}

// chooseSeveral has bots be chosen. To those that its custom ID names come those that were chosen in a menu.
func (c *Commands) chooseSeveral(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	chosen, notice := c.chosenOf(r, s)
	page, isPage := r.Params["page"]
	if !isPage { // it was chosen in the menu of pages
		return c.drawSeveral(r, s, r.Value(), chosen, notice), nil
	}
	ids := hostapi.IDs(chosen)
	for _, b := range c.nowOf(r, s) {
		if slices.Contains(r.Values, botKey(b.ID)) && !slices.Contains(ids, b.ID) {
			chosen = append(chosen, b)
		}
	}
	return c.drawSeveral(r, s, page, chosen[:min(len(chosen), maxOptions)], notice), nil
}

// drawSeveral draws a page of the menu in which bots are chosen, and a button for each action. The menu's custom ID
// names those that are chosen on other pages.
func (c *Commands) drawSeveral(r *interaction.Request, s accounts.Snapshot, page string, chosen []hostapi.Server, notice string) interaction.Response {
	v, all := c.view(r), s.List.Servers
	wanted, _ := strconv.Atoi(page)
	list, at, pages := pageOf(c.inOrder(r, s), wanted, maxOptions)
	shown := serversOf(list)
	ids := hostapi.IDs(shown)
	elsewhere := those(chosen, func(b hostapi.Server) bool { return !slices.Contains(ids, b.ID) })
	var rows []discordgo.MessageComponent
	if most := min(len(shown), maxOptions-len(elsewhere)); most > 0 {
		rows = append(rows, v.botsMenu(severalAt(at, codesOf(elsewhere, all)), v.t.Text("several.choose"), shown, hostapi.IDs(chosen), 0, most))
	}
	codes := codesOf(chosen, all)
	if pages > 1 {
		paged := botList{view: v, page: at, pages: pages}
		rows = append(rows, v.menu(idSeveral+codes, paged.pageName(at), paged.pageOptions()))
	}
	var buttons []discordgo.Button
	for _, a := range v.offeredActions() {
		acted, _ := split(a, chosen)
		button := v.button(a.style, "button."+a.name, idActOnChosen+a.name+"/"+codes, len(acted) == 0)
		if button.Disabled { // Discord's apps only fade a coloured one
			button.Style = discordgo.SecondaryButton
		}
		buttons = append(buttons, button)
	}
	names := ""
	if len(chosen) > 0 {
		names = v.t.Format("several.chosen", args{"N": len(chosen), "Bots": v.names(chosen, maxOptions)})
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text("several.title"), Color: blurple, Description: paragraphs(
		v.heading(s, notice), v.t.Format("several.hint", args{"N": maxOptions}), names, v.missing(s.List), v.updated(s.FetchedAt))}
	return v.drawOf(s, idSeveral, embed, append(append(rows, v.linkRow(buttons...)...), v.backRow())...)
}

// askSeveral asks whether an action is to be carried out on those of the chosen bots on which it makes sense. The answer
// is about these alone, so that no other is acted on if it makes sense there by then.
func (c *Commands) askSeveral(a action) interaction.Handler {
	return c.refreshed(func(ctx context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		v := c.view(r)
		chosen, changed := c.chosenOf(r, s)
		acted, left := split(a, chosen)
		if changed == "" && len(acted) == 0 {
			changed = "ℹ️ " + v.t.Text("several.none")
		}
		if changed != "" {
			return c.drawSeveral(r, s, "", chosen, changed), nil
		}
		others := ""
		if len(left) > 0 {
			others = v.t.Text("several.others") + "\n" + v.names(left, namedInQuestion)
		}
		means, now := c.ofSeveral(a, s), idActOnChosen+a.name+"/"+actNow+codesOf(acted, s.List.Servers)
		return c.askMeant(ctx, r, s, means, acted, now, severalAt(0, r.Params["bots"]), v.names(acted, maxOptions), others), nil
	})
}

// actOnChosen carries out an action on the bots that the customer was asked about. The service is asked for them, and a
// bot on which it makes no sense any more is left alone.
func (c *Commands) actOnChosen(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		known, err := c.askedNow(ctx, r, a)
		if err != nil {
			return interaction.Response{}, err
		}
		switch chosen, changed := c.chosenOf(r, known); {
		case changed != "" || len(chosen) == 0:
			return c.drawSeveral(r, known, "", chosen, changed), nil
		case len(chosen) == 1:
			return c.actOn(ctx, r, a, bot{chosen[0], known})
		default:
			return c.newBatch(r, a, c.ofSeveral(a, known), chosen, known).start(), nil
		}
	}
}

// chosenOf returns the bots that a custom ID names. If these are not exactly those that it was made of, changed says so,
// and none of them may be acted on.
func (c *Commands) chosenOf(r *interaction.Request, s accounts.Snapshot) (chosen []hostapi.Server, changed string) {
	chosen, whole := botsOfCodes(r.Params["bots"], c.nowOf(r, s))
	if !whole {
		changed = "ℹ️ " + c.view(r).t.Text("several.changed")
	}
	return chosen, changed
}

// split tells bots on which an action makes sense from those on which it does not.
func split(a action, chosen []hostapi.Server) (acted, left []hostapi.Server) {
	return those(chosen, a.allowed), those(chosen, func(b hostapi.Server) bool { return !a.allowed(b) })
}

// ofSeveral is a batch of bots that the customer has chosen.
func (c *Commands) ofSeveral(a action, known accounts.Snapshot) meant {
	texts, acted, now, to := "several."+a.name, "several."+a.name+".acted", "several."+a.name+".now", idActOnChosen+a.name+"/"
	if a.op == hostapi.OpRestart { // whose texts are those of a restart of all that have crashed
		texts, acted, now = "restart_all", "restart_all.restarted", "button.restart_now"
	}
	return meant{
		in: a.in, texts: texts, ask: "several." + a.name + ".ask", acted: acted, up: "several.up", fell: "status.crashed", title: "button." + a.name, now: now, subject: to,
		pace: "several.pace", unsure: "several.unconfirmed",
		again: func(open []hostapi.Server) string { return to + codesOf(open, known.List.Servers) },
	}
}

const (
	// codeLength is how many characters name a bot among those of its account: 25 of them fit a custom ID.
	codeLength = 3
	// checkLength is how many characters say that it is these bots. A bot that was created since has the code of one
	// that is gone once in 2^18 times, and the check fits once in 2^42.
	checkLength = 4
)

// codesOf names chosen bots of an account in a custom ID: a letter, a check of all their IDs, and a code for each bot,
// all made with that letter. It is the first with which no two bots of the account have one of the codes. If there is
// none, botsOfCodes does not know the bots.
func codesOf(chosen, all []hostapi.Server) string {
	for letter := 'a'; ; letter++ {
		salt, ids, codes := string(letter), "", ""
		for _, b := range chosen {
			ids, codes = ids+"\n"+b.ID, codes+hashOf(salt+b.ID, codeLength)
		}
		named := salt + hashOf(salt+ids, checkLength) + codes
		if _, whole := botsOfCodes(named, all); whole || letter == 'z' {
			return named
		}
	}
}

// hashOf returns so many characters that stand for a text.
func hashOf(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:])[:length]
}

// botsOfCodes returns those bots of an account that codes name. It reports whether these are all that were named, and no
// others: a code of none, or of more than one, names no bot.
func botsOfCodes(codes string, all []hostapi.Server) (found []hostapi.Server, whole bool) {
	const head = 1 + checkLength
	if len(codes) < head {
		return nil, false
	}
	salt, check, rest := codes[:1], codes[1:head], codes[head:]
	byCode := make(map[string][]hostapi.Server, len(all))
	for _, s := range all {
		code := hashOf(salt+s.ID, codeLength)
		byCode[code] = append(byCode[code], s)
	}
	ids := ""
	for code := range slices.Chunk([]byte(rest), codeLength) {
		if named := byCode[string(code)]; len(named) == 1 {
			found, ids = append(found, named[0]), ids+"\n"+named[0].ID
		}
	}
	return found, codeLength*len(found) == len(rest) && hashOf(salt+ids, checkLength) == check
}

// isOfSeveral reports whether a request acts on several bots that were chosen.
func isOfSeveral(r *interaction.Request) bool {
	return strings.HasPrefix(r.Route, idActOnChosen) && strings.Contains(r.Route, "/"+actNow)
}
