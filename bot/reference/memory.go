package reference

import (
	"slices"
	"sync"
)

// maxHeld is how many stories a process holds while Redis is away: 2 kB each.
const maxHeld = 500

// memory holds the latest stories that Redis did not take.
type memory struct {
	mu      sync.Mutex
	stories []Story // oldest first
}

// hold holds a story, unless there is one of its reference already.
func (m *memory) hold(story Story) {
	if _, known := m.find(story.Reference); known {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.stories) == maxHeld {
		m.stories = slices.Delete(m.stories, 0, 1)
	}
	m.stories = append(m.stories, story)
}

func (m *memory) find(code string) (Story, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.stories, func(s Story) bool { return s.Reference == code })
	if i < 0 {
		return Story{}, false
	}
	return m.stories[i], true
}
