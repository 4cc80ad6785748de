package hostapi_test

import (
	"testing"

	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
	"hostbot/hostapi/secret"
)

// TestClientAgainstTheService uses every operation of a service of which each
// request must keep to the service's document.
func TestClientAgainstTheService(t *testing.T) {
	ctx := t.Context()
	service := hostapitest.RunWith(t, hostapitest.Options{Restart: -1, Reinstall: -1, Start: -1, Stop: -1}) // nothing takes time
	service.AddAccount("42", hostapitest.Plan{Name: "Pro", RAMMB: 2048, MaxServers: 2})
	service.AddServer("42", hostapitest.Server{ID: "echo-1", Name: "Echo", RAMMB: 512})
	client := newClient(t, service.URL(), func(c *hostapi.Config) { c.Secret = secret.Text(service.Secret()) })

	created, err := client.Create(ctx, "42", hostapi.NewServer{Name: "Second", Language: "NODE", EntryFile: "main.js",
		StartupCommand: "node main.js", RAMMB: 1024, DiskMB: 1024, CPUPercent: 100})
	if err != nil || created.ID == "" || created.Name != "Second" || created.CreatedAt.IsZero() {
		t.Fatalf("create: %+v, %v", created, err)
	}
	if _, err := client.Create(ctx, "42", hostapi.NewServer{Name: "Third", Language: "NODE", EntryFile: "main.js",
		StartupCommand: "node main.js", RAMMB: 16, DiskMB: 16, CPUPercent: 10}); hostapi.CodeOf(err) != hostapi.CodeLimitReached {
		t.Errorf("a server too many: %v", err)
	}
	list, err := client.List(ctx, "42")
	if err != nil || len(list.Servers) != 2 || list.Account != (hostapi.Account{PlanName: "Pro", PlanRAMMB: 2048, MaxServers: 2, ServerCount: 2}) {
		t.Errorf("list: %+v, %v", list, err)
	}
	if status, err := client.Stop(ctx, "42", "echo-1"); err != nil || status != hostapitest.Stopped {
		t.Errorf("stop: %q, %v", status, err)
	}
	if status, err := client.Start(ctx, "42", "echo-1"); err != nil || status != hostapitest.Running {
		t.Errorf("start: %q, %v", status, err)
	}
	if _, err := client.Start(ctx, "42", "echo-1"); hostapi.CodeOf(err) != hostapi.CodeConflict {
		t.Errorf("start what runs: %v", err)
	}
	if status, err := client.Restart(ctx, "42", "echo-1"); err != nil || status != hostapitest.Running {
		t.Errorf("restart: %q, %v", status, err)
	}
	if err := client.Reinstall(ctx, "42", "echo-1"); err != nil {
		t.Errorf("reinstall: %v", err)
	}
	changed, err := client.UpdateStartup(ctx, "42", "echo-1", hostapi.Startup{Command: "npm run prod", EntryFile: "prod.js"})
	if err != nil || changed.StartupCommand != "npm run prod" || changed.EntryFile != "prod.js" {
		t.Errorf("update startup: %+v, %v", changed, err)
	}
	if got, err := client.Get(ctx, "42", "echo-1"); err != nil || got != changed {
		t.Errorf("get: %+v, %v, want %+v", got, err, changed)
	}
	if err := client.Delete(ctx, "42", created.ID); err != nil || len(service.Servers("42")) != 1 {
		t.Errorf("delete: %v, %d servers are left", err, len(service.Servers("42")))
	}
	if _, err := client.Get(ctx, "42", created.ID); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("get what is deleted: %v", err)
	}
	service.AddServer("7", hostapitest.Server{ID: "theirs"})
	if _, err := client.Restart(ctx, "42", "theirs"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("restart what is another's: %v", err)
	}
	if _, err := client.List(ctx, "43"); hostapi.CodeOf(err) != hostapi.CodeNotFound {
		t.Errorf("list without an account: %v", err)
	}
	if _, err := newClient(t, service.URL()).List(ctx, "42"); hostapi.CodeOf(err) != hostapi.CodeUnauthorized {
		t.Errorf("list with another secret: %v", err)
	}
}
