package bot

import (
	"hostbot/configs"
	"hostbot/hostapi"
)

// hostingConfig translates the settings of the hosting service.
func hostingConfig(s configs.HostAPI, version string, observe func(hostapi.Call)) hostapi.Config {
	operations := make(map[hostapi.Operation]hostapi.Override, len(s.Operations))
	for name, o := range s.Operations {
		operations[hostapi.Operation(name)] = hostapi.Override{
			Disabled: !o.Enabled, Method: o.Method, Path: o.Path, UserIDIn: hostapi.Place(o.ChatUserID),
		}
	}
	return hostapi.Config{
		BaseURL: s.URL, Secret: s.Secret, AllowHTTP: s.AllowHTTP, Timeout: s.Timeout,
		UserAgent: "hostbot/" + version, Operations: operations, Observe: observe,
	}
}
