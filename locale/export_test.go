package locale

// LoadFrom reads text files other than the embedded ones.
var LoadFrom = load

// Read reads a text file.
var Read = read

// IsRegistered reports whether commands are registered with a text.
var IsRegistered = isRegistered

// Form names the plural form that a whole number asks for.
func (t *Texts) Form(n int) string { return t.form(n) }
