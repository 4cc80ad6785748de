package commands_test

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hostbot/bot/actions"
	"hostbot/bot/interaction"
	"hostbot/commands"
	"hostbot/hostapi"
)

// refusals draws one action while another runs, too many, and the same again while nobody
// knows how it ended.
func (d *drawn) refusals(uncertain func() (string, error)) {
	w := &world{list: account(server("id-0", "Shop", "RUNNING"))}
	c := newCommands(d.t, w)
	wait := make(chan struct{})
	w.action = func() (string, error) { <-wait; return uncertain() }
	running := map[string]interaction.Response{}
	for _, r := range []interaction.Request{press("restart/id-0"), submit("create/512/2048/100", map[string]string{"name": "x", "language": "NODE"})} {
		r.ID, r.Locale = "1"+r.Name, d.locale
		running[r.Name] = answer(d.t, c, r)
		r.ID = "2" + r.Name
		d.ask(c, r)
	}
	close(wait)
	must(d.t)(running["restart/id-0"].Then.Run(d.t.Context()))
	again := press("restart/id-0")
	again.ID = "3"
	d.ask(c, again)
	w.action = nil
	for i := range 40 {
		r := press("stop/id-0")
		r.ID = fmt.Sprint("4", i)
		d.ask(c, r)
	}
	time.Sleep(actions.Window)
}

// restartsOfAll draws the restart of all bots that have crashed.
func (d *drawn) restartsOfAll(fresh asking) {
	many := func(n int) func(w *world) {
		return func(w *world) {
			w.list = crashed(n)
			for i := range w.list.Servers {
				w.list.Servers[i].Name = long("*")
			}
			w.restart = func(id string) (string, error) {
				time.Sleep(time.Minute)
				switch id {
				case "b1":
					return "", &hostapi.Error{Code: hostapi.CodeConflict, Status: 409, Words: long("D")}
				case "b2":
					return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Uncertain: true}
				case "b3":
					return "CRASHED", nil
				}
				return "RUNNING", nil
			}
		}
	}
	fresh(many(0), press("restartcrashed"))
	fresh(func(w *world) { w.list = crashed(2) }, press("restartcrashed/now"))
	fresh(many(40), press("restartcrashed"), press("restartcrashed/now"))
	var refused sync.Once
	fresh(func(w *world) {
		w.list = crashed(31)
		w.restart = func(string) (status string, err error) {
			status = "RUNNING"
			refused.Do(func() {
				status, err = "", &hostapi.Error{Code: hostapi.CodeRateLimited, Status: 429, RetryAfter: time.Minute}
				w.mu.Lock()
				defer w.mu.Unlock()
				w.list.Servers = slices.Clone(w.list.Servers)
				w.list.Servers[31].Status = "RUNNING" // by itself, while it waits
			})
			return status, err
		}
	}, press("restartcrashed/now"))
	w := &world{list: crashed(3)}
	c := newCommands(d.t, w)
	busy := press("restart/b1")
	busy.ID = "1"
	held := press("restart/b2")
	held.ID = "2"
	w.restart = func(string) (string, error) {
		return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Uncertain: true}
	}
	d.ask(c, held)
	w.restart = nil
	now := press("restartcrashed/now")
	now.ID, now.Locale = "3", d.locale
	asked := answer(d.t, c, now) // before another one is restarted
	running := answer(d.t, c, busy)
	for r := asked; r.Then != nil; {
		r = must(d.t)(r.Then.Run(d.t.Context()))
		d.see(r)
	}
	must(d.t)(running.Then.Run(d.t.Context()))
	stopped, stop := context.WithCancel(d.t.Context())
	stop()
	for r := answer(d.t, newCommands(d.t, &world{list: crashed(2)}), now); r.Then != nil; {
		r = must(d.t)(r.Then.Run(stopped))
		d.see(r)
	}
	r := interaction.Request{ID: "1/x", Route: "restartcrashed/now", UserID: "42", CustomerID: "42", Locale: d.locale, Reference: "REF1234"}
	d.see(c.Interrupted(&r, interaction.Action{Name: "restart", BotID: "b1"}))
	time.Sleep(actions.Window)
}

// severals draws each action on several bots that were chosen: all end well, some do not, none makes sense, the pace,
// and an end that came too early.
func (d *drawn) severals(fresh asking) {
	const chooser = "several/0/aAAAA" // whose codes are none
	of := func(status string, n int) func(w *world) {
		return func(w *world) {
			w.list = crashed(n)
			for i := range w.list.Servers {
				w.list.Servers[i].Status = status
			}
			act := func(string) (string, error) { time.Sleep(2 * time.Second); return "", nil }
			w.action, w.restart = func() (string, error) { return act("") }, act
		}
	}
	failing := func(status string) func(w *world) {
		return func(w *world) {
			of(status, 3)(w)
			w.list.Servers[3].Status = "SUSPENDED"
			var n atomic.Int32
			w.action = func() (string, error) {
				switch n.Add(1) {
				case 1:
					return "", &hostapi.Error{Code: hostapi.CodeConflict, Status: 409}
				case 2:
					return "", &hostapi.Error{Code: hostapi.CodeUnavailable, Uncertain: true}
				}
				return "RUNNING", nil
			}
			w.restart = func(string) (string, error) { return w.action() }
		}
	}
	keys := func(n int) (keys []string) {
		for i := range n {
			keys = append(keys, "b"+strconv.Itoa(i+1))
		}
		return keys
	}
	for name, status := range map[string]string{"restart": "RUNNING", "start": "STOPPED", "stop": "RUNNING", "reinstall": "STOPPED"} {
		w := &world{}
		for _, set := range []func(*world){of(status, 2), failing(status), of("SUSPENDED", 2)} {
			set(w)
			n := len(w.list.Servers) - 1
			c := newCommands(d.t, &world{list: w.list})
			menu := answer(d.t, c, press(chooser, keys(n)...))
			codes := strings.TrimPrefix(buttonOf(menu.Message, "some/"+name+"/"), "some/"+name+"/")
			fresh(set, press("several/"+codes), press(chooser, keys(n)...), press("some/"+name+"/"+codes), press("some/"+name+"/now/"+codes))
		}
	}
	begin := func(c *commands.Commands, name, id string, n int) interaction.Request {
		ask := buttonOf(answer(d.t, c, press(chooser, keys(n)...)).Message, "some/"+name+"/")
		r := press(strings.Replace(ask, name+"/", name+"/now/", 1))
		r.ID, r.Locale = id, d.locale
		return r
	}
	stopped, stop := context.WithCancel(d.t.Context())
	stop()
	for name, status := range map[string]string{"start": "STOPPED", "stop": "RUNNING", "reinstall": "STOPPED"} {
		w := &world{}
		of(status, 2)(w)
		c := newCommands(d.t, w)
		for r := answer(d.t, c, begin(c, name, "1", 2)); r.Then != nil; {
			r = must(d.t)(r.Then.Run(stopped))
			d.see(r)
		}
	}
	w := &world{}
	of("STOPPED", 25)(w)
	w.action = func() (string, error) { return "STOPPED", nil }
	c := newCommands(d.t, w)
	for _, id := range []string{"1", "2"} { // the second does not fit the pace
		for r := answer(d.t, c, begin(c, "start", id, 25)); r.Then != nil; {
			r = must(d.t)(r.Then.Run(d.t.Context()))
			d.see(r)
		}
	}
	r := interaction.Request{ID: "1/x", Route: "some/{action}/now/{bots}", UserID: "42", CustomerID: "42", Locale: d.locale, Reference: "REF1234"}
	d.see(newCommands(d.t, &world{}).Interrupted(&r, interaction.Action{Name: "stop", BotID: "b1"}))
	time.Sleep(actions.Window)
}

// buttonOf returns the custom ID of a message's button that begins so.
func buttonOf(m interaction.Message, prefix string) string {
	for _, b := range buttons(m) {
		if strings.HasPrefix(b.CustomID, prefix) {
			return b.CustomID
		}
	}
	return ""
}
