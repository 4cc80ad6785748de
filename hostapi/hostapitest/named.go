package hostapitest

// NamedFault is a fault that real services, and what stands before them, have been seen to
// have.
type NamedFault struct {
	Name  string // a few words, such as "gateway's 404"
	Fault Fault
}
