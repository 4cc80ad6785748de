package locale

// LoadFrom reads text files other than the embedded ones.
var LoadFrom = load
