// Package store has no code. It is an index of the program's Lua scripts for Redis.
//
// Each script stands beside the keys that it uses. There is one only if what is written depends on what is there,
// and if MULTI and WATCH would cost a customer or a busy replica round trips.
//
//	accounts.putScript       stores what the service told of an account, unless it was changed since
//	actions.acquireScript    begins an action on a bot: the lock, the limit of a user, and what an
//	                         interaction has done already
//	actions.saveScript       writes the record of an action, unless it was reported as not done meanwhile
//	actions.takeScript       takes an action that nobody renews any more, to report it
//	leader.forgetScript      resets the counted attempts of what has returned, in the lists of other processes
//	lease.holdScript         takes a lease, renews it or gives it up, unless another process holds it
//	logchannel.addScript     adds an entry for a log channel unless its ID is known
//	logchannel.doneScript    removes entries that Discord has, and saves the channel's state
//	record.dropScript        removes a record of the version that was read
//	record.saveScript        writes a record of the version that was read, and when it is due
//	record.takeScript        takes a record that is due, and puts off when it is due again
//	redisclient.writeScript  writes a key, to see whether scripts may write
//	watcher.noteScript       notes an action on a bot of an account that is watched
//	watcher.writeScript      writes what a poll has shown, unless another process has polled
package store
