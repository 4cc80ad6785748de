package configs_test

import (
	"strings"
	"testing"
)

const (
	unitFile     = "deploy/systemd/hostbot.service"
	templateFile = "deploy/systemd/hostbot@.service"
)

// TestSystemdTemplateIsTheUnit makes the template of several replicas of the unit of one: each has a port of
// its own.
func TestSystemdTemplateIsTheUnit(t *testing.T) {
	_, unit, found := strings.Cut(read(t, unitFile), "[Unit]\n")
	const last = "Environment=REDIS_URL_FILE=%d/redis_url\n"
	if !found || !strings.Contains(unit, "Description=hostbot, ") || !strings.Contains(unit, last) {
		t.Fatalf("%s has other lines than the template is made of", unitFile)
	}
	want := "# Made of hostbot.service by: go test ./configs -run SystemdTemplate -update\n" +
		"# One of several replicas on a machine: hostbot@9191 has its health and metrics at port 9191.\n[Unit]\n" +
		strings.NewReplacer("Description=hostbot, ", "Description=hostbot at port %i, ", last, last+"Environment=HTTP_ADDR=127.0.0.1:%i\n").Replace(unit)
	made(t, templateFile, want, "SystemdTemplate")
}
