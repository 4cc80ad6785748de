package hostapitest

// theList is a list with a good record and another, before the account's summary.
func theList(other string) Fault {
	return Fault{Body: `{"servers":[` + goodRecord + `,` + other + `],"account":` + goodAccount + `}`}
}

const (
	goodRecord  = `{"id":"good","name":"good","status":"RUNNING","ramMb":512,"diskMb":1024,"cpuPercent":100}`
	goodAccount = `{"planName":"Pro","planRamMb":5120,"maxServers":9,"serverCount":2}`
)

// RealRecords are answers to the question for a list in which the first of two records, with the ID
// "good", is as it should be, and the other can be read: its ID is "odd".
func RealRecords() []NamedFault {
	odd := func(name, members string) NamedFault {
		return NamedFault{name, theList(`{"id":"odd","name":"odd",` + members + `}`)}
	}
	account := func(name, account string) NamedFault {
		return NamedFault{name, Fault{Body: `{"servers":[` + goodRecord + `,{"id":"odd","name":"odd"}]` + account + `}`}}
	}
	return []NamedFault{
		odd("a fraction", `"cpuPercent":12.5,"ramMb":512.0`),
		odd("an exponent", `"ramMb":1e2`),
		odd("a number in quotes", `"ramMb":" 512 "`),
		odd("a number with its unit", `"ramMb":"512 MB"`),
		odd("a huge number", `"ramMb":1e99,"diskMb":99999999999999999999,"cpuPercent":-1`),
		odd("NaN", `"ramMb":NaN,"diskMb": -Infinity,"cpuPercent":"NaN"`),
		odd("a status that is a number", `"status":20`),
		odd("a status that is an object", `"status":{"state":"running"}`),
		odd("texts that are none", `"language":[],"entryFile":false,"startupCommand":{"cmd":["node"]},"planName":7,"createdAt":1767225600`),
		odd("null in all members", `"status":null,"language":null,"ramMb":null,"subdomain":null,"createdAt":null`),
		odd("text that is not UTF-8", "\"language\":\"\xff\xfe\",\"subdomain\":\"\\ud800\""),
		{"a name that is a number", theList(`{"id":"odd","name":2024}`)},
		{"members in other case", theList(`{"ID":"odd","Name":"odd","RamMB":512}`)},
		account("no account", ``),
		account("an account that is null", `,"account":null`),
		account("an account that is a list", `,"account":[]`),
		account("an account that is a text", `,"account":"Pro"`),
		account("an account with odd figures", `,"account":{"planName":7,"maxServers":"9","planRamMb":5120.0,"serverCount":"2"}`),
		{"a byte order mark", Fault{Body: "\uFEFF" + theList(`{"id":"odd","name":"odd"}`).Body}},
		{"a list with gaps, from PHP", Fault{Body: `{"servers":{"10":{"id":"odd","name":"odd"},"2":` + goodRecord + `},"account":` + goodAccount + `}`}},
	}
}

// OddRecord sends a server's members in other forms, of which two cannot be read.
func OddRecord() Fault {
	return Fault{Odd: map[string]string{"status": `{"state":"running"}`, "ramMb": `"512 MB"`, "cpuPercent": "12.5", "diskMb": `"2048"`, "planName": "7"}}
}

// RealStrays are the same with another record that is none, or has no ID that can be read.
func RealStrays() []NamedFault {
	return []NamedFault{
		{"null", theList(`null`)},
		{"a text", theList(`"odd"`)},
		{"a list", theList(`[]`)},
		{"no ID", theList(`{"name":"odd","status":"RUNNING"}`)},
		{"an ID that is null", theList(`{"id":null,"name":"odd"}`)},
		{"an empty ID", theList(`{"id":"","name":"odd"}`)},
		{"an ID that is an object", theList(`{"id":{"$oid":"507f1f77bcf86cd799439011"},"name":"odd"}`)},
		{"an ID that has lost its digits", theList(`{"id":1.2345678901234568e18,"name":"odd"}`)},
	}
}

// UnreadableLists are answers to the question for a list in which nothing can be read.
func UnreadableLists() []NamedFault {
	return []NamedFault{
		{"servers that are null", Fault{Body: `{"servers":null,"account":` + goodAccount + `}`}},
		{"servers that are an object", Fault{Body: `{"servers":{"good":` + goodRecord + `}}`}},
		{"no servers", Fault{Body: `{"data":{"servers":[` + goodRecord + `]}}`}},
		{"only records without IDs", Fault{Body: `{"servers":[null,{"name":"odd"}]}`}},
		{"a warning of PHP's", Fault{Body: "<br />\n<b>Warning</b>:  Undefined variable $x in <b>/srv/api.php</b> on line <b>3</b><br />\n" + theList(`{}`).Body}},
		{"a comment after it", Fault{Body: theList(`{}`).Body + "<!-- 0.03 s -->"}},
		{"NUL after it", Fault{Body: theList(`{}`).Body + "\x00"}},
		{"UTF-16", Fault{Body: "\xff\xfe{\x00}\x00"}},
		{"a list without more", Fault{Body: `[` + goodRecord + `]`}},
		{"an empty body", Fault{Status: 200}},
	}
}
