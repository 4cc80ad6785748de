package main

import (
	"errors"
	"flag"
	"fmt"
	"io"

	"hostbot/bot/interaction"
)

// options are the flags and the command of the command line.
type options struct {
	config  string
	version bool
	command string // "", health or check
	verbose bool   // of health
	json    bool   // of check, as is userID
	userID  string
}

// parse parses the command line. Flags may stand before and after the command. It prints mistakes on stderr.
func parse(args []string, stderr io.Writer) (o options, err error) {
	flags := flag.NewFlagSet("hostbot", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() { _, _ = io.WriteString(stderr, usage) }
	flags.StringVar(&o.config, "config", "", "")
	flags.BoolVar(&o.version, "version", false, "")
	flags.BoolVar(&o.verbose, "verbose", false, "")
	flags.BoolVar(&o.json, "json", false, "")
	flags.StringVar(&o.userID, "user", "", "")
	if err = flags.Parse(args); err != nil {
		return o, err
	}
	if flags.NArg() > 0 {
		o.command = flags.Arg(0)
		if err = flags.Parse(flags.Args()[1:]); err != nil {
			return o, err
		}
	}
	mistake := ""
	switch {
	case flags.NArg() > 0:
		mistake = fmt.Sprintf("unknown argument %q", flags.Arg(0))
	case o.command != "" && o.command != "health" && o.command != "check":
		mistake = fmt.Sprintf("unknown command %q", o.command)
	case o.command != "check" && (o.json || o.userID != ""):
		mistake = "--json and --user belong to check"
	case o.command != "health" && o.verbose:
		mistake = "--verbose belongs to health"
	case o.userID != "" && !interaction.IsSnowflake(o.userID):
		mistake = "--user is not a user's ID, which is a long number"
	default:
		return o, nil
	}
	_, _ = fmt.Fprintf(stderr, "hostbot: %s\n%s", mistake, usage)
	return o, errors.New(mistake)
}
