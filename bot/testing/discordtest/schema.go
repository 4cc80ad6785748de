//go:build integration

package discordtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// Addresses under which the compiler knows the two files.
const (
	openAPIName     = "https://discord.invalid/openapi.json"
	eventSchemaName = "https://discord.invalid/interaction-create.json"
)

// descriptions are the schemas that were read, by their two paths. All servers of
// a test binary check against the same: to read them takes 0.4 s with the race
// detector, and 30 MB.
var descriptions = struct {
	mu   sync.Mutex
	read map[[2]string]*schemas
}{read: make(map[[2]string]*schemas)}

// readSchemas returns the schemas of the files at the paths; an empty path leaves
// one out.
func readSchemas(openAPI, event string) (*schemas, error) {
	descriptions.mu.Lock()
	defer descriptions.mu.Unlock()
	paths := [2]string{openAPI, event}
	if s := descriptions.read[paths]; s != nil {
		return s, nil
	}
	s, err := newSchemas(openAPI, event)
	if err != nil {
		return nil, err
	}
	descriptions.read[paths] = s
	return s, nil
}

// schemas are Discord's own descriptions. The zero value checks nothing.
type schemas struct {
	mu       sync.Mutex // the compiler is not safe for concurrent use
	compiler *jsonschema.Compiler
	openAPI  bool
	event    *jsonschema.Schema
}

// newSchemas loads the files at the paths; an empty path leaves one out.
func newSchemas(openAPI, event string) (*schemas, error) {
	s := &schemas{compiler: jsonschema.NewCompiler(), openAPI: openAPI != ""}
	s.compiler.DefaultDraft(jsonschema.Draft2020)
	s.compiler.AssertFormat()
	for name, path := range map[string]string{openAPIName: openAPI, eventSchemaName: event} {
		if path == "" {
			continue
		}
		if err := s.load(name, path); err != nil {
			return nil, fmt.Errorf("discordtest: %s: %w", path, err)
		}
	}
	if event != "" {
		compiled, err := s.compiler.Compile(eventSchemaName)
		if err != nil {
			return nil, fmt.Errorf("discordtest: %s: %w", event, err)
		}
		s.event = compiled
	}
	return s, nil
}

func (s *schemas) load(name, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return err
	}
	if name == openAPIName {
		allowIntegerIDs(document)
	}
	return s.compiler.AddResource(name, document)
}

// allowIntegerIDs lets ids be integers, which Discord takes and its description does
// not mention; sentID has the source.
func allowIntegerIDs(document any) {
	id := document
	for _, member := range []string{"components", "schemas", "SnowflakeType"} {
		object, _ := id.(map[string]any)
		id = object[member]
	}
	if schema, ok := id.(map[string]any); ok {
		schema["type"] = []any{"string", "integer"}
	}
}

// checkBody checks a body against a component of the OpenAPI description.
func (s *schemas) checkBody(component string, body []byte) error {
	if !s.openAPI {
		return nil
	}
	s.mu.Lock()
	schema, err := s.compiler.Compile(openAPIName + "#/components/schemas/" + component)
	s.mu.Unlock()
	if err != nil {
		return fmt.Errorf("compile %s: %w", component, err)
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return err
	}
	return schema.Validate(trimEmbeds(value))
}

// trimEmbeds trims the texts of embeds, as Discord does before it counts
// (docs:resources/message#embed-object-embed-limits).
func trimEmbeds(body any) any {
	members, _ := body.(map[string]any)
	if data, ok := members["data"]; ok {
		members["data"] = trimEmbeds(data)
	}
	if embeds, ok := members["embeds"]; ok {
		members["embeds"] = trimTexts(embeds)
	}
	return body
}

func trimTexts(value any) any {
	switch v := value.(type) {
	case string:
		return strings.TrimSpace(v)
	case []any:
		for i := range v {
			v[i] = trimTexts(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = trimTexts(v[name])
		}
	}
	return value
}

// checkEvent checks the data of an INTERACTION_CREATE.
func (s *schemas) checkEvent(data json.RawMessage) error {
	if s.event == nil {
		return nil
	}
	frame, err := json.Marshal(dispatchFrame("INTERACTION_CREATE", 1, data))
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(frame))
	if err != nil {
		return err
	}
	return s.event.Validate(value)
}

// checkEach checks each element of a list.
func (s *schemas) checkEach(component string, body []byte) error {
	if !s.openAPI {
		return nil
	}
	var elements []json.RawMessage
	if err := json.Unmarshal(body, &elements); err != nil {
		return err
	}
	for i, element := range elements {
		if err := s.checkCommand(component, element); err != nil {
			return fmt.Errorf("%d: %w", i, err)
		}
	}
	return nil
}

// checkCommand checks one command.
func (s *schemas) checkCommand(component string, body []byte) error {
	if !s.openAPI {
		return nil
	}
	var members map[string]any
	if err := json.Unmarshal(body, &members); err != nil {
		return err
	}
	// The description asks for an integer where a string is right.
	delete(members, "default_member_permissions")
	data, err := json.Marshal(members)
	if err != nil {
		return err
	}
	return s.checkBody(component, data)
}
