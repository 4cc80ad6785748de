package bot

import "hostbot/hostapi"

// hostingConfig translates the settings of the hosting service.
func (b *Bot) hostingConfig() hostapi.Config {
	s := b.settings.HostAPI
	operations := make(map[hostapi.Operation]hostapi.Override, len(s.Operations))
	for name, o := range s.Operations {
		operations[hostapi.Operation(name)] = hostapi.Override{
			Disabled: !o.Enabled, Method: o.Method, Path: o.Path, UserIDIn: hostapi.Place(o.ChatUserID),
		}
	}
	return hostapi.Config{
		BaseURL: s.URL, Secret: s.Secret, AllowHTTP: s.AllowHTTP, Timeout: s.Timeout,
		UserAgent: "hostbot/" + b.version, Operations: operations,
		Observe: b.monitor.Service, OnDown: b.serviceDown, OnUp: b.serviceUp,
	}
}
