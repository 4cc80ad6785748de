package accounts

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hostbot/hostapi"
)

const (
	// keyPrefix holds the version of what is stored under it.
	keyPrefix = "hostbot:v1:account:"
	version   = 1
	// maxEntry bounds an entry, in bytes: twice the longest answer that the
	// service's client reads.
	maxEntry = 8 << 20
	// maxSkew is how far another machine's clock may be ahead.
	maxSkew = time.Minute
)

// entry is what Redis holds of an account.
type entry struct {
	Version   int          `json:"version"`
	UserID    string       `json:"userId"`
	FetchedAt time.Time    `json:"fetchedAt"`
	Expired   bool         `json:"expired,omitempty"` // to be asked for again, whatever its age
	List      hostapi.List `json:"list"`
}

func encode(e entry) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // which makes one character six
	if err := encoder.Encode(e); err != nil {
		return nil, fmt.Errorf("encode the account: %w", err)
	}
	if b.Len() > maxEntry {
		return nil, fmt.Errorf("the account is longer than %d bytes", maxEntry)
	}
	return b.Bytes(), nil
}

// decode reads an entry and believes nothing in it.
func decode(data []byte, userID string, now time.Time) (entry, error) {
	if len(data) > maxEntry {
		return entry{}, fmt.Errorf("longer than %d bytes", maxEntry)
	}
	var e entry
	if err := json.Unmarshal(data, &e); err != nil {
		return entry{}, err
	}
	switch {
	case e.Version != version:
		return entry{}, fmt.Errorf("of version %d", e.Version)
	case e.UserID != userID:
		return entry{}, errors.New("of another user")
	case e.FetchedAt.After(now.Add(maxSkew)):
		return entry{}, errors.New("from the future")
	case e.List.Servers == nil:
		return entry{}, errors.New("without a list")
	}
	return e, nil
}
