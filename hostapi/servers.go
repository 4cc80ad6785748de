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
	got, err := c.do(ctx, call{op: OpList, userID: userID})
	return got.list, err
}

// Get returns one server.
func (c *Client) Get(ctx context.Context, userID, serverID string) (Server, error) {
	got, err := c.do(ctx, call{op: OpGet, userID: userID, serverID: serverID})
	return got.server, err
}

// Create creates a server and returns it. CodeLimitReached: the plan allows no further server, or none of this size.
// CodeInvalid: the service does not accept n.
func (c *Client) Create(ctx context.Context, userID string, n NewServer) (Server, error) {
	got, err := c.do(ctx, call{op: OpCreate, userID: userID, fields: map[string]any{
		"name":           n.Name,
		"language":       n.Language,
		"entryFile":      n.EntryFile,
		"startupCommand": n.StartupCommand,
		"ramMb":          n.RAMMB,
		"diskMb":         n.DiskMB,
		"cpuPercent":     n.CPUPercent,
	}})
	return got.server, err
}

// Delete removes a server and everything in it.
func (c *Client) Delete(ctx context.Context, userID, serverID string) error {
	_, err := c.do(ctx, call{op: OpDelete, userID: userID, serverID: serverID})
	return err
}

// Start starts a server and returns its status after that; "" if the service told none.
func (c *Client) Start(ctx context.Context, userID, serverID string) (status string, err error) {
	got, err := c.do(ctx, call{op: OpStart, userID: userID, serverID: serverID})
	return got.status, err
}

// Stop stops a server and returns its status after that; "" if the service told none.
func (c *Client) Stop(ctx context.Context, userID, serverID string) (status string, err error) {
	got, err := c.do(ctx, call{op: OpStop, userID: userID, serverID: serverID})
	return got.status, err
}

// Restart restarts a server's container and returns the server's status after that; "" if the service told none.
func (c *Client) Restart(ctx context.Context, userID, serverID string) (status string, err error) {
	got, err := c.do(ctx, call{op: OpRestart, userID: userID, serverID: serverID})
	return got.status, err
}

// Reinstall installs a server's dependencies again inside its container.
func (c *Client) Reinstall(ctx context.Context, userID, serverID string) error {
	_, err := c.do(ctx, call{op: OpReinstall, userID: userID, serverID: serverID})
	return err
}

// UpdateStartup changes how a server is started and returns the server. CodeInvalid: the service does not accept s.
func (c *Client) UpdateStartup(ctx context.Context, userID, serverID string, s Startup) (Server, error) {
	got, err := c.do(ctx, call{op: OpUpdateStartup, userID: userID, serverID: serverID, fields: map[string]any{
		"startupCommand": s.Command,
		"entryFile":      s.EntryFile,
	}})
	return got.server, err
}
