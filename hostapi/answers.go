package hostapi

import (
	"encoding/json"
	"errors"
)

// result is the content of an answer. Each operation has its own part of it.
type result struct {
	list   List
	server Server
	status string // of a server after an action; may be empty
}

// decoder reads the body of an answer. serverID is the server that the call was
// about; it is empty where the call was not about one.
type decoder func(body []byte, serverID string) (result, error)

func decodeList(body []byte, _ string) (got result, err error) {
	err = json.Unmarshal(body, &got.list)
	return got, err
}

// decodeServer reads a record that is bare or under "server". The document does
// not say which it is.
func decodeServer(body []byte, serverID string) (result, error) {
	var wrapped struct {
		Server json.RawMessage `json:"server"`
	}
	if err := json.Unmarshal(body, &wrapped); err != nil {
		return result{}, err
	}
	if len(wrapped.Server) > 0 {
		body = wrapped.Server
	}
	var got result
	if err := json.Unmarshal(body, &got.server); err != nil {
		return result{}, err
	}
	if serverID != "" && got.server.ID != serverID {
		return result{}, errors.New("the record of another server")
	}
	return got, nil
}

// decodeStatus reads the answer to an action, which must say that it succeeded.
func decodeStatus(body []byte, _ string) (result, error) {
	var answer struct {
		OK     bool   `json:"ok"`
		Status string `json:"status"`
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return result{}, err
	}
	if !answer.OK {
		return result{}, errors.New(`no "ok": true`)
	}
	return result{status: answer.Status}, nil
}

// decodeChangedServer reads the answer to an action that made or changed a
// server.
func decodeChangedServer(body []byte, serverID string) (result, error) {
	if _, err := decodeStatus(body, ""); err != nil {
		return result{}, err
	}
	return decodeServer(body, serverID)
}
