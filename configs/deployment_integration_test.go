//go:build integration

package configs_test

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v4"
)

// TestCommandsOfThePageWork runs what deploy/README.md has people copy, on an account that lets nobody
// else read its files. The secrets are typed when they are asked for.
func TestCommandsOfThePageWork(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Fatal(err)
	}
	for section, want := range map[string]struct {
		typed    string
		files    map[string]string // by name, what they hold at the end, and their mode
		commands string
	}{
		"With compose": {"t0ken%s\nsh\\ared\nhttps://discord.com/api/webhooks/1/x\n", map[string]string{
			"compose/secrets/discord_token":  "-rw-r--r-- t0ken%s",
			"compose/secrets/hostapi_secret": "-rw-r--r-- sh\\ared",
			"compose/secrets/alerts_webhook": "-rw-r--r-- https://discord.com/api/webhooks/1/x",
			"compose/secrets":                "drwx------",
		}, "VERSION=its-describe COMMIT=its-rev-parse docker compose build hostbot\n" +
			"docker compose run --rm hostbot check\ndocker compose up -d\ndocker compose restart alertmanager\n" +
			"docker compose exec alertmanager amtool --alertmanager.url=http://localhost:9093 alert add HostbotTest severity=page --annotation=summary=\"This is a test\"\n"},
		"With Kubernetes": {"token\nshared\nredis://:p@r:6379\n", map[string]string{}, "kubectl create namespace hostbot\n" +
			"kubectl --namespace hostbot create secret generic hostbot --from-file=secrets\nkubectl apply -k .\n" +
			"kubectl --namespace hostbot rollout status deployment hostbot\n"},
		"With systemd": {"token\nsh\\ared%s\nredis://:p@r:6379\n", map[string]string{
			"../../etc/hostbot/discord_token":           "-rw------- token",
			"../../etc/hostbot/hostapi_secret":          "-rw------- sh\\ared%s",
			"../../etc/hostbot/redis_url":               "-rw------- redis://:p@r:6379",
			"../../etc/hostbot/hostbot.yaml":            "-rw-r--r-- " + read(t, examplePath),
			"../../etc/systemd/system/hostbot.service":  "-rw-r--r-- " + read(t, unitFile),
			"../../etc/systemd/system/hostbot@.service": "-rw-r--r-- " + read(t, templateFile),
			"../../usr/local/bin/hostbot":               "-rwxr-xr-x ",
		}, "go build -trimpath -o hostbot ./cmd/hostbot\nsystemctl daemon-reload\nsystemctl enable --now hostbot\n"},
		"Two replicas": {"", map[string]string{"../../.env": "-rw------- REPLICAS=2\n"}, "docker compose up -d\n" +
			"docker compose ps --quiet hostbot\ndocker compose up -d --no-deps --no-recreate --scale hostbot=4 hostbot\n" +
			"docker stop --time 30 one two\ndocker rm one two\n" +
			"systemctl disable --now hostbot\nsystemctl enable --now hostbot@9191 hostbot@9192\n"},
		"A Redis of your own": {"redis://:p@r:6379\n", map[string]string{"../../secrets/redis_url": "-rw-r--r-- redis://:p@r:6379"}, ""},
	} {
		dir := t.TempDir()
		deploy := filepath.Join(dir, "configs", "deploy")
		for _, place := range []string{"etc/systemd/system", "usr/local/bin", "configs", "secrets"} {
			if err := os.MkdirAll(filepath.Join(dir, place), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if err := errors.Join(os.CopyFS(deploy, os.DirFS("deploy")), os.WriteFile(filepath.Join(dir, "configs", examplePath), []byte(read(t, examplePath)), 0o644), os.WriteFile(filepath.Join(dir, "commands"), nil, 0o600)); err != nil {
			t.Fatal(err)
		}
		const noted = "echo ${COMMIT:+VERSION=$VERSION COMMIT=$COMMIT} \"$(basename \"$0\")\" \"$@\" >>\"$COMMANDS\"\n"
		for program, does := range map[string]string{
			"docker":    noted + "case \"$*\" in *--quiet*|stop*) printf 'one\\ntwo\\n' ;; esac\n",
			"kubectl":   noted,
			"systemctl": noted,
			"go":        noted + ": >hostbot\n",
			"git":       "case $* in *remote*) echo https://me:token@git.example.com/acme/hostbot.git ;; *) echo its-$1 ;; esac\n",
			"sudo":      "exec \"$@\"\n",
			"sudoedit":  "test -w \"$1\"\n",
		} {
			if err := os.WriteFile(filepath.Join(dir, program), []byte("#!/bin/sh\n"+does), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		_, text, _ := strings.Cut(read(t, "deploy/README.md"), "\n## "+section+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		script := "set -eu; umask 077\n"
		for _, block := range regexp.MustCompile("(?ms)^```(?:ba)?sh\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			script += block[1]
		}
		script = strings.NewReplacer(" /etc/", " "+dir+"/etc/", "\"/etc/", "\""+dir+"/etc/", " /usr/local/bin/", " "+dir+"/usr/local/bin/").Replace(script)
		cmd := exec.Command("bash", "-c", script)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(want.typed)
		cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"), "EDITOR=true", "COMMANDS="+filepath.Join(dir, "commands"))
		if said, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", section, err, said)
		}
		if diff := cmp.Diff(want.commands, read(t, filepath.Join(dir, "commands"))); diff != "" {
			t.Errorf("%s: -want +run:\n%s", section, diff)
		}
		for name, is := range want.files {
			path := filepath.Join(deploy, name)
			found, err := os.Stat(path)
			if err != nil {
				t.Errorf("%s: %v", section, err)
				continue
			}
			state := found.Mode().String()
			if !found.IsDir() {
				state += " " + read(t, path)
			}
			if state != is {
				t.Errorf("%s: %s is %q, want %q", section, name, state, is)
			}
		}
		linked := strings.Contains(script, "set-links")
		if linked != slices.Contains([]string{"With compose", "With Kubernetes"}, section) {
			t.Errorf("%s: the links of alerts are led to the runbook: %t", section, linked)
		}
		for _, rules := range []string{rulesFile, operatorsFile} {
			if !linked {
				continue
			}
			text := read(t, filepath.Join(dir, "configs", rules))
			if strings.Count(text, "runbook_url: https://git.example.com/acme/hostbot/blob/HEAD/configs/deploy/RUNBOOK.md#") != strings.Count(text, "alert: ") {
				t.Errorf("%s: not every alert of %s leads to the runbook of the clone's origin", section, rules)
			}
		}
		if _, err := os.Stat(filepath.Join(deploy, "kubernetes", "secrets")); err == nil {
			t.Errorf("%s: secrets are left behind", section)
		}
	}
}

// TestCommandsCanBePasted on each page for operators. Where no bracketed paste holds the lines together, a
// prompt reads the next of them; and zsh takes a comment for arguments.
func TestCommandsCanBePasted(t *testing.T) {
	prompted := regexp.MustCompile(`(?m)^ *(?:read -|cat >).*\n.|read -(?s:.*)\n *done.*\n.`)
	hidden := regexp.MustCompile(`read -r?s`)
	pages, err := filepath.Glob("deploy/*.md")
	pages = append(pages, "../README.md")
	if err != nil || len(pages) < 5 {
		t.Fatalf("pages %v: %v", pages, err)
	}
	for _, page := range pages {
		for _, block := range regexp.MustCompile("(?ms)^ *```((?:ba)?sh)\n(.*?)^ *```").FindAllStringSubmatch(read(t, page), -1) {
			shell, commands := block[1], block[2]
			if strings.Contains(commands, "#") {
				t.Errorf("%s: zsh takes a comment for arguments: %s", page, commands)
			}
			if prompted.MatchString(commands) {
				t.Errorf("%s: lines follow a prompt, which reads them: %s", page, commands)
			}
			if hidden.MatchString(commands) != (shell == "bash") {
				t.Errorf("%s: sh cannot read what is not to be shown, and is enough for all else: %s", page, commands)
			}
		}
	}
}

// TestNoPageHasSecretsTyped into a command, which a shell's history keeps and every user of the machine
// may read while it runs.
func TestNoPageHasSecretsTyped(t *testing.T) {
	typed := regexp.MustCompile(`(?m)^.*(?:--from-literal|(?:printf|echo)[^\n|]*'[^'%\n]*(?:TOKEN|SECRET)|export[^\n]*(?:DISCORD_TOKEN|HOSTAPI_SECRET)=|export REDIS_URL='?rediss?://[^\n]*(?:password=|@)).*$`)
	looked := 0
	look := func(path string) {
		looked++
		for _, line := range typed.FindAllString(read(t, path), -1) {
			t.Errorf("%s: %s", path, line)
		}
	}
	look("../README.md")
	err := filepath.WalkDir("deploy", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && slices.Contains([]string{".md", ".yaml", ".service"}, filepath.Ext(path)) {
			look(path)
		}
		return err
	})
	if err != nil || looked < 10 {
		t.Errorf("looked into %d files: %v", looked, err)
	}
}

// TestWhatComposeStartsIsHardened like the unit: no more rights, memory, processes or disk than it needs.
func TestWhatComposeStartsIsHardened(t *testing.T) {
	var compose struct {
		Services map[string]struct {
			ReadOnly  bool     `yaml:"read_only"`
			Drop      []string `yaml:"cap_drop"`
			Security  []string `yaml:"security_opt"`
			Memory    string   `yaml:"mem_limit"`
			Processes int      `yaml:"pids_limit"`
			Ports     []string
			Logging   struct{ Options map[string]string }
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, "deploy/compose/compose.yaml")), &compose); err != nil {
		t.Fatal(err)
	}
	if len(compose.Services) < 5 {
		t.Errorf("only %d services", len(compose.Services))
	}
	for name, s := range compose.Services {
		if !s.ReadOnly || !slices.Equal(s.Drop, []string{"ALL"}) || !slices.Contains(s.Security, "no-new-privileges:true") {
			t.Errorf("%s may write to its image, or take rights", name)
		}
		if s.Memory == "" || s.Processes == 0 {
			t.Errorf("%s may use all of the machine's memory or processes", name)
		}
		if s.Logging.Options["max-size"] == "" || s.Logging.Options["max-file"] == "" {
			t.Errorf("%s fills the disk with its log", name)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("other machines reach %s at %s", name, port)
			}
		}
	}
}

// TestSettingsOfComposeAreThoseOfTheFile: whatever hostbot.env says is what the bot gets, and what it does not say
// has a default. Several replicas are told apart, and the image that is built knows what it is.
func TestSettingsOfComposeAreThoseOfTheFile(t *testing.T) {
	compose := func(files map[string]string, variables ...string) string {
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("deploy/compose")); err != nil {
			t.Fatal(err)
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		cmd := exec.Command("docker-compose", "config")
		cmd.Dir, cmd.Env = dir, append(os.Environ(), variables...)
		shown, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		return string(shown)
	}
	usual := compose(map[string]string{"hostbot.env": "HOSTAPI_URL=https://panel.example.com\n"})
	set := compose(map[string]string{"hostbot.env": "REDIS_URL=rediss://elsewhere:6380/1\nHTTP_ADDR=127.0.0.1:9191\nLOG_LEVEL=debug\n"}, "REPLICAS=2", "VERSION=1.2.3", "COMMIT=8cd95a1")
	// What the page has people write into files, a section after the other.
	written := func(section string) map[string]string {
		t.Helper()
		_, text, _ := strings.Cut(read(t, "deploy/README.md"), "\n## "+section+"\n")
		text, _, _ = strings.Cut(text, "\n## ")
		files := map[string]string{"hostbot.env": ""}
		for _, file := range regexp.MustCompile("(?ms)`(\\S+)`:\n\n```(?:yaml)?\n(.*?)^```").FindAllStringSubmatch(text, -1) {
			files[file[1]] = file[2]
		}
		if files["compose.override.yaml"] == "" {
			t.Errorf("%s: the page has people write %q", section, files)
		}
		return files
	}
	http, own := compose(written("With compose")), compose(written("A Redis of your own"))
	for text, lines := range map[string][]string{
		usual: {"REDIS_URL: redis://redis:6379/0", "HTTP_ADDR: :9090", "HOSTAPI_URL: https://panel.example.com", "scale: 1", "VERSION: development", "- hostbot-replicas"},
		set:   {"REDIS_URL: rediss://elsewhere:6380/1", "HTTP_ADDR: 127.0.0.1:9191", "LOG_LEVEL: debug", "scale: 2", "VERSION: 1.2.3", "COMMIT: 8cd95a1"},
		http:  {"- 127.0.0.1:8081:8080/tcp", "REDIS_URL: redis://redis:6379/0", "scale: 1"},
		own:   {"REDIS_URL: ''", "REDIS_URL_FILE: /run/secrets/redis_url", "- source: redis_url", "scale: 0", "scale: 1"},
	} {
		for _, line := range lines {
			if !strings.Contains(text, " "+line+"\n") {
				t.Errorf("no %q in\n%s", line, text)
			}
		}
	}

	var prometheus struct {
		Jobs []struct {
			Name   string           `yaml:"job_name"`
			Static []map[string]any `yaml:"static_configs"`
			DNS    []struct {
				Names []string
				Type  string
				Port  int
			} `yaml:"dns_sd_configs"`
		} `yaml:"scrape_configs"`
	}
	if err := yaml.Unmarshal([]byte(read(t, "deploy/compose/prometheus.yaml")), &prometheus); err != nil {
		t.Fatal(err)
	}
	if jobs := prometheus.Jobs; len(jobs) != 1 || len(jobs[0].Static) > 0 || len(jobs[0].DNS) != 1 ||
		!slices.Equal(jobs[0].DNS[0].Names, []string{"hostbot-replicas"}) || jobs[0].DNS[0].Type != "A" || jobs[0].DNS[0].Port != 9090 {
		t.Errorf("the replicas are no targets of their own: %+v", jobs)
	}
}

// TestImageHasNoSecrets of an installation in the checkout, and a user whom an orchestrator can see
// not to be root.
func TestImageHasNoSecrets(t *testing.T) {
	if !strings.Contains(read(t, "../.dockerignore"), "\nconfigs/deploy/\n") {
		t.Error("the secrets that Compose reads are among what the image is built from")
	}
	if !regexp.MustCompile(`(?m)^USER [1-9][0-9]*:[1-9][0-9]*$`).MatchString(read(t, "../Dockerfile")) {
		t.Error("the image's user has no number, so that runAsNonRoot refuses it")
	}
}
