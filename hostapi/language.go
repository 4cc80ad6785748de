package hostapi

// Language is one in which a new server can be written.
type Language struct {
	ID    string // as the service knows it, such as NODE
	Label string // for people
	// How such a server is started where nothing else is said; empty where that must be
	// said.
	Startup
}
