package hostapi_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hostbot/hostapi"
	"hostbot/hostapi/hostapitest"
)

// answering returns a client of a service that answers everything with a fault.
func answering(t *testing.T, f hostapitest.Fault) *hostapi.Client {
	t.Helper()
	service := hostapitest.RunT(t)
	service.Fail("", f, 0)
	return newClient(t, service.URL(), func(c *hostapi.Config) { c.Secret = "hosting-secret" })
}

var goodServer = hostapi.Server{ID: "good", Name: "good", Status: "RUNNING", RAMMB: 512, DiskMB: 1024, CPUPercent: 100}

func TestRecordsAreReadByThemselves(t *testing.T) {
	t.Parallel()
	pro := hostapi.Account{PlanName: "Pro", PlanRAMMB: 5120, MaxServers: 9, ServerCount: 2}
	type want struct {
		server  hostapi.Server // beside its ID and name
		account hostapi.Account
		unread  string
	}
	wants := map[string]want{
		"a fraction":                  {hostapi.Server{CPUPercent: 13, RAMMB: 512}, pro, ""},
		"an exponent":                 {hostapi.Server{RAMMB: 100}, pro, ""},
		"a number in quotes":          {hostapi.Server{RAMMB: 512}, pro, ""},
		"a number with its unit":      {hostapi.Server{}, pro, "servers[].ramMb: a string"},
		"a huge number":               {hostapi.Server{}, pro, "servers[].ramMb: a number out of range, servers[].diskMb: a number out of range"},
		"NaN":                         {hostapi.Server{}, pro, "servers[].cpuPercent: a string"},
		"a status that is a number":   {hostapi.Server{Status: "20"}, pro, "servers[].status: a number"},
		"a status that is an object":  {hostapi.Server{}, pro, "servers[].status: an object"},
		"texts that are none":         {hostapi.Server{PlanName: "7"}, pro, "servers[].language: an array, servers[].startupCommand: an object, servers[].entryFile: a boolean"},
		"null in all members":         {hostapi.Server{}, pro, ""},
		"text that is not UTF-8":      {hostapi.Server{Language: "\uFFFD", Subdomain: `\ud800`}, pro, ""},
		"a name that is a number":     {hostapi.Server{Name: "2024"}, pro, ""},
		"members in other case":       {hostapi.Server{RAMMB: 512}, pro, ""},
		"no account":                  {hostapi.Server{}, hostapi.Account{ServerCount: 2}, ""},
		"an account that is null":     {hostapi.Server{}, hostapi.Account{ServerCount: 2}, ""},
		"an account that is a list":   {hostapi.Server{}, hostapi.Account{ServerCount: 2}, "account: an array"},
		"an account that is a text":   {hostapi.Server{}, hostapi.Account{ServerCount: 2}, "account: a string"},
		"an account with odd figures": {hostapi.Server{}, hostapi.Account{PlanName: "7", PlanRAMMB: 5120, MaxServers: 9, ServerCount: 2}, ""},
		"a byte order mark":           {hostapi.Server{}, pro, ""},
		"a list with gaps, from PHP":  {hostapi.Server{}, pro, ""},
	}
	for _, real := range hostapitest.RealRecords() {
		want, ok := wants[real.Name]
		if !ok {
			t.Fatalf("what is right for %s?", real.Name)
		}
		want.server.ID = "odd"
		if want.server.Name == "" {
			want.server.Name = "odd"
		}
		got, err := answering(t, real.Fault).List(t.Context(), user)
		if diff := cmp.Diff([]hostapi.Server{goodServer, want.server}, got.Servers); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", real.Name, err, diff)
		}
		if diff := cmp.Diff(want.account, got.Account); diff != "" {
			t.Errorf("%s (-want +got):\n%s", real.Name, diff)
		}
		if unread := strings.Join(got.Unread, ", "); unread != want.unread || got.Missing() != 0 {
			t.Errorf("%s: unread is %q, missing are %d", real.Name, unread, got.Missing())
		}
	}
}

func TestIDsAreTakenByTheirDigits(t *testing.T) {
	t.Parallel()
	for written, want := range map[string]string{
		`4711`: "4711", `1234567890123456789`: "1234567890123456789", `18446744073709551617`: "18446744073709551617",
		`4711.0`: "4711", `0`: "0", `-1`: "-1", `4711.5`: "", `1e3`: "", `true`: "",
	} {
		got, err := serve(t, saying(`{"servers":[{"id":"good"},{"id":`+written+`}]}`)).List(t.Context(), user)
		servers := []hostapi.Server{{ID: "good"}}
		if want != "" {
			servers = append(servers, hostapi.Server{ID: want})
		}
		if diff := cmp.Diff(servers, got.Servers); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", written, err, diff)
		}
	}
}

func TestRecordsThatAreNoneAreMissing(t *testing.T) {
	t.Parallel()
	for _, stray := range hostapitest.RealStrays() {
		got, err := answering(t, stray.Fault).List(t.Context(), user)
		if diff := cmp.Diff([]hostapi.Server{goodServer}, got.Servers); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", stray.Name, err, diff)
		}
		if got.Missing() != 1 || len(got.Unread) != 1 || !strings.HasPrefix(got.Unread[0], "servers[]") {
			t.Errorf("%s: %d are missing, unread is %q", stray.Name, got.Missing(), got.Unread)
		}
	}
}

func TestListAndCountDiffer(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		servers, account string
		missing          int
		unread           bool
	}{
		{`{"id":"a"}`, `{"serverCount":60}`, 59, true},
		{`{"id":"a"},{"id":"b"}`, `{"serverCount":1}`, 0, false},
		{`{"id":"a"},{"id":"b"}`, `{"serverCount":-1}`, 0, false},
		{`{"id":"a"},null`, `{"serverCount":1}`, 0, true},
		{`{"id":"a"},null`, `{}`, 1, true},
		{``, `{"serverCount":2}`, 2, true},
		{``, `{}`, 0, false},
	} {
		got, err := serve(t, saying(`{"servers":[`+test.servers+`],"account":`+test.account+`}`)).List(t.Context(), user)
		if err != nil || got.Missing() != test.missing || (got.Unread != nil) != test.unread || got.Account.ServerCount != len(got.Servers)+test.missing {
			t.Errorf("%s, %s: %d are missing of %d, unread is %q, %v", test.servers, test.account, got.Missing(), got.Account.ServerCount, got.Unread, err)
		}
	}
}

// Go writes null for an empty list, and PHP and Lua may write an empty object.
func TestEmptyListsOfOtherLanguages(t *testing.T) {
	t.Parallel()
	for _, servers := range []string{`null`, `{}`} {
		for account, want := range map[string]struct{ known, listed hostapi.Code }{
			`{"planName":"Pro","serverCount":0}`: {"", ""},
			`{"planName":"Pro"}`:                 {"", hostapi.CodeUnavailable},
			`{"planName":"Pro","serverCount":2}`: {hostapi.CodeMalformed, hostapi.CodeMalformed},
			`null`:                               {hostapi.CodeMalformed, hostapi.CodeMalformed},
		} {
			client := serve(t, saying(`{"servers":`+servers+`,"account":`+account+`}`))
			got, err := client.List(t.Context(), user)
			if hostapi.CodeOf(err) != want.known || got.Missing() != 0 || len(got.Unread) != 0 {
				t.Errorf("%s of %s: %+v, %v", servers, account, got, err)
			}
			if _, err := client.List(asListed(t), user); hostapi.CodeOf(err) != want.listed {
				t.Errorf("%s of %s that was listed: %v", servers, account, err)
			}
		}
	}
}

// Staff are told what was sent, without what it says of a customer.
func TestUnreadableListsSayWhy(t *testing.T) {
	t.Parallel()
	wants := map[string]string{
		"servers that are null":      "servers: null",
		"servers that are an object": "servers: an object",
		"no servers":                 "servers: missing",
		"only records without IDs":   "no server can be read: servers[]: null, servers[].id: missing",
		"a warning of PHP's":         "a page of text/html, not the service's JSON: Warning : Undefined variable $x in /srv/api.php on line 3",
		"a comment after it":         "it is no JSON",
		"NUL after it":               "it is no JSON",
		"UTF-16":                     "it is no JSON:",
		"a list without more":        "it is an array and no object",
		"an empty body":              "it is empty",
	}
	for _, list := range hostapitest.UnreadableLists() {
		_, err := answering(t, list.Fault).List(t.Context(), user)
		if got := asError(t, err); got.Code != hostapi.CodeMalformed || got.Detail != "malformed answer: "+wants[list.Name] {
			t.Errorf("%s: %v", list.Name, err)
		}
	}
}

func TestAnswersToActionsAreReadTolerantly(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{ // the status, or the code of the error
		`{"ok":1,"status":"RUNNING"}`:              "RUNNING",
		`{"ok":"true","status":"RUNNING"}`:         "RUNNING",
		`{"OK":"1","status":"RUNNING"}`:            "RUNNING",
		"\uFEFF" + `{"ok":true,"status":"UP"}`:     "UP",
		`{"ok":true,"status":{"state":"running"}}`: "",
		`{"ok":true,"status":null}`:                "",
		`{"ok":0}`:                                 "internal",
		`{"ok":"false"}`:                           "internal",
		`{"ok":null}`:                              "malformed",
		`{"ok":"yes"}`:                             "malformed",
		`{"ok":{}}`:                                "malformed",
	} {
		status, err := serve(t, saying(body)).Restart(t.Context(), user, "srv-1")
		if code := string(hostapi.CodeOf(err)); code != want && status != want || hostapi.IsUncertain(err) != (code == "malformed") {
			t.Errorf("%s: %q, %v", body, status, err)
		}
	}
	for _, body := range []string{
		`{"ok":true}`, `{"ok":1,"server":null}`, `{"ok":true,"server":[]}`, `{"ok":true,"server":"srv-1"}`, `{"ok":true,"server":{"id":{},"ramMb":"x"}}`,
		`{"ok":true,"server":{"id":"srv-1","startupCommand":{}}}`,
	} {
		got, err := serve(t, saying(body)).UpdateStartup(t.Context(), user, "srv-1", hostapi.Startup{})
		if err != nil || got.ID != "srv-1" {
			t.Errorf("update startup, %s: %+v, %v", body, got, err)
		}
	}
	got, err := serve(t, saying(`{"ok":1,"server":{"id":4711,"name":"new","ramMb":"512"}}`)).Create(t.Context(), user, hostapi.NewServer{})
	if diff := cmp.Diff(hostapi.Server{ID: "4711", Name: "new", RAMMB: 512}, got); err != nil || diff != "" {
		t.Errorf("create: %v (-want +got):\n%s", err, diff)
	}
	_, err = serve(t, saying(`{"ok":true,"server":{"name":"new"}}`)).Create(t.Context(), user, hostapi.NewServer{})
	if !hostapi.IsUncertain(err) {
		t.Errorf("create without an ID: %v", err)
	}
	got, err = serve(t, saying(`{"id":4711,"name":"odd","status":"RUNNING","cpuPercent":"12.5"}`)).Get(t.Context(), user, "4711")
	if diff := cmp.Diff(hostapi.Server{ID: "4711", Name: "odd", Status: "RUNNING", CPUPercent: 13}, got); err != nil || diff != "" {
		t.Errorf("get: %v (-want +got):\n%s", err, diff)
	}
}
