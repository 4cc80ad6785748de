package check

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"hostbot/bot/discord/rest"
	"hostbot/bot/sanitize"
	"hostbot/bot/staff/health"
	"hostbot/hostapi"
	"hostbot/hostapi/secret"
)

const (
	// unusedUserID is a user ID of Discord's that no user has: its time is that of January
	// 2015, before the first users. Its 17 digits are as many as early users' IDs have.
	// https://docs.discord.com/developers/reference#snowflakes
	unusedUserID = "10000000000000000"
	// bogusSecret is a secret that the service does not share.
	bogusSecret secret.Text = "this-is-not-the-secret-of-hostbot-check"
)

// service asks the hosting service for the bots of the customer who was named. Where none
// was, it asks for an ID that nobody has: the answer says whether the secret is accepted.
func (c *checker) service(ctx context.Context) health.Item {
	asked := time.Now()
	list, err := c.list(ctx, c.cfg.Settings.HostAPI.Secret)
	took := time.Since(asked).Round(time.Millisecond)
	if c.cfg.UserID != "" {
		c.bots = itemsOf(list.Servers)
	}
	switch code, status := hostapi.CodeOf(err), failureOf(err).Status; {
	case err == nil && len(list.Unread) > 0:
		return warn("compare its answer with its documentation; customers see the rest", "it accepts the secret, and not all of its answer can be read: %s", strings.Join(list.Unread, ", "))
	case err == nil && c.cfg.UserID == "":
		return good("it accepts the secret, and answered within %v", took)
	case err == nil:
		return good("user %s has %s, plan %s; it answered within %v", c.cfg.UserID, botsOf(list), cmp.Or(list.Account.PlanName, "unknown"), took)
	case code == hostapi.CodeNotFound && c.cfg.UserID == "":
		return c.accepted(ctx, err)
	case code == hostapi.CodeNotFound:
		return fail("name a customer who has an account; if this one does, correct HOSTAPI_URL", "user %s has no account: %s", c.cfg.UserID, reason(err))
	case code == hostapi.CodeRateLimited:
		return fail("try again in a few minutes: too many requests come from the bot, or from this machine's address", "it is not known, as the service limits requests: %s", reason(err))
	case code == hostapi.CodeUnauthorized:
		return fail("set HOSTAPI_SECRET to the secret that the service has", "the service does not accept the secret: %s", reason(err))
	case code == hostapi.CodeUnavailable && status/100 == 3:
		return fail("set HOSTAPI_URL to where the service itself answers", "it redirects: %s", reason(err))
	case code == hostapi.CodeUnavailable && status/100 == 4:
		return fail("see that HOSTAPI_URL leads to the service, and have what stands before it let this machine's address through", "%s", reason(err))
	case code == hostapi.CodeUnavailable:
		return fail("see that the service runs, and that HOSTAPI_URL leads to it from this machine", "%s", reason(err))
	case code == hostapi.CodeMalformed:
		return fail("see that HOSTAPI_URL leads to the service and not to another page", "%s", reason(err))
	case c.cfg.UserID == "":
		return fail("name a customer by --user: whether customers are served is not known", "the service refuses the question for a user that is made up: %s", reason(err))
	}
	return fail("the service's log may say why", "%s", reason(err))
}

// itemsOf tells of a customer's bots, by their IDs, as two may have one name.
func itemsOf(servers []hostapi.Server) (items []health.Item) {
	const most = 100
	for _, s := range servers {
		item := good("%s, %s", sanitize.Plain(cmp.Or(s.Name, "without a name"), most), sanitize.Plain(cmp.Or(s.Status, "of unknown status"), most))
		item.Name = "bot " + sanitize.Plain(s.ID, most)
		items = append(items, item)
	}
	return items
}

// botsOf says how many bots an account has, of how many where that is known.
func botsOf(l hostapi.List) string {
	if l.Account.MaxServers <= 0 {
		return fmt.Sprintf("%d bots", len(l.Servers))
	}
	return fmt.Sprintf("%d of %d bots", len(l.Servers), l.Account.MaxServers)
}

// failureOf returns what the service's client says of an error; the zero Error for nil.
func failureOf(err error) hostapi.Error {
	if e, ok := errors.AsType[*hostapi.Error](err); ok {
		return *e
	}
	return hostapi.Error{}
}

// accepted reports whether the secret is what made the service look for an account, which it did not
// find. A wrong address may answer like a service that knows no such account; but not with
// another answer to a wrong secret, nor with words of its own about an account.
func (c *checker) accepted(ctx context.Context, notFound error) health.Item {
	_, err := c.list(ctx, bogusSecret)
	const found = "it answers with status 404 whatever the secret, for a user that is made up: %s"
	switch code := hostapi.CodeOf(err); {
	case code == hostapi.CodeUnauthorized, code == hostapi.CodeForbidden:
		return good("it accepts the secret, and refuses another")
	case code != hostapi.CodeNotFound:
		return fail("name a customer by --user: whether customers are served is not known", "for a user that is made up it answers %s; and to a wrong secret: %s", reason(notFound), reason(err))
	case failureOf(err).OwnWord:
		return warn("name a customer by --user: if that one is found, the service knows any secret", found, reason(err))
	}
	return fail("correct HOSTAPI_URL: something else than the service's API answers there; if it is right, name a customer by --user", found, reason(err))
}

// list asks for the bots of the customer who was named, or of nobody. It waits where the service limits
// requests.
func (c *checker) list(ctx context.Context, s secret.Text) (list hostapi.List, err error) {
	limited := func(err error) bool { return hostapi.CodeOf(err) == hostapi.CodeRateLimited }
	_ = rest.Retry(ctx, rest.Retries{First: time.Second, Limit: patience, Again: limited}, func(ctx context.Context) error {
		list, err = c.listOnce(ctx, s)
		if wait := failureOf(err).RetryAfter; wait > 0 {
			return errors.Join(err, &backoff.RetryAfterError{Duration: wait})
		}
		return err
	})
	return list, err
}

func (c *checker) listOnce(ctx context.Context, s secret.Text) (hostapi.List, error) {
	config := c.cfg.Settings.HostAPI.Config()
	config.Secret, config.UserAgent = s, "hostbot/"+c.cfg.Version
	config.Observe, config.OnDown, config.OnUp = func(hostapi.Call) {}, func(error) {}, func(time.Duration) {}
	client, err := hostapi.New(config)
	if err != nil {
		return hostapi.List{}, err
	}
	defer client.Close()
	return client.List(ctx, cmp.Or(c.cfg.UserID, unusedUserID))
}
