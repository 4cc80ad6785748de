package hostapi

import "context"

// NewServer is what a server is created from.
type NewServer struct {
	Name           string
	Language       string // such as NODE
	EntryFile      string
	StartupCommand string
	RAMMB          int // megabytes
	DiskMB         int // megabytes
	CPUPercent     int // 100 is one full unit
}

// Startup is how a server is started.
type Startup struct {
	Command   string
	EntryFile string
}

// List returns all servers of a user's account, and the summary of its plan.
// Each server has an ID of its own. CodeNotFound: the user has no account.
func (c *Client) List(ctx context.Context, userID string) (List, error) {
	return do(ctx, c, call{op: OpList, userID: userID}, decodeList)
}

// Get returns one server.
func (c *Client) Get(ctx context.Context, userID, serverID string) (Server, error) {
	return do(ctx, c, call{op: OpGet, userID: userID, serverID: serverID}, decodeFound(serverID))
}

// Create makes a server and returns it. CodeLimitReached: the plan allows no
// further one, or not one as big.
func (c *Client) Create(ctx context.Context, userID string, n NewServer) (Server, error) {
	return do(ctx, c, call{op: OpCreate, userID: userID, fields: map[string]any{
		"name":           n.Name,
		"language":       n.Language,
		"entryFile":      n.EntryFile,
		"startupCommand": n.StartupCommand,
		"ramMb":          n.RAMMB,
		"diskMb":         n.DiskMB,
		"cpuPercent":     n.CPUPercent,
	}}, decodeChanged(""))
}

// Delete removes a server and all that is in it.
func (c *Client) Delete(ctx context.Context, userID, serverID string) error {
	_, err := do(ctx, c, call{op: OpDelete, userID: userID, serverID: serverID}, decodeDone)
	return err
}

// Start starts a server and returns its status then; "" where the service gave
// none.
func (c *Client) Start(ctx context.Context, userID, serverID string) (status string, err error) {
	return do(ctx, c, call{op: OpStart, userID: userID, serverID: serverID}, decodeStatus)
}

// Stop stops a server and returns its status then; "" where the service gave
// none.
func (c *Client) Stop(ctx context.Context, userID, serverID string) (status string, err error) {
	return do(ctx, c, call{op: OpStop, userID: userID, serverID: serverID}, decodeStatus)
}

// Restart restarts a server's container and returns the server's status after
// that; "" where the service gave none.
func (c *Client) Restart(ctx context.Context, userID, serverID string) (status string, err error) {
	return do(ctx, c, call{op: OpRestart, userID: userID, serverID: serverID}, decodeStatus)
}

// Reinstall installs a server's dependencies anew inside its container.
func (c *Client) Reinstall(ctx context.Context, userID, serverID string) error {
	_, err := do(ctx, c, call{op: OpReinstall, userID: userID, serverID: serverID}, decodeDone)
	return err
}

// UpdateStartup changes how a server is started and returns the server.
func (c *Client) UpdateStartup(ctx context.Context, userID, serverID string, s Startup) (Server, error) {
	return do(ctx, c, call{op: OpUpdateStartup, userID: userID, serverID: serverID, fields: map[string]any{
		"startupCommand": s.Command,
		"entryFile":      s.EntryFile,
	}}, decodeChanged(serverID))
}
