// Package store is an index of the Lua scripts that the program has Redis run, and has no code.
//
// A script stands beside the keys that it uses. There is one only where what is written depends on
// what is there, and where MULTI, with WATCH where that is needed, would cost a customer or a busy
// replica round trips.
//
//	accounts.putScript       stores what the service told of an account, unless it was changed since
//	actions.acquireScript    begins an action on a bot: the lock, the limit of a user, and what an
//	                         interaction has done already
//	actions.saveScript       writes what has become of an action, unless it was reported as not done meanwhile
//	actions.takeScript       takes an action that nobody renews any more, to report it
//	leader.forgetScript      has no attempt count on what has returned, in the lists of processes that ended
//	lease.holdScript         takes a lease, renews it or gives it up, unless another process holds it
//	logchannel.addScript     adds an entry for a log channel unless its ID is known
//	logchannel.doneScript    takes entries out that Discord has, and saves the channel's state
//	record.saveScript        writes a record of the version that was read, and when it is due
//	record.takeScript        takes a record that is due, for as long as somebody works on it
//	redisclient.writeScript  writes a key, to see whether scripts may write
//	watcher.noteScript       notes an action on a bot of an account that is watched
//	watcher.writeScript      writes what a poll has shown, unless another process has polled
package store
