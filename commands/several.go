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

// The custom IDs by which one action is asked for on several bots. A custom ID has 100 characters, so bots are named
// there by codes (see codesOf).
const (
	idSeveral      = "several/" // + page, from 0: a button, and a select menu of keys
	idSeveralPages = "several"  // a select menu of pages, from 0
	severalNow     = "now/"     // between action and codes: does not ask
)

// toSeveral is the button that has several bots be chosen; it is not there where there are none to choose from.
func (l botList) toSeveral() []discordgo.Button {
	if len(l.known.List.Servers) < 2 || l.asked.ByStaff() || l.suspended() || len(l.offeredActions()) == 0 {
		return nil
	}
	return []discordgo.Button{l.button(discordgo.SecondaryButton, "button.several", idSeveral+strconv.Itoa(l.page*pageSize/maxOptions), false)}
}

// offeredActions are the actions that are turned on.
func (v view) offeredActions() []action {
	all := actionList()
	return slices.DeleteFunc(all[:], func(a action) bool { return !v.offers(a.op) })
}

// chooseSeveral has bots be chosen, and what is to be done to those that are.
func (c *Commands) chooseSeveral(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	bots := listOf(c.nowOf(r, s))
	return c.drawSeveral(r, s, slices.DeleteFunc(bots, func(b listed) bool { return !slices.Contains(r.Values, botKey(b.ID)) }), ""), nil
}

// drawSeveral draws the menu in which bots are chosen, those first that are, and a button for each action.
func (c *Commands) drawSeveral(r *interaction.Request, s accounts.Snapshot, chosen []listed, notice string) interaction.Response {
	v, bots := c.view(r), listOf(c.nowOf(r, s))
	slices.SortStableFunc(bots, func(one, other listed) int { return byUrgency(one.condition, other.condition) })
	pages := max(1, (len(bots)+maxOptions-1)/maxOptions)
	page, _ := strconv.Atoi(r.Params["page"])
	if r.Name == idSeveralPages {
		page, _ = strconv.Atoi(r.Value())
	}
	page = min(max(page, 0), pages-1)
	isChosen := func(b listed) bool {
		return slices.ContainsFunc(chosen, func(o listed) bool { return o.ID == b.ID })
	}
	others := slices.DeleteFunc(slices.Clone(bots[page*maxOptions:min((page+1)*maxOptions, len(bots))]), isChosen)
	shown := append(slices.Clone(chosen), others...)
	shown = shown[:min(len(shown), maxOptions)]
	at := idSeveral + strconv.Itoa(page)
	var rows []discordgo.MessageComponent
	if len(shown) > 0 {
		rows = append(rows, v.botsMenu(at, v.t.Text("several.choose"), serversOf(shown), idsOf(chosen)))
	}
	if pages > 1 {
		paged := botList{view: v, page: page, pages: pages}
		rows = append(rows, v.menu(idSeveralPages, paged.pageName(page), paged.pageOptions()))
	}
	var buttons []discordgo.MessageComponent
	for _, a := range v.offeredActions() {
		sensible := slices.ContainsFunc(chosen, func(b listed) bool { return a.in.has(b.state) })
		buttons = append(buttons, v.button(a.style, "button."+a.name, idSeveral+a.name+"/"+codesOf(serversOf(chosen), s.List.Servers), !sensible))
	}
	if len(buttons) > 0 {
		rows = append(rows, discordgo.ActionsRow{Components: buttons})
	}
	embed := &discordgo.MessageEmbed{Title: v.t.Text("several.title"), Color: blurple, Description: paragraphs(
		v.heading(s, notice), v.t.Format("several.hint", args{"N": maxOptions}), v.names(serversOf(chosen), maxOptions), v.missing(s.List), v.updated(s.FetchedAt))}
	return v.drawOf(s, at, embed, append(rows, v.backRow())...)
}

// idsOf returns the IDs of bots.
func idsOf(bots []listed) []string {
	ids := make([]string, len(bots))
	for i, b := range bots {
		ids[i] = b.ID
	}
	return ids
}

// askSeveral asks whether an action is to be carried out on the chosen bots.
func (c *Commands) askSeveral(a action, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
	chosen, err := c.chosenOf(r, s)
	if err != nil {
		return interaction.Response{}, err
	}
	v := c.view(r)
	acted, left := split(a, chosen)
	if len(acted) == 0 {
		return c.drawSeveral(r, s, chosen, "ℹ️ "+v.t.Text("several.none")), nil
	}
	others := ""
	if len(left) > 0 {
		others = v.t.Text("several.others") + "\n" + v.names(serversOf(left), namedInQuestion)
	}
	means := c.ofSeveral(a, s)
	now := v.button(discordgo.PrimaryButton, means.title, idSeveral+a.name+"/"+severalNow+codesOf(serversOf(chosen), s.List.Servers), false)
	label := "several." + a.name + ".now"
	if a.op == hostapi.OpRestart {
		label = "button.restart_now"
	}
	now.Label = v.t.Count(label, len(acted), nil)
	return v.drawOf(s, means.subject, &discordgo.MessageEmbed{
		Title:       v.t.Text(means.title),
		Description: paragraphs(v.heading(s, v.t.Count("several."+a.name+".ask", len(acted), nil)), v.names(serversOf(acted), maxOptions), others),
		Color:       yellow,
	}, row(now, v.button(discordgo.SecondaryButton, "button.cancel", idSeveral+"0", false))), nil
}

// actSeveral carries out an action on the chosen bots. The service is asked for them, and a bot on which it makes no
// sense any more is left alone.
func (c *Commands) actSeveral(a action) interaction.Handler {
	return func(ctx context.Context, r *interaction.Request) (interaction.Response, error) {
		if !c.hosting.Offers(a.op) {
			return interaction.Response{}, &hostapi.Error{Op: a.op, Code: hostapi.CodeNotOffered}
		}
		known, err := c.askedNow(ctx, r)
		if err != nil {
			return interaction.Response{}, err
		}
		chosen, err := c.chosenOf(r, known)
		if err != nil {
			return interaction.Response{}, err
		}
		switch acted, _ := split(a, chosen); {
		case len(acted) == 0:
			return c.drawSeveral(r, known, chosen, "ℹ️ "+c.view(r).t.Text("several.none")), nil
		case len(chosen) == 1:
			return c.begin(ctx, r, a, bot{*chosen[0].Server, known})
		default:
			return c.newBatch(r, a, c.ofSeveral(a, known), serversOf(chosen), known).start(), nil
		}
	}
}

// askOfSeveral serves the question before an action.
func (c *Commands) askOfSeveral(a action) interaction.Handler {
	return c.refreshed(func(_ context.Context, r *interaction.Request, s accounts.Snapshot) (interaction.Response, error) {
		return c.askSeveral(a, r, s)
	})
}

// chosenOf returns the bots that a custom ID names. The error is errGone if one of them is no more.
func (c *Commands) chosenOf(r *interaction.Request, s accounts.Snapshot) ([]listed, error) {
	chosen := botsOfCodes(r.Params["bots"], c.nowOf(r, s))
	if len(chosen) == 0 {
		return nil, errGone
	}
	return listOf(chosen), nil
}

// split tells bots on which an action makes sense from those on which it does not.
func split(a action, chosen []listed) (acted, left []listed) {
	for _, b := range chosen {
		if a.in.has(b.state) {
			acted = append(acted, b)
		} else {
			left = append(left, b)
		}
	}
	return acted, left
}

// ofSeveral is a batch of bots that the customer has chosen.
func (c *Commands) ofSeveral(a action, known accounts.Snapshot) meant {
	texts, acted := "several."+a.name, "several."+a.name+".acted"
	if a.op == hostapi.OpRestart { // whose texts are those of a restart of all that have crashed
		texts, acted = "restart_all", "restart_all.restarted"
	}
	return meant{
		in: a.in, texts: texts, acted: acted, up: "several.up", title: "button." + a.name, subject: idSeveral + a.name,
		pace: "several.pace", unsure: "several.unconfirmed",
		again: func(open []hostapi.Server) string {
			return idSeveral + a.name + "/" + codesOf(open, known.List.Servers)
		},
	}
}

// codeLength is how many characters name a bot among those of its account: 25 of them fit a custom ID.
const codeLength = 3

// codesOf names bots of an account in a custom ID: a letter, and a code for each, made of that and the bot's ID. The
// letter is the first with which no other bot of the account has one of the codes.
func codesOf(chosen, all []hostapi.Server) string {
	for salt := 'a'; ; salt++ {
		codes := string(salt)
		for _, s := range chosen {
			codes += codeOf(salt, s.ID)
		}
		if salt == 'z' || len(botsOfCodes(codes, all)) == len(chosen) {
			return codes
		}
	}
}

func codeOf(salt rune, serverID string) string {
	sum := sha256.Sum256([]byte(string(salt) + serverID))
	return base64.RawURLEncoding.EncodeToString(sum[:codeLength])[:codeLength]
}

// botsOfCodes returns the bots of an account that codes name; nil if one of these names none, or more than one.
func botsOfCodes(codes string, all []hostapi.Server) []hostapi.Server {
	if len(codes)%codeLength != 1 {
		return nil
	}
	var found []hostapi.Server
	for rest := codes[1:]; rest != ""; rest = rest[codeLength:] {
		n := 0
		for _, s := range all {
			if codeOf(rune(codes[0]), s.ID) == rest[:codeLength] {
				found, n = append(found, s), n+1
			}
		}
		if n != 1 {
			return nil
		}
	}
	return found
}

// isOfSeveral reports whether a request acts on several bots that were chosen.
func isOfSeveral(r *interaction.Request) bool {
	return strings.HasPrefix(r.Route, idSeveral) && strings.Contains(r.Route, "/"+severalNow)
}
