package redisclient

import (
	"errors"
	"strings"

	"github.com/redis/go-redis/v9"
)

// Explain returns what an error of Redis or of its connection means, and its cure, most often a change of REDIS_URL.
// Both are empty if operators cannot mend it.
//
// The messages are from Redis (https://github.com/redis/redis/tree/7.0/src: processCommand in server.c, authCommand
// in acl.c, selectCommand in db.c, cluster.c, and acceptCommonHandler in networking.c), crypto/tls and go-redis.
func Explain(err error) (means, cure string) {
	if err == nil || isNil(err) {
		return "", ""
	}
	if errors.Is(err, redis.Nil) { // wrapped: the answer of Sentinels to an unknown name
		return "its Sentinels know no server by the master_name in REDIS_URL", "write the master_name that redis-cli -p 26379 SENTINEL MASTERS shows"
	}
	const oneServer, otherPort = "write redis://HOST:PORT/0, with one address", "or name the port that "
	text := " " + strings.ToLower(err.Error())
	for _, known := range []struct{ words, means, cure string }{
		{"cluster support disabled", "it is one server and in no Cluster, and REDIS_URL has the form for a Cluster (addr=)", oneServer},
		{" moved ", inCluster, clusterForm},
		{"select is not allowed in cluster mode", inCluster, clusterForm},
		{"db index is out of range", "it has no database of the number that REDIS_URL ends with", "write /0 at the end of the address, or raise databases in redis.conf"},
		{"unknown command 'sentinel'", noSentinel, oneServer + ", or name the Sentinels, most often at port 26379"},
		{"unknown command `sentinel`", noSentinel, oneServer + ", or name the Sentinels, most often at port 26379"}, // up to Redis 6.2
		{"unknown command", "it does not know a command that the bot needs", "use Redis 6.2 or later; if REDIS_URL names a Sentinel, write redis://HOST:26379/0?master_name=NAME"},
		{"denied redis is running in protected mode", "it has no password, and takes connections of its own machine alone", "give it a password (requirepass) and write redis://:PASSWORD@HOST:PORT/0"},
		{"noauth", "it wants a password, and REDIS_URL gives none", "write redis://:PASSWORD@HOST:PORT/0; behind Sentinels the servers' password is &password="},
		{"without any password configured", "it has no password, and REDIS_URL gives one", "take the password out of REDIS_URL, or give it to Redis (requirepass)"},
		{"no password is set", "it has no password, and REDIS_URL gives one", "take the password out of REDIS_URL, or give it to Redis (requirepass)"}, // up to Redis 5
		{"wrongpass", "it does not accept the user and the password in REDIS_URL", "correct them; a password's special characters are percent-encoded, and behind Sentinels the servers' password is &password="},
		{"invalid password", "it does not accept the password in REDIS_URL", "correct it; its special characters are percent-encoded"}, // up to Redis 5
		{"readonly", "it is a replica, to which nothing can be written", "name the primary in REDIS_URL, or its Sentinels"},
		{"oom command", "it is full", "give Redis more memory (maxmemory), or take away what else fills it"},
		{"max number of clients reached", "it has as many clients as it takes", "raise maxclients, or see what connects so often (redis-cli CLIENT LIST)"},
		{" busy redis is busy", "it runs a script that does not end", "end that by redis-cli SCRIPT KILL; INFO and SLOWLOG may say whose it is"},
		{"misconf", "it cannot save, and takes no writes", "see that its disk has room and that it may write to its directory; its log says why it cannot save"},
		{"noreplicas", "it has too few replicas, and takes no writes", "see that its replicas are connected, of which min-replicas-to-write wants some"},
		{"first record does not look like a tls handshake", "it speaks no TLS, and REDIS_URL begins with rediss://", "write redis://, " + otherPort + "has TLS (tls-port)"},
		{"certificate required", "it wants a certificate of the bot's, which has none", "set tls-auth-clients no in redis.conf"},
		{"can't parse", "what answers is no Redis", "correct the host and the port in REDIS_URL"},
		{"x509:", "its certificate is not accepted", "name the host in REDIS_URL that the certificate is for; if its authority is your own, name that in SSL_CERT_FILE"},
	} {
		if strings.Contains(text, known.words) {
			return known.means, known.cure
		}
	}
	return "", ""
}

const (
	inCluster   = "it is a server of a Cluster, and REDIS_URL has the form for one server"
	clusterForm = "write redis://HOST:PORT?addr=HOST2:PORT2, with two of its servers or more; if they have one address, redis://HOST:PORT?cluster=true"
	noSentinel  = "it is no Sentinel, and REDIS_URL has the form for Sentinels (master_name=)"
)

// isNil reports whether an error is the answer to a command that found nothing.
func isNil(err error) bool { return errors.Is(err, redis.Nil) && err.Error() == redis.Nil.Error() }

// WithoutArguments returns an error without the arguments that Redis repeats of an unknown command. That may be AUTH
// with a password.
func WithoutArguments(err error) error {
	if _, ok := errors.AsType[redis.Error](err); !ok {
		return err
	}
	if text, _, repeats := strings.Cut(err.Error(), ", with args"); repeats {
		return refusal(text)
	}
	return err
}

// refusal is what Redis answered.
type refusal string

func (r refusal) Error() string { return string(r) }

// RedisError makes it a redis.Error.
func (refusal) RedisError() {}
